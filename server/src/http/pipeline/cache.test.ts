import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { FILLED_IN, openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { openPool } from '../../db/connect.ts';
import { createCatalogueCache } from './cache.ts';

/** A server with the response cache and only one database connection, and one without the cache. */
let cached: Awaited<ReturnType<typeof startServer>>;
let uncached: Awaited<ReturnType<typeof startServer>>;
const lines: { cached?: boolean }[] = [];

beforeAll(async () => {
  const log = new PassThrough();
  log.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split('\n')) lines.push(JSON.parse(line) as { cached?: boolean });
  });
  const db = openPool({ url: databaseUrl(), max: 1, pooling: 'session' });
  cached = await startServer(databaseUrl(), { db, logger: pino({ level: 'info' }, log) });
  cached = { ...cached, db };
  uncached = await startServer(databaseUrl(), { cache: createCatalogueCache({ enabled: false }) });
});

afterAll(async () => {
  await stopServer(cached);
  await stopServer(uncached);
});

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Requests a path from both servers. Their responses must be equal. Returns whether the first came from the cache. */
async function read(shop: Pick<Shop, 'site_id' | 'credentials'>, path: string) {
  const headers = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.credentials.storefront_token };
  const [kept, anew] = [
    await fetch(`${cached.baseUrl}/api/storefront${path}`, { headers }),
    await fetch(`${uncached.baseUrl}/api/storefront${path}`, { headers }),
  ];
  const body = (await kept.json()) as Record<string, unknown>;
  expect([kept.status, body]).toEqual([200, await anew.json()]);
  return { body, etag: kept.headers.get('ETag'), cached: lines.at(-1)?.cached };
}

const sizes = { options: [{ name: 'Size', values: ['S', 'M'] }] };

async function sellingShop() {
  const shop = await openShop();
  const { id: shipping_option_id } = await shop.givenTerms();
  const variants = ['S', 'M'].map((option1) => ({
    option1,
    price: '10.00',
    inventory_quantity: 10,
    low_stock_threshold: 2,
  }));
  const product = await shop.givenProduct({ name: 'Clay mug', slug: 'mug', ...sizes, variants });
  await shop.givenProduct({ name: 'Plate', track_inventory: false });
  const variant_id = product.variants[0]?.id ?? '';

  /**
   * Starts a checkout that reserves stock. `givenCheckout` would change the settings, and with them the catalogue
   * version.
   */
  async function hold(quantity: number) {
    const { id: cart_id } = await shop.givenCart([{ variant_id, quantity }]);
    const { data, error } = await shop.storefront.POST('/api/storefront/checkout', { body: { cart_id } });
    if (!data) throw new Error(`The checkout was refused: ${JSON.stringify(error)}`);
    return { path: { checkout_id: data.id } };
  }

  async function buy(quantity: number) {
    const params = await hold(quantity);
    const body = { ...FILLED_IN, shipping_option_id };
    await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', { params, body });
    const { error } = await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', {
      params,
      body: {},
    });
    expect(error).toBeUndefined();
  }

  return { ...shop, product_id: product.id, variant_id, hold, buy };
}

const PATHS = [
  '/products',
  '/products?sort=name_asc&in_stock=true',
  '/products/mug',
  '/products?q=mug',
  '/products?facets=true',
];

test.each(PATHS)('a cached response of %s has the current stock after reservations and sales', async (path) => {
  const shop = await sellingShop();
  const first = await read(shop, path);
  expect([first.cached, (await read(shop, path)).cached]).toEqual([false, true]);

  await shop.hold(3);
  const held = await read(shop, path);
  await shop.buy(5);
  const sold = await read(shop, path);

  expect([held.cached, sold.cached]).toEqual([true, true]);
  expect([JSON.stringify(held.body), JSON.stringify(sold.body)]).toEqual([
    expect.stringContaining('"inventory_quantity":7,"is_low_stock":false'),
    expect.stringContaining('"inventory_quantity":2,"is_low_stock":true'),
  ]);
  expect(new Set([first.etag, held.etag, sold.etag]).size).toBe(3);
});

