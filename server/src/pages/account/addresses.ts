/** The customer's address book. */

import type { CustomerAddress } from '@commerce-backend/spec';
import { valueErrors } from '../../http/contract/validator.ts';
import type { MessageKey } from '../../language/messages.ts';
import { missingInAddress, needsState } from '../../shop/address-rules.ts';
import { countries } from '../../shop/countries.ts';
import * as addresses from '../../shop/customers/addresses.ts';
import { notFound, ShopError } from '../../shop/errors.ts';
import { promiseNoChange } from '../../shop/in-shop.ts';
import type { Shop } from '../../shop/shop.ts';
import { addressLines } from '../parts/address-lines.ts';
import type { FormBody } from '../parts/form-body.ts';
import {
  checkBox,
  csrfField,
  type Entered,
  type FormState,
  type Mistake,
  selectField,
  textField,
} from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { accountViewPath, withQuery } from '../parts/paths.ts';
import type { PageAnswer } from '../parts/route.ts';
import { count, inShopOfVisit, runAction } from '../parts/visit.ts';
import { accountFrame } from './frame.ts';
import { type AccountVisit, accountForm, doneAt, idIn } from './visit.ts';

/** The text fields in display order, after the country. The names are those of the address in the API. */
const TEXT_FIELDS = [
  { name: 'first_name', autocomplete: 'given-name', optional: true, maximum: 255 },
  { name: 'last_name', autocomplete: 'family-name', maximum: 255 },
  { name: 'company', autocomplete: 'organization', optional: true, maximum: 255 },
  { name: 'address1', autocomplete: 'address-line1', maximum: 255 },
  { name: 'address2', autocomplete: 'address-line2', optional: true, maximum: 255 },
  { name: 'postal_code', autocomplete: 'postal-code', maximum: 32 },
  { name: 'city', autocomplete: 'address-level2', maximum: 255 },
  { name: 'state', autocomplete: 'address-level1', maximum: 255 },
] as const;
const PARTS = ['country', ...TEXT_FIELDS.map(({ name }) => name), 'phone'] as const;
type FieldName = (typeof PARTS)[number] | 'is_default';

export async function showAddresses(visit: AccountVisit, csrf: string, customer_id: string): Promise<PageAnswer> {
  await count(visit, 'storefront.listAddresses');
  const list = await readAddresses(visit, customer_id);
  const { path, language } = visit;
  const { say } = language;
  const cards = html`<ul class="cards pairs">${list.map((address) => addressCard(visit, csrf, address))}</ul>`;
  const main = html`
<p class="hint">${say('profile.addresses_why')}</p>
${list.length > 0 ? cards : html`<p>${say('profile.addresses_none')}</p>`}
<p class="buttons"><a class="button" href="${accountViewPath(path, 'address')}">${say('profile.address_add')}</a></p>`;
  return accountFrame(visit, csrf, { title: say('profile.addresses'), section: 'addresses', main });
}

function addressCard({ path, language }: AccountVisit, csrf: string, address: CustomerAddress): Html {
  const { say } = language;
  const { id, is_default, address1, city } = address;
  const short = [address1, city].filter(Boolean).join(', ');
  const makeDefault = html`
<form method="post" action="${accountViewPath(path, 'addresses')}">${csrfField(csrf)}<input type="hidden" name="address" value="${id}">
<button class="plain" name="action" value="default_address" aria-label="${say('profile.address_make_default_of', { address: short })}">${say('profile.address_make_default')}</button></form>`;
  return html`
<li class="card">
${is_default && html`<p class="state active">${say('profile.address_default')}</p>`}
<div>${addressLines(language, address)}${address.phone && html`<p>${address.phone}</p>`}</div>
<div class="buttons">
<a href="${withQuery(accountViewPath(path, 'address'), 'address', id)}" aria-label="${say('profile.address_edit_of', { address: short })}">${say('profile.address_change')}</a>
${!is_default && makeDefault}
</div>
</li>`;
}

/** The form of a new address, or of the one in the URL. Throws `not_found` for any other id. */
export async function showAddressForm(visit: AccountVisit, csrf: string, customer_id: string): Promise<PageAnswer> {
  await count(visit, 'storefront.listAddresses');
  const list = await readAddresses(visit, customer_id);
  const { address_id } = visit;
  if (!address_id) return addressForm(visit, csrf, newAddress(list));
  const address = list.find(({ id }) => id === address_id);
  if (!address) throw notFound('address');
  const entered = Object.fromEntries(PARTS.flatMap((part) => (address[part] ? [[part, address[part]]] : [])));
  return addressForm(visit, csrf, { ...entered, ...(address.is_default && { is_default: 'yes' }) });
}

/** A new address probably is in the country of the default one. The first address becomes the default. */
function newAddress(list: CustomerAddress[]): Entered<FieldName> {
  const known = list.find(({ is_default }) => is_default) ?? list[0];
  return { ...(known?.country && { country: known.country }), ...(list.length === 0 && { is_default: 'yes' }) };
}

function readAddresses(visit: AccountVisit, customer_id: string): Promise<CustomerAddress[]> {
  return inShopOfVisit(visit, async (shop) => {
    await promiseNoChange(shop);
    return addresses.list(shop, customer_id);
  });
}

