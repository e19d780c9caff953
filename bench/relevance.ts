/**
 * Measures the relevance of results for judged queries. Each set of products is imported into its own site, and
 * searched through the storefront.
 */

import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { importByCli } from './cli-import.ts';
import { convert } from './convert.ts';
import { type Database, openDatabase } from './database.ts';
import { percentiles } from './load.ts';
import { createSite, migrate, type Running, type Site, sentBy, startCommerce, stop } from './processes.ts';
import { report, table, whole } from './report.ts';

interface QuerySet {
  name: string;
  catalogue: 'general' | 'electronics';
  /** The published nDCG@10 for the set, for orientation. */
  baselines: { ilike: number; postgres: number; bm25: number } | undefined;
}

const SETS: QuerySet[] = [
  { name: 'general', catalogue: 'general', baselines: { ilike: 0.426, postgres: 0.717, bm25: 0.783 } },
  { name: 'electronics', catalogue: 'electronics', baselines: { ilike: 0.419, postgres: 0.705, bm25: 0.739 } },
  { name: 'electronics-priced', catalogue: 'electronics', baselines: undefined },
];
/** The number of results that are read: recall@50 needs 50. */
const DEPTH = 50;

export async function relevance({ data, many }: { data: string | undefined; many: number }): Promise<void> {
  if (!data) throw new Error('Say where the judged queries are: --data DIR.');
  const database = await openDatabase();
  let server: Running | undefined;
  try {
    await migrate(database.url, database.dataDir);
    server = await startCommerce({ ...placeOf(database), env: { CATALOG_CACHE: 'off' } });
    const files = await productFiles(data, database.dataDir, many);
    const sites = {
      general: await fill(database, server, files.general),
      electronics: await fill(database, server, files.electronics),
      many: await fill(database, server, files.many),
    };
    const learnt = await learnMeanings(database);
    const rows: (string | number)[][] = [];
    for (const set of SETS) rows.push(await measure(data, database, server, set, sites[set.catalogue]));
    const asked = (await Promise.all(SETS.map(({ name }) => queriesOf(data, name)))).flat();
    const { intent, wrong } = await scoreIntent(data, database, server, sites.electronics);
    const large = await latencies(
      asked.map(({ q }) => q),
      (q) => ask(server as Running, sites.many, q, 20),
    );
    const typed = asked.flatMap(({ q }) => beginningsOf(q));
    const suggested = await latencies(typed, (q) => suggest(server as Running, sites.many, q));
    await report('relevance', database.version, [
      ...table(HEADER, rows),
      '',
      `The job that runs every ten minutes learned the meanings of words in these three sites in ${whole(learnt)} s.`,
      '',
      `Limits read from ${whole(intent.queries)} sentences: ${share(intent.exact)} exactly right, F1 ${share(intent.F1)}${wrong}.`,
      '',
      `With ${whole(many)} products in one site (both catalogues and copies), ${whole(asked.length)} queries, one at a time,`,
      `without cache: p50 ${large.p50} ms, p95 ${large.p95} ms, p99 ${large.p99} ms.`,
      `SQL statements per search: ${await statementsPer(database, sites.many, asked)} on average.`,
      '',
      `Suggestions there for ${whole(typed.length)} beginnings of these queries: p50 ${suggested.p50} ms, p95 ${suggested.p95} ms, p99 ${suggested.p99} ms.`,
    ]);
  } finally {
    await stop(server);
    await database.drop();
  }
}

const HEADER = [
  'Set',
  'queries',
  'nDCG@10',
  'recall@50',
  'judged@10',
  'p50 ms',
  'p95 ms',
  'p99 ms',
  'ILIKE',
  'PostgreSQL AND',
  'BM25',
];

function placeOf({ url, dataDir }: Database) {
  return { databaseUrl: url, dataDir };
}

/**
 * Writes the products as files for the import. The SKUs are the judged ids; in the large file, the number of the copy
 * follows.
 */
async function productFiles(data: string, dir: string, size: number) {
  const electronics = join(dir, 'electronics.jsonl');
  await convert('convert-icecat.ts', join(data, 'electronics/products.jsonl.gz'), electronics);
  const general = await generalProducts(join(data, 'general/products.jsonl.gz'));
  const both = [...general, ...(await readFile(electronics, 'utf8')).split('\n').filter(Boolean)];
  const many = Array.from({ length: size }, (_, i) => {
    const copy = Math.floor(i / both.length);
    const product = JSON.parse(both[i % both.length] ?? '{}');
    return JSON.stringify({ ...product, slug: `${product.slug}-${copy}`, sku: `${product.sku}-${copy}` });
  });
  const write = async (name: string, lines: string[]) => {
    await writeFile(join(dir, name), `${lines.join('\n')}\n`);
    return join(dir, name);
  };
  return { electronics, general: await write('general.jsonl', general), many: await write('many.jsonl', many) };
}

async function generalProducts(file: string): Promise<string[]> {
  const lines = (await text(createReadStream(file).pipe(createGunzip()))).split('\n').filter(Boolean);
  return lines.map((line) => {
    const { product_id, title, description } = JSON.parse(line) as Record<string, string>;
    const name = (title ?? '').slice(0, 255);
    // The products get a price, because the file has none and the import would make them drafts.
    return JSON.stringify({
      name,
      slug: product_id,
      sku: product_id,
      description,
      price: '1.00',
      status: 'active',
      track_inventory: false,
    });
  });
}

async function fill({ url, dataDir }: Database, server: Running, file: string): Promise<Site> {
  const site = await createSite(url, dataDir, 'USD');
  const { counts, seconds } = await importByCli(file, server, site.api_key, `${file}.refused`);
  process.stderr.write(`  ${file}: ${counts.created} created, ${counts.refused} refused, ${seconds.toFixed(0)} s\n`);
  return site;
}

