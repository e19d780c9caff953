/**
 * Inserts and updates products and their parts, many rows in one statement. Rows are sent as one array per column,
 * because objects with keys take several times as long to parse.
 */

import sql, { join, type Sql } from 'sql-template-tag';
import { arrayText } from '../../db/array-text.ts';
import { newId } from '../../db/new-id.ts';
import type { RowOf } from '../../db/row-of.ts';
import { ShopError } from '../errors.ts';
import { minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { columnOf, WRITTEN_FIELDS, type WrittenField } from './fields.ts';
import type { ImagePlan, OptionPlan, ProductPlan, VariantPlan } from './plan.ts';

/** Parts to add to a product. Parts without a position get the positions from `firstPosition` (1 by default) on. */
interface Parts<T> {
  product_id: string;
  parts: T[];
  firstPosition?: number;
}

/**
 * Inserts products, except those whose slug is taken. Returns the number of inserted products. The caller inserts the
 * parts.
 */
export async function insertProducts(
  shop: Shop,
  products: { id: string; slug: string; plan: ProductPlan }[],
): Promise<number> {
  const rows = products.map(({ id, slug, plan }) => ({
    ...plan,
    ...pricesOf(plan.variants, shop.currencyDigits),
    id,
    slug,
    // The tags are sent as text, because the rows of a nested array would need equal lengths.
    tags: plan.tags && arrayText(plan.tags),
    metadata: plan.metadata && JSON.stringify(plan.metadata),
    has_variants: plan.options.length > 0,
    is_published_now: plan.published_at === undefined && plan.status === 'active',
    // Other statements write these fields.
    options: undefined,
    variants: undefined,
    images: undefined,
  }));
  const column = (name: keyof (typeof rows)[number]) => arrayText(rows.map((row) => row[name] ?? null));
  return shop.run(
    sql`insert into products (site_id, id, has_variants, price, price_max, compare_at_price, cost_per_item, ${NAMES})
      select ${shop.siteId}, id, has_variants, price, price_max, compare_at_price, cost_per_item, ${INSERTED}
      from unnest(${column('id')}::uuid[], ${column('has_variants')}::boolean[], ${column('is_published_now')}::boolean[],
        ${column('price')}::numeric[], ${column('price_max')}::numeric[], ${column('compare_at_price')}::numeric[],
        ${column('cost_per_item')}::numeric[], ${join(WRITTEN_FIELDS.map((field) => sql`${column(field)}::text[]`))})
        as p (id, has_variants, is_published_now, price, price_max, compare_at_price, cost_per_item, ${NAMES})
      on conflict (site_id, slug) do nothing`,
  );
}

const NAMES = join(WRITTEN_FIELDS.map((field) => columnOf(field).name));
const INSERTED = join(WRITTEN_FIELDS.map(inserted));

function inserted(field: WrittenField): Sql {
  if (field === 'published_at') return sql`case when is_published_now then now() else published_at::timestamptz end`;
  const { name, type, initial } = columnOf(field);
  return initial ? sql`coalesce(${name}::${type}, ${initial})` : sql`${name}::${type}`;
}

/** The highest price, and the prices of the cheapest variant (the first of several), as in `summarize`. */
function pricesOf(variants: VariantPlan[], digits: number) {
  const units = variants.map(({ price }) => minorUnits(price, digits));
  const lowest = units.reduce((least, each, i) => (each < (units[least] ?? each) ? i : least), 0);
  const highest = units.reduce((most, each, i) => (each > (units[most] ?? each) ? i : most), 0);
  const { price = '0', compare_at_price = null, cost_per_item = null } = variants[lowest] ?? {};
  return { price, compare_at_price, cost_per_item, price_max: variants[highest]?.price ?? price };
}

export async function insertOptions(shop: Shop, ...given: Parts<OptionPlan>[]): Promise<void> {
  const rows = given.flatMap(({ product_id, parts, firstPosition = 1 }) =>
    parts.map(({ id = newId(), name, values }, i) => ({
      ...{ id, product_id, position: firstPosition + i },
      ...{ name, values: arrayText(values) },
    })),
  );
  if (rows.length === 0) return;
  const column = (name: keyof (typeof rows)[number]) => arrayText(rows.map((row) => row[name]));
  await shop.run(
    sql`insert into product_options (site_id, id, product_id, name, position, values)
      select ${shop.siteId}, o.id, o.product_id, o.name, o.position, o.values::text[]
      from unnest(${column('id')}::uuid[], ${column('product_id')}::uuid[], ${column('name')}::text[],
        ${column('position')}::smallint[], ${column('values')}::text[]) as o (id, product_id, name, position, values)`,
  );
}

/** Adds variants with their initial stock and stock movements. Returns their ids. Throws `sku_taken`. */
export async function insertVariants(
  shop: Shop,
  ...given: (Parts<VariantPlan & { position?: number }> & { track_inventory: boolean; from?: 'import' | undefined })[]
): Promise<string[]> {
  const rows = given.flatMap(({ product_id, parts, track_inventory, from = null, firstPosition = 1 }) =>
    parts.map((variant, i) => ({
      ...variant,
      inventory_quantity: variant.inventory_quantity ?? 0,
      id: newId(),
      product_id,
      track_inventory,
      from,
      movement_id: newId(),
      position: variant.position ?? firstPosition + i,
    })),
  );
  if (rows.length === 0) return [];
  const column = (name: keyof (typeof rows)[number]) => arrayText(rows.map((row) => row[name]));
  const written = await shop.rows<RowOf<'variants', 'id'>>(
    sql`with given as (
        select * from unnest(${column('id')}::uuid[], ${column('product_id')}::uuid[],
          ${column('track_inventory')}::boolean[], ${column('movement_id')}::uuid[], ${column('position')}::int[],
          ${column('sku')}::text[], ${column('barcode')}::text[], ${column('option1')}::text[],
          ${column('option2')}::text[], ${column('option3')}::text[], ${column('price')}::numeric[],
          ${column('compare_at_price')}::numeric[], ${column('cost_per_item')}::numeric[],
          ${column('inventory_quantity')}::int[], ${column('inventory_policy')}::text[],
          ${column('low_stock_threshold')}::int[], ${column('weight')}::numeric[], ${column('weight_unit')}::text[],
          ${column('requires_shipping')}::boolean[], ${column('image_url')}::text[], ${column('from')}::text[])
          as v (id, product_id, track_inventory, movement_id, position, sku, barcode, option1, option2, option3, price,
            compare_at_price, cost_per_item, inventory_quantity, inventory_policy, low_stock_threshold, weight,
            weight_unit, requires_shipping, image_url, reference_type)
      ), stocked as (
        insert into stock_movements (site_id, id, variant_id, product_id, type, reason, delta, on_hand_after,
          reserved_after, reference_type, actor_id)
        select ${shop.siteId}, movement_id, id, product_id, 'adjustment', 'received', inventory_quantity,
          inventory_quantity, 0, reference_type, ${shop.actorId} from given where inventory_quantity <> 0
      )
      insert into variants (site_id, id, product_id, position, sku, barcode, option1, option2, option3, price,
        compare_at_price, cost_per_item, track_inventory, inventory_policy, low_stock_threshold, weight, weight_unit,
        requires_shipping, image_url, on_hand)
      select ${shop.siteId}, id, product_id, position, sku, barcode, option1, option2, option3, price,
        compare_at_price, cost_per_item, track_inventory, inventory_policy,
        coalesce(low_stock_threshold, (select low_stock_threshold from site_settings where site_id = ${shop.siteId})),
        weight, weight_unit, requires_shipping, image_url, inventory_quantity
      from given
      on conflict (site_id, lower(sku)) where sku is not null and not sku_twin do nothing returning id`,
  );
  if (written.length < rows.length) {
    // PostgreSQL does not report the conflicting SKU, but its row is missing from the result.
    const ids = new Set(written.map(({ id }) => id));
    throw skuTaken(rows.find(({ id }) => !ids.has(id))?.sku ?? null);
  }
  return rows.map(({ id }) => id);
}

/**
 * Two constraints keep SKUs unique: one is case-sensitive, the other is not. Existing SKUs that differ only in case are
 * exempt from the second.
 */
const SKU_CONSTRAINTS = ['sku_taken', 'sku_taken_in_any_case'];

export function isSkuTaken({ constraint = '' }: { constraint?: string }): boolean {
  return SKU_CONSTRAINTS.includes(constraint);
}

/** The error for a SKU that another variant of the shop has, possibly in another case. */
export function skuTaken(sku: string | null): ShopError {
  return new ShopError('sku_taken', 'Another variant of this shop has this SKU.', { sku });
}

/** Inserts images. An image with the URL of an uploaded file gets that file's size and narrower versions. */
export async function insertImages(shop: Shop, ...given: Parts<ImagePlan>[]): Promise<void> {
  const rows = given.flatMap(({ product_id, parts, firstPosition = 1 }) =>
    parts.map((image, i) => ({
      ...image,
      ...{ id: image.id ?? newId(), position: image.position ?? firstPosition + i, product_id },
    })),
  );
  if (rows.length === 0) return;
  const column = (name: keyof (typeof rows)[number]) => arrayText(rows.map((row) => row[name] ?? null));
  await shop.run(
    sql`insert into product_images (site_id, id, product_id, url, alt, position, width, height, file_id, sources)
      select ${shop.siteId}, i.id, i.product_id, i.url, i.alt, i.position, coalesce(f.width, i.width),
        coalesce(f.height, i.height), f.id, f.sources
      from unnest(${column('id')}::uuid[], ${column('product_id')}::uuid[], ${column('url')}::text[],
        ${column('alt')}::text[], ${column('position')}::int[], ${column('width')}::int[], ${column('height')}::int[])
        as i (id, product_id, url, alt, position, width, height)
      left join files f on f.site_id = ${shop.siteId} and f.url = i.url and f.status = 'ready'`,
  );
}

/**
 * Updates the fields of products that are derived from their parts: the prices of the cheapest variant, the highest
 * price, and whether there are options. Call it after each change of the parts. The caller updates the search index.
 */
export async function summarize(shop: Shop, ...product_ids: string[]): Promise<void> {
  await shop.run(
    sql`update products p set price = cheapest.price, compare_at_price = cheapest.compare_at_price,
        cost_per_item = cheapest.cost_per_item, price_max = highest.price_max,
        has_variants = exists (select from product_options
          where site_id = ${shop.siteId} and product_id = p.id),
        updated_at = now()
      from unnest(${product_ids}::uuid[]) as changed (id)
      cross join lateral (
        select max(price) as price_max from variants where site_id = ${shop.siteId} and product_id = changed.id
      ) highest
      cross join lateral (
        select price, compare_at_price, cost_per_item from variants
        where site_id = ${shop.siteId} and product_id = changed.id order by price, position, id limit 1
      ) cheapest
      where p.site_id = ${shop.siteId} and p.id = changed.id`,
  );
}
