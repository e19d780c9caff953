/** Tests the rules in deploy/prometheus in a real Prometheus, which scrapes a server. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../src/db/free-port.ts';
import { workJobs } from './jobs.ts';
import { testServer } from './server.ts';
import { openShop } from './shop.ts';
import { findTool, skippedWithout } from './tools.ts';

const FOLDER = join(import.meta.dirname, '../../deploy/prometheus');
const PROMETHEUS = { names: ['prometheus'], debianPackage: 'prometheus' };
const PROMTOOL = { names: ['promtool'], debianPackage: 'prometheus' };

const program = findTool(PROMETHEUS);
const promtool = findTool(PROMTOOL);
if (!program || !promtool) console.warn(skippedWithout(PROMETHEUS));
const judged = test.skipIf(!program || !promtool);

let folder: string;
let address: string;
let prometheus: ChildProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'commerce-prometheus-'));
});

afterAll(async () => {
  if (prometheus?.exitCode === null) {
    prometheus.kill();
    await once(prometheus, 'exit');
  }
  await rm(folder, { recursive: true });
});

judged('each alert fires when its condition is met, and not before', () => {
  const said = execFileSync(promtool ?? '', ['test', 'rules', join(FOLDER, 'commerce.rules.test.yml')], {
    encoding: 'utf8',
  });
  expect(said).toContain('SUCCESS');
});

judged('Prometheus evaluates every rule with the metrics of a healthy server, and no alert fires', async () => {
  const { baseUrl } = await testServer();
  await trade();
  const jobs = await workJobs();
  onTestFinished(() => jobs.stop());
  await start(new URL(baseUrl).host);
  const rules = await first(() => evaluated());
  expect(rules.map(({ name, health, lastError }) => [name, health, lastError])).toEqual(
    rules.map(({ name }) => [name, 'ok', undefined]),
  );
  expect(rules.filter(({ state }) => state === 'firing')).toEqual([]);
  const errors = await first(() => query('commerce:server_errors:ratio5m'));
  expect(Number(errors)).toBe(0);
  expect(Number(await first(() => query('sum(commerce:requests:rate5m)')))).toBeGreaterThan(0);
  expect(Number(await first(() => query('count(jobs_total{exported_job=~".+"})')))).toBeGreaterThan(0);
});

/** Sends some requests, so that the rules about requests have values. */
async function trade(): Promise<void> {
  const { storefront } = await openShop();
  for (let i = 0; i < 3; i += 1) await storefront.GET('/api/storefront/products');
}

/** Starts Prometheus with the documented configuration, but another port and a shorter scrape interval. */
async function start(target: string): Promise<void> {
  const config = (await readFile(join(FOLDER, 'prometheus.yml'), 'utf8'))
    .replace('localhost:9100', target)
    .replace(/ *- targets: \[localhost:9101\].*\n/, '')
    .replace('scrape_interval: 15s', 'scrape_interval: 1s\n  evaluation_interval: 1s')
    .replace('[commerce.rules.yml]', `[${join(FOLDER, 'commerce.rules.yml')}]`);
  await writeFile(join(folder, 'prometheus.yml'), config);
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  const own = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
  prometheus = spawn(program ?? '', [...own, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
}

interface Rule {
  name: string;
  health: string;
  lastError?: string;
  state?: string;
}

async function ask<Data>(path: string): Promise<Data | undefined> {
  const answer = await fetch(`${address}${path}`).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as { data: Data }).data : undefined;
}

async function evaluated(): Promise<Rule[] | undefined> {
  const data = await ask<{ groups: { rules: Rule[] }[] }>('/api/v1/rules');
  const rules = data?.groups.flatMap((group) => group.rules) ?? [];
  return rules.length > 0 && rules.every(({ health }) => health !== 'unknown') ? rules : undefined;
}

async function query(expression: string): Promise<string | undefined> {
  const data = await ask<{ result: { value: [number, string] }[] }>(
    `/api/v1/query?query=${encodeURIComponent(expression)}`,
  );
  const value = data?.result[0]?.value[1];
  return value === undefined || value === 'NaN' ? undefined : value;
}

/** Repeats `get` for up to a minute until it returns a value. */
async function first<Value>(get: () => Promise<Value | undefined>): Promise<Value> {
  let value: Value | undefined;
  const tried = async () => {
    value ??= await get();
    return value;
  };
  await expect.poll(tried, { timeout: 60_000, interval: 500 }).toBeDefined();
  return value as Value;
}