/**
 * Runs the job that trains the semantic model, and waits for its end. Returns its duration in seconds. The server runs
 * this job every ten minutes.
 */
export async function learnMeanings({ url }: Database): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const began = performance.now();
  try {
    await client.query(`select graphile_worker.add_job('learn_meanings', max_attempts => 1)`);
    for (;;) {
      await sleep(500);
      const { rows } = await client.query<{ last_error: string | null }>(
        `select last_error from graphile_worker.jobs where task_identifier = 'learn_meanings'`,
      );
      const failed = rows.find(({ last_error }) => last_error !== null);
      if (failed) throw new Error(`The job failed: ${failed.last_error}`);
      if (rows.length === 0) return (performance.now() - began) / 1000;
    }
  } finally {
    await client.end();
  }
}

interface Query {
  id: string;
  q: string;
}

async function queriesOf(data: string, set: string): Promise<Query[]> {
  const lines = (await readFile(join(data, set, 'queries.tsv'), 'utf8')).split(/\r?\n/).slice(1).filter(Boolean);
  return lines.map((line) => {
    const [id = '', q = ''] = line.split('\t');
    return { id, q };
  });
}

interface Answer {
  products: { variants: { sku: string | null }[] }[];
  understood: { kind: string; fate: string; min?: number; max?: number }[];
}

function ask(server: Running, site: Site, q: string, limit: number): Promise<Answer> {
  return read(server, site, `products?${new URLSearchParams({ q, limit: String(limit) })}`);
}

function suggest(server: Running, site: Site, q: string): Promise<unknown> {
  return read(server, site, `suggest?${new URLSearchParams({ q })}`);
}

async function read<Body>({ url }: Running, site: Site, path: string): Promise<Body> {
  const response = await fetch(`${url}/api/storefront/${path}`, {
    headers: { 'X-Site-ID': site.site_id, 'X-Service-Token': site.storefront_token },
  });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}.`);
  return (await response.json()) as Body;
}

/** Returns the beginnings of a query as it is typed, from two to 60 letters. */
function beginningsOf(q: string): string[] {
  return Array.from({ length: Math.max(0, Math.min(q.length, 60) - 1) }, (_, i) => q.slice(0, i + 2));
}

async function measure(data: string, { dataDir }: Database, server: Running, set: QuerySet, site: Site) {
  const queries = await queriesOf(data, set.name);
  const run: string[] = [];
  for (const { id, q } of queries) {
    const { products } = await ask(server, site, q, DEPTH);
    for (const [i, { variants }] of products.entries()) run.push([id, variants[0]?.sku, i + 1].join('\t'));
  }
  const file = join(dataDir, `${set.name}.run.tsv`);
  await writeFile(file, run.join('\n'));
  const scored = score(data, 'score.mjs', [
    file,
    join(data, set.name, 'qrels.tsv'),
    join(data, set.name, 'queries.tsv'),
  ]);
  const { p50, p95, p99 } = await latencies(
    queries.map(({ q }) => q),
    (q) => ask(server, site, q, 20),
  );
  const { ilike = '', postgres = '', bm25 = '' } = set.baselines ?? {};
  const figures = [scored['nDCG@10'], scored['recall@50'], scored['judged@10']].map((figure) => share(Number(figure)));
  return [set.name, whole(Number(scored.queries)), ...figures, p50, p95, p99, ilike, postgres, bm25];
}

function score(data: string, script: string, args: string[]): Record<string, number> {
  const printed = execFileSync(process.execPath, [join(data, script), ...args], { encoding: 'utf8' });
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '{}');
}

const SLOTS = ['price', 'rating', 'reviews'];

async function scoreIntent(data: string, { dataDir }: Database, server: Running, site: Site) {
  const queries = join(data, 'intent/queries.jsonl');
  const lines = (await readFile(queries, 'utf8')).split('\n').filter(Boolean);
  const predictions: string[] = [];
  for (const line of lines) {
    const { query_id, query } = JSON.parse(line) as { query_id: string; query: string };
    const { understood } = await ask(server, site, query, 1);
    const limits = understood.filter(({ kind }) => SLOTS.includes(kind));
    const constraints = Object.fromEntries(
      limits.flatMap(({ kind, min, max }) => [
        [`${kind}_min`, min],
        [`${kind}_max`, max],
      ]),
    );
    predictions.push(JSON.stringify({ query_id, constraints }));
  }
  const file = join(dataDir, 'intent.jsonl');
  await writeFile(file, predictions.join('\n'));
  const intent = score(data, 'score-intent.mjs', [file, queries]) as { queries: number; exact: number; F1: number };
  return { intent, wrong: intent.exact < 1 ? '' : ' (none wrong)' };
}

/** Measures the response times in milliseconds. Sends one request at a time; the first round is a warm-up. */
async function latencies(queries: string[], send: (q: string) => Promise<unknown>) {
  const times: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    for (const q of queries) {
      const began = performance.now();
      await send(q);
      if (round > 0) times.push(performance.now() - began);
    }
  }
  return percentiles(times);
}

async function statementsPer(database: Database, site: Site, queries: Query[]): Promise<string> {
  const server = await startCommerce({
    ...placeOf(database),
    counted: true,
    env: { CATALOG_CACHE: 'off', ROLE: 'api' },
  });
  try {
    await ask(server, site, queries[0]?.q ?? '', 20);
    const before = (await sentBy(server)).statements;
    for (const { q } of queries) await ask(server, site, q, 20);
    return (((await sentBy(server)).statements - before) / queries.length).toFixed(1);
  } finally {
    await stop(server);
  }
}

function share(value: number): string {
  return value.toFixed(3);
}
