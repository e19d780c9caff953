import { type Schemas, unwrap } from '@commerce-backend/sdk';
import { refusable, refusalIn } from '../actions.ts';
import { type Html, html } from '../html.ts';
import { textOf, type Visit } from '../visit.ts';
import { ofAccount } from './account-layout.ts';
import { field } from './form.ts';
import type { Page } from './page.ts';

type Address = Schemas['Address'];

/** Countries to which the shop delivers. Adapt the list to your shop. */
const COUNTRIES = [
  'AT',
  'BE',
  'CH',
  'CZ',
  'DE',
  'DK',
  'ES',
  'FI',
  'FR',
  'GB',
  'IE',
  'IT',
  'LU',
  'NL',
  'NO',
  'PL',
  'PT',
  'SE',
  'US',
];

/** An address as entered, and the names of its invalid fields. */
interface Draft {
  id: string;
  address: Partial<Schemas['CustomerAddress']>;
  wrong: readonly unknown[];
}

/** Lists the customer's addresses as editable forms. The server makes the first one the default. */
export async function addressesPage(visit: Visit, draft?: Draft): Promise<Page> {
  const { t, to, shop } = visit;
  const { addresses } = await unwrap(shop.GET('/api/storefront/customer/me/addresses'));
  const cards = addresses.map(
    (address) => html`<li>${address.is_default && html`<p class="state">${t('address_default')}</p>`}
    ${addressLines(visit, address)}
    <details${draft?.id === address.id && html` open`}><summary>${t('address_edit')}</summary>${form(visit, address, draft?.id === address.id ? draft : undefined)}</details>
    <form method="post" action="${to('/account/addresses/delete')}">
      <button class="plain" name="id" value="${address.id}" aria-label="${t('remove_what', { name: address.address1 ?? '' })}">${t('remove')}</button>
    </form></li>`,
  );
  const added = draft?.id === '' ? draft : undefined;
  const page = ofAccount(
    visit,
    t('addresses'),
    html`${cards.length > 0 ? html`<ul class="addresses">${cards}</ul>` : html`<p class="empty">${t('no_addresses')}</p>`}
<details class="adding"${(cards.length === 0 || added) && html` open`}><summary>${t('new_address')}</summary>${form(visit, undefined, added)}</details>`,
  );
  return draft ? { ...page, refusal: 'form_refused' } : page;
}

function form({ t, to, language }: Visit, address?: Schemas['CustomerAddress'], draft?: Draft): Html {
  const names = new Intl.DisplayNames(language, { type: 'region' });
  const shown = draft?.address ?? address;
  const chosen = shown?.country ?? 'DE';
  const countries = [...new Set([...COUNTRIES, chosen])]
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((one, other) => one.name.localeCompare(other.name, language));
  const part = (name: keyof Address & Parameters<typeof t>[0], autocomplete: string, required = false) =>
    field(t(name), name, { value: shown?.[name], autocomplete, required, invalid: draft?.wrong.includes(name) });
  return html`<form class="fields" method="post" action="${to('/account/addresses')}">
  ${address && html`<input type="hidden" name="id" value="${address.id}">`}
  ${part('first_name', 'given-name')}${part('last_name', 'family-name', true)}
  ${part('company', 'organization')}
  ${part('address1', 'address-line1', true)}${part('address2', 'address-line2')}
  ${part('postal_code', 'postal-code', true)}${part('city', 'address-level2', true)}
  ${part('state', 'address-level1')}
  <label>${t('country')} <select name="country" autocomplete="country">${countries.map(
    ({ code, name }) => html`<option value="${code}"${code === chosen && html` selected`}>${name}</option>`,
  )}</select></label>
  ${part('phone', 'tel')}
  ${!address?.is_default && html`<label class="tick"><input type="checkbox" name="is_default" value="yes"${draft?.address.is_default && html` checked`}> ${t('make_default')}</label>`}
  <button class="primary">${t('save')}</button>
</form>`;
}

/** A postal address in the format for a parcel label. */
export function addressLines({ language }: Pick<Visit, 'language'>, address: Address): Html {
  const country = address.country && new Intl.DisplayNames(language, { type: 'region' }).of(address.country);
  const lines = [
    ...[[address.first_name, address.last_name], [address.company], [address.address1], [address.address2]],
    ...[[address.postal_code, address.city], [address.state], [country]],
  ].map((parts) => parts.filter(Boolean).join(' '));
  return html`<address>${lines.filter(Boolean).map((line) => html`${line}<br>`)}</address>`;
}

/**
 * Adds a postal address, or updates the one with the posted id. If it is invalid, the form is shown again with its
 * input.
 */
export async function saveAddress(visit: Visit): Promise<Page | undefined> {
  const { shop, req } = visit;
  const of = (name: string) => textOf(req.body, name);
  const address_id = of('id');
  const body = {
    ...{ first_name: of('first_name') || null, last_name: of('last_name'), company: of('company') || null },
    ...{ address1: of('address1'), address2: of('address2') || null },
    ...{ postal_code: of('postal_code') || null, city: of('city'), state: of('state') || null },
    ...{ country: of('country'), phone: of('phone') || null },
    ...(of('is_default') === 'yes' && { is_default: true }),
  };
  try {
    const params = { path: { address_id } };
    if (address_id) await unwrap(shop.PATCH('/api/storefront/customer/me/addresses/{address_id}', { params, body }));
    else await unwrap(shop.POST('/api/storefront/customer/me/addresses', { body }));
  } catch (error) {
    const { status, detail = [] } = refusalIn(error);
    if (status === 404) throw error;
    return addressesPage(visit, { id: address_id, address: body, wrong: detail.map(({ loc }) => loc.at(-1)) });
  }
  visit.goTo('/account/addresses', 'saved_changes');
}

export async function deleteAddress(visit: Visit): Promise<void> {
  const params = { path: { address_id: textOf(visit.req.body, 'id') } };
  await refusable(visit, '/account/addresses', 'saved_changes', () =>
    unwrap(visit.shop.DELETE('/api/storefront/customer/me/addresses/{address_id}', { params })),
  );
}
