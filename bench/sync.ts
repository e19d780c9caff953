import { setTimeout as sleep } from 'node:timers/promises';
import { createDashboardClient, createSyncClient, type SyncClient, unwrap } from '@commerce-backend/sdk';
import pg from 'pg';
import { type Database, openDatabase } from './database.ts';
import { alternate, type Load } from './load.ts';
import { createSite, migrate, type Running, type Site, startCommerce, stop } from './processes.ts';
import { productOf } from './products.ts';
import { report, table, whole } from './report.ts';

const PAGE = 500;
const ITEMS = 500;
const WRITES_PER_SECOND = 120;
/** An integration reads over one or two connections, because pages are large. */
const CONNECTIONS = 2;
const products = '/api/sync/products';

/**
 * Measures the sync API on a large catalogue: its pages from first to last, availability, and a crawl during writes by
 * others.
 */
export async function syncing(load: Load, count: number): Promise<void> {
  const database = await openDatabase();
  let server: Running | undefined;
  try {
    await migrate(database.url, database.dataDir);
    const site = await createSite(database.url, database.dataDir, 'EUR');
    await fill(database, site, count);
    server = await startCommerce({ databaseUrl: database.url, dataDir: database.dataDir, env: { ROLE: 'api' } });
    const client = createSyncClient({ baseUrl: server.url, siteId: site.site_id, syncSecret: site.sync_secret });

    const crawled = await crawl(client);
    if (crawled.seen.size !== count) throw new Error(`The crawl told ${crawled.seen.size} of ${count} products.`);
    const { url } = server;
    const headers = { 'X-Site-ID': site.site_id, 'X-Sync-Secret': site.sync_secret };
    const pageAt = (cursor: string | undefined) => ({
      url,
      headers,
      paths: [`${products}?limit=${PAGE}${cursor ? `&cursor=${cursor}` : ''}`],
    });
    const rates = await alternate(
      {
        first: pageAt(undefined),
        middle: pageAt(crawled.cursors[Math.floor(crawled.cursors.length / 2)]),
        last: pageAt(crawled.cursors.at(-1)),
        availability: availabilityOf(url, headers, count),
      },
      { ...load, connections: CONNECTIONS },
    );
    const row = (name: string, { requests, p50, p99 }: (typeof rates)['first']) => [
      name,
      requests.toFixed(1),
      p50,
      p99,
    ];
    const written = await crawlWhileWriting(server, site, client, count);
    await report('sync', database.version, [
      `${whole(count)} products with 3 variants each.`,
      '',
      ...table(
        ['Call', 'requests/s', 'p50 ms', 'p99 ms'],
        [
          row(`product sync, first page of ${PAGE}`, rates.first),
          row(`product sync, middle page of ${PAGE}`, rates.middle),
          row(`product sync, last page of ${PAGE}`, rates.last),
          row(`availability of ${ITEMS} items by SKU`, rates.availability),
        ],
      ),
      '',
      ...table(
        ['Crawl of all products', 'seconds', 'products/s', 'writes', 'writes/s', 'products missed'],
        [
          ['alone', crawled.seconds.toFixed(1), whole(count / crawled.seconds), 0, 0, count - crawled.seen.size],
          [
            'while others write',
            written.seconds.toFixed(1),
            whole(count / written.seconds),
            whole(written.writes),
            whole(written.writes / written.seconds),
            written.missed,
          ],
        ],
      ),
    ]);
  } finally {
    await stop(server);
    await database.drop();
  }
}

const BATCH = 1_000;

/** Inserts the products into the database in batches of 1,000, because importing them is not measured. */
async function fill({ bareUrl }: Database, { site_id }: Site, count: number): Promise<void> {
  const db = new pg.Client({ connectionString: bareUrl });
  await db.connect();
  try {
    await db.query('set search_path to commerce, public');
    for (let from = 0; from < count; from += BATCH) {
      const rows = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => productOf(from + i));
      await db.query(FILL, [site_id, JSON.stringify(rows)]);
    }
    await db.query('vacuum analyze');
  } finally {
    await db.end();
  }
}