test.each(PATHS)('%s shows immediately that a variant has sold out or is available again', async (path) => {
  const shop = await sellingShop();
  await read(shop, path);

  const params = await shop.hold(10);
  const out = await read(shop, path);
  await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/cancel', { params });
  const back = await read(shop, path);

  expect([out.cached, back.cached]).toEqual([false, false]);
  expect([JSON.stringify(out.body), JSON.stringify(back.body)]).toEqual([
    expect.stringContaining('"available":false'),
    expect.not.stringContaining('"available":false'),
  ]);
  expect([(await read(shop, path)).cached, (await read(shop, path)).cached]).toEqual([true, true]);
});

test('the cache returns each shop its own stock when two shops share a database connection', async () => {
  const shops = [await sellingShop(), await sellingShop()] as const;
  for (const shop of shops) await read(shop, '/products');

  for (const [i, shop] of shops.entries()) {
    await shop.hold(i + 1);
    for (const other of shops) expect((await read(other, '/products')).cached).toBe(true);
  }
});

test('does not send a cached response after its products have changed', async () => {
  const { product_id, variant_id, ...shop } = await sellingShop();
  await read(shop, '/products/mug');
  const params = { path: { product_id, variant_id } };
  const changes = [
    () =>
      shop.dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
        params,
        body: { low_stock_threshold: 9 },
      }),
    () =>
      shop.dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
        params,
        body: { price: '12.00' },
      }),
    () => shop.dashboard.DELETE('/api/dashboard/products/{product_id}/variants/{variant_id}', { params }),
  ];

  for (const change of changes) {
    const { error } = await change();
    expect([error, (await read(shop, '/products/mug')).cached]).toEqual([undefined, false]);
  }
});

test('the total in a cached product list changes when products are added or archived', async () => {
  const { product_id, ...shop } = await sellingShop();
  const totals = async () => {
    const paths = ['/products?limit=1', '/products?limit=1&page=2', '/products?limit=1&in_stock=false'];
    return Promise.all(paths.map(async (path) => (await read(shop, path)).body.total));
  };
  expect(await totals()).toEqual([2, 2, 0]);

  await shop.givenProduct({ name: 'Bowl', inventory_quantity: 0 });
  expect(await totals()).toEqual([3, 3, 1]);

  await shop.hold(10);
  const params = { path: { product_id } };
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { status: 'archived' } });
  expect(await totals()).toEqual([2, 2, 1]);
});

/** Columns that sales change, and columns that change only together with a column that the trigger compares. */
const COUNTED_APART = {
  variants: ['on_hand', 'reserved', 'stock_changed_in', 'quantity_before', 'available_before', 'sku_twin'],
  products: ['sales_count'],
};

function columnsOf(table: 'variants' | 'products'): string {
  return `select attname as column from pg_attribute where attrelid = 'commerce.${table}'::regclass and attnum > 0
    and not attisdropped and attname <> 'site_id'`;
}

test('the catalogue trigger compares every product column except sales counters', async () => {
  const { owner } = await openShop();
  const { rows } = await owner.query<{ column: string; compared: string }>(
    `select c.column, pg_get_functiondef('commerce.note_products'::regproc) as compared from (${columnsOf('products')}) as c`,
  );

  const forgotten = rows.filter(
    ({ column, compared }) => !compared.includes(`n.${column},`) && !compared.includes(`n.${column})`),
  );
  expect(forgotten.map(({ column }) => column)).toEqual(COUNTED_APART.products);
});

test.each(['bump_catalog_by_content', 'note_content'])(
  'the trigger %s compares every variant column except stock',
  async (trigger) => {
    const { owner } = await openShop();
    const { rows } = await owner.query<{ column: string; definition: string }>(
      `select c.column, pg_get_triggerdef(t.oid) as definition from (${columnsOf('variants')}) as c, pg_trigger t
      where t.tgrelid = 'commerce.variants'::regclass and t.tgname = $1`,
      [trigger],
    );

    const forgotten = rows.filter(({ column, definition }) => {
      const [, listed = ''] = /UPDATE OF (.*?) ON /.exec(definition) ?? [];
      const fires = listed.replaceAll('"', '').split(', ').includes(column);
      return !fires || !definition.replaceAll('"', '').includes(`new.${column})`);
    });
    expect(forgotten.map(({ column }) => column).toSorted()).toEqual(COUNTED_APART.variants.toSorted());
  },
);
