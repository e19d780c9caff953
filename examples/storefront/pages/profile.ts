import { unwrap } from '@commerce-backend/sdk';
import { type Refused, submit } from '../actions.ts';
import { html } from '../html.ts';
import { passwordOf, textOf, type Visit } from '../visit.ts';
import { ofAccount } from './account-layout.ts';
import { field } from './form.ts';
import type { Page } from './page.ts';

/** The submitted form, if the shop rejected it. */
interface RefusedForm extends Refused {
  form: 'profile' | 'password';
}

/** The customer's profile. If it is invalid, the form keeps its input. */
export async function profilePage(visit: Visit, refused?: RefusedForm): Promise<Page> {
  const { t, to, shop, req } = visit;
  const customer = await unwrap(shop.GET('/api/storefront/customer/me'));
  const isTyped = refused?.form === 'profile';
  const part = (name: 'first_name' | 'last_name' | 'phone', autocomplete: string, type = 'text') =>
    field(t(name), name, {
      ...{ type, autocomplete, value: isTyped ? textOf(req.body, name) : customer[name] },
      invalid: isTyped && refused.wrong.includes(name),
    });
  const marketing = isTyped ? wantsMarketing(visit) : customer.marketing_opt_in;
  const password = { type: 'password', required: true };
  const isWrong = (name: string) => refused?.form === 'password' && refused.wrong.includes(name);
  const page = ofAccount(
    visit,
    t('profile'),
    html`<form class="fields" method="post" action="${to('/account/profile')}">
  ${part('first_name', 'given-name')}
  ${part('last_name', 'family-name')}
  ${part('phone', 'tel', 'tel')}
  <label class="tick"><input type="checkbox" name="marketing" value="yes"${marketing && html` checked`}> ${t('marketing')}</label>
  <button class="primary">${t('save')}</button>
</form>
<h2>${t('change_password')}</h2>
<form class="fields" method="post" action="${to('/account/password')}">
  ${field(t('email'), 'email', { type: 'email', value: customer.email, autocomplete: 'username', readonly: true })}
  ${field(t('current_password'), 'current_password', { ...password, autocomplete: 'current-password', invalid: isWrong('current_password') })}
  ${field(t('new_password'), 'new_password', { ...password, autocomplete: 'new-password', hint: t('password_hint'), minlength: 8, invalid: isWrong('new_password') })}
  <button>${t('change_password')}</button>
</form>`,
  );
  return { ...page, path: '/account/profile', ...(refused && { refusal: refused.reason }) };
}

function wantsMarketing({ req }: Visit): boolean {
  return textOf(req.body, 'marketing') === 'yes';
}

/** Saves the profile. Marketing consent is sent only if it has changed, with its exact wording. */
export async function saveProfile(visit: Visit): Promise<Page | undefined> {
  const { shop, t, req } = visit;
  const of = (name: string) => textOf(req.body, name) || null;
  const wanted = wantsMarketing(visit);
  const refused = await submit(visit, '/account/profile', 'saved_changes', async () => {
    const { marketing_opt_in } = await unwrap(shop.GET('/api/storefront/customer/me'));
    const consent = { marketing_opt_in: wanted, marketing_wording: t('marketing') };
    const body = {
      ...{ first_name: of('first_name'), last_name: of('last_name'), phone: of('phone') },
      ...(wanted !== marketing_opt_in && consent),
    };
    await unwrap(shop.PATCH('/api/storefront/customer/me', { body }));
  });
  return refused && profilePage(visit, { ...refused, form: 'profile' });
}

export async function changePassword(visit: Visit): Promise<Page | undefined> {
  const { shop, req } = visit;
  const body = {
    current_password: passwordOf(req.body, 'current_password'),
    new_password: passwordOf(req.body, 'new_password'),
  };
  const change = () => unwrap(shop.POST('/api/storefront/customer/me/password', { body }));
  const ownWords = { invalid_credentials: 'wrong_password' } as const;
  const refused = await submit(visit, '/account/profile', 'password_changed', change, ownWords);
  return refused && profilePage(visit, { ...refused, form: 'password' });
}
