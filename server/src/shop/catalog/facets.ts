import { hash } from 'node:crypto';
import type { CollectionFacet, Facets, FacetValue } from '@commerce-backend/spec';
import { LRUCache } from 'lru-cache';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { jsonObject } from '../../db/fields.ts';
import { productsMeeting } from '../../search/rank/filters.ts';
import type { Matching } from '../products/list.ts';
import { available, inStock } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import { meetsRules } from './collection-rules.ts';
import { conditionsOf, type Filter } from './filters.ts';

export interface FacetCount {
  /** Maximum number of values per facet. The most frequent ones are returned. */
  most: number;
  /**
   * True: the highest price is the highest of all variants. False: it is the highest of the products' lowest prices.
   */
  ofVariants: boolean;
}

const OF_SHOPPERS: FacetCount = { most: 100, ofVariants: false };

interface Listed {
  /** Conditions on `products p` that do not depend on the shopper's filters. */
  always: Sql[];
  filters: Filter[];
  matchesOf(conditions: Sql[]): Matching;
}

/**
 * Counts the values of all matching products in one statement. The counts of a facet ignore the filters on this facet,
 * so that the shopper sees further values to choose from.
 */
export async function readFacets(
  shop: Shop,
  { always, filters, matchesOf }: Listed,
  { most, ofVariants } = OF_SHOPPERS,
): Promise<Facets> {
  const chosen = filters.filter(({ kind }) => kind !== undefined);
  const others = filters.filter(({ kind }) => kind === undefined);
  const base = matchesOf(always);
  const meeting = (kept: Filter[]) => {
    const { where, slow, among } = conditionsOf([...others, ...kept]);
    return productsMeeting({ where: [base.where, ...where], slow, among }, base.join);
  };
  const without: Without = (kind, name) => {
    const kept = chosen.filter((one) => one.kind !== kind || one.name !== name);
    return kept.length === chosen.length ? sql`counted` : sql`(select p.* from ${meeting(kept)})`;
  };
  // The products are read once for all facets that have no filter of their own kind.
  return readOnce(
    shop,
    sql`${base.with.text === '' ? sql`with` : sql`${base.with},`} counted as materialized (
        select p.site_id, p.id, p.vendor, p.product_type, p.tags, p.metadata, p.price, p.price_max
        from ${meeting(chosen)}
      )
      select ${jsonObject<Facets>({
        vendors: counted(
          sql`select p.vendor as value, count(*) as count from ${without('vendor')} p
            where p.vendor is not null group by 1`,
          most,
        ),
        product_types: counted(
          sql`select p.product_type as value, count(*) as count from ${without('product_type')} p
            where p.product_type is not null group by 1`,
          most,
        ),
        tags: counted(
          sql`select value, count(*) as count from (select unnest(p.tags) as value from ${without('tag')} p) as t group by 1`,
          most,
        ),
        collections: collectionFacets(shop, without('collection'), most),
        options: namedFacets('option', (matching, which) => optionValues(shop, matching, which), chosen, without, most),
        attributes: namedFacets('attribute', attributeValues, chosen, without, most),
        price: sql`(select case when count(*) > 0 then
          json_build_object('min', min(p.price)::text, 'max', max(${ofVariants ? sql`p.price_max` : sql`p.price`})::text) end from ${without('price')} p)`,
        in_stock: sql`(select json_build_object('true', count(*) filter (where in_stock), 'false', count(*) filter (where not in_stock))
          from (select ${inStock} as in_stock from ${without('in_stock')} p offset 0) as s)`,
      })} as facets, catalog_version(${shop.siteId}) as version`,
  );
}

const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Cached like totals (products/totals.ts): counting values is slow, and models often ask for the same facets. */
const known = new LRUCache<string, Facets>({
  maxSize: MAX_CHARACTERS,
  sizeCalculation: (facets) => JSON.stringify(facets).length,
});

