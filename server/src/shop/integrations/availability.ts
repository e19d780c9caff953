import type { AvailabilityAnswer, AvailabilityInput, AvailabilityItem } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import { available, visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import { shownQuantitySql } from '../shown-quantity.ts';

type Wanted = AvailabilityInput['items'][number];

/**
 * Returns the availability of the items in the order of the request. The subqueries with a limit make the planner use
 * the index for each item, instead of reading all variants.
 */
export async function check(shop: Shop, { items }: { items: Wanted[] }): Promise<AvailabilityAnswer> {
  const found = await shop.rows<AvailabilityItem>(
    sql`with wanted as materialized (
        select w.place, w.quantity, w.variant_id, w.sku, coalesce(w.variant_id, s.id) as id
        from unnest(${items.map(idOf)}::uuid[], ${items.map(skuOf)}::text[],
          ${items.map(({ quantity = 1 }) => quantity)}::int[]) with ordinality as w (variant_id, sku, quantity, place)
        left join lateral (
          select s.id from variants s where s.site_id = ${shop.siteId} and s.sku = w.sku limit 1
        ) as s on true
      )
      select ${columns(shop)}
      from wanted w
      left join lateral (
        select v.*, v.on_hand - v.reserved as free, ${shownQuantitySql(shop.showStock)} as shown_free,
          ${available} as sellable
        from variants v join products p on p.site_id = v.site_id and p.id = v.product_id
        where v.site_id = ${shop.siteId} and ${visible} and v.id = w.id limit 1
      ) as v on true
      order by w.place`,
  );
  return { currency: shop.currency, items: found };
}

/** Selects from `wanted w` and `variants v`, whose columns are null if no variant was found. */
function columns(shop: Shop): Sql {
  return selectList<AvailabilityItem>({
    variant_id: sql`coalesce(v.id, w.variant_id)`,
    product_id: sql`v.product_id`,
    sku: sql`coalesce(v.sku, w.sku)`,
    availability: sql`case
          when v.id is null then 'unknown'
          when not v.track_inventory then 'in_stock'
          when v.free > 0 then case when v.free <= v.low_stock_threshold and ${shop.showStock !== 'never'}::boolean then 'low_stock' else 'in_stock' end
          else case when v.inventory_policy = 'continue' then 'backorder' else 'out_of_stock' end
        end`,
    available: sql`coalesce(v.sellable and (not v.track_inventory or v.inventory_policy = 'continue' or v.free >= w.quantity), false)`,
    inventory_quantity: sql`case when v.track_inventory then v.shown_free end`,
    price: sql`v.price`,
    compare_at_price: sql`v.compare_at_price`,
  });
}

function idOf(item: Wanted): string | null {
  return 'variant_id' in item ? item.variant_id : null;
}

function skuOf(item: Wanted): string | null {
  return 'sku' in item ? item.sku : null;
}
