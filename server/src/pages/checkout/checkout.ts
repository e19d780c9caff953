import { postAccess, showAccess } from '../parts/access.ts';
import type { CustomerVisit } from '../parts/customer-visit.ts';
import type { FormBody } from '../parts/form-body.ts';
import type { LoginWords } from '../parts/login.ts';
import type { PageAnswer, PageRoute } from '../parts/route.ts';
import { CHECKOUT_NOTICES } from './notices.ts';
import { post } from './post.ts';
import { show } from './show.ts';
import { arrive, type CheckoutVisit } from './visit.ts';

/** The hosted checkout. It uses storefront operations, with their rate limits and audit. */
export const checkoutPage: PageRoute<CheckoutVisit> = {
  path: '/checkout/:token',
  where: 'checkout',
  arrive,
  formOf: ({ login, checkout, path }) => (login ? `login ${path}` : `checkout ${checkout.id}`),
  show: async (visit) => (visit.login ? askWho(visit.login) : show(visit)),
  post: (visit, body) => (visit.login ? logInFirst(visit.login, body) : post(visit, body)),
  notices: CHECKOUT_NOTICES,
};

/** Shows the login for a checkout that an agent prepared. Only the customer of the agent may see the checkout. */
function askWho(visit: CustomerVisit): PageAnswer {
  return showAccess(visit, `login ${visit.path}`, wordsFor(visit));
}

async function logInFirst(visit: CustomerVisit, body: FormBody): Promise<PageAnswer> {
  return postAccess(visit, `login ${visit.path}`, wordsFor(visit), body) ?? { redirect: visit.path };
}

function wordsFor({ session, language: { say } }: CustomerVisit): LoginWords {
  return {
    where: 'checkout',
    known: true,
    title: say('checkout.login'),
    why: session ? say('checkout.login_other', { email: session.email }) : say('checkout.login_why'),
  };
}
