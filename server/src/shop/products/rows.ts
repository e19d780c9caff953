/** Selects products with options, images and variants as the API returns them, in one statement. */

import type { Image, Option, Product, ShowStock, Variant } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { type Fields, jsonObject, selectList } from '../../db/fields.ts';
import type { ProductFilters } from '../../search/search-db.ts';
import type { Shop } from '../shop.ts';
import { shownQuantitySql } from '../shown-quantity.ts';
import { fieldsOf, UNLISTED } from './fields.ts';

/** The API that returns a product. The storefront uses shown-fields.ts instead. */
export type Audience = 'dashboard' | 'agent' | 'sync';

/** Whether `products p` is public. */
export const visible = sql`p.status = 'active' and p.published_at <= now()`;

/** The opposite of `visible`, in conditions that each have an index (`products_hidden`). */
const hidden = [
  sql`(p.status <> 'active' or p.published_at is null)`,
  sql`p.status = 'active' and p.published_at > now()`,
];

/** Whether `variants v` can be bought. */
export const available = sql`(not v.track_inventory or v.inventory_policy = 'continue' or v.on_hand > v.reserved)`;

export const inStock = sql`exists (
  select from variants v where v.site_id = p.site_id and v.product_id = p.id and ${available})`;

/**
 * Like `inStock`, but as one lookup per product, for queries with a limit. With `exists`, the planner might read all
 * variants first.
 */
export const canBeBought = sql`coalesce((
  select true from variants v where v.site_id = p.site_id and v.product_id = p.id and ${available} limit 1), false)`;

export const searchFilters: ProductFilters = { visible, hidden, inStock, canBeBought };

/** For searches by staff, who can see every product. */
export const wholeCatalogue: ProductFilters = { ...searchFilters, visible: sql`true`, hidden: [] };

/** `from` must name `products` as `p`. */
export async function productRows(shop: Shop, audience: Audience, from: Sql): Promise<Product[]> {
  return shop.rows<Product>(sql`select ${productColumns(shop, audience)} ${from}`);
}

/**
 * Returns products in the order of the ids, without unknown ones. Quantities are exact, whatever the shop shows to
 * shoppers, because callers check the availability with them.
 */
export async function productsByIds(shop: Shop, audience: Audience, ids: string[]): Promise<Product[]> {
  const products = await productRows(
    shop,
    audience,
    sql`from unnest((select ${ids}::uuid[])) with ordinality as wanted (id, place)
      join products p on p.site_id = ${shop.siteId} and p.id = wanted.id order by wanted.place`,
  );
  if (audience === 'dashboard' || shop.showStock !== 'never') return products;
  return products.map((product) => ({
    ...product,
    variants: product.variants.map((variant) => ({ ...variant, is_low_stock: false })),
  }));
}

/** The columns of a product, from `products p`. `show` controls how much of the stock it contains. */
export function productColumns(shop: Shop, audience: Audience, show: ShowStock = 'exact'): Sql {
  return selectList<Product>({
    id: sql`p.id`,
    merchant_id: sql`${shop.merchantId}::text`,
    name: sql`p.name`,
    slug: sql`p.slug`,
    description: sql`p.description`,
    ...fieldsOf(UNLISTED[audience]),
    vendor: sql`p.vendor`,
    product_type: sql`p.product_type`,
    tags: sql`p.tags`,
    price: sql`p.price`,
    compare_at_price: sql`p.compare_at_price`,
    cost_per_item: audience === 'dashboard' ? sql`p.cost_per_item` : sql`null::text`,
    currency: sql`${shop.currency}::text`,
    images,
    has_variants: sql`p.has_variants`,
    options,
    variants: variantsOf(audience, show),
    track_inventory: sql`p.track_inventory`,
    total_inventory: sql`(select coalesce(sum(${shownQuantitySql(show)}), 0) from variants v
      where v.site_id = p.site_id and v.product_id = p.id)`,
    in_stock: sql`(select coalesce(bool_or(${available}), false) from variants v
      where v.site_id = p.site_id and v.product_id = p.id)`,
    status: sql`p.status`,
    metadata: sql`p.metadata`,
    tax_class: sql`p.tax_class`,
    published_at: sql`p.published_at`,
    created_at: sql`p.created_at`,
    updated_at: sql`p.updated_at`,
  });
}

export const variantIdsOfImage = sql`(
  select coalesce(json_agg(v.id order by v.position, v.id), '[]') from variants v
  where v.site_id = i.site_id and v.product_id = i.product_id and v.image_url = i.url)`;

const image: Fields<Image> = {
  id: sql`i.id`,
  url: sql`i.url`,
  alt: sql`i.alt`,
  position: sql`i.position`,
  width: sql`i.width`,
  height: sql`i.height`,
  variant_ids: variantIdsOfImage,
};

/** Images from uploaded files also have narrower versions. */
const images = sql`(
  select coalesce(json_agg(case when i.sources is null then ${jsonObject<Image>(image)}
      else ${jsonObject<Image>({ ...image, status: sql`'ready'`, sources: sql`i.sources` })}
    end order by i.position, i.id), '[]')
  from product_images i where i.site_id = p.site_id and i.product_id = p.id)`;

const option = jsonObject<Option>({
  id: sql`o.id`,
  name: sql`o.name`,
  position: sql`o.position`,
  values: sql`o.values`,
});

const options = sql`(
  select coalesce(json_agg(${option} order by o.position), '[]')
  from product_options o where o.site_id = p.site_id and o.product_id = p.id)`;

/** A variant as JSON, from `variants v`. `show` controls how much of the stock it contains. */
export function variantObject(audience: Audience, show: ShowStock): Sql {
  const isLow = sql`v.track_inventory and v.on_hand - v.reserved between 1 and v.low_stock_threshold`;
  const cost = audience === 'dashboard' ? sql`v.cost_per_item::text` : sql`null`;
  return jsonObject<Variant>({
    id: sql`v.id`,
    product_id: sql`v.product_id`,
    sku: sql`v.sku`,
    barcode: sql`v.barcode`,
    option1: sql`v.option1`,
    option2: sql`v.option2`,
    option3: sql`v.option3`,
    price: sql`v.price::text`,
    compare_at_price: sql`v.compare_at_price::text`,
    cost_per_item: cost,
    inventory_quantity: shownQuantitySql(show),
    inventory_policy: sql`v.inventory_policy`,
    low_stock_threshold: sql`v.low_stock_threshold`,
    weight: sql`v.weight::text`,
    weight_unit: sql`v.weight_unit`,
    requires_shipping: sql`v.requires_shipping`,
    image_url: sql`v.image_url`,
    available,
    is_low_stock: show === 'never' ? sql`false` : isLow,
    is_out_of_stock: sql`v.track_inventory and v.on_hand <= v.reserved`,
    created_at: sql`iso(v.created_at)`,
    updated_at: sql`iso(v.updated_at)`,
  });
}

function variantsOf(audience: Audience, show: ShowStock): Sql {
  return sql`(
    select coalesce(json_agg(${variantObject(audience, show)} order by v.position, v.id), '[]')
    from variants v where v.site_id = p.site_id and v.product_id = p.id)`;
}