const FILL = `
  with given as (
    select uuid_v7() as product_id, p.* from jsonb_to_recordset($2::jsonb) as p (name text, slug text, description text,
      vendor text, product_type text, tags jsonb, metadata jsonb, images jsonb, variants jsonb)
  ), made as (
    insert into products (site_id, id, name, slug, description, vendor, product_type, tags, status, published_at, metadata,
      has_variants, price, price_max)
    select $1, product_id, name, slug, description, vendor, product_type, array(select jsonb_array_elements_text(tags)),
      'active', now(), metadata, true, (variants -> 0 ->> 'price')::numeric, (variants -> 2 ->> 'price')::numeric
    from given
  ), optioned as (
    insert into product_options (site_id, id, product_id, name, position, values)
    select $1, uuid_v7(), product_id, 'Size', 1, '{S,M,L}' from given
  ), pictured as (
    insert into product_images (site_id, id, product_id, url, alt, position)
    select $1, uuid_v7(), product_id, image ->> 'url', image ->> 'alt', place
    from given, jsonb_array_elements(images) with ordinality as i (image, place)
  )
  insert into variants (site_id, id, product_id, position, sku, option1, price, track_inventory, inventory_policy,
    low_stock_threshold, weight, weight_unit, requires_shipping, on_hand)
  select $1, uuid_v7(), product_id, place, variant ->> 'sku', variant ->> 'option1', (variant ->> 'price')::numeric, true,
    'deny', 5, 1.250, 'kg', true, (variant ->> 'inventory_quantity')::int
  from given, jsonb_array_elements(variants) with ordinality as v (variant, place)`;

interface Crawled {
  /** The stock of each product that was read. */
  seen: Map<string, number>;
  /** The cursors of all pages except the first. */
  cursors: string[];
  resume_cursor: string;
  seconds: number;
}

async function crawl(client: SyncClient, from?: string): Promise<Crawled> {
  const started = performance.now();
  const seen = new Map<string, number>();
  const cursors: string[] = [];
  for (let cursor = from; ; ) {
    const page = await unwrap(client.GET(products, { params: { query: { limit: PAGE, cursor } } }));
    for (const { product_id, product } of page.changes) if (product) seen.set(product_id, product.total_inventory);
    const { resume_cursor } = page;
    if (page.next_cursor === null)
      return { seen, cursors, resume_cursor, seconds: (performance.now() - started) / 1_000 };
    cursor = page.next_cursor;
    cursors.push(cursor);
  }
}

function availabilityOf(url: string, own: Record<string, string>, count: number) {
  const items = Array.from({ length: ITEMS }, (_, i) => {
    const sku = `B-${(i * 7_919) % count}-${['S', 'M', 'L'][i % 3]}`;
    return { sku, quantity: 1 + (i % 3) };
  });
  const headers = { ...own, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
  return { url, headers, paths: ['/api/sync/availability'], body: JSON.stringify({ items }) };
}

/**
 * Crawls the catalogue while its stock changes, continues from the cursor, and counts the products whose stock in the
 * copy is wrong.
 */
async function crawlWhileWriting({ url }: Running, { api_key }: Site, client: SyncClient, count: number) {
  const dashboard = createDashboardClient({ baseUrl: url, apiKey: api_key });
  const variants = await variantsOf(client, count);
  const stock = new Map<string, number>();
  let writes = 0;
  let writing = true;
  const write = async (): Promise<void> => {
    const { product_id, variant_id } = variants[(writes * 7_919) % variants.length] as (typeof variants)[number];
    writes += 1;
    const params = { path: { variant_id } };
    const body = { delta: 1, reason: 'received' as const };
    await unwrap(dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', { params, body }));
    stock.set(product_id, (stock.get(product_id) ?? 0) + 1);
  };
  const writer = async () => {
    while (writing) await Promise.all([write(), sleep((1_000 * WRITERS) / WRITES_PER_SECOND)]);
  };
  const before = await crawl(client);
  const writers = Array.from({ length: WRITERS }, writer);
  const during = await crawl(client);
  writing = false;
  await Promise.all(writers);
  const after = await crawl(client, during.resume_cursor);

  const copy = new Map([...during.seen, ...after.seen]);
  const missed = [...before.seen].filter(([id, had]) => copy.get(id) !== had + (stock.get(id) ?? 0)).length;
  return { seconds: during.seconds, writes, missed };
}

const WRITERS = 10;

async function variantsOf(client: SyncClient, count: number): Promise<{ product_id: string; variant_id: string }[]> {
  const found: { product_id: string; variant_id: string }[] = [];
  for (let from = 0; from < count; from += ITEMS) {
    const items = Array.from({ length: Math.min(ITEMS, count - from) }, (_, i) => ({ sku: `B-${from + i}-S` }));
    const answer = await unwrap(client.POST('/api/sync/availability', { body: { items } }));
    for (const { product_id, variant_id } of answer.items)
      if (product_id && variant_id) found.push({ product_id, variant_id });
  }
  return found;
}
