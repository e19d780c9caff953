import sql, { type Sql } from 'sql-template-tag';
import { PLACE, VALUE } from '../index/postings.ts';
import type { Constraint } from '../query/parse.ts';
import type { ProductFilters, SearchDb } from '../search-db.ts';
import { isNumber, termsOf } from '../words/normalize.ts';
import { sizeForms } from '../words/sizes.ts';

/** What a product has to meet: a condition on `products p`. */
export interface Condition {
  /** Why a product that fails it is left out. */
  reason: Constraint['kind'] | 'category_not_allowed';
  condition: Sql;
  /** Absent for what was not said, but is ruled. */
  constraint?: Constraint;
  /** Whether it holds even where nothing is left. */
  strict: boolean;
  /** Whether the product's id is enough to tell, without its row. */
  byId: boolean;
}

/** In which metadata a shop keeps what its customers think; a number there, alone. */
export const METADATA = {
  rating: ['rating', 'average_rating'],
  reviews: ['reviews', 'review_count', 'reviews_count', 'rating_count'],
};

/** The less important a kind is, the earlier it is given up; what the thing is, after all else that may be. */
const IMPORTANCE: Condition['reason'][] = ['value', 'reviews', 'rating', 'in_stock', 'price', 'word', 'without'];

/** What is asked of the product's variants or of the index of the search, by its id. */
const BY_ID = new Set<Condition['reason']>(['value', 'in_stock', 'word', 'without']);

/** The conditions that constraints state, the least important first; what only concerns the order is not among them. */
export function conditionsOf(
  db: SearchDb,
  { inStock }: Pick<ProductFilters, 'inStock'>,
  constraints: Constraint[],
): Condition[] {
  const conditions = constraints.flatMap((constraint) => {
    const condition = conditionOf(db, inStock, constraint);
    const { kind } = constraint;
    return condition
      ? [{ reason: kind, condition, constraint, strict: kind === 'without', byId: BY_ID.has(kind) }]
      : [];
  });
  return conditions.sort((a, b) => importance(a.constraint) - importance(b.constraint));
}

function importance({ kind, thing }: Constraint): number {
  return IMPORTANCE.indexOf(thing === undefined ? kind : 'word');
}

function conditionOf(db: SearchDb, inStock: Sql, constraint: Constraint): Sql | undefined {
  const { kind, value = '', min, max, isSize } = constraint;
  switch (kind) {
    case 'price':
      if (isForeign(db, constraint)) return undefined;
      return costs(min, max);
    case 'rating':
    case 'reviews':
      return sql`coalesce(${metadataNumber(METADATA[kind])} between ${min ?? 0}::numeric and ${max ?? Number.MAX_SAFE_INTEGER}::numeric, false)`;
    case 'in_stock':
      return inStock;
    case 'without':
      return sql`not (${isCalled(db, value, ~PLACE.option)} or ${isCalledInAll(db, value)})`;
    case 'value':
      // A size in letters is a value like any other.
      return isSize && isNumber(value) ? sql`(${isCalled(db, value)} or ${hasSize(value)})` : isCalled(db, value);
    case 'word':
      return isCalled(db, value);
    default:
      return undefined;
  }
}

/** Prices are in the shop's currency alone; nothing is converted. */
export function isForeign({ currency: own }: SearchDb, { currency }: Constraint): boolean {
  return currency !== undefined && currency !== own;
}

export function metadataNumber(names: string[]): Sql {
  return sql`(select case when m.value ~ '^[0-9]{1,9}([.][0-9]{1,4})?$' then m.value::numeric end
    from unnest(${names}::text[]) with ordinality as n (name, place), jsonb_each_text(p.metadata) as m
    where lower(m.key) = n.name order by n.place limit 1)`;
}

/** One of its variants costs that. */
function costs(min = 0, max = Number.MAX_SAFE_INTEGER): Sql {
  const within = sql`p.price_max >= ${min}::numeric and p.price <= ${max}::numeric`;
  // Between two limits there may be none, although the product spans them.
  return sql`(${within} and (p.price >= ${min}::numeric or p.price_max <= ${max}::numeric or exists (
    select from variants v where v.site_id = p.site_id and v.product_id = p.id
      and v.price between ${min}::numeric and ${max}::numeric)))`;
}

/** Products that have it as a value in these places or in their name; what their description says does not count. */
function isCalled(db: SearchDb, value: string, places = -1): Sql {
  const words = value.split(' ');
  // Asked of all products at once, which are few beside one question for each match. A posting without a place is none of a value.
  return sql`(p.id in (select x.product_id from search_postings x where x.site_id = ${db.siteId}
      and x.term = any((select ${sizeForms(value).map((form) => VALUE + form)}::text[])::text[]) and x.place & ${places}::int <> 0)
    or p.id in (select x.product_id from search_postings x where x.site_id = ${db.siteId}
      and x.term = any((select ${words}::text[])::text[]) and x.place & ${PLACE.title} > 0
      group by x.product_id having count(*) = ${words.length}))`;
}

/** Products of which every variant has it in a value of an option. */
function isCalledInAll(db: SearchDb, value: string): Sql {
  const words = [...value.split(' '), ...termsOf(value)];
  const endings = value.endsWith('y') ? [value, `${value.slice(0, -1)}ie`] : [value, `${value}e`];
  const forms = endings.flatMap((form) => [` ${form} `, ` ${form}s `]);
  return sql`(p.id in (select x.product_id from search_postings x
      where x.site_id = ${db.siteId} and x.term = any((select ${words}::text[])::text[]))
    and not exists (select from variants v where v.site_id = p.site_id and v.product_id = p.id
    and not exists (select from unnest(${forms}::text[]) as f (form) where strpos(
      ' ' || regexp_replace(lower(concat_ws(' | ', v.option1, v.option2, v.option3)), '[^[:alnum:]|]+', ' ', 'g') || ' ',
      f.form) > 0)))`;
}

/** Products of which a variant has this size, or a range of sizes that holds it. */
function hasSize(value: string): Sql {
  const size = /^\d{1,3}$/.test(value) ? Number(value) : null;
  return sql`exists (select from variants v, unnest(array[v.option1, v.option2, v.option3]) as o (value),
      regexp_match(o.value, '^ *([0-9]{1,3}) *[-–—/] *([0-9]{1,3}) *$') as r (bounds)
    where v.site_id = p.site_id and v.product_id = p.id
      and (lower(o.value) = ${value} or ${size}::int between r.bounds[1]::int and r.bounds[2]::int))`;
}
