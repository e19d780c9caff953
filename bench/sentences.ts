/**
 * Measures judged sentences: sends each to a site with the catalogue for which it was judged, and measures response
 * times on a large catalogue.
 */

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import { openAgent } from './agent.ts';
import { importByCli } from './cli-import.ts';
import { type Database, openDatabase } from './database.ts';
import { percentiles } from './load.ts';
import { createSite, migrate, type Running, type Site, startCommerce, stop } from './processes.ts';
import { learnMeanings } from './relevance.ts';
import { report, table, whole } from './report.ts';

/** The judged catalogues, each with the currency of its prices. */
const CURRENCIES = { retail: 'USD', luma: 'USD', demo: 'EUR' };
type Name = keyof typeof CURRENCIES;
const NAMES = Object.keys(CURRENCIES) as Name[];
const ROUNDS = 3;

interface Sentence {
  id: string;
  sentence: string;
  kind: string;
  lang: string;
  op?: string;
}
/** A line of the scorer's output. */
interface Judged extends Sentence {
  wrong: string[];
  silent: boolean;
  ms: number;
}

export async function sentences({ data, many }: { data: string | undefined; many: number }): Promise<void> {
  if (!data) throw new Error('Say where the judged sentences are: --data DIR.');
  const database = await openDatabase();
  let server: Running | undefined;
  try {
    await migrate(database.url, database.dataDir);
    server = await startCommerce({ databaseUrl: database.url, dataDir: database.dataDir });
    const sites: Record<string, object> = {};
    for (const name of NAMES) {
      const site = await openShop(database, server, name, { data, file: join(data, 'catalogues', `${name}.jsonl`) });
      sites[name] = { base: server.url, ...site };
    }
    await learnMeanings(database);
    const judged = await judge(data, database, sites);
    const written = await judgeFilters(data, database, server, sites);
    const large = await latencies(data, database, server, many);
    await report('sentences', database.version, [
      ...table(HEADER, rowsOf(judged)),
      '',
      ...written,
      `With ${whole(many)} products in one site (copies of these), one request at a time, ${ROUNDS} rounds:`,
      ...large,
    ]);
  } finally {
    await stop(server);
    await database.drop();
  }
}

const HEADER = ['Sentences', 'asked', 'fully right', 'share', 'silent breaches', 'p50 ms', 'p95 ms'];

async function openShop(
  database: Database,
  server: Running,
  name: Name,
  { data, file }: { data: string; file: string },
): Promise<{ site_id: string; storefront_token: string; agent_token: string }> {
  const site = await createSite(database.url, database.dataDir, CURRENCIES[name]);
  const { counts, seconds } = await importByCli(file, server, site.api_key, join(database.dataDir, `${name}.refused`));
  process.stderr.write(`  ${name}: ${counts.created} created, ${counts.refused} refused, ${seconds.toFixed(0)} s\n`);
  await makeCollections(server, site, join(data, 'catalogues', `${name}-collections.json`));
  const client = createDashboardClient({ baseUrl: server.url, apiKey: site.api_key });
  await unwrap(client.POST('/api/dashboard/shipping-options', { body: { name: 'Parcel', price: '4.90' } }));
  const { site_id, storefront_token } = site;
  return { site_id, storefront_token, agent_token: await openAgent(database, site) };
}

