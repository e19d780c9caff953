import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Cost, play } from '../cost/play.ts';
import type { Cache } from '../cost/shop.ts';
import { type Running, sentBy } from '../processes.ts';
import { clientOf, type MeasuredShop } from './shops.ts';
import { WORKS, type Work } from './work.ts';

export interface Servers {
  db: pg.Client;
  postmaster: number;
  /** The servers with and without the catalogue cache. */
  of: Record<Cache, Running>;
}

export interface Measured {
  work: Work;
  shop: number;
  /** The number of products in the whole database. */
  products: number;
  cost: Cost;
  reads?: Reads;
}

/** The statements, rows and pages that one unit reads. */
export interface Reads {
  statements: number;
  /** The number of rows read from the pages of tables. */
  rows: number;
  /** The number of pages of tables and indexes read, from memory or disk. */
  pages: number;
}

const CLIENTS = 4;
const WARM_UP_SECONDS = 1;

/** Measures the cost of all work in a shop, one kind after the other. */
export async function measure(
  servers: Servers,
  shop: MeasuredShop,
  products: number,
  seconds: number,
): Promise<Measured[]> {
  const playing = (work: Work, length: number) => {
    const server = servers.of[work.cache];
    const shoppers = Array.from({ length: CLIENTS }, () => clientOf(server, shop, work.as));
    return play(work.unit, { shoppers, server: server.process.pid ?? 0, postmaster: servers.postmaster }, length);
  };
  // The warm-up lets Node compile hot code before the first measurement.
  for (const work of WORKS) await playing(work, WARM_UP_SECONDS);
  const measured: Measured[] = [];
  for (const work of WORKS) {
    await playing(work, WARM_UP_SECONDS);
    measured.push({ work, shop: shop.products, products, cost: await playing(work, seconds) });
  }
  return measured;
}

const COUNTED = 20;
/**
 * A connection of PostgreSQL reports its reads at the end of a transaction, at most once a second, so the bench waits this
 * long.
 */
const REPORTED_EVERY_MS = 1_100;

/**
 * Counts the reads of each kind of work. The servers must be started with statement counting, and nothing else may run.
 */
export async function countReads(servers: Servers, shop: MeasuredShop): Promise<Map<Work, Reads>> {
  const counted = new Map<Work, Reads>();
  for (const work of WORKS) counted.set(work, await readsOf(servers, shop, work));
  return counted;
}

async function readsOf({ db, of }: Servers, shop: MeasuredShop, { as, cache, unit }: Work): Promise<Reads> {
  const client = clientOf(of[cache], shop, as);
  await unit(client, 0);
  const before = await readCounters(db, of[cache], () => unit(client, 1));
  for (let turn = 2; turn < COUNTED + 1; turn += 1) await unit(client, turn);
  const after = await readCounters(db, of[cache], () => unit(client, COUNTED + 1));
  client.leave();
  const each = (field: keyof Reads) => (after[field] - before[field]) / COUNTED;
  return { statements: each('statements'), rows: each('rows'), pages: each('pages') };
}

async function readCounters(db: pg.Client, server: Running, last: () => Promise<unknown>): Promise<Reads> {
  await sleep(REPORTED_EVERY_MS);
  await last();
  // Waits until statements that were sent together with the last response have ended.
  await sleep(50);
  const { rows } = await db.query<{ rows: string; pages: string }>(READ);
  const [{ rows: read, pages } = { rows: 0, pages: 0 }] = rows;
  return { statements: (await sentBy(server)).statements, rows: Number(read), pages: Number(pages) };
}

const READ = `select
  (select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables where schemaname = 'commerce') as rows,
  (select sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0)
      + coalesce(toast_blks_read + toast_blks_hit + tidx_blks_read + tidx_blks_hit, 0))
    from pg_statio_user_tables where schemaname = 'commerce') as pages`;
