import { unwrap } from '@commerce-backend/sdk';
import { refusable } from '../actions.ts';
import { html } from '../html.ts';
import { passwordOf, textOf, type Visit } from '../visit.ts';
import { ofAccount } from './account-layout.ts';
import { field } from './form.ts';
import type { Page } from './page.ts';

export async function profilePage(visit: Visit): Promise<Page> {
  const { t, to, shop } = visit;
  const customer = await unwrap(shop.GET('/api/storefront/customer/me'));
  const password = { type: 'password', required: true };
  return ofAccount(
    visit,
    t('profile'),
    html`<form class="fields" method="post" action="${to('/account/profile')}">
  ${field(t('first_name'), 'first_name', { value: customer.first_name, autocomplete: 'given-name' })}
  ${field(t('last_name'), 'last_name', { value: customer.last_name, autocomplete: 'family-name' })}
  ${field(t('phone'), 'phone', { type: 'tel', value: customer.phone, autocomplete: 'tel' })}
  <label class="tick"><input type="checkbox" name="marketing" value="yes"${customer.marketing_opt_in && html` checked`}> ${t('marketing')}</label>
  <button class="primary">${t('save')}</button>
</form>
<h2>${t('change_password')}</h2>
<form class="fields" method="post" action="${to('/account/password')}">
  ${field(t('email'), 'email', { type: 'email', value: customer.email, autocomplete: 'username', readonly: true })}
  ${field(t('current_password'), 'current_password', { ...password, autocomplete: 'current-password' })}
  ${field(t('new_password'), 'new_password', { ...password, autocomplete: 'new-password', hint: t('password_hint'), minlength: 8 })}
  <button>${t('change_password')}</button>
</form>`,
  );
}

/** A consent is kept with the words that were agreed to; who changes nothing about it is not asked again. */
export async function saveProfile(visit: Visit): Promise<void> {
  const { shop, t, req } = visit;
  const of = (name: string) => textOf(req.body, name) || null;
  const wanted = textOf(req.body, 'marketing') === 'yes';
  await refusable(visit, '/account/profile', 'saved_changes', async () => {
    const { marketing_opt_in } = await unwrap(shop.GET('/api/storefront/customer/me'));
    const consent = { marketing_opt_in: wanted, marketing_wording: t('marketing') };
    const body = {
      ...{ first_name: of('first_name'), last_name: of('last_name'), phone: of('phone') },
      ...(wanted !== marketing_opt_in && consent),
    };
    await unwrap(shop.PATCH('/api/storefront/customer/me', { body }));
  });
}

export async function changePassword(visit: Visit): Promise<void> {
  const { shop, req } = visit;
  const body = {
    current_password: passwordOf(req.body, 'current_password'),
    new_password: passwordOf(req.body, 'new_password'),
  };
  const change = () => unwrap(shop.POST('/api/storefront/customer/me/password', { body }));
  await refusable(visit, '/account/profile', 'password_changed', change, { invalid_credentials: 'wrong_password' });
}
