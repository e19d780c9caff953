import * as registration from '../../shop/account/registration.ts';
import * as codes from '../../shop/customers/codes.ts';
import { ShopError } from '../../shop/errors.ts';
import { verificationLink } from '../../shop/links.ts';
import type { Shop } from '../../shop/shop.ts';
import { page } from '../parts/document.ts';
import type { FormBody } from '../parts/form-body.ts';
import { csrfField } from '../parts/form-parts.ts';
import { html } from '../parts/html.ts';
import type { PageAnswer, PageRoute } from '../parts/route.ts';
import { count, runAction } from '../parts/visit.ts';
import { paragraphs, rich } from '../parts/words.ts';
import { countLook, followLink, LINK_NOTICES, type LinkVisit, linkNotice, toAccess, toLogin } from './mailed-link.ts';

const PURPOSES: codes.CodePurpose[] = ['register', 'verify_email'];

/** The page behind the mailed link that confirms an e-mail address. */
export const verifyEmailPage: PageRoute<LinkVisit> = {
  path: verificationLink('', ':site_id', ':token'),
  where: 'account',
  arrive: (request) => followLink(request, PURPOSES, (site_id, token) => verificationLink('', site_id, token)),
  formOf,
  show,
  post,
  notices: LINK_NOTICES,
};

function formOf({ path }: LinkVisit): string {
  return `verify ${path}`;
}

async function show(visit: LinkVisit): Promise<PageAnswer> {
  await countLook(visit);
  return over(visit) ?? { status: 200, html: confirmForm(visit) };
}

/** The page for a link that has nothing left to confirm; undefined if the link can still be confirmed. */
function over(visit: LinkVisit): PageAnswer | undefined {
  const { code, shop, language } = visit;
  switch (code.state) {
    case 'used':
      return linkNotice(visit, 200, {
        title: language.say('account.verified'),
        sentences: [
          rich(language, 'account.verified_text', { email: html`<strong dir="auto">${code.email}</strong>`, shop }),
          language.say('account.verified_link'),
        ],
        link: toLogin(visit),
      });
    case 'expired':
      return expired(visit);
    default:
      return undefined;
  }
}

function expired(visit: LinkVisit): PageAnswer {
  const { language, shop } = visit;
  const life = language.duration(codes.LIFETIMES.verify_email);
  return linkNotice(visit, 410, {
    title: language.say('account.verify_expired'),
    sentences: paragraphs(language.say('account.verify_expired_text', { shop, life })),
    link: toAccess(visit, 'register'),
  });
}

function confirmForm(visit: LinkVisit): string {
  const { front, shop, code, path, guard, req, res, language } = visit;
  const { say } = language;
  const title = say('account.verify');
  const email = html`<strong dir="auto">${code.email}</strong>`;
  const main = html`
<section class="notice">
<h1>${title}</h1>
<p>${rich(language, 'account.verify_question', { email, shop })}</p>
<form method="post" action="${path}">
${csrfField(guard.csrfFor(req, res, formOf(visit)))}
<button class="primary" name="action" value="verify_email">${say('account.verify_button')}</button>
<p class="after-button">${say('account.verify_after')}</p>
</form>
</section>`;
  return page({ language, title, front, where: 'account', main });
}

/** Confirms the e-mail address. A second click shows that it is already confirmed. */
async function post(visit: LinkVisit, body: FormBody): Promise<PageAnswer> {
  const { token, path, guard, res } = visit;
  if (visit.code.state !== 'alive') return visit.code.state === 'used' ? { redirect: path } : expired(visit);
  await count(visit, 'storefront.verifyEmail');
  const work = async (shop: Shop) => {
    await registration.verifyEmail(shop, token);
    return { redirect: path };
  };
  const act = { operation_id: 'storefront.verifyEmail', action: 'verify_email', body } as const;
  const answer = await runAction(visit, act, work, (shop, error) => refusal(visit, shop, error));
  if ('redirect' in answer) guard.renew(res);
  return answer;
}

/**
 * The response if the link no longer confirms the address: a redirect for a used link, otherwise a notice that the
 * address already has an account or that a newer mail has replaced the link. Rethrows any other error.
 */
async function refusal(visit: LinkVisit, shop: Shop, error: unknown): Promise<PageAnswer> {
  if (!(error instanceof ShopError && error.code === 'verification_token_invalid')) throw error;
  const code = await codes.findSentCode(shop, PURPOSES, visit.token);
  if (code?.state === 'used') return { redirect: visit.path };
  const { language, shop: name } = visit;
  return linkNotice(visit, 410, {
    title: language.say('account.verify_replaced'),
    sentences: paragraphs(language.say('account.verify_replaced_text', { shop: name })),
    link: toLogin(visit),
  });
}
