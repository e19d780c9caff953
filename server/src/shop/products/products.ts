/**
 * Products as staff manage them. plan.ts validates an input, write.ts inserts it, import.ts processes many products,
 * and replace.ts saves one with all its parts. Every change of a product (including variants.ts, options.ts and
 * images.ts):
 * 1. locks the product and the variants to change or delete, in order of ids
 * 2. writes the differences, or ends here if there are none
 * 3. updates the product's summary of its variants (`summarize`) and the search index (`indexProducts`)
 * An import first locks its slugs in a fixed order (update.ts). Only stock changes do not lock the product
 * (stock/stock.ts).
 */

import type { Product, ProductInput, ProductPatch } from '@commerce-backend/spec';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { newId } from '../../db/new-id.ts';
import type { RowOf } from '../../db/row-of.ts';
import { indexNewProducts, indexProducts } from '../../search/index/index-products.ts';
import { holdCurrency } from '../currency.ts';
import { cursorPage, idOfCursor } from '../cursors.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import { escapeLike } from '../like.ts';
import { canonicalAmount } from '../money.ts';
import { normalTexts } from '../plain-text.ts';
import type { Shop } from '../shop.ts';
import { candidates, slugOf } from '../slugs.ts';
import { columnOf, WRITTEN_FIELDS, type Written, type WrittenField } from './fields.ts';
import { lockProduct } from './parts.ts';
import { type ProductPlan, planProduct, VARIANT_DETAILS } from './plan.ts';
import { productRows, productsByIds } from './rows.ts';
import {
  insertImages,
  insertOptions,
  insertProducts,
  insertVariants,
  isSkuTaken,
  skuTaken,
  summarize,
} from './write.ts';

/** Returns a product with options, images and variants. Throws `not_found`. */
export async function get(shop: Shop, id: string): Promise<Product> {
  const [product] = await productsByIds(shop, 'dashboard', [id]);
  if (!product) throw notFound('product');
  return product;
}

/** Creates a product. Throws a ValidationError, `slug_taken` or `sku_taken`. */
export async function create(shop: Shop, input: ProductInput): Promise<Product> {
  const id = await insert(shop, planProduct(input, shop.currencyDigits));
  await indexNewProducts(shop, [id]);
  return get(shop, id);
}

/**
 * Inserts a planned product, with a free slug if it has none. Returns its id. Throws `slug_taken` or `sku_taken`. The
 * caller updates the search index.
 */
async function insert(shop: Shop, plan: ProductPlan): Promise<string> {
  if (!plan.slug) return insertWithFreeSlug(shop, plan);
  const [id] = (await insertAll(shop, [{ ...plan, slug: plan.slug }])) ?? [];
  if (!id) throw new ShopError('slug_taken', 'Another product has this slug.');
  return id;
}

/**
 * Inserts several planned products with as many statements as for one. Returns their ids, or undefined if a slug is
 * taken; the caller must then roll back. Throws `sku_taken`. The caller updates the search index.
 */
export async function insertAll(
  shop: Shop,
  plans: (ProductPlan & { slug: string })[],
  from?: 'import',
): Promise<string[] | undefined> {
  await holdCurrency(shop);
  const made = plans.map((plan) => ({ product_id: newId(), plan }));
  const rows = made.map(({ product_id, plan }) => ({ id: product_id, slug: plan.slug, plan }));
  if ((await insertProducts(shop, rows)) < rows.length) return undefined;
  await insertParts(shop, made, from);
  return made.map(({ product_id }) => product_id);
}

async function insertParts(
  shop: Shop,
  made: { product_id: string; plan: ProductPlan }[],
  from: 'import' | undefined,
): Promise<void> {
  await insertOptions(shop, ...made.map(({ product_id, plan }) => ({ product_id, parts: plan.options })));
  const variants = made.map(({ product_id, plan }) => ({
    product_id,
    parts: plan.variants,
    track_inventory: plan.track_inventory ?? true,
    from,
  }));
  await insertVariants(shop, ...variants);
  await insertImages(shop, ...made.map(({ product_id, plan }) => ({ product_id, parts: plan.images ?? [] })));
}

async function insertWithFreeSlug(shop: Shop, plan: ProductPlan): Promise<string> {
  const wish = slugOf(plan.name, 'product');
  const like = `${escapeLike(wish)}%`;
  const rows = await shop.rows<RowOf<'products', 'slug'>>(
    sql`select slug from products where site_id = ${shop.siteId} and slug like ${like}`,
  );
  for (const slug of candidates(wish, new Set(rows.map((row) => row.slug)))) {
    // A concurrent request may take the slug between the check and the insert. The loop then tries the next slug.
    const [id] = (await insertAll(shop, [{ ...plan, slug }])) ?? [];
    if (id) return id;
  }
  throw new ShopError('slug_taken', 'Another product has this slug.');
}

const VARIANT_FIELDS = ['price', 'compare_at_price', 'cost_per_item', ...VARIANT_DETAILS] as const;

