import type { ShopCategory } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import { visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';

/** The shop's categories are the types of its public products, and its public collections. */
function ownCategories(shop: Shop): Sql {
  return sql`select 'product_type' as kind, min(p.product_type) as value, min(p.product_type) as title, count(*)::int as products
      from products p
      where p.site_id = ${shop.siteId} and ${visible} and p.product_type <> '' group by lower(p.product_type)
    union all
    select 'collection', c.handle, c.title, case when c.type = 'manual' then (
        select count(*)::int from collection_products cp join products p on p.site_id = cp.site_id and p.id = cp.product_id
        where cp.site_id = c.site_id and cp.collection_id = c.id and ${visible}) end
    from collections c where c.site_id = ${shop.siteId} and c.published and c.published_at <= now()`;
}

/**
 * Lists the shop's categories, those with the most products first. Automatic collections have no count and come last.
 */
export function listCategories(shop: Shop, limit: number): Promise<ShopCategory[]> {
  return shop.rows<ShopCategory>(
    sql`select ${selectList<ShopCategory>({ kind: sql`own.kind`, value: sql`own.value`, title: sql`own.title`, products: sql`own.products` })}
      from (${ownCategories(shop)}) as own
      order by own.products desc nulls last, own.title, own.value limit ${limit}`,
  );
}

export interface UnknownCategory {
  name: string;
  /** The existing category that the name probably misspells. */
  nearest: string | null;
}

/**
 * Returns the names that are not categories of the shop, each with the category that it probably misspells. A
 * misspelling has one letter added, missing or replaced, or two in names of 8 or more letters. Names of fewer than 4
 * letters get no suggestion.
 */
export async function unknownCategories(shop: Shop, names: string[]): Promise<UnknownCategory[]> {
  if (names.length === 0) return [];
  return shop.rows<UnknownCategory>(
    sql`with own as materialized (select value, lower(value) as name from (${ownCategories(shop)}) as all_own)
      select asked.name, (
        select own.value from own
        where levenshtein_less_equal(lower(asked.name), own.name, asked.distance) <= asked.distance
        order by levenshtein_less_equal(lower(asked.name), own.name, asked.distance), own.name limit 1) as nearest
      from (
        select name, position, case when length(name) >= 8 then 2 when length(name) >= 4 then 1 else 0 end as distance
        from unnest(${names}::text[]) with ordinality as given (name, position)) as asked
      where not exists (select from own where own.name = lower(asked.name)) order by asked.position`,
  );
}
