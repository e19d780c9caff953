import type { ImageInput } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import type { OptionPlan, VariantPlan } from './plan.ts';

/** The statements that write the parts of a product, each for all parts at once. */

export async function insertOptions(
  shop: Shop,
  product_id: string,
  options: OptionPlan[],
  firstPosition = 1,
): Promise<void> {
  if (options.length === 0) return;
  const rows = options.map((option, i) => ({ id: uuidv7(), position: firstPosition + i, ...option }));
  await shop.run(
    sql`insert into product_options (site_id, id, product_id, name, position, values)
      select ${shop.siteId}, o.id, ${product_id}, o.name, o.position, o.values
      from jsonb_to_recordset(${JSON.stringify(rows)}) as o (id uuid, name text, position smallint, values text[])`,
  );
}

/** Adds variants behind those that are there, with their opening stock and its movements. Throws `sku_taken`. */
export async function insertVariants(
  shop: Shop,
  product_id: string,
  variants: VariantPlan[],
  track_inventory: boolean,
  firstPosition = 1,
): Promise<string[]> {
  if (variants.length === 0) return [];
  const rows = variants.map((variant, i) => ({
    ...variant,
    inventory_quantity: variant.inventory_quantity ?? 0,
    id: uuidv7(),
    movement_id: uuidv7(),
    position: firstPosition + i,
  }));
  const written = await shop.rows<{ id: string }>(
    sql`with given as (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}) as v (id uuid, movement_id uuid, position int, sku text,
          barcode text, option1 text, option2 text, option3 text, price numeric, compare_at_price numeric,
          cost_per_item numeric, inventory_quantity int, inventory_policy text, low_stock_threshold int, weight numeric,
          weight_unit text, requires_shipping boolean, image_url text)
      ), stocked as (
        insert into stock_movements (site_id, id, variant_id, product_id, type, reason, delta, on_hand_after,
          reserved_after, actor_id)
        select ${shop.siteId}, movement_id, id, ${product_id}, 'adjustment', 'received', inventory_quantity,
          inventory_quantity, 0, ${shop.actorId} from given where inventory_quantity <> 0
      )
      insert into variants (site_id, id, product_id, position, sku, barcode, option1, option2, option3, price,
        compare_at_price, cost_per_item, track_inventory, inventory_policy, low_stock_threshold, weight, weight_unit,
        requires_shipping, image_url, on_hand)
      select ${shop.siteId}, id, ${product_id}, position, sku, barcode, option1, option2, option3, price,
        compare_at_price, cost_per_item, ${track_inventory}, inventory_policy,
        coalesce(low_stock_threshold, (select low_stock_threshold from site_settings where site_id = ${shop.siteId})),
        weight, weight_unit, requires_shipping, image_url, inventory_quantity
      from given
      on conflict (site_id, sku) where sku is not null do nothing returning id`,
  );
  // A conflict would not tell which SKU it was: the rows that are missing do.
  const missing = rows.find(({ id }) => !written.some((row) => row.id === id));
  if (missing) throw skuTaken(missing.sku);
  return rows.map(({ id }) => id);
}

/** The refusal of a SKU that another variant of the shop has. */
export function skuTaken(sku: string | null): ShopError {
  return new ShopError('sku_taken', 'Another variant of this shop has this SKU.', { sku });
}

/** Adds images; one without a position goes behind those before it. */
export async function insertImages(
  shop: Shop,
  product_id: string,
  images: ImageInput[],
  firstPosition = 1,
): Promise<void> {
  const rows = images.map((image, i) => ({ ...image, position: image.position ?? firstPosition + i, id: uuidv7() }));
  await shop.run(
    sql`insert into product_images (site_id, id, product_id, url, alt, position, width, height)
      select ${shop.siteId}, i.id, ${product_id}, i.url, i.alt, i.position, i.width, i.height
      from jsonb_to_recordset(${JSON.stringify(rows)})
        as i (id uuid, url text, alt text, position int, width int, height int)`,
  );
}

/**
 * Brings what is derived from the parts up to date, in the transaction of their change: the prices of the cheapest
 * variant, whether there are options, and what the search reads. Names weigh most (A), then vendor, type and option
 * values (B), tags and metadata (C), the description (D).
 */
export async function summarize(shop: Shop, product_id: string): Promise<void> {
  await shop.run(
    sql`with parts as (
        select array_agg(lower(sku)) filter (where sku is not null)
            || array_agg(lower(barcode)) filter (where barcode is not null) as codes,
          max(price) as price_max
        from variants where site_id = ${shop.siteId} and product_id = ${product_id}
      ), cheapest as (
        select price, compare_at_price, cost_per_item from variants
        where site_id = ${shop.siteId} and product_id = ${product_id} order by price, position, id limit 1
      ), choices as (
        select count(*) as options, string_agg(array_to_string(values, ' '), ' ') as words
        from product_options where site_id = ${shop.siteId} and product_id = ${product_id}
      ), product as (
        update products p set price = cheapest.price, compare_at_price = cheapest.compare_at_price,
          cost_per_item = cheapest.cost_per_item, price_max = parts.price_max,
          has_variants = choices.options > 0, updated_at = now()
        from parts, cheapest, choices where p.site_id = ${shop.siteId} and p.id = ${product_id}
        returning p.*
      )
      insert into product_search (site_id, product_id, title, skus, document)
      select site_id, id, unaccent(lower(name)), coalesce(parts.codes, '{}'),
        words(name, 'A')
        || words(concat_ws(' ', vendor, product_type, choices.words), 'B')
        || words(concat_ws(' ', array_to_string(tags, ' '),
          (select string_agg(value, ' ') from jsonb_each_text(metadata))), 'C')
        || words(left(description, 10000), 'D')
      from product, parts, choices
      on conflict (site_id, product_id) do update
        set title = excluded.title, skus = excluded.skus, document = excluded.document`,
  );
}