/**
 * Changes the given fields. If no value differs, writes nothing and sends no event. Throws `not_found`, `slug_taken`,
 * `sku_taken`, or `product_has_variants` for fields that belong to the variants.
 */
export async function update(shop: Shop, id: string, patch: ProductPatch): Promise<Product> {
  const locked = await shop.one<RowOf<'products', 'has_variants'>>(
    sql`select has_variants from products where site_id = ${shop.siteId} and id = ${id} for update`,
  );
  if (!locked) throw notFound('product');
  const fields = VARIANT_FIELDS.filter((field) => patch[field] !== undefined);
  let changed = false;
  if (fields.length > 0) {
    if (locked.has_variants) {
      throw new ShopError('product_has_variants', 'Set these fields on each variant of the product.', { fields });
    }
    changed = await updateDefaultVariant(shop, id, patch);
  }
  if (await updateRow(shop, id, { ...patch, ...normalTexts(patch, ['body']) })) changed = true;
  if (changed) {
    await summarize(shop, id);
    await indexProducts(shop, [id]);
  }
  return get(shop, id);
}

/**
 * Writes the given fields of the product; `undefined` leaves a field unchanged. Texts must be normalized. Returns
 * whether anything changed.
 */
export async function updateRow(shop: Shop, id: string, patch: Partial<Written>): Promise<boolean> {
  const changed = await shop.run(
    sql`with wanted as (
        select ${join(WRITTEN_FIELDS.map((field) => sql`${wanted(field, patch)} as ${columnOf(field).name}`))}
        from products where site_id = ${shop.siteId} and id = ${id}
      )
      update products p set ${ASSIGNED} from wanted w where p.site_id = ${shop.siteId} and p.id = ${id}
        and (${OLD}) is distinct from (${NEW})`,
  );
  if (patch.track_inventory === undefined) return changed > 0;
  const tracked = await shop.run(
    sql`update variants set track_inventory = ${patch.track_inventory}, updated_at = now()
      where site_id = ${shop.siteId} and product_id = ${id} and track_inventory <> ${patch.track_inventory}`,
  );
  return changed + tracked > 0;
}

const COLUMNS = WRITTEN_FIELDS.map((field) => columnOf(field).name);
const ASSIGNED = join(COLUMNS.map((name) => sql`${name} = w.${name}`));
const OLD = join(COLUMNS.map((name) => sql`p.${name}`));
const NEW = join(COLUMNS.map((name) => sql`w.${name}`));

/** The new value of a column, as an SQL expression. */
function wanted(field: WrittenField, patch: Partial<Written>): Sql {
  const { name, type, initial } = columnOf(field);
  const value = sql`${field === 'metadata' && patch.metadata ? JSON.stringify(patch.metadata) : (patch[field] ?? null)}::${type}`;
  if (initial) return sql`coalesce(${value}, ${name})`;
  return sql`case when ${patch[field] !== undefined} then ${value} ${otherwise(field, patch)} else ${name} end`;
}

/**
 * Part of the `case` for a field that the patch does not contain, if another field determines it: activating a product
 * publishes it, and a new description removes the formatted one.
 */
function otherwise(field: WrittenField, { description, status }: Partial<Written>): Sql {
  if (field === 'published_at') return sql`when ${status === 'active'} then coalesce(published_at, now())`;
  if (field !== 'description_html') return empty;
  return sql`when ${description ?? null} is distinct from description and ${description !== undefined} then null`;
}

async function updateDefaultVariant(shop: Shop, product_id: string, patch: ProductPatch): Promise<boolean> {
  const row = await shop.one<RowOf<'variants', 'id'>>(
    sql`select id from variants where site_id = ${shop.siteId} and product_id = ${product_id}`,
  );
  return row ? updateVariantRow(shop, row.id, patch) : false;
}

type VariantFields = Pick<ProductPatch, (typeof VARIANT_FIELDS)[number]> & { image_url?: string | null };

/**
 * Writes the given fields of a variant. A new price at or above the old compare_at_price ends the sale. Returns whether
 * anything changed. Throws `sku_taken`.
 */
