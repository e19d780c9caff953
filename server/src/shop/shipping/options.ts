import type {
  Deletion,
  ShippingChoice,
  ShippingOption,
  ShippingOptionInput,
  ShippingOptionPatch,
} from '@commerce-backend/spec';
import sql, { join, type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { together } from '../../db/connect.ts';
import * as carts from '../carts/carts.ts';
import { forSale } from '../carts/rows.ts';
import { totals } from '../carts/view.ts';
import { holdCurrency } from '../currency.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import { type Page, type PageQuery, pageOf } from '../page-query.ts';
import { normalName } from '../plain-text.ts';
import { moveTo } from '../products/parts.ts';
import type { Shop } from '../shop.ts';

/** The ways in which the shop sends goods, in the merchant's order. */

const MAX_OPTIONS = 100;

function columns(shop: Shop): Sql {
  return sql`id, name, description, kind, price::text as price, ${shop.currency}::text as currency, countries,
    minimum_subtotal::text as minimum_subtotal, maximum_subtotal::text as maximum_subtotal, active, position,
    created_at, updated_at`;
}

/** All options by page, inactive ones, too. */
export async function list(shop: Shop, query: PageQuery): Promise<Page & { shipping_options: ShippingOption[] }> {
  const { page, limit, offset } = pageOf(query);
  const counted = await shop.one<{ total: number }>(
    sql`select count(*) as total from shipping_options where site_id = ${shop.siteId}`,
  );
  const shipping_options = await shop.rows<ShippingOption>(
    sql`select ${columns(shop)} from shipping_options where site_id = ${shop.siteId}
      order by position, id limit ${limit} offset ${offset}`,
  );
  const total = counted?.total ?? 0;
  return { shipping_options, total, page, limit, pages: Math.ceil(total / limit) };
}

/** An option, active or not. Throws `not_found`. */
export async function get(shop: Shop, id: string): Promise<ShippingOption> {
  const found = await shop.one<ShippingOption>(
    sql`select ${columns(shop)} from shipping_options where site_id = ${shop.siteId} and id = ${id}`,
  );
  if (!found) throw notFound('shipping option');
  return found;
}

/** Makes an option. Throws a ValidationError or `limit_reached`. */
export async function create(shop: Shop, input: ShippingOptionInput): Promise<ShippingOption> {
  await holdCurrency(shop);
  const plan = planned(shop, input);
  refuseCrossed(plan.minimum_subtotal, plan.maximum_subtotal);
  const ids = await lockOrder(shop);
  if (ids.length >= MAX_OPTIONS) {
    throw new ShopError('limit_reached', `A shop has ${MAX_OPTIONS} shipping options at most.`, { limit: MAX_OPTIONS });
  }
  const id = uuidv7();
  await shop.run(
    sql`insert into shipping_options (site_id, id, name, description, kind, price, countries, minimum_subtotal,
        maximum_subtotal, position, active)
      values (${shop.siteId}, ${id}, ${plan.name}, ${plan.description ?? null}, ${plan.kind ?? 'delivery'}, ${plan.price},
        ${plan.countries ?? []}, ${plan.minimum_subtotal ?? null}, ${plan.maximum_subtotal ?? null}, ${ids.length + 1},
        ${plan.active ?? true})`,
  );
  if (plan.position !== undefined) await arrange(shop, moveTo(ids, id, plan.position));
  return get(shop, id);
}

/** Changes the given fields. Throws a ValidationError or `not_found`. */
export async function update(shop: Shop, id: string, patch: ShippingOptionPatch): Promise<ShippingOption> {
  await holdCurrency(shop);
  const ids = await lockOrder(shop);
  const before = await get(shop, id);
  const plan = planned(shop, patch);
  const { minimum_subtotal = before.minimum_subtotal, maximum_subtotal = before.maximum_subtotal } = plan;
  refuseCrossed(minimum_subtotal, maximum_subtotal);
  await shop.run(
    sql`update shipping_options set ${join([...assignments(plan), sql`updated_at = now()`], ', ')}
      where site_id = ${shop.siteId} and id = ${id}`,
  );
  if (plan.position !== undefined) await arrange(shop, moveTo(ids, id, plan.position));
  return get(shop, id);
}

/** Deletes an option; orders keep its name and price. Throws `not_found`. */
export async function remove(shop: Shop, id: string): Promise<Deletion> {
  const ids = await lockOrder(shop);
  const deleted = await shop.run(sql`delete from shipping_options where site_id = ${shop.siteId} and id = ${id}`);
  if (deleted === 0) throw notFound('shipping option');
  await arrange(
    shop,
    ids.filter((other) => other !== id),
  );
  return { id, deleted: true };
}

/** Changes of the options take turns on the row of the settings. Answers the ids in their order. */
async function lockOrder(shop: Shop): Promise<string[]> {
  await shop.run(sql`select from site_settings where site_id = ${shop.siteId} for update`);
  const rows = await shop.rows<{ id: string }>(
    sql`select id from shipping_options where site_id = ${shop.siteId} order by position, id`,
  );
  return rows.map(({ id }) => id);
}

async function arrange(shop: Shop, ids: string[]): Promise<void> {
  await shop.run(
    sql`update shipping_options o set position = wanted.place
      from unnest(${ids}::uuid[]) with ordinality as wanted (id, place)
      where o.site_id = ${shop.siteId} and o.id = wanted.id and o.position <> wanted.place`,
  );
}

function planned(shop: Shop, input: ShippingOptionPatch): ShippingOptionPatch {
  const canonical = (field: 'price' | 'minimum_subtotal' | 'maximum_subtotal') => {
    const amount = input[field];
    return amount && canonicalAmount(amount, shop.currencyDigits, ['body', field]);
  };
  return {
    ...input,
    name: input.name === undefined ? undefined : normalName(input.name, ['body', 'name']),
    price: canonical('price') ?? undefined,
    minimum_subtotal: canonical('minimum_subtotal'),
    maximum_subtotal: canonical('maximum_subtotal'),
  };
}

function refuseCrossed(minimum: string | null | undefined, maximum: string | null | undefined): void {
  if (!minimum || !maximum || Number(minimum) <= Number(maximum)) return;
  throw new ValidationError([bodyMistake(['maximum_subtotal'], 'value_error', 'This is below minimum_subtotal.')]);
}

/** One assignment for each field given; the position is arranged among the others. */
function assignments(plan: ShippingOptionPatch): Sql[] {
  const columns: Record<Exclude<keyof ShippingOptionPatch, 'position'>, Sql> = {
    name: sql`name = ${plan.name}`,
    description: sql`description = ${plan.description}`,
    kind: sql`kind = ${plan.kind}`,
    price: sql`price = ${plan.price}`,
    countries: sql`countries = ${plan.countries}`,
    minimum_subtotal: sql`minimum_subtotal = ${plan.minimum_subtotal}`,
    maximum_subtotal: sql`maximum_subtotal = ${plan.maximum_subtotal}`,
    active: sql`active = ${plan.active}`,
  };
  const fields = Object.keys(columns) as (keyof typeof columns)[];
  return fields.filter((field) => plan[field] !== undefined).map((field) => columns[field]);
}

/** What decides which options there are; the subtotal is in minor units, less the discount. */
export interface Parcel {
  country: string;
  subtotal: number;
  requires_shipping: boolean;
  /** Under a code for free shipping every option costs 0. */
  free_shipping?: boolean;
}

/** An active option, with what it asks of a parcel. */
export type ActiveOption = ShippingChoice & Pick<ShippingOption, 'countries' | 'minimum_subtotal' | 'maximum_subtotal'>;

/** The active options of a site as an array, in the merchant's order. */
export function activeOptions(shop: Shop): Sql {
  return sql`(
    select coalesce(json_agg(json_build_object('id', id, 'name', name, 'description', description, 'kind', kind,
      'price', price::text, 'countries', countries, 'minimum_subtotal', minimum_subtotal::text,
      'maximum_subtotal', maximum_subtotal::text) order by position, id), '[]')
    from shipping_options where site_id = ${shop.siteId} and active)`;
}

/** The options for a parcel; none when nothing has to be shipped. */
export function choicesAmong(options: ActiveOption[], parcel: Parcel, digits: number): ShippingChoice[] {
  if (!parcel.requires_shipping) return [];
  return options
    .filter((option) => fits(option, parcel, digits))
    .map(({ id, name, description, kind, price }) => {
      return { id, name, description, kind, price: parcel.free_shipping ? decimal(0, digits) : price };
    });
}

function fits({ countries, ...option }: ActiveOption, { country, subtotal }: Parcel, digits: number): boolean {
  const [minimum, maximum] = [option.minimum_subtotal ?? null, option.maximum_subtotal ?? null];
  return (
    (countries.length === 0 || countries.includes(country)) &&
    (minimum === null || minorUnits(minimum, digits) <= subtotal) &&
    (maximum === null || minorUnits(maximum, digits) >= subtotal)
  );
}

/** The options for a cart that goes to a country. Throws what `carts.readForCustomer` throws. */
export async function choicesForCart(shop: Shop, cart_id: string, country: string): Promise<ShippingChoice[]> {
  const [cart, found] = await together(
    carts.readForCustomer(shop, cart_id, shop.customerId, false),
    shop.one<{ options: ActiveOption[] }>(sql`select ${activeOptions(shop)} as options`),
  );
  const { subtotal, discount } = totals(cart);
  const parcel = {
    country,
    subtotal: subtotal - discount,
    requires_shipping: forSale(cart.lines).some((line) => line.requires_shipping),
    free_shipping: cart.discount?.holds === true && cart.discount.terms.kind === 'free_shipping',
  };
  return choicesAmong(found?.options ?? [], parcel, shop.currencyDigits);
}
