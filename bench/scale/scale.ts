import pg from 'pg';
import { postmasterOf, settled } from '../cost/cpu.ts';
import type { Cache } from '../cost/shop.ts';
import { type Database, openDatabase } from '../database.ts';
import { createSite, migrate, type OwnedSite, type Running, type Site, startCommerce, stop } from '../processes.ts';
import { report } from '../report.ts';
import { capacity } from './capacity.ts';
import { addShops } from './copies.ts';
import { type Measured, measure, type Servers } from './measure.ts';
import { type MeasuredShop, openShop } from './shops.ts';
import { LARGE, SIZES, SMALL, shopsAddedFor } from './sizes.ts';
import { tables } from './table.ts';
import { fillTemplate, keepTemplate } from './template.ts';
import { verifyIndex } from './verify.ts';

export interface ScaleOptions {
  /** The sizes of the database at which to measure, a subset of `SIZES`; all by default. */
  sizes?: number[];
  /** The seconds of each kind of work, in each shop at each size. */
  seconds: number;
}

/** Measures the same work in the same shops, while the number of products in the database grows. */
export async function scale({ sizes = SIZES, seconds }: ScaleOptions): Promise<void> {
  const wrong = sizes.find((size) => !SIZES.includes(size));
  if (wrong !== undefined) throw new Error(`There is no size ${wrong}; there are ${SIZES.join(', ')}.`);
  const database = await openDatabase();
  const db = new pg.Client({ connectionString: database.bareUrl });
  try {
    await migrate(database.url, database.dataDir);
    await db.connect();
    const { measured, contents, bytesPerProduct } = await grow(database, db, sizes, seconds);
    const lines = [...tables(measured), ...contents, '', ...capacity(measured, bytesPerProduct)];
    await report('scale', database.version, lines, { part: sizes.length < SIZES.length });
  } finally {
    await db.end();
    await database.drop();
  }
}

async function grow(database: Database, db: pg.Client, sizes: number[], seconds: number) {
  const template = await createSite(database.url, database.dataDir, 'EUR');
  await fillFirst(database, db, template);
  const postmaster = await postmasterOf(database.url);
  const shops: MeasuredShop[] = [await openShop(db, template, template.site_id, SMALL)];
  const measured: Measured[] = [];
  const contents: string[] = [];
  for (const size of SIZES.filter((one) => one <= Math.max(...sizes))) {
    const began = performance.now();
    const added = await load(db, template, shopsAddedFor(size));
    const [first] = added;
    if (first && shopsAddedFor(size)[0] === LARGE && shops.length === 1) {
      shops.push(await openShop(db, template, first, LARGE));
    }
    say(`${size} products`, began);
    if (!sizes.includes(size)) continue;
    await settled(postmaster);
    measured.push(...(await measureAt(size, { database, db, postmaster, shops, seconds })));
    // Prints the measurements so far, in case the rest fails.
    process.stderr.write(`${tables(measured).join('\n')}\n`);
    contents.push(await contentsOf(db, size));
    say(`${size} products, measured`, began);
  }
  const { rows } = await db.query<{ bytes: number }>('select pg_database_size(current_database())::float8 as bytes');
  return { measured, contents, bytesPerProduct: (rows[0]?.bytes ?? 0) / Math.max(...sizes) };
}

interface Around {
  database: Database;
  db: pg.Client;
  postmaster: number;
  shops: MeasuredShop[];
  seconds: number;
}

async function measureAt(size: number, { database, db, postmaster, shops, seconds }: Around): Promise<Measured[]> {
  return withServers(database, async (of) => {
    const measured: Measured[] = [];
    for (const shop of shops) measured.push(...(await measure({ postmaster, of }, shop, size, seconds)));
    const [, large] = shops;
    if (large) await verifyIndex(db, of.on, large);
    return measured;
  });
}

function say(what: string, began: number): void {
  process.stderr.write(`  ${what}, ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
}

async function fillFirst({ url: databaseUrl, dataDir }: Database, db: pg.Client, template: OwnedSite): Promise<void> {
  const began = performance.now();
  const server = await startCommerce({ databaseUrl, dataDir, env: { ROLE: 'api' } });
  try {
    await fillTemplate(db, server, template);
  } finally {
    await stop(server);
  }
  await keepTemplate(db, template);
  say('the shop that all others are made of', began);
}

/** PostgreSQL settings for loading. All data can be generated again, so writes need not wait for the disk. */
const LOADING: Record<string, string> = {
  fsync: 'off',
  full_page_writes: 'off',
  max_wal_size: `'16GB'`,
  checkpoint_timeout: `'1h'`,
  autovacuum: 'off',
};

async function load(db: pg.Client, template: Site, sizes: number[]): Promise<string[]> {
  // Changes these settings only in the PostgreSQL that the bench started itself.
  const own = !process.env.DATABASE_URL;
  const set = async (form: (name: string, value: string) => string) => {
    for (const [name, value] of Object.entries(LOADING)) if (own) await db.query(form(name, value));
    await db.query('select pg_reload_conf()');
  };
  await set((name, value) => `alter system set ${name} = ${value}`);
  const added = sizes.length > 0 ? await addShops(db, template, sizes) : [];
  await db.query('vacuum analyze');
  await set((name) => `alter system reset ${name}`);
  await db.query('checkpoint');
  return added;
}

async function withServers<T>(
  { url: databaseUrl, dataDir }: Database,
  work: (of: Servers['of']) => Promise<T>,
): Promise<T> {
  const started: Running[] = [];
  const start = async (cache: Cache) => {
    const env = { CATALOG_CACHE: cache, ROLE: 'api', KEEP_ALIVE_SECONDS: '65' };
    const server = await startCommerce({ databaseUrl, dataDir, env });
    started.push(server);
    return server;
  };
  try {
    return await work({ on: await start('on'), off: await start('off') });
  } finally {
    await stop(...started);
  }
}

async function contentsOf(db: pg.Client, size: number): Promise<string> {
  const { rows } = await db.query<{ tables: string; size: string }>(
    `select string_agg(c.reltuples::bigint || ' ' || replace(c.relname, '_', ' '), ', ' order by c.reltuples desc) as tables,
       pg_size_pretty(pg_database_size(current_database())) as size
     from pg_class c where c.relnamespace = 'commerce'::regnamespace and c.relkind = 'r' and c.relname = any($1)`,
    [
      [
        'sites',
        'variants',
        'search_postings',
        'stock_movements',
        'product_changes',
        'orders',
        'order_events',
        'audit_events',
        'customers',
      ],
    ],
  );
  return `${size.toLocaleString('en')} products: ${rows[0]?.tables}; ${rows[0]?.size} on disk.`;
}
