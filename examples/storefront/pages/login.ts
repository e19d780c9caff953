import { unwrap } from '@commerce-backend/sdk';
import { refusable } from '../actions.ts';
import { html } from '../html.ts';
import { passwordOf, textOf, type Visit } from '../visit.ts';
import { field } from './form.ts';
import type { Page } from './page.ts';

export async function loginPage({ t, to }: Visit): Promise<Page> {
  const email = (autocomplete: string) => field(t('email'), 'email', { type: 'email', autocomplete, required: true });
  const password = { type: 'password', required: true };
  const main = html`<div class="doors">
  <section><h1>${t('login')}</h1>
    <form method="post" action="${to('/login')}">
      ${email('username')}
      ${field(t('password'), 'password', { ...password, autocomplete: 'current-password' })}
      <button class="primary">${t('login')}</button>
    </form>
    <details><summary>${t('forgotten')}</summary>
      <form method="post" action="${to('/forgotten')}">${email('email')}<button>${t('send_reset')}</button></form>
    </details></section>
  <section id="register"><h2>${t('register')}</h2><p>${t('register_text')}</p>
    <form method="post" action="${to('/register')}">
      ${field(t('first_name'), 'first_name', { autocomplete: 'given-name', required: true })}
      ${email('email')}
      ${field(t('password'), 'password', { ...password, autocomplete: 'new-password', hint: t('password_hint'), minlength: 8 })}
      <button>${t('register')}</button>
    </form></section>
</div>`;
  return { title: t('login'), main, isPrivate: true };
}

/** What was in the cart before comes along. */
export async function logIn(visit: Visit): Promise<void> {
  const { body } = visit.req;
  await refusable(visit, '/login', '', async () => {
    const session = await visit.cart.login({
      ...{ email: textOf(body, 'email'), password: passwordOf(body, 'password') },
    });
    visit.logIn(session.access_token);
    visit.goTo(session.cart_id && visit.pieces > 0 ? '/cart' : '/account');
  });
}

export async function register(visit: Visit): Promise<void> {
  const { body } = visit.req;
  const account = {
    ...{ email: textOf(body, 'email'), password: passwordOf(body, 'password') },
    first_name: textOf(body, 'first_name') || null,
  };
  await refusable(visit, '/login', 'check_mail', () =>
    unwrap(visit.shop.POST('/api/storefront/customer/register', { body: account })),
  );
}

/** The answer never tells whether there is an account. */
export async function sendReset(visit: Visit): Promise<void> {
  const body = { email: textOf(visit.req.body, 'email') };
  await refusable(visit, '/login', 'check_mail', () =>
    unwrap(visit.shop.POST('/api/storefront/customer/reset-request', { body })),
  );
}