function addressForm(
  visit: AccountVisit,
  csrf: string,
  entered: Entered<FieldName>,
  mistakes: readonly Mistake<FieldName>[] = [],
): PageAnswer {
  const { path, language, address_id } = visit;
  const { say } = language;
  const state = { language, entered, mistakes };
  const action = accountViewPath(path, 'address');
  const title = say(address_id ? 'profile.address_edit' : 'profile.address_add');
  const main = html`
<form method="post" action="${address_id ? withQuery(action, 'address', address_id) : action}" novalidate>
${csrfField(csrf)}
<div class="address">${addressFields(state)}</div>
${checkBox(state, { name: 'is_default', value: 'yes', label: say('profile.address_default_box') })}
<button class="primary" name="action" value="save_address">${say('profile.address_save')}</button>
${address_id && html`<p class="after-button"><button class="plain" name="action" value="delete_address">${say('profile.address_delete')}</button></p>`}
</form>
<p class="after-button"><a href="${accountViewPath(path, 'addresses')}">${say('profile.addresses_back')}</a></p>`;
  const status = mistakes.length > 0 ? 422 : 200;
  const check = say('profile.address_check');
  return accountFrame(visit, csrf, { title, section: 'addresses', main, mistakes, check, status });
}

function addressFields(state: FormState<FieldName>): Html {
  const { language, entered } = state;
  const { say } = language;
  const country = selectField(state, {
    name: 'country',
    label: say('checkout.country'),
    autocomplete: 'country',
    empty: say('checkout.choose_country'),
    choices: language.byName(countries()).map((code) => ({ value: code, label: language.country(code) })),
  });
  const hasNoState = !(entered.country && needsState(entered.country));
  const others = TEXT_FIELDS.map((field) => {
    const optional = 'optional' in field || (field.name === 'state' && hasNoState);
    return textField(state, { ...field, label: say(`checkout.${field.name}`), optional });
  });
  const phone = textField(state, {
    name: 'phone',
    label: say('checkout.phone'),
    type: 'tel',
    autocomplete: 'tel',
    optional: true,
    maximum: 64,
    hint: say('checkout.phone_hint'),
  });
  return html`${country}${others}${phone}`;
}

/** Saves a new or changed address. With mistakes, shows the form again. */
export async function saveAddress(visit: AccountVisit, body: FormBody, customer_id: string): Promise<PageAnswer> {
  const { path, address_id } = visit;
  const entered: Entered<FieldName> = Object.fromEntries(
    [...PARTS, 'is_default' as const].flatMap((part) => (body.has(part) ? [[part, body.get(part)]] : [])),
  );
  const operation_id = address_id ? 'storefront.updateAddress' : 'storefront.createAddress';
  await count(visit, operation_id);
  const again = (mistakes: Mistake<FieldName>[]) => {
    const csrf = visit.guard.csrfFor(visit.req, visit.res, accountForm(visit));
    return addressForm(visit, csrf, entered, mistakes);
  };
  const mistakes = mistakesIn(visit, entered);
  if (mistakes.length > 0) return again(mistakes);
  const { last_name = '', address1 = '', city = '', country = '' } = entered;
  const given = Object.fromEntries(PARTS.map((part) => [part, entered[part] ?? null]));
  const address = { ...given, last_name, address1, city, country };
  const work = async (shop: Shop) => {
    const is_default = entered.is_default === 'yes';
    if (address_id) await addresses.update(shop, customer_id, address_id, { ...address, is_default });
    else await addresses.create(shop, customer_id, { ...address, is_default });
    return { redirect: doneAt(accountViewPath(path, 'addresses'), 'address_saved') };
  };
  return runAction(visit, { operation_id, action: 'save_address', body }, work, async (_shop, error) => {
    if (!(error instanceof ShopError && error.code === 'limit_reached')) throw error;
    return again([{ message: visit.language.say('profile.address_limit', { count: addresses.MAX_ADDRESSES }) }]);
  });
}

function mistakesIn({ language: { say } }: AccountVisit, entered: Entered<FieldName>): Mistake<FieldName>[] {
  const { is_default: _, ...address } = entered;
  const missing = new Set<string>(missingInAddress(address));
  if (entered.country && needsState(entered.country) && !entered.state) missing.add('state');
  const wrong = new Set(
    valueErrors('CustomerAddressPatch', address).map(({ instancePath }) => instancePath.split('/')[2]),
  );
  return PARTS.flatMap((field): Mistake<FieldName>[] => {
    if (missing.has(field)) return [{ field, message: say(`checkout.ask_${field}`) }];
    if (!wrong.has(field)) return [];
    if (field === 'country') return [{ field, message: say('checkout.ask_country_listed') }];
    const label: MessageKey = `checkout.${field}`;
    return [{ field, message: say('checkout.too_long', { field: say(label) }) }];
  });
}

/** Deletes the address in the URL. */
export async function deleteAddress(visit: AccountVisit, body: FormBody, customer_id: string): Promise<PageAnswer> {
  const { address_id, path } = visit;
  if (!address_id) throw new ShopError('invalid_request', 'The form names no address.');
  return change(visit, body, 'delete_address', async (shop) => {
    await addresses.remove(shop, customer_id, address_id);
    return { redirect: doneAt(accountViewPath(path, 'addresses'), 'address_deleted') };
  });
}

/** Makes an address the default. */
export async function makeDefault(visit: AccountVisit, body: FormBody, customer_id: string): Promise<PageAnswer> {
  const id = idIn(body.get('address'));
  if (!id) throw new ShopError('invalid_request', 'The form names no address.');
  return change(visit, body, 'default_address', async (shop) => {
    await addresses.update(shop, customer_id, id, { is_default: true });
    return { redirect: doneAt(accountViewPath(visit.path, 'addresses'), 'address_saved') };
  });
}

const OPERATIONS = {
  delete_address: 'storefront.deleteAddress',
  default_address: 'storefront.updateAddress',
} as const;

async function change(
  visit: AccountVisit,
  body: FormBody,
  action: keyof typeof OPERATIONS,
  work: (shop: Shop) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const operation_id = OPERATIONS[action];
  await count(visit, operation_id);
  return runAction(visit, { operation_id, action, body }, work, (_shop, error) => Promise.reject(error));
}
