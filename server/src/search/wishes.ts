import sql, { type Sql } from 'sql-template-tag';
import { inStock } from '../shop/product-rows.ts';
import type { Shop } from '../shop/shop.ts';
import { VALUE } from './postings.ts';
import type { Wishes } from './rerank.ts';
import type { Constraint, Fate } from './understanding.ts';

/** A constraint of a sentence with what became of it. */
export type Understood = Constraint & { fate: Fate };

/** What constraints mean as conditions on `products p`. */
export interface Conditions {
  /** What may be given up where nothing is left, the least important first. */
  wishes: { constraint: Constraint; condition: Sql }[];
  /** What is never given up. */
  where: Sql[];
  /** For the order among what is left. */
  boosts: Wishes;
}

/** In which metadata a shop keeps what its customers think; a number there, alone. */
const METADATA = {
  rating: ['rating', 'average_rating'],
  reviews: ['reviews', 'review_count', 'reviews_count', 'rating_count'],
};

/** The less important a kind is, the earlier it is given up. */
const IMPORTANCE: Constraint['kind'][] = ['value', 'reviews', 'rating', 'in_stock', 'price'];

export function conditionsOf(shop: Shop, constraints: Constraint[]): Conditions {
  const wishes = constraints.flatMap((constraint) => {
    const condition = conditionOf(shop, constraint);
    return condition ? [{ constraint, condition }] : [];
  });
  return {
    wishes: wishes.sort((a, b) => IMPORTANCE.indexOf(a.constraint.kind) - IMPORTANCE.indexOf(b.constraint.kind)),
    where: constraints.flatMap(({ kind, value = '' }) => (kind === 'without' ? [lacks(shop, value)] : [])),
    boosts: boostsOf(constraints),
  };
}

function conditionOf(shop: Shop, constraint: Constraint): Sql | undefined {
  switch (constraint.kind) {
    case 'price':
      return isForeign(shop, constraint) ? undefined : between(sql`p.price`, constraint);
    case 'rating':
    case 'reviews':
      return between(metadataNumber(METADATA[constraint.kind]), constraint);
    case 'in_stock':
      return inStock;
    default:
      return undefined;
  }
}

/** Prices are in the shop's currency alone; nothing is converted. */
function isForeign({ currency: own }: Shop, { currency }: Constraint): boolean {
  return currency !== undefined && currency !== own;
}

function between(value: Sql, { min, max }: Constraint): Sql {
  if (min === undefined) return sql`coalesce(${value} <= ${max}::numeric, false)`;
  if (max === undefined) return sql`coalesce(${value} >= ${min}::numeric, false)`;
  return sql`coalesce(${value} between ${min}::numeric and ${max}::numeric, false)`;
}

function metadataNumber(names: string[]): Sql {
  return sql`(select case when m.value ~ '^[0-9]{1,9}([.][0-9]{1,4})?$' then m.value::numeric end
    from unnest(${names}::text[]) with ordinality as n (name, place), jsonb_each_text(p.metadata) as m
    where lower(m.key) = n.name order by n.place limit 1)`;
}

/** Products that neither are called so nor have it as a value; what their description says of it does not count. */
function lacks(shop: Shop, term: string): Sql {
  return sql`not exists (select from search_postings x where x.site_id = ${shop.siteId} and x.product_id = p.id
    and (x.term = ${term} and x.place > 0 or x.term = ${VALUE + term}))`;
}

function boostsOf(constraints: Constraint[]): Wishes {
  const wish = (value: string) =>
    constraints.some((constraint) => constraint.kind === 'wish' && constraint.value === value);
  const price = wish('low_price') ? 'low' : wish('high_price') ? 'high' : undefined;
  return { ...(price && { price }), popular: wish('popular') || wish('rating') };
}

/** What became of each constraint, when the products found miss the wishes of these bits. */
export function fatesOf(shop: Shop, constraints: Constraint[], { wishes }: Conditions, missed: number): Understood[] {
  return constraints.map((constraint) => {
    const bit = wishes.findIndex((wish) => wish.constraint === constraint);
    return { ...constraint, fate: fateOf(shop, constraint, bit < 0 ? false : (missed & (1 << bit)) > 0) };
  });
}

function fateOf(shop: Shop, constraint: Constraint, missed: boolean): Fate {
  if (constraint.kind === 'price' && isForeign(shop, constraint)) return 'not_available';
  if (missed) return constraint.kind === 'rating' || constraint.kind === 'reviews' ? 'not_available' : 'relaxed';
  return 'applied';
}
