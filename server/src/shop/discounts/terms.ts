import type { DiscountKind } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { meetsRules } from '../catalog/collection-rules.ts';
import { ShopError } from '../errors.ts';
import { minorUnits } from '../money.ts';
import type { DiscountTerms, PricedLine } from '../totals.ts';

/** A discount code with its conditions and value, as read by one statement. */
export interface DiscountCode {
  discount_id: string;
  /** Spelled as the merchant entered it. */
  code: string;
  kind: DiscountKind;
  value: string;
  active: boolean;
  starts_at: string | null;
  ends_at: string | null;
  not_started: boolean;
  ended: boolean;
  minimum_subtotal: string | null;
  minimum_quantity: number | null;
  usage_limit_per_customer: number | null;
  /** Whether the code applies to every product. */
  everything: boolean;
  /** The products of the cart to which the code applies, unless `everything` is set. */
  covered: string[];
}

/** Selects `discounts d` as a DiscountCode. `productIds` are the products of the cart, an expression of type uuid[]. */
export function codeObject(productIds: Sql): Sql {
  return sql`json_build_object('discount_id', d.id, 'code', d.code, 'kind', d.kind, 'value', d.value::text,
    'active', d.active, 'starts_at', iso(d.starts_at), 'ends_at', iso(d.ends_at),
    'not_started', coalesce(d.starts_at > now(), false), 'ended', coalesce(d.ends_at <= now(), false),
    'minimum_subtotal', d.minimum_subtotal::text, 'minimum_quantity', d.minimum_quantity,
    'usage_limit_per_customer', d.usage_limit_per_customer,
    'everything', ${everything}, 'covered', (
      select coalesce(json_agg(p.id), '[]') from products p
      where not ${everything} and p.site_id = d.site_id and p.id = any(${productIds}) and ${covers}))`;
}

const everything = sql`(d.product_ids = '{}' and d.collection_ids = '{}')`;

const covers = sql`(p.id = any(d.product_ids) or exists (
  select from collections c where c.site_id = p.site_id and c.id = any(d.collection_ids) and case c.type
    when 'manual' then exists (select from collection_products cp
      where cp.site_id = c.site_id and cp.collection_id = c.id and cp.product_id = p.id)
    else ${meetsRules(sql`c.rules`, sql`c.rules_match`)} end))`;

export function termsOf({ kind, value, everything, covered }: DiscountCode): DiscountTerms {
  const ids = new Set(covered);
  return { kind, value, covers: ({ product_id }) => everything || (product_id !== null && ids.has(product_id)) };
}

/**
 * Returns the first reason, in a fixed order, why the discount code does not apply to these lines; undefined if it
 * does. Does not check usage limits.
 */
export function refusalOf(code: DiscountCode, lines: PricedLine[], digits: number): ShopError | undefined {
  if (!code.active) return unknownCode();
  const { starts_at, ends_at } = code;
  if (code.ended) return new ShopError('discount_expired', 'This code has expired.', { ends_at });
  if (code.not_started) {
    return new ShopError('discount_not_started', 'This code is not valid yet.', { starts_at });
  }
  const covered = lines.filter(termsOf(code).covers);
  if (covered.length === 0)
    return new ShopError('discount_not_applicable', 'This code does not apply to anything in the cart.');
  return missingMinimum(code, covered, digits);
}

/** The same error for an unknown and a disabled discount code. */
export function unknownCode(): ShopError {
  return new ShopError('discount_not_found', 'There is no such code.');
}

function missingMinimum(code: DiscountCode, covered: PricedLine[], digits: number): ShopError | undefined {
  const { minimum_subtotal, minimum_quantity } = code;
  const subtotal = covered.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
  const quantity = covered.reduce((sum, line) => sum + line.quantity, 0);
  const wants: string[] = [];
  if (minimum_subtotal !== null && subtotal < minorUnits(minimum_subtotal, digits)) {
    wants.push(`a subtotal of ${minimum_subtotal}`);
  }
  if (minimum_quantity !== null && quantity < minimum_quantity) wants.push(`${minimum_quantity} pieces`);
  if (wants.length === 0) return undefined;
  const message = `This code requires ${wants.join(' and ')} of the products it applies to.`;
  return new ShopError('discount_minimum_not_met', message, { minimum_subtotal, minimum_quantity });
}
