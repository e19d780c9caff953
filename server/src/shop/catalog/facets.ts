import type { Facets, FacetValue } from '@commerce-backend/spec';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { jsonObject } from '../../db/fields.ts';
import type { Matching } from '../products/list.ts';
import { available, inStock } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import type { Filter } from './filters.ts';

/** Values per facet, the most frequent first. */
const MAX_VALUES = 100;

/** The parts of a list query that facets need. */
interface Listed {
  /** Conditions on `products p` that always apply, whatever the shopper chooses. */
  always: Sql[];
  filters: Filter[];
  /** The products that meet these conditions and the search. */
  matchesOf(conditions: Sql[]): Matching;
}

/**
 * Counts the values of the matching products, over all of them, in one statement. Filters of a kind do not narrow that
 * kind's own counts: these use the products that meet all other filters.
 */
export async function readFacets(shop: Shop, { always, filters, matchesOf }: Listed): Promise<Facets> {
  const chosen = filters.filter(({ kind }) => kind !== undefined);
  const others = filters.filter(({ kind }) => kind === undefined);
  const base = matchesOf([...always, ...others.map(({ condition }) => condition)]);
  // The products without the filters of a kind or, for the kind `option`, of that option.
  const without = (kind?: Filter['kind'], option?: string) => {
    const kept = chosen.filter((one) => one.kind !== kind || one.option !== option);
    const where = join([base.where, ...kept.map(({ condition }) => condition)], ' and ');
    return sql`(select p.* from products p ${base.join} where ${where})`;
  };
  const row = await shop.one<{ facets: Facets }>(
    sql`${base.with}
      select ${jsonObject<Facets>({
        vendors: counted(sql`select p.vendor as value, count(*) as count from ${without('vendor')} p
          where p.vendor is not null group by 1`),
        product_types: counted(sql`select p.product_type as value, count(*) as count from ${without('product_type')} p
          where p.product_type is not null group by 1`),
        tags: counted(
          sql`select tag as value, count(*) as count from ${without('tag')} p, unnest(p.tags) as tag group by 1`,
        ),
        options: optionFacets(shop, chosen, without),
        price: sql`(select case when count(*) > 0 then
          json_build_object('min', min(p.price)::text, 'max', max(p.price)::text) end from ${without('price')} p)`,
        in_stock: sql`(select json_build_object('true', count(*) filter (where ${inStock}),
          'false', count(*) filter (where not ${inStock})) from ${without('in_stock')} p)`,
      })} as facets`,
  );
  if (!row) throw new Error('The facets query returned no row.');
  return row.facets;
}

const facetValue = jsonObject<FacetValue>({ value: sql`value`, count: sql`count` });

function counted(groups: Sql): Sql {
  return sql`(select coalesce(json_agg(${facetValue} order by count desc, value), '[]')
    from (select * from (${groups}) as g order by count desc, value limit ${MAX_VALUES}) as top)`;
}

/** Values in stock by option name, ignoring case. */
function optionFacets(shop: Shop, chosen: Filter[], without: (kind?: Filter['kind'], option?: string) => Sql): Sql {
  const names = chosen.flatMap(({ option }) => option ?? []);
  const others = names.length > 0 ? sql`and lower(o.name) <> all(${names}::text[])` : empty;
  const parts = [
    optionValues(shop, without(), others),
    ...names.map((name) => optionValues(shop, without('option', name), sql`and lower(o.name) = ${name}`)),
  ];
  return sql`(
    select coalesce(json_agg(json_build_object('name', name, 'values', values) order by name), '[]') from (
      select min(name) as name, json_agg(${facetValue} order by count desc, value) as values
      from (${join(parts, ' union all ')}) as ranked where place <= ${MAX_VALUES} group by option
    ) as named)`;
}

/** The values of these `product_options o`, each with its rank within its option. */
function optionValues(shop: Shop, matching: Sql, which: Sql): Sql {
  return sql`select lower(o.name) as option, min(o.name) as name, (array[v.option1, v.option2, v.option3])[o.position] as value,
      count(distinct p.id) as count,
      row_number() over (partition by lower(o.name) order by count(distinct p.id) desc) as place
    from ${matching} p
    join product_options o on o.site_id = ${shop.siteId} and o.product_id = p.id ${which}
    join variants v on v.site_id = ${shop.siteId} and v.product_id = p.id and ${available}
    group by 1, 3`;
}
