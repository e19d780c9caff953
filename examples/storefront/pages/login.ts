import { unwrap } from '@commerce-backend/sdk';
import { type Refused, refusable, submit } from '../actions.ts';
import { html } from '../html.ts';
import { passwordOf, textOf, type Visit } from '../visit.ts';
import { field } from './form.ts';
import type { Page } from './page.ts';

/** The submitted form, if the shop rejected it. */
interface RefusedForm extends Refused {
  form: 'login' | 'register';
}

/** Login and registration. After an error, the submitted form keeps its input except passwords. */
export async function loginPage({ t, to, req }: Visit, refused?: RefusedForm): Promise<Page> {
  const typed = (form: RefusedForm['form'], name: string) => ({
    value: refused?.form === form ? textOf(req.body, name) : undefined,
    invalid: refused?.form === form && refused.wrong.includes(name),
  });
  const email = { type: 'email', required: true };
  const password = { type: 'password', required: true };
  const main = html`<div class="doors">
  <section><h1>${t('login')}</h1>
    <form method="post" action="${to('/login')}">
      ${field(t('email'), 'email', { ...email, ...typed('login', 'email'), autocomplete: 'username' })}
      ${field(t('password'), 'password', { ...password, autocomplete: 'current-password' })}
      <button class="primary">${t('login')}</button>
    </form>
    <details><summary>${t('forgotten')}</summary>
      <form method="post" action="${to('/forgotten')}">${field(t('email'), 'email', { ...email, autocomplete: 'email' })}<button>${t('send_reset')}</button></form>
    </details></section>
  <section id="register"><h2>${t('register')}</h2><p>${t('register_text')}</p>
    <form method="post" action="${to('/register')}">
      ${field(t('first_name'), 'first_name', { ...typed('register', 'first_name'), autocomplete: 'given-name', required: true })}
      ${field(t('email'), 'email', { ...email, ...typed('register', 'email'), autocomplete: 'email' })}
      ${field(t('password'), 'password', { ...password, autocomplete: 'new-password', hint: t('password_hint'), minlength: 8, invalid: typed('register', 'password').invalid })}
      <button>${t('register')}</button>
    </form></section>
</div>`;
  return { title: t('login'), main, path: '/login', isPrivate: true, ...(refused && { refusal: refused.reason }) };
}

/** Logs the customer in. The items of the guest's cart are kept. */
export async function logIn(visit: Visit): Promise<Page | undefined> {
  const { body } = visit.req;
  const refused = await submit(visit, '/login', '', async () => {
    const session = await visit.cart.login({
      ...{ email: textOf(body, 'email'), password: passwordOf(body, 'password') },
    });
    visit.logIn(session.access_token);
    visit.goTo(session.cart_id && visit.pieces > 0 ? '/cart' : '/account');
  });
  return refused && loginPage(visit, { ...refused, form: 'login' });
}

export async function register(visit: Visit): Promise<Page | undefined> {
  const { body } = visit.req;
  const account = {
    ...{ email: textOf(body, 'email'), password: passwordOf(body, 'password') },
    first_name: textOf(body, 'first_name') || null,
  };
  const refused = await submit(visit, '/login', 'check_mail', () =>
    unwrap(visit.shop.POST('/api/storefront/customer/register', { body: account })),
  );
  return refused && loginPage(visit, { ...refused, form: 'register' });
}

/** Requests a mail with a link for a new password. The response never reveals whether there is an account. */
export async function sendReset(visit: Visit): Promise<void> {
  const body = { email: textOf(visit.req.body, 'email') };
  await refusable(visit, '/login', 'check_mail', () =>
    unwrap(visit.shop.POST('/api/storefront/customer/reset-request', { body })),
  );
}
