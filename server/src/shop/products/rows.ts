import type { Product, ShowStock } from '@commerce-backend/spec';
import sql, { empty, type Sql } from 'sql-template-tag';
import type { ProductFilters } from '../../search/search-db.ts';
import type { Shop } from '../shop.ts';
import { shownQuantitySql } from '../shown-quantity.ts';

/** How products are read: whole, with options, images and variants, in one statement, already in the contract's shape. */

/** Who reads: the cost of a product is only for the merchant. */
export type Audience = 'merchant' | 'public';

/** A product that the public may see, as a condition on `products p`. */
export const visible = sql`p.status = 'active' and p.published_at <= now()`;

/** The opposite of `visible`, in parts that each have a partial index (`products_hidden`). */
const hidden = [
  sql`(p.status <> 'active' or p.published_at is null)`,
  sql`p.status = 'active' and p.published_at > now()`,
];

/** Whether a variant can be bought, as an expression on `variants v`. */
export const available = sql`(not v.track_inventory or v.inventory_policy = 'continue' or v.on_hand > v.reserved)`;

/** Whether at least one variant of `products p` can be bought. */
export const inStock = sql`exists (
  select from variants v where v.site_id = p.site_id and v.product_id = p.id and ${available})`;

/**
 * Whether something can be bought, looked up product by product, whatever the planner thinks of it: for lists that end after a page. `exists` would
 * let it read all variants first.
 */
export const canBeBought = sql`coalesce((
  select true from variants v where v.site_id = p.site_id and v.product_id = p.id and ${available} limit 1), false)`;

/** What the search applies of these. */
export const searchFilters: ProductFilters = { visible, hidden, inStock, canBeBought };

/** The products that `from` selects and orders; it must offer `products` as `p`. */
export async function productRows(shop: Shop, audience: Audience, from: Sql): Promise<Product[]> {
  return shop.rows<Product>(sql`select ${productColumns(shop, audience)} ${from}`);
}

/**
 * Whole products by id, in the order of the ids; unknown ones are left out. Their quantities are the true ones, to find what is
 * in stock, whatever the shop shows of it; low stock is marked only where the shop shows it.
 */
export async function productsByIds(shop: Shop, audience: Audience, ids: string[]): Promise<Product[]> {
  const products = await productRows(
    shop,
    audience,
    sql`from unnest((select ${ids}::uuid[])) with ordinality as wanted (id, place)
      join products p on p.site_id = ${shop.siteId} and p.id = wanted.id order by wanted.place`,
  );
  if (audience === 'merchant' || shop.showStock !== 'never') return products;
  return products.map((product) => ({
    ...product,
    variants: product.variants.map((variant) => ({ ...variant, is_low_stock: false })),
  }));
}

/**
 * The select list for a product from `products p`. `show` is what is shown of its stock; `whole` adds the texts that only a page
 * about the product needs.
 */
export function productColumns(
  shop: Shop,
  audience: Audience,
  show: ShowStock = 'exact',
  whole = audience === 'merchant',
): Sql {
  const cost = audience === 'merchant' ? sql`p.cost_per_item` : sql`null::text as cost_per_item`;
  return sql`p.id, ${shop.merchantId}::text as merchant_id, p.name, p.slug, p.description, ${whole ? pageTexts : empty} p.vendor, p.product_type,
    p.tags, p.price, p.compare_at_price, ${cost}, ${shop.currency}::text as currency,
    ${images} as images, p.has_variants, ${options} as options, ${variantsOf(audience, show)} as variants,
    p.track_inventory,
    (select coalesce(sum(${shownQuantitySql(show)}), 0) from variants v
      where v.site_id = p.site_id and v.product_id = p.id) as total_inventory,
    (select coalesce(bool_or(${available}), false) from variants v
      where v.site_id = p.site_id and v.product_id = p.id) as in_stock, p.status, p.metadata, p.tax_class, p.published_at, p.created_at, p.updated_at`;
}

const pageTexts = sql`p.description_html, p.seo_title, p.seo_description,`;

/** The variants that `product_images i` is the picture of. */
export const variantIdsOfImage = sql`(
  select coalesce(json_agg(v.id order by v.position, v.id), '[]') from variants v
  where v.site_id = i.site_id and v.product_id = i.product_id and v.image_url = i.url)`;

const images = sql`(
  select coalesce(json_agg(case when i.sources is null
      then json_build_object('id', i.id, 'url', i.url, 'alt', i.alt, 'position', i.position, 'width', i.width,
        'height', i.height, 'variant_ids', ${variantIdsOfImage})
      else json_build_object('id', i.id, 'url', i.url, 'alt', i.alt, 'position', i.position, 'width', i.width,
        'height', i.height, 'variant_ids', ${variantIdsOfImage}, 'status', 'ready', 'sources', i.sources)
    end order by i.position, i.id), '[]')
  from product_images i where i.site_id = p.site_id and i.product_id = p.id)`;

const options = sql`(
  select coalesce(json_agg(json_build_object('id', o.id, 'name', o.name, 'position', o.position, 'values', o.values)
    order by o.position), '[]')
  from product_options o where o.site_id = p.site_id and o.product_id = p.id)`;

/** A variant as JSON, from `variants v`. `show` is what is shown of its stock. */
export function variantObject(audience: Audience, show: ShowStock): Sql {
  const isLow = sql`v.track_inventory and v.on_hand - v.reserved between 1 and v.low_stock_threshold`;
  const cost = audience === 'merchant' ? sql`v.cost_per_item::text` : sql`null`;
  return sql`json_build_object('id', v.id, 'product_id', v.product_id, 'sku', v.sku, 'barcode', v.barcode,
    'option1', v.option1, 'option2', v.option2, 'option3', v.option3, 'price', v.price::text,
    'compare_at_price', v.compare_at_price::text, 'cost_per_item', ${cost},
    'inventory_quantity', ${shownQuantitySql(show)}, 'inventory_policy', v.inventory_policy,
    'low_stock_threshold', v.low_stock_threshold, 'weight', v.weight::text, 'weight_unit', v.weight_unit,
    'requires_shipping', v.requires_shipping, 'image_url', v.image_url, 'available', ${available},
    'is_low_stock', ${show === 'never' ? sql`false` : isLow},
    'is_out_of_stock', v.track_inventory and v.on_hand <= v.reserved,
    'created_at', iso(v.created_at), 'updated_at', iso(v.updated_at))`;
}

function variantsOf(audience: Audience, show: ShowStock): Sql {
  return sql`(
    select coalesce(json_agg(${variantObject(audience, show)} order by v.position, v.id), '[]')
    from variants v where v.site_id = p.site_id and v.product_id = p.id)`;
}
