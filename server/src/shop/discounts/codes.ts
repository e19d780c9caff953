/**
 * Discount codes as staff manage them. terms.ts checks whether a code applies to cart lines. Creating and changing a
 * code locks the shop's currency (`holdCurrency`); changing and deleting a code locks the code. Carts and orders lock a
 * code after cart and checkout, and before stock.
 */

import type {
  Deletion,
  Discount,
  DiscountInput,
  DiscountPatch,
  DiscountRedemption,
  DiscountStatus,
  RedemptionStatus,
} from '@commerce-backend/spec';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { selectList } from '../../db/fields.ts';
import type { RowOf } from '../../db/row-of.ts';
import { holdCurrency } from '../currency.ts';
import { cursorPage, idOfCursor } from '../cursors.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import { escapeLike } from '../like.ts';
import { canonicalAmount } from '../money.ts';
import { type Page, type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';

const status = sql`case
  when not d.active then 'disabled'
  when d.ends_at <= now() then 'expired'
  when d.starts_at > now() then 'scheduled'
  when d.usage_count >= d.usage_limit then 'exhausted'
  else 'active' end`;

function columns(shop: Shop): Sql {
  return selectList<Discount>({
    id: sql`d.id`,
    code: sql`d.code`,
    kind: sql`d.kind`,
    value: sql`d.value::text`,
    description: sql`d.description`,
    currency: sql`${shop.currency}::text`,
    status: status,
    active: sql`d.active`,
    starts_at: sql`d.starts_at`,
    ends_at: sql`d.ends_at`,
    minimum_subtotal: sql`d.minimum_subtotal::text`,
    minimum_quantity: sql`d.minimum_quantity`,
    product_ids: sql`d.product_ids`,
    collection_ids: sql`d.collection_ids`,
    usage_limit: sql`d.usage_limit`,
    usage_limit_per_customer: sql`d.usage_limit_per_customer`,
    usage_count: sql`d.usage_count`,
    created_at: sql`d.created_at`,
    updated_at: sql`d.updated_at`,
  });
}

export interface DiscountQuery extends PageQuery {
  q?: string;
  status?: DiscountStatus;
}

/** Returns one page of discount codes, newest first. */
export async function list(shop: Shop, query: DiscountQuery): Promise<Page & { discounts: Discount[] }> {
  const { page, limit, offset } = pageOf(query);
  const conditions = [sql`d.site_id = ${shop.siteId}`];
  if (query.q !== undefined) conditions.push(sql`d.code ilike ${`%${escapeLike(query.q)}%`}`);
  if (query.status) conditions.push(sql`${status} = ${query.status}`);
  const where = join(conditions, ' and ');
  const counted = await shop.one<{ total: number }>(sql`select count(*) as total from discounts d where ${where}`);
  const discounts = await shop.rows<Discount>(
    sql`select ${columns(shop)} from discounts d where ${where}
      order by d.created_at desc, d.id desc limit ${limit} offset ${offset}`,
  );
  const total = counted?.total ?? 0;
  return { discounts, total, page, limit, pages: Math.ceil(total / limit) };
}

/** Returns a discount code with its conditions and usage. Throws `not_found`. */
export async function get(shop: Shop, id: string): Promise<Discount> {
  const found = await shop.one<Discount>(
    sql`select ${columns(shop)} from discounts d where d.site_id = ${shop.siteId} and d.id = ${id}`,
  );
  if (!found) throw notFound('discount');
  return found;
}

/**
 * Creates a discount code. Throws a ValidationError, `discount_code_taken`, or `not_found` for an unknown product or
 * collection.
 */
export async function create(shop: Shop, input: DiscountInput): Promise<Discount> {
  await holdCurrency(shop);
  const plan = planned(shop, input.kind, input);
  refuseBackwards(input.starts_at, input.ends_at);
  await refuseUnknown(shop, plan);
  const id = uuidv7();
  await shop.run(
    sql`insert into discounts (site_id, id, code, kind, value, description, active, starts_at, ends_at, minimum_subtotal,
        minimum_quantity, product_ids, collection_ids, usage_limit, usage_limit_per_customer)
      values (${shop.siteId}, ${id}, ${plan.code}, ${input.kind}, ${plan.value}, ${plan.description ?? null},
        ${plan.active ?? true}, ${plan.starts_at ?? null}, ${plan.ends_at ?? null}, ${plan.minimum_subtotal ?? null},
        ${plan.minimum_quantity ?? null}, ${plan.product_ids ?? []}, ${plan.collection_ids ?? []},
        ${plan.usage_limit ?? null}, ${plan.usage_limit_per_customer ?? null})`,
  );
  return get(shop, id);
}

/** Validates and normalizes the given fields. A new discount code needs a `value`, except for free shipping. */
function planned(shop: Shop, kind: Discount['kind'], input: DiscountInput | DiscountPatch): DiscountPatch {
  const isNew = 'kind' in input;
  const code = input.code?.trim();
  const mistakes: ValidationError['detail'] = [];
  if (code === '') mistakes.push(bodyMistake(['code'], 'string_too_short', 'A code must not be blank.'));
  if (kind === 'free_shipping' && input.value !== undefined) {
    mistakes.push(bodyMistake(['value'], 'extra_forbidden', 'A code for free shipping has no value.'));
  }
  if (isNew && kind !== 'free_shipping' && input.value === undefined) {
    mistakes.push(bodyMistake(['value'], 'missing', `A code of the kind ${kind} needs a value.`));
  }
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  const value = input.value === undefined ? undefined : plannedValue(shop, kind, input.value);
  const minimum = input.minimum_subtotal;
  const minimum_subtotal = minimum && canonicalAmount(minimum, shop.currencyDigits, ['body', 'minimum_subtotal']);
  return { ...input, code, minimum_subtotal, value: isNew ? (value ?? '0') : value };
}

const PERCENT_DIGITS = 2;

function plannedValue(shop: Shop, kind: Discount['kind'], value: string): string {
  const digits = kind === 'percentage' ? PERCENT_DIGITS : shop.currencyDigits;
  const canonical = canonicalAmount(value, digits, ['body', 'value']);
  if (Number(canonical) === 0) {
    throw new ValidationError([bodyMistake(['value'], 'greater_than', 'Must be above 0.', { gt: 0 })]);
  }
  if (kind === 'percentage' && Number(canonical) > 100) {
    throw new ValidationError([bodyMistake(['value'], 'less_than_equal', 'Must be at most 100 percent.', { le: 100 })]);
  }
  return canonical;
}

function refuseBackwards(starts_at: string | null | undefined, ends_at: string | null | undefined): void {
  if (!starts_at || !ends_at || Date.parse(starts_at) < Date.parse(ends_at)) return;
  throw new ValidationError([bodyMistake(['ends_at'], 'value_error', 'Must be after starts_at.')]);
}

async function refuseUnknown(shop: Shop, { product_ids = [], collection_ids = [] }: DiscountPatch): Promise<void> {
  if (product_ids.length + collection_ids.length === 0) return;
  const found = await shop.one<{ products: number; collections: number }>(
    sql`select
      (select count(*) from products where site_id = ${shop.siteId} and id = any(${product_ids}::uuid[])) as products,
      (select count(*) from collections where site_id = ${shop.siteId} and id = any(${collection_ids}::uuid[])) as collections`,
  );
  if (found?.products !== product_ids.length) throw notFound('product');
  if (found?.collections !== collection_ids.length) throw notFound('collection');
}

/**
 * Changes the given fields of a discount code. Throws a ValidationError, `not_found`, `discount_code_taken`, or
 * `conflict` for a usage limit below the current usage.
 */
export async function update(shop: Shop, id: string, patch: DiscountPatch): Promise<Discount> {
  await holdCurrency(shop);
  const before = await lockDiscount(shop, id);
  const plan = planned(shop, before.kind, patch);
  if (plan.starts_at !== undefined || plan.ends_at !== undefined) {
    refuseBackwards(orBefore(plan.starts_at, before.starts_at), orBefore(plan.ends_at, before.ends_at));
  }
  if (plan.usage_limit && plan.usage_limit < before.usage_count) {
    const { usage_count } = before;
    throw new ShopError('conflict', `The code was used ${usage_count} times. Set active to false instead.`, {
      usage_count,
    });
  }
  await refuseUnknown(shop, plan);
  await shop.run(sql`update discounts set ${join(assignments(plan), ', ')}, updated_at = now()
    where site_id = ${shop.siteId} and id = ${id}`);
  return get(shop, id);
}

type Before = RowOf<'discounts', 'kind' | 'starts_at' | 'ends_at' | 'usage_count'>;

async function lockDiscount(shop: Shop, id: string): Promise<Before> {
  const found = await shop.one<Before>(
    sql`select kind, starts_at, ends_at, usage_count from discounts
      where site_id = ${shop.siteId} and id = ${id} for update`,
  );
  if (!found) throw notFound('discount');
  return found;
}

function orBefore<T>(given: T | undefined, before: T): T {
  return given === undefined ? before : given;
}

function assignments(plan: DiscountPatch): Sql[] {
  const columns: Record<keyof DiscountPatch, Sql> = {
    code: sql`code = ${plan.code}`,
    value: sql`value = ${plan.value}`,
    description: sql`description = ${plan.description}`,
    active: sql`active = ${plan.active}`,
    starts_at: sql`starts_at = ${plan.starts_at}`,
    ends_at: sql`ends_at = ${plan.ends_at}`,
    minimum_subtotal: sql`minimum_subtotal = ${plan.minimum_subtotal}`,
    minimum_quantity: sql`minimum_quantity = ${plan.minimum_quantity}`,
    product_ids: sql`product_ids = ${plan.product_ids}`,
    collection_ids: sql`collection_ids = ${plan.collection_ids}`,
    usage_limit: sql`usage_limit = ${plan.usage_limit}`,
    usage_limit_per_customer: sql`usage_limit_per_customer = ${plan.usage_limit_per_customer}`,
  };
  const fields = Object.keys(columns) as (keyof DiscountPatch)[];
  return fields.filter((field) => plan[field] !== undefined).map((field) => columns[field]);
}

/** Deletes a discount code that is on no cart and was never redeemed. Throws `not_found` or `discount_in_use`. */
export async function remove(shop: Shop, id: string): Promise<Deletion> {
  const { usage_count } = await lockDiscount(shop, id);
  const redeemed = await shop.one(
    sql`select from discount_redemptions
      where site_id = ${shop.siteId} and discount_id = ${id} and order_id is not null limit 1`,
  );
  if (usage_count > 0 || redeemed) {
    throw new ShopError('discount_in_use', 'The code is on a cart or was redeemed. Set active to false instead.');
  }
  await shop.run(sql`delete from discount_redemptions where site_id = ${shop.siteId} and discount_id = ${id}`);
  await shop.run(sql`delete from discounts where site_id = ${shop.siteId} and id = ${id}`);
  return { id, deleted: true };
}

function redemptionColumns(shop: Shop): Sql {
  return selectList<DiscountRedemption>({
    id: sql`id`,
    discount_id: sql`discount_id`,
    code: sql`code`,
    status: sql`status`,
    cart_id: sql`cart_id`,
    order_id: sql`order_id`,
    customer_id: sql`customer_id`,
    email: sql`email`,
    amount_off: sql`amount_off::text`,
    currency: sql`${shop.currency}::text`,
    expires_at: sql`expires_at`,
    created_at: sql`created_at`,
    updated_at: sql`updated_at`,
  });
}

export interface RedemptionQuery {
  status?: RedemptionStatus;
  cursor?: string;
  limit?: number;
}

/** Lists the uses of a discount code, newest first. Throws `not_found`. */
export async function listRedemptions(
  shop: Shop,
  id: string,
  query: RedemptionQuery,
): Promise<{ redemptions: DiscountRedemption[]; next_cursor: string | null }> {
  const { cursor, limit = 20 } = query;
  const before = cursor ? sql`and id < ${idOfCursor(cursor)}` : empty;
  const ofStatus = query.status ? sql`and status = ${query.status}` : empty;
  if (!(await shop.one(sql`select from discounts where site_id = ${shop.siteId} and id = ${id}`))) {
    throw notFound('discount');
  }
  const rows = await shop.rows<DiscountRedemption>(
    sql`select ${redemptionColumns(shop)} from discount_redemptions where site_id = ${shop.siteId} and discount_id = ${id} ${ofStatus} ${before}
      order by id desc limit ${limit + 1}`,
  );
  const { page, next_cursor } = cursorPage(rows, limit);
  return { redemptions: page, next_cursor };
}
