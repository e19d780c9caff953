/**
 * The shop from which all others are copied. The server writes its rows: products are imported over HTTP, and orders
 * placed over HTTP.
 */

import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import type pg from 'pg';
import { setBankDetails } from '../bank-details.ts';
import { goodsOf, PLENTY } from '../cost/goods.ts';
import { buy, type Goods, shopperAt } from '../flows.ts';
import type { OwnedSite, Running, Site } from '../processes.ts';
import { SMALL } from './sizes.ts';

export const ORDERS = SMALL / 5;
const CUSTOMERS = SMALL / 10;
const DESCRIPTION_WORDS = 12;
const PAGE = 100;

/** The number that distinguishes a product from its copies. It occurs only in the name, the slug and the SKUs. */
export function numberOf(rank: number): string {
  return String(rank).padStart(7, '0');
}

/** Returns the product with this rank, starting at 1. */
export function productOf(rank: number) {
  const { name, description, category, variants } = goodsOf(rank - 1);
  const words = name.split(' ').slice(0, 2);
  return {
    name: [...words, numberOf(rank)].join(' '),
    slug: [...words, numberOf(rank)].join('-').toLowerCase(),
    description: description.split(' ').slice(0, DESCRIPTION_WORDS).join(' '),
    product_type: category,
    status: 'active' as const,
    options: [{ name: 'Size', values: variants.map(({ size }) => size) }],
    variants: variants.map(({ size, cents }) => ({
      option1: size,
      sku: `SKU-${numberOf(rank)}-${size}`,
      price: (cents / 100).toFixed(2),
      inventory_quantity: PLENTY,
    })),
  };
}

/** Fills the shop with products, orders, and customers for some of the orders. */
export async function fillTemplate(
  db: pg.Client,
  { url }: Running,
  site: OwnedSite,
  { orders = ORDERS } = {},
): Promise<void> {
  const dashboard = createDashboardClient({ baseUrl: url, apiKey: site.api_key });
  for (let from = 1; from <= SMALL; from += PAGE) {
    const products = Array.from({ length: PAGE }, (_, i) => productOf(from + i));
    const { counts } = await unwrap(dashboard.POST('/api/dashboard/products/import', { body: { products } }));
    if (counts.created !== PAGE) throw new Error(`Only ${counts.created} of ${PAGE} products came in.`);
  }
  const parcel = { name: 'Parcel', price: '4.90' };
  const { id: shipping_option_id } = await unwrap(dashboard.POST('/api/dashboard/shipping-options', { body: parcel }));
  await setBankDetails(url, site);
  const { rows } = await db.query<{ id: string }>(
    `select v.id from commerce.variants v join commerce.products p on p.site_id = v.site_id and p.id = v.product_id
     where v.site_id = $1 and v.position = 1 order by right(p.slug, 7)`,
    [site.site_id],
  );
  const goods: Goods = { variant_ids: rows.map(({ id }) => id), shipping_option_id };
  await placeOrders(url, site, goods, orders);
  await db.query(CUSTOMERS_OF_ORDERS, [site.site_id, CUSTOMERS, SMALL / CUSTOMERS]);
}

/**
 * Places the orders. The n-th order contains a product of the n-th part of the catalogue, so that a copy of part of the
 * shop includes orders for its products.
 */
async function placeOrders(url: string, site: Site, goods: Goods, orders: number): Promise<void> {
  const shopper = shopperAt(url, site, goods);
  for (let n = 0; n < orders; n += 1) {
    const variant = goods.variant_ids[Math.floor((n * SMALL) / orders)] ?? '';
    await buy({ ...shopper, variant_id: () => variant });
  }
  shopper.leave();
}

const CUSTOMERS_OF_ORDERS = `
  with made as (
    insert into commerce.customers (site_id, id, email, first_name, last_name, email_verified_at, created_at)
    select $1, commerce.uuid_v7(), 'june-' || lpad((n * $3::int)::text, 7, '0') || '@example.com', 'June', 'Okafor', now(),
      now() - n * interval '1 hour'
    from generate_series(1, $2::int) as n
    returning id, email
  ), numbered as (
    select id, row_number() over (order by email) as n from made
  ), ordered as (
    select id, row_number() over (order by id) as n from commerce.orders where site_id = $1
  )
  update commerce.orders o set customer_id = c.id from ordered p join numbered c on c.n * 2 = p.n
  where o.site_id = $1 and o.id = p.id`;

/** Tables whose rows belong to a product. The rows of the other tables are distributed evenly over the products. */
const BY_PRODUCT = [
  'products',
  'product_options',
  'variants',
  'product_search',
  'search_postings',
  'product_changes',
  'stock_movements',
];
const BY_PLACE = [
  'customers',
  'carts',
  'cart_items',
  'checkouts',
  'orders',
  'order_lines',
  'order_events',
  'audit_events',
];

export const TABLES = [...BY_PRODUCT, ...BY_PLACE];

/**
 * Copies the shop's rows to unlogged tables, sorted, so that the copies of shops are written in the order of their
 * keys.
 */
export async function keepTemplate(db: pg.Client, { site_id }: Site): Promise<void> {
  await db.query(`create schema scale;
    create table scale.ranks as select id as product_id, right(slug, 7)::int as rank from commerce.products
      where site_id = '${site_id}'`);
  for (const table of BY_PRODUCT) {
    const id = table === 'products' ? 'id' : 'product_id';
    // Also keeps the source text of a product's search entry, from which the entry's fingerprint is calculated.
    const source =
      table === 'product_search' ? ', commerce.search_source(t.site_id, t.product_id)::text as source' : '';
    await db.query(`create unlogged table scale.${table} as select r.rank, t.*${source} from commerce.${table} t
      join scale.ranks r on r.product_id = t.${id} where t.site_id = '${site_id}' order by r.rank, t.${id}`);
  }
  for (const table of BY_PLACE) {
    await db.query(`create unlogged table scale.${table} as
      select ceil(row_number() over (order by ${table === 'customers' ? 'email' : 'id'}) * ${SMALL}.0 / count(*) over ())::int as rank, t.*
      from commerce.${table} t where site_id = '${site_id}' order by id`);
  }
  await db.query('analyze');
}