async function makeCollections(server: Running, { api_key }: Site, file: string): Promise<void> {
  if (!existsSync(file)) return;
  const client = createDashboardClient({ baseUrl: server.url, apiKey: api_key });
  const { products } = await unwrap(
    client.GET('/api/dashboard/products/export', { params: { query: { limit: 100 } } }),
  );
  const ids = new Map(products.map(({ slug, id }) => [slug, id]));
  const collections = JSON.parse(await readFile(file, 'utf8')) as { product_slugs?: string[] }[];
  for (const { product_slugs, ...collection } of collections) {
    const product_ids = product_slugs?.flatMap((slug) => ids.get(slug) ?? []);
    const response = await fetch(`${server.url}/api/dashboard/collections`, {
      method: 'POST',
      headers: { 'X-API-Key': api_key, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
      body: JSON.stringify({ ...collection, ...(product_ids && { product_ids }) }),
    });
    if (!response.ok) throw new Error(`A collection was answered with ${response.status}: ${await response.text()}`);
  }
}

/** Runs the scorer that comes with the sentences. */
async function judge(
  data: string,
  { dataDir }: Database,
  sites: object,
  sentences = join(data, 'sentences.jsonl'),
): Promise<Judged[]> {
  const [file, answers] = [join(dataDir, 'sites.json'), join(dataDir, 'judged.jsonl')];
  await writeFile(file, JSON.stringify(sites));
  const scorer = join(data, 'score-sentences.mjs');
  await promisify(execFile)(process.execPath, [
    scorer,
    ...['--sites', file, '--catalogues', join(data, 'catalogues'), '--json', answers],
    sentences,
  ]);
  return linesOf<Judged>(answers);
}

/**
 * Judges the products found with the hand-written filters of the sentences, if the data has such filters. Expectations
 * about `understood` are ignored, because filters are not interpreted.
 */
async function judgeFilters(data: string, database: Database, server: Running, sites: Record<string, object>) {
  const filters = await filtersIn(data);
  if (filters.size === 0) return [];
  const all = await linesOf<{ id: string; expect: Record<string, unknown> }>(join(data, 'sentences.jsonl'));
  const asked = all
    .filter(({ id }) => filters.has(id))
    .map(({ expect: { understood: _, must_not_understand: __, quantity: ___, ...expect }, ...sentence }) =>
      JSON.stringify({ ...sentence, sentence: sentence.id, expect }),
    );
  const sentences = join(database.dataDir, 'written.jsonl');
  await writeFile(sentences, asked.join('\n'));
  const proxy = await serveFilters(server, filters);
  const { port } = proxy.address() as AddressInfo;
  const through = Object.entries(sites).map(([name, site]) => [name, { ...site, base: `http://127.0.0.1:${port}` }]);
  const judged = await judge(data, database, Object.fromEntries(through), sentences);
  proxy.close();
  const wrong = judged.filter((one) => one.wrong.length > 0);
  for (const one of wrong) process.stderr.write(`  ${one.sentence}: ${one.wrong.join('; ')}\n`);
  const right = judged.length - wrong.length;
  return [
    `${whole(judged.length)} of these wishes, written as filters by somebody who had not seen results: ${whole(right)} found`,
    `the expected products, ${(right / judged.length).toFixed(3)}.`,
    '',
  ];
}

/** Returns the filters by the id of their sentence; empty if the data has none. */
async function filtersIn(data: string): Promise<Map<string, object>> {
  const file = join(data, 'filters.jsonl');
  const lines = existsSync(file) ? await linesOf<{ id: string; filters: object }>(file) : [];
  return new Map(lines.map(({ id, filters }) => [id, filters]));
}

/** Forwards requests to the server, with the filters of the sentence whose id is the query. */
async function serveFilters({ url }: Running, filters: Map<string, object>): Promise<Server> {
  const proxy = createServer(async (req, res) => {
    const { host: _, 'content-length': __, connection: ___, ...headers } = req.headers as Record<string, string>;
    const sent = await text(req);
    const { query, ...given } = sent === '' ? {} : (JSON.parse(sent) as { query?: string });
    const body = JSON.stringify({ ...given, ...(filters.get(query ?? '') ?? { query }) });
    const answer = await fetch(`${url}${req.url}`, {
      method: req.method ?? 'GET',
      headers,
      ...(sent !== '' && { body }),
    });
    res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

async function linesOf<Line>(file: string): Promise<Line[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line);
}

function rowsOf(judged: Judged[]): (string | number)[][] {
  const row = (name: string, of: Judged[]) => {
    const right = of.filter(({ wrong }) => wrong.length === 0).length;
    const silent = of.filter((each) => each.silent).length;
    const { p50, p95 } = percentiles(of.map(({ ms }) => ms));
    return [name, of.length, right, (right / of.length).toFixed(2), silent, p50, p95];
  };
  const by = (of: (one: Judged) => string, label: string) =>
    [...new Set(judged.map(of))].sort().map((value) =>
      row(
        label + value,
        judged.filter((one) => of(one) === value),
      ),
    );
  return [...by(({ kind }) => kind, ''), ...by(({ lang }) => lang, 'in '), row('all', judged)];
}

/** Measures the response times of read-only sentences, and of the filters, in a large site. Returns a line for each. */
async function latencies(data: string, database: Database, server: Running, many: number): Promise<string[]> {
  const all = (
    await Promise.all(NAMES.map((name) => linesOf<Record<string, unknown>>(join(data, 'catalogues', `${name}.jsonl`))))
  ).flat();
  const copies = Array.from({ length: many }, (_, i) => copyOf(all[i % all.length] ?? {}, Math.floor(i / all.length)));
  const file = join(database.dataDir, 'many.jsonl');
  await writeFile(file, `${copies.map((copy) => JSON.stringify(copy)).join('\n')}\n`);
  const { agent_token } = await openShop(database, server, 'retail', { data: database.dataDir, file });
  await learnMeanings(database);
  // Leaves out sentences with amounts in a foreign currency: the server does not apply such amounts as limits, so these
  // searches would be faster.
  const asked = (await linesOf<Sentence>(join(data, 'sentences.jsonl'))).filter(
    ({ op, kind }) => op === undefined && kind !== 'currency',
  );
  const queries = asked.map(({ sentence }) => ({ query: inDollars(sentence) }));
  const written = await filtersIn(data);
  const filters = asked.flatMap(({ id }) => written.get(id) ?? []);
  const lines = [`Sentences: ${await timesOf(server, agent_token, queries)}`];
  if (filters.length > 0) lines.push(`The same wishes as filters: ${await timesOf(server, agent_token, filters)}`);
  return lines;
}

/**
 * Measures the response times of these calls, and formats them with the load of the machine. The first round is a
 * warm-up.
 */
async function timesOf(server: Running, agent_token: string, bodies: object[]): Promise<string> {
  const times: number[] = [];
  const loads: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const sent of bodies) {
      const began = performance.now();
      const response = await fetch(`${server.url}/api/agent/intent/find`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${agent_token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': randomUUID(),
        },
        body: JSON.stringify(sent),
      });
      const body = await response.text();
      if (!response.ok) throw new Error(`${JSON.stringify(sent)} was answered with ${response.status}: ${body}`);
      if (round > 0) times.push(performance.now() - began);
    }
    loads.push(loadavg()[0] ?? 0);
  }
  const load = loads.map((one) => one.toFixed(1)).join(', ');
  const { p50, p95 } = percentiles(times);
  return `p50 ${p50} ms, p95 ${p95} ms. Load of the machine meanwhile: ${load}.`;
}

function inDollars(sentence: string): string {
  return sentence
    .replaceAll('€', '$')
    .replaceAll(/\beuros?\b/gi, 'dollars')
    .replaceAll(/\beur\b|(?<=\d)eur\b/gi, 'usd');
}

/** Copies a product with the same name, but its own SKUs and slug. */
function copyOf(product: Record<string, unknown>, copy: number): object {
  const variants = product.variants as { sku?: string }[] | undefined;
  const own = (sku: unknown) => (typeof sku === 'string' ? `${sku}-${copy}` : undefined);
  return {
    ...product,
    slug: `${product.slug}-${copy}`,
    ...(product.sku !== undefined && { sku: own(product.sku) }),
    ...(variants && {
      variants: variants.map((variant) => ({ ...variant, ...(variant.sku && { sku: own(variant.sku) }) })),
    }),
  };
}