export async function updateVariantRow(shop: Shop, id: string, patch: VariantFields): Promise<boolean> {
  const money = (field: 'price' | 'compare_at_price' | 'cost_per_item') => {
    const amount = patch[field];
    return amount == null ? null : canonicalAmount(amount, shop.currencyDigits, ['body', field]);
  };
  const price = money('price');
  if (patch.compare_at_price != null) await refuseNoSale(shop, id, price, money('compare_at_price') ?? '');
  const set = (field: keyof VariantFields) => patch[field] !== undefined;
  const updated = shop.run(
    sql`with wanted as (
        select coalesce(${price}::numeric, price) as price,
          case when ${set('compare_at_price')} then ${money('compare_at_price')}::numeric
            when compare_at_price > coalesce(${price}::numeric, price) then compare_at_price end as compare_at_price,
          case when ${set('cost_per_item')} then ${money('cost_per_item')}::numeric else cost_per_item end
            as cost_per_item,
          case when ${set('sku')} then ${patch.sku ?? null} else sku end as sku,
          case when ${set('barcode')} then ${patch.barcode ?? null} else barcode end as barcode,
          coalesce(${patch.inventory_policy ?? null}, inventory_policy) as inventory_policy,
          coalesce(${patch.low_stock_threshold ?? null}::int, low_stock_threshold) as low_stock_threshold,
          case when ${set('weight')} then ${patch.weight ?? null}::numeric else weight end as weight,
          coalesce(${patch.weight_unit ?? null}, weight_unit) as weight_unit,
          coalesce(${patch.requires_shipping ?? null}::boolean, requires_shipping) as requires_shipping,
          case when ${set('image_url')} then ${patch.image_url ?? null} else image_url end as image_url
        from variants where site_id = ${shop.siteId} and id = ${id}
      )
      update variants v set price = w.price, compare_at_price = w.compare_at_price, cost_per_item = w.cost_per_item,
        sku = w.sku, barcode = w.barcode, inventory_policy = w.inventory_policy,
        low_stock_threshold = w.low_stock_threshold, weight = w.weight, weight_unit = w.weight_unit,
        requires_shipping = w.requires_shipping, image_url = w.image_url,
        sku_twin = v.sku_twin and v.sku is not distinct from w.sku, updated_at = now()
      from wanted w where v.site_id = ${shop.siteId} and v.id = ${id}
        and (v.price, v.compare_at_price, v.cost_per_item, v.sku, v.barcode, v.inventory_policy, v.low_stock_threshold,
          v.weight, v.weight_unit, v.requires_shipping, v.image_url)
        is distinct from (w.price, w.compare_at_price, w.cost_per_item, w.sku, w.barcode, w.inventory_policy,
          w.low_stock_threshold, w.weight, w.weight_unit, w.requires_shipping, w.image_url)`,
  );
  const changed = await updated.catch((error: { constraint?: string }) => {
    throw isSkuTaken(error) ? skuTaken(patch.sku ?? null) : error;
  });
  return changed > 0;
}

async function refuseNoSale(shop: Shop, id: string, newPrice: string | null, compareAt: string): Promise<void> {
  const row = await shop.one<{ price: string }>(
    sql`select coalesce(${newPrice}::numeric, price) as price from variants
      where site_id = ${shop.siteId} and id = ${id} and coalesce(${newPrice}::numeric, price) >= ${compareAt}::numeric`,
  );
  if (!row) return;
  const msg = `Must be above the price, ${row.price}.`;
  throw new ValidationError([bodyMistake(['compare_at_price'], 'greater_than', msg, { gt: row.price })]);
}

/**
 * Deletes a product and leaves a tombstone for the sync API. Throws `not_found`, or `conflict` if stock is reserved.
 */
export async function remove(shop: Shop, id: string): Promise<{ id: string; deleted: true }> {
  await lockProduct(shop, id);
  const reserved = await deleteUnreserved(shop, [id]);
  if (reserved.size > 0) {
    throw new ShopError('conflict', 'An open checkout has reserved stock of this product. Archive it, or retry later.');
  }
  return { id, deleted: true };
}

/**
 * Deletes locked products and leaves tombstones. Skips products with reserved stock, and returns their ids. In a dry
 * run, deletes nothing.
 */
export async function deleteUnreserved(shop: Shop, ids: string[], dry_run = false): Promise<Set<string>> {
  const held = await shop.rows<RowOf<'variants', 'product_id' | 'reserved'>>(
    sql`select product_id, reserved from variants where site_id = ${shop.siteId} and product_id = any(${ids}::uuid[])
      order by id for update`,
  );
  const reserved = new Set(held.flatMap((variant) => (variant.reserved > 0 ? [variant.product_id] : [])));
  const free = ids.filter((id) => !reserved.has(id));
  if (dry_run || free.length === 0) return reserved;
  await shop.run(
    sql`with deleted as (
        delete from products where site_id = ${shop.siteId} and id = any(${free}::uuid[]) returning id, slug
      )
      insert into product_tombstones (site_id, product_id, slug) select ${shop.siteId}, id, slug from deleted`,
  );
  return reserved;
}

/**
 * Returns one page of products for an export, oldest first. `cursor` is the id of the last product on the previous
 * page.
 */
export async function exportPage(
  shop: Shop,
  { cursor, limit = 100, status }: { cursor?: string; limit?: number; status?: string },
) {
  const products = await productRows(
    shop,
    'dashboard',
    sql`from products p where p.site_id = ${shop.siteId}
      ${cursor ? sql`and p.id > ${idOfCursor(cursor)}` : empty} ${status ? sql`and p.status = ${status}` : empty}
      order by p.id limit ${limit + 1}`,
  );
  const { page, next_cursor } = cursorPage(products, limit);
  return { products: page, next_cursor };
}
