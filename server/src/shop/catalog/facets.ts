import type { Facets } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import type { Matching } from '../products/list.ts';
import { available, inStock } from '../products/rows.ts';
import type { Shop } from '../shop.ts';

/** At most this many values of each facet, the most frequent first. */
const MAX_VALUES = 100;

/** What the matching products have in common, counted over all of them, in one statement. */
export async function readFacets(shop: Shop, { with: found, join, where }: Matching): Promise<Facets> {
  const matching = sql`(select p.* from products p ${join} where ${where})`;
  const row = await shop.one<{ facets: Facets }>(
    sql`${found}
      select json_build_object(
        'vendors', ${counted(sql`select p.vendor as value, count(*) as count from ${matching} p
          where p.vendor is not null group by 1`)},
        'product_types', ${counted(sql`select p.product_type as value, count(*) as count from ${matching} p
          where p.product_type is not null group by 1`)},
        'tags', ${counted(sql`select tag as value, count(*) as count from ${matching} p, unnest(p.tags) as tag group by 1`)},
        'options', ${optionFacets(shop, matching)},
        'price', (select case when count(*) > 0 then
          json_build_object('min', min(p.price)::text, 'max', max(p.price)::text) end from ${matching} p),
        'in_stock', (select json_build_object('true', count(*) filter (where ${inStock}),
          'false', count(*) filter (where not ${inStock})) from ${matching} p)
      ) as facets`,
  );
  if (!row) throw new Error('The facets did not answer.');
  return row.facets;
}

function counted(groups: Sql): Sql {
  return sql`(select coalesce(json_agg(json_build_object('value', value, 'count', count) order by count desc, value), '[]')
    from (select * from (${groups}) as g order by count desc, value limit ${MAX_VALUES}) as top)`;
}

/** Values that can be bought, by the name of their option, whatever its case. */
function optionFacets(shop: Shop, matching: Sql): Sql {
  return sql`(
    select coalesce(json_agg(json_build_object('name', name, 'values', values) order by name), '[]') from (
      select name, json_agg(json_build_object('value', value, 'count', count) order by count desc, value) as values from (
        select min(o.name) as name, (array[v.option1, v.option2, v.option3])[o.position] as value,
          count(distinct p.id) as count,
          row_number() over (partition by lower(o.name) order by count(distinct p.id) desc) as place
        from ${matching} p
        join product_options o on o.site_id = ${shop.siteId} and o.product_id = p.id
        join variants v on v.site_id = ${shop.siteId} and v.product_id = p.id and ${available}
        group by lower(o.name), 2
      ) as ranked where place <= ${MAX_VALUES} group by name
    ) as named)`;
}
