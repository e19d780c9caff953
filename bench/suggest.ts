/** Measures the suggestions for judged queries that are typed letter by letter, on a large catalogue without the cache. */

import { cpuOf, postmasterOf, settled } from './cost/cpu.ts';
import { openDatabase } from './database.ts';
import { migrate, type Running, type Site, startCommerce, stop } from './processes.ts';
import { fill, productFiles, queriesOf } from './relevance.ts';
import { report, table, whole } from './report.ts';

const SETS = ['general', 'electronics'];
/** The number of letters of the first request for a query. */
const FIRST_LETTERS = 2;
const ROUNDS = 3;

export async function suggesting({ data, many }: { data: string | undefined; many: number }): Promise<void> {
  if (!data) throw new Error('Say where the queries and products are: --data DIR.');
  const database = await openDatabase();
  let server: Running | undefined;
  try {
    await migrate(database.url, database.dataDir);
    server = await startCommerce({
      databaseUrl: database.url,
      dataDir: database.dataDir,
      env: { CATALOG_CACHE: 'off' },
    });
    const files = await productFiles(data, database.dataDir, many);
    const site = await fill(database, server, files.many);
    const postgres = await postmasterOf(database.bareUrl);
    await settled(postgres);
    const typed = (await Promise.all(SETS.map((name) => queriesOf(data, name))))
      .flat()
      .flatMap(({ q }) => lettersOf(q));
    const { times, cpu } = await ask(server, site, typed, postgres);
    await report('suggest', database.version, [
      ...table(
        ['Products', 'requests', 'p50 ms', 'p95 ms', 'p99 ms', 'CPU ms server', 'CPU ms PostgreSQL'],
        [
          [
            whole(many),
            whole(times.length),
            at(times, 0.5),
            at(times, 0.95),
            at(times, 0.99),
            cpu.server,
            cpu.postgres,
          ],
        ],
      ),
    ]);
  } finally {
    await stop(server);
    await database.drop();
  }
}

/** Returns the beginnings of a query, from two to 60 letters. */
function lettersOf(q: string): string[] {
  const text = q.slice(0, 60);
  return Array.from({ length: Math.max(0, text.length - FIRST_LETTERS + 1) }, (_, i) =>
    text.slice(0, i + FIRST_LETTERS),
  );
}

/**
 * Sends one request at a time; the first round is a warm-up. Returns the response times, and the CPU time of one
 * request.
 */
async function ask(server: Running, site: Site, typed: string[], postgres: number) {
  const times: number[] = [];
  let before = { server: 0, postgres: 0 };
  for (let round = 0; round <= ROUNDS; round += 1) {
    if (round === 1) before = { server: cpuOf(server.process.pid ?? 0), postgres: cpuOf(postgres) };
    for (const q of typed) {
      const began = performance.now();
      const response = await fetch(`${server.url}/api/storefront/suggest?${new URLSearchParams({ q })}`, {
        headers: { 'X-Site-ID': site.site_id, 'X-Service-Token': site.storefront_token },
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`"${q}" was answered with ${response.status}.`);
      if (round > 0) times.push(performance.now() - began);
    }
  }
  const each = (after: number, since: number) => ((after - since) / times.length).toFixed(2);
  const cpu = {
    server: each(cpuOf(server.process.pid ?? 0), before.server),
    postgres: each(cpuOf(postgres), before.postgres),
  };
  return { times: times.sort((a, b) => a - b), cpu };
}

function at(sorted: number[], part: number): string {
  return (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1);
}