/** Returns the facets that the statement selects, from the cache if it contains them for this catalogue version. */
async function readOnce(shop: Shop, statement: Sql): Promise<Facets> {
  const { catalogVersion } = shop;
  const query = hash('sha1', JSON.stringify([statement.text, statement.values]), 'base64url');
  const key = `${shop.siteId} ${catalogVersion} ${query}`;
  const before = known.get(key);
  if (before) return before;
  const row = await shop.one<{ facets: Facets; version: string }>(statement);
  if (!row) throw new Error('The facets query returned no row.');
  if (row.version === catalogVersion) known.set(key, row.facets);
  return row.facets;
}

const facetValue = jsonObject<FacetValue>({ value: sql`value`, count: sql`count` });

function counted(groups: Sql, most: number): Sql {
  return sql`(select coalesce(json_agg(${facetValue} order by count desc, value), '[]')
    from (select * from (${groups}) as g order by count desc, value limit ${most}) as top)`;
}

/**
 * Selects the products that match the filters of all other facets. Each option or attribute name is a separate facet.
 */
type Without = (kind?: Filter['kind'], name?: string) => Sql;

/** Counts products per published collection. */
function collectionFacets(shop: Shop, matching: Sql, most: number): Sql {
  const facet = jsonObject<CollectionFacet>({ value: sql`handle`, title: sql`title`, count: sql`count` });
  return sql`(select coalesce(json_agg(${facet} order by count desc, handle), '[]') from (
    select c.handle, c.title, case c.type when 'manual' then (
        select count(*) from collection_products cp join ${matching} p on p.id = cp.product_id
        where cp.site_id = c.site_id and cp.collection_id = c.id)
      else (select count(*) from ${matching} p where ${meetsRules(sql`c.rules`, sql`c.rules_match`)}) end as count
    from collections c where c.site_id = ${shop.siteId} and c.published and c.published_at <= now()
    order by count desc, handle limit ${most}) as top where count > 0)`;
}

/** Counts the values of options or attributes, by name regardless of case. */
function namedFacets(
  kind: 'option' | 'attribute',
  valuesOf: (matching: Sql, which: (name: Sql) => Sql) => Sql,
  chosen: Filter[],
  without: Without,
  most: number,
): Sql {
  const names = chosen.flatMap((one) => (one.kind === kind ? (one.name ?? []) : []));
  const parts = [
    valuesOf(without(), (name) => (names.length > 0 ? sql`and lower(${name}) <> all(${names}::text[])` : empty)),
    ...names.map((one) => valuesOf(without(kind, one), (name) => sql`and lower(${name}) = ${one}`)),
  ];
  return sql`(
    select coalesce(json_agg(json_build_object('name', name, 'values', values) order by name), '[]') from (
      select min(name) as name, json_agg(${facetValue} order by count desc, value) as values
      from (${join(parts, ' union all ')}) as ranked where place <= ${most}
      group by key order by sum(count) desc, key limit ${most}
    ) as named)`;
}

/** Counts the option values of variants that can be bought, and ranks them within each option by frequency. */
function optionValues(shop: Shop, matching: Sql, which: (name: Sql) => Sql): Sql {
  // `distinct` in a subquery is hashed; `count(distinct p.id)` would sort all variants.
  return sql`select lower(name) as key, min(name) as name, value, count(*) as count,
      row_number() over (partition by lower(name) order by count(*) desc, value) as place
    from (
      select distinct p.id, o.name, (array[v.option1, v.option2, v.option3])[o.position] as value
      from ${matching} p
      join product_options o on o.site_id = ${shop.siteId} and o.product_id = p.id ${which(sql`o.name`)}
      join variants v on v.site_id = ${shop.siteId} and v.product_id = p.id and ${available}
    ) as having_values
    group by 1, 3`;
}

/** Counts attribute values regardless of case. A value that is a list counts once for each of its items. */
function attributeValues(matching: Sql, which: (name: Sql) => Sql): Sql {
  return sql`select lower(btrim(m.key)) as key, lower(btrim(min(m.key))) as name, min(btrim(one.value)) as value,
      count(distinct p.id) as count,
      row_number() over (partition by lower(btrim(m.key)) order by count(distinct p.id) desc) as place
    from ${matching} p, jsonb_each_text(p.metadata) as m, unnest(string_to_array(m.value, ', ')) as one (value)
    where btrim(one.value) <> '' ${which(sql`btrim(m.key)`)}
    group by 1, lower(btrim(one.value))`;
}
