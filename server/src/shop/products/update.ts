/** Updates an existing product to a plan, for an import or when a product is saved as a whole. */

import type { Product } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import { ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { sameOptions } from './compare.ts';
import { lockProduct } from './parts.ts';
import type { ProductPlan, VariantPlan } from './plan.ts';
import * as products from './products.ts';
import { productsByIds } from './rows.ts';
import { insertImages, insertOptions, insertVariants, summarize } from './write.ts';

/**
 * Locks and returns products by slug, with their variants. The fixed order of locks prevents deadlocks between
 * concurrent imports and sales. Until the transaction ends, nothing else changes these products or their stock.
 */
export async function lockSlugs(shop: Shop, slugs: string[]): Promise<Product[]> {
  await shop.run(
    sql`select pg_advisory_xact_lock(key) from (
        select distinct hashtextextended(${shop.siteId}::text || ' ' || slug, 0) as key
        from unnest(${slugs}::text[]) as named (slug) order by key) as keys`,
  );
  const known = await shop.rows<RowOf<'products', 'id'>>(
    sql`select id from products where site_id = ${shop.siteId} and slug = any(${slugs}) order by id for update`,
  );
  if (known.length === 0) return [];
  const ids = known.map(({ id }) => id);
  await shop.run(
    sql`select from variants
      where site_id = ${shop.siteId} and product_id = any(${ids}::uuid[]) order by id for update`,
  );
  return productsByIds(shop, 'dashboard', ids);
}

/** Locks and returns the product with this slug, including its variants and their stock; undefined if there is none. */
export async function lockBySlug(shop: Shop, slug: string): Promise<Product | undefined> {
  const known = await shop.one<RowOf<'products', 'id'>>(
    sql`select id from products where site_id = ${shop.siteId} and slug = ${slug} for update`,
  );
  return known && lockWithVariants(shop, known.id);
}

/** Locks and returns the product with this id, including its variants and their stock. Throws `not_found`. */
export async function lockWithVariants(shop: Shop, id: string): Promise<Product> {
  await lockProduct(shop, id);
  await shop.run(
    sql`select from variants where site_id = ${shop.siteId} and product_id = ${id} order by id for update`,
  );
  return products.get(shop, id);
}

interface Settings {
  /**
   * Whether to set the stock of existing variants. Otherwise, an import would bring back stock that was sold since the
   * export.
   */
  update_inventory?: boolean;
  /** The source to store in stock movements. */
  from?: 'import';
}

/**
 * Updates the product `before` to a plan. The product and its variants must be locked. Replaces options and variants,
 * and the images if the plan has any. Throws `sku_taken`, or `conflict` if a variant with reserved stock would be
 * deleted. The caller updates the search index.
 */
export async function updateProduct(shop: Shop, before: Product, plan: ProductPlan, settings: Settings = {}) {
  const { id } = before;
  await products.updateRow(shop, id, plan);
  if (!sameOptions(before, plan.options)) {
    await shop.run(sql`delete from product_options where site_id = ${shop.siteId} and product_id = ${id}`);
    await insertOptions(shop, { product_id: id, parts: plan.options });
  }
  await writeVariants(shop, before, plan, settings);
  if (plan.images) {
    await shop.run(sql`delete from product_images where site_id = ${shop.siteId} and product_id = ${id}`);
    await insertImages(shop, { product_id: id, parts: plan.images });
  }
  await summarize(shop, id);
}

interface KeptVariant extends VariantPlan {
  id: string;
  position: number;
}

/** Writes the variants of a plan, and deletes all others. */
async function writeVariants(shop: Shop, before: Product, plan: ProductPlan, { update_inventory, from }: Settings) {
  const placed = plan.variants.map((variant, i) => ({ ...variant, position: i + 1 }));
  const kept: KeptVariant[] = placed.flatMap(({ id, ...variant }) => (id === undefined ? [] : [{ ...variant, id }]));
  await removeOthers(
    shop,
    before.id,
    kept.map(({ id }) => id),
  );
  await updateVariants(shop, kept);
  if (update_inventory) await setStock(shop, before.id, kept);
  await insertVariants(shop, {
    product_id: before.id,
    parts: placed.filter(({ id }) => id === undefined),
    track_inventory: plan.track_inventory ?? before.track_inventory,
    from,
  });
}

/** Writes only the variants that differ. */
async function updateVariants(shop: Shop, variants: KeptVariant[]): Promise<void> {
  const freed = variants.filter(({ sku, old_sku }) => old_sku !== null && old_sku !== sku).map(({ id }) => id);
  // Clears all changed SKUs first, because a SKU may move from one variant to another.
  if (freed.length > 0) {
    await shop.run(sql`update variants set sku = null where site_id = ${shop.siteId} and id = any(${freed}::uuid[])`);
  }
  await shop.run(
    sql`update variants v set position = n.position, option1 = n.option1, option2 = n.option2, option3 = n.option3,
        sku = n.sku, barcode = n.barcode, price = n.price, compare_at_price = n.compare_at_price,
        cost_per_item = n.cost_per_item, inventory_policy = n.inventory_policy,
        low_stock_threshold = coalesce(n.low_stock_threshold, v.low_stock_threshold), weight = n.weight,
        weight_unit = n.weight_unit, requires_shipping = n.requires_shipping, image_url = n.image_url,
        sku_twin = v.sku_twin and v.sku is not distinct from n.sku, updated_at = now()
      from jsonb_to_recordset(${JSON.stringify(variants)}) as n (id uuid, position int, option1 text, option2 text,
        option3 text, sku text, barcode text, price numeric, compare_at_price numeric, cost_per_item numeric, inventory_policy text,
        low_stock_threshold int, weight numeric, weight_unit text, requires_shipping boolean, image_url text)
      where v.site_id = ${shop.siteId} and v.id = n.id
        and (v.position, v.option1, v.option2, v.option3, v.sku, v.barcode, v.price, v.compare_at_price, v.cost_per_item,
          v.inventory_policy, v.low_stock_threshold, v.weight, v.weight_unit, v.requires_shipping, v.image_url)
        is distinct from (n.position, n.option1, n.option2, n.option3, n.sku, n.barcode, n.price, n.compare_at_price,
          n.cost_per_item, n.inventory_policy, coalesce(n.low_stock_threshold, v.low_stock_threshold), n.weight,
          n.weight_unit, n.requires_shipping, n.image_url)`,
  );
}

async function removeOthers(shop: Shop, product_id: string, keep: string[]): Promise<void> {
  const held = await shop.one(
    sql`select from variants where site_id = ${shop.siteId} and product_id = ${product_id} and reserved > 0
      and not (id = any(${keep}::uuid[]))`,
  );
  if (held) throw new ShopError('conflict', 'An open checkout has reserved stock of a variant that would be deleted.');
  await shop.run(
    sql`delete from variants where site_id = ${shop.siteId} and product_id = ${product_id}
      and not (id = any(${keep}::uuid[]))`,
  );
}

/** Sets the available stock of variants with a planned quantity. Records a stock movement for each change. */
async function setStock(shop: Shop, product_id: string, variants: KeptVariant[]): Promise<void> {
  const given = variants
    .filter(({ inventory_quantity }) => inventory_quantity !== null)
    .map(({ id, inventory_quantity }) => ({ id, movement_id: uuidv7(), inventory_quantity }));
  if (given.length === 0) return;
  await shop.run(
    sql`with wanted as (
        select v.id, n.movement_id, n.inventory_quantity + v.reserved - v.on_hand as delta
        from variants v join jsonb_to_recordset(${JSON.stringify(given)})
          as n (id uuid, movement_id uuid, inventory_quantity int) on n.id = v.id
        where v.site_id = ${shop.siteId} order by v.id for update of v
      ), changed as (
        update variants v set on_hand = v.on_hand + wanted.delta, updated_at = now() from wanted
        where v.site_id = ${shop.siteId} and v.id = wanted.id and wanted.delta <> 0
        returning wanted.movement_id, v.id, wanted.delta, v.on_hand, v.reserved
      )
      insert into stock_movements (site_id, id, variant_id, product_id, type, reason, delta, on_hand_after,
        reserved_after, reference_type, actor_id)
      select ${shop.siteId}, movement_id, id, ${product_id}, 'adjustment', 'correction', delta, on_hand, reserved,
        'import', ${shop.actorId} from changed`,
  );
}
