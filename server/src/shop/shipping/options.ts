import type { Deletion, ShippingOption, ShippingOptionInput, ShippingOptionPatch } from '@commerce-backend/spec';
import sql, { join, type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { selectList } from '../../db/fields.ts';
import type { RowOf } from '../../db/row-of.ts';
import { holdCurrency } from '../currency.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import { canonicalAmount } from '../money.ts';
import { type Page, type PageQuery, pageOf } from '../page-query.ts';
import { normalName } from '../plain-text.ts';
import { moveTo } from '../products/parts.ts';
import type { Shop } from '../shop.ts';

const MAX_OPTIONS = 100;

function columns(shop: Shop): Sql {
  return selectList<ShippingOption>({
    id: sql`id`,
    name: sql`name`,
    description: sql`description`,
    kind: sql`kind`,
    price: sql`price::text`,
    cash_on_delivery_fee: sql`cash_on_delivery_fee::text`,
    currency: sql`${shop.currency}::text`,
    countries: sql`countries`,
    states: sql`states`,
    postcode_prefixes: sql`postcode_prefixes`,
    minimum_weight_grams: sql`minimum_weight_grams`,
    maximum_weight_grams: sql`maximum_weight_grams`,
    estimated_days_min: sql`estimated_days_min`,
    estimated_days_max: sql`estimated_days_max`,
    minimum_subtotal: sql`minimum_subtotal::text`,
    maximum_subtotal: sql`maximum_subtotal::text`,
    active: sql`active`,
    position: sql`position`,
    created_at: sql`created_at`,
    updated_at: sql`updated_at`,
  });
}

/** Returns one page of all shipping options, including inactive ones. */
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

/** Returns a shipping option, active or not. Throws `not_found`. */
export async function get(shop: Shop, id: string): Promise<ShippingOption> {
  const found = await shop.one<ShippingOption>(
    sql`select ${columns(shop)} from shipping_options where site_id = ${shop.siteId} and id = ${id}`,
  );
  if (!found) throw notFound('shipping option');
  return found;
}

/** Creates a shipping option. Throws a ValidationError or `limit_reached`. */
export async function create(shop: Shop, input: ShippingOptionInput): Promise<ShippingOption> {
  await holdCurrency(shop);
  const plan = planned(shop, input);
  refuseCrossed(plan);
  const ids = await lockOrder(shop);
  if (ids.length >= MAX_OPTIONS) {
    throw new ShopError('limit_reached', `A shop can have at most ${MAX_OPTIONS} shipping options.`, {
      limit: MAX_OPTIONS,
    });
  }
  const id = uuidv7();
  await shop.run(
    sql`insert into shipping_options (site_id, id, name, description, kind, price, cash_on_delivery_fee, countries, states, postcode_prefixes,
        minimum_weight_grams, maximum_weight_grams, estimated_days_min, estimated_days_max, minimum_subtotal,
        maximum_subtotal, position, active)
      values (${shop.siteId}, ${id}, ${plan.name}, ${plan.description ?? null}, ${plan.kind ?? 'delivery'}, ${plan.price},
        ${plan.cash_on_delivery_fee ?? null}, ${plan.countries ?? []}, ${plan.states ?? []}, ${plan.postcode_prefixes ?? []},
        ${plan.minimum_weight_grams ?? null}, ${plan.maximum_weight_grams ?? null}, ${plan.estimated_days_min ?? null},
        ${plan.estimated_days_max ?? null}, ${plan.minimum_subtotal ?? null}, ${plan.maximum_subtotal ?? null}, ${ids.length + 1},
        ${plan.active ?? true})`,
  );
  if (plan.position !== undefined) await arrange(shop, moveTo(ids, id, plan.position));
  return get(shop, id);
}

/** Changes the given fields of a shipping option. Throws a ValidationError or `not_found`. */
export async function update(shop: Shop, id: string, patch: ShippingOptionPatch): Promise<ShippingOption> {
  await holdCurrency(shop);
  const ids = await lockOrder(shop);
  const before = await get(shop, id);
  const plan = planned(shop, patch);
  refuseCrossed({ ...before, ...given(plan) });
  await shop.run(
    sql`update shipping_options set ${join([...assignments(plan), sql`updated_at = now()`], ', ')}
      where site_id = ${shop.siteId} and id = ${id}`,
  );
  if (plan.position !== undefined) await arrange(shop, moveTo(ids, id, plan.position));
  return get(shop, id);
}

/** Deletes a shipping option. Orders keep its name and price. Throws `not_found`. */
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

/** Takes all locks that changes of shipping options need. */
export async function lockAll(shop: Shop): Promise<void> {
  await holdCurrency(shop);
  await lockOrder(shop);
}

/**
 * Locks the settings row, so that changes of shipping options run one after another. Returns the ids of the options in
 * order.
 */
async function lockOrder(shop: Shop): Promise<string[]> {
  await shop.run(sql`select from site_settings where site_id = ${shop.siteId} for update`);
  const rows = await shop.rows<RowOf<'shipping_options', 'id'>>(
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
  const canonical = (field: 'price' | 'cash_on_delivery_fee' | 'minimum_subtotal' | 'maximum_subtotal') => {
    const amount = input[field];
    return amount && canonicalAmount(amount, shop.currencyDigits, ['body', field]);
  };
  return {
    ...input,
    name: input.name === undefined ? undefined : normalName(input.name, ['body', 'name']),
    price: canonical('price') ?? undefined,
    cash_on_delivery_fee: canonical('cash_on_delivery_fee'),
    minimum_subtotal: canonical('minimum_subtotal'),
    maximum_subtotal: canonical('maximum_subtotal'),
  };
}

function given(plan: ShippingOptionPatch): ShippingOptionPatch {
  return Object.fromEntries(Object.entries(plan).filter(([, value]) => value !== undefined));
}

const BOUNDS = [
  ['minimum_subtotal', 'maximum_subtotal'],
  ['minimum_weight_grams', 'maximum_weight_grams'],
  ['estimated_days_min', 'estimated_days_max'],
] as const;

/**
 * Throws a ValidationError if a minimum exceeds its maximum, or if a pickup has a fee of payment on delivery. States
 * and postal codes also need a country, because they are ambiguous without one.
 */
function refuseCrossed(plan: ShippingOptionPatch): void {
  const mistakes = BOUNDS.flatMap(([from, to]) => {
    const [minimum, maximum] = [plan[from] ?? null, plan[to] ?? null];
    const crossed = minimum !== null && maximum !== null && Number(minimum) > Number(maximum);
    return crossed ? [bodyMistake([to], 'value_error', `Must not be below ${from}.`)] : [];
  });
  for (const field of ['states', 'postcode_prefixes'] as const) {
    if ((plan[field]?.length ?? 0) > 0 && (plan.countries?.length ?? 0) === 0) {
      const msg = `Name the country of these ${field} in countries.`;
      mistakes.push(bodyMistake([field], 'value_error', msg));
    }
  }
  if (plan.kind === 'pickup' && (plan.cash_on_delivery_fee ?? null) !== null) {
    const msg = 'Only for delivery. A pickup can be paid on pickup without it.';
    mistakes.push(bodyMistake(['cash_on_delivery_fee'], 'value_error', msg));
  }
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

/**
 * One SQL assignment per given field. The position is set elsewhere, together with the positions of the other options.
 */
function assignments(plan: ShippingOptionPatch): Sql[] {
  const columns: Record<Exclude<keyof ShippingOptionPatch, 'position'>, Sql> = {
    name: sql`name = ${plan.name}`,
    description: sql`description = ${plan.description}`,
    kind: sql`kind = ${plan.kind}`,
    price: sql`price = ${plan.price}`,
    cash_on_delivery_fee: sql`cash_on_delivery_fee = ${plan.cash_on_delivery_fee}`,
    countries: sql`countries = ${plan.countries}`,
    states: sql`states = ${plan.states}`,
    postcode_prefixes: sql`postcode_prefixes = ${plan.postcode_prefixes}`,
    minimum_weight_grams: sql`minimum_weight_grams = ${plan.minimum_weight_grams}`,
    maximum_weight_grams: sql`maximum_weight_grams = ${plan.maximum_weight_grams}`,
    estimated_days_min: sql`estimated_days_min = ${plan.estimated_days_min}`,
    estimated_days_max: sql`estimated_days_max = ${plan.estimated_days_max}`,
    minimum_subtotal: sql`minimum_subtotal = ${plan.minimum_subtotal}`,
    maximum_subtotal: sql`maximum_subtotal = ${plan.maximum_subtotal}`,
    active: sql`active = ${plan.active}`,
  };
  const fields = Object.keys(columns) as (keyof typeof columns)[];
  return fields.filter((field) => plan[field] !== undefined).map((field) => columns[field]);
}
