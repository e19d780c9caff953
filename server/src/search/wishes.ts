import type { Understood } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { inStock } from '../shop/product-rows.ts';
import type { Shop } from '../shop/shop.ts';
import { PLACE, VALUE } from './postings.ts';
import type { Wishes } from './rerank.ts';
import type { Constraint } from './understanding.ts';

/** What a product has to meet: a condition on `products p`. */
export interface Condition {
  /** Why a product that fails it is left out. */
  reason: Constraint['kind'] | 'category_not_allowed';
  condition: Sql;
  /** Absent for what was not said, but is ruled. */
  constraint?: Constraint;
  /** Whether it holds even where nothing is left. */
  strict: boolean;
}

/** In which metadata a shop keeps what its customers think; a number there, alone. */
const METADATA = {
  rating: ['rating', 'average_rating'],
  reviews: ['reviews', 'review_count', 'reviews_count', 'rating_count'],
};

/** The less important a kind is, the earlier it is given up. */
const IMPORTANCE: Condition['reason'][] = ['value', 'reviews', 'rating', 'in_stock', 'price', 'without'];

/** The conditions that constraints state, the least important first; what only concerns the order is not among them. */
export function conditionsOf(shop: Shop, constraints: Constraint[]): Condition[] {
  const conditions = constraints.flatMap((constraint) => {
    const condition = conditionOf(shop, constraint);
    return condition ? [{ reason: constraint.kind, condition, constraint, strict: constraint.kind === 'without' }] : [];
  });
  return conditions.sort((a, b) => IMPORTANCE.indexOf(a.reason) - IMPORTANCE.indexOf(b.reason));
}

function conditionOf(shop: Shop, constraint: Constraint): Sql | undefined {
  const { kind, value = '', min, max } = constraint;
  switch (kind) {
    case 'price':
      if (isForeign(shop, constraint)) return undefined;
      // One of its variants may cost what is asked for.
      return sql`(p.price_max >= ${min ?? 0}::numeric and p.price <= ${max ?? Number.MAX_SAFE_INTEGER}::numeric)`;
    case 'rating':
    case 'reviews':
      return sql`coalesce(${metadataNumber(METADATA[kind])} between ${min ?? 0}::numeric and ${max ?? Number.MAX_SAFE_INTEGER}::numeric, false)`;
    case 'in_stock':
      return inStock;
    case 'without':
      return sql`not ${isCalled(shop, value)}`;
    case 'value':
      return isCalled(shop, value);
    default:
      return undefined;
  }
}

/** Prices are in the shop's currency alone; nothing is converted. */
function isForeign({ currency: own }: Shop, { currency }: Constraint): boolean {
  return currency !== undefined && currency !== own;
}

function metadataNumber(names: string[]): Sql {
  return sql`(select case when m.value ~ '^[0-9]{1,9}([.][0-9]{1,4})?$' then m.value::numeric end
    from unnest(${names}::text[]) with ordinality as n (name, place), jsonb_each_text(p.metadata) as m
    where lower(m.key) = n.name order by n.place limit 1)`;
}

/** Products that have it as a value or in their name; what their description says of it does not count. */
function isCalled(shop: Shop, value: string): Sql {
  const words = value.split(' ');
  return sql`(exists (select from search_postings x where x.site_id = ${shop.siteId} and x.product_id = p.id
      and x.term = ${VALUE + value})
    or (select count(*) from search_postings x where x.site_id = ${shop.siteId} and x.product_id = p.id
      and x.term = any(${words}::text[]) and x.place & ${PLACE.title} > 0) = ${words.length})`;
}

/** The soft wishes: they move the order, and leave nothing out. */
export function boostsOf(constraints: Constraint[]): Wishes {
  const has = (value: string) => constraints.some((each) => each.kind === 'wish' && each.value === value);
  const price = has('low_price') ? 'low' : has('high_price') ? 'high' : undefined;
  return { ...(price && { price }), popular: has('popular') || has('rating') };
}

/** What became of each constraint, when the products found fail the conditions of these bits. */
export function fatesOf(shop: Shop, constraints: Constraint[], conditions: Condition[], missed: number): Understood[] {
  return constraints.map((constraint) => {
    const bit = conditions.findIndex((condition) => condition.constraint === constraint);
    const isMissed = bit >= 0 && (missed & (1 << bit)) > 0;
    const { kind, text, start, end, min = null, max = null, currency = null, value = null } = constraint;
    return { kind, text, start, end, min, max, currency, value, fate: fateOf(shop, constraint, isMissed) };
  });
}

function fateOf(shop: Shop, constraint: Constraint, missed: boolean): Understood['fate'] {
  if (constraint.kind === 'price' && isForeign(shop, constraint)) return 'not_available';
  return missed ? 'relaxed' : 'applied';
}
