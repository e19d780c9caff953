/** Tests the server's commands as separate processes, on a separate embedded database. */

import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDashboardClient } from '@commerce-backend/sdk';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fetchAt } from '../../test/fetch-at.ts';
import { freePort } from '../db/free-port.ts';
import type { DemoCredentials } from '../demo/stored.ts';

const BIN = join(import.meta.dirname, '../../bin/commerce-server.js');
const LONG_ENOUGH_MS = 60_000;

let dataDir = '';
let port = 0;
let baseUrl = '';
let server: ChildProcess | undefined;
let greeting = '';

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'commerce-commands-'));
  chmodSync(dataDir, 0o711);
  port = await freePort();
  baseUrl = `http://localhost:${port}`;
  greeting = await startServer();
}, LONG_ENOUGH_MS);

afterAll(async () => {
  await endServer('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
}, LONG_ENOUGH_MS);

describe('while a server is running', () => {
  test('the greeting contains a working curl command and the credentials of demo.json', async () => {
    const demo = demoCredentials();

    for (const secret of [demo.storefront_token, demo.api_key, demo.sync_secret, demo.staff.password]) {
      expect(greeting).toContain(secret);
    }
    expect(demo.customers).toHaveLength(3);
    expect(greeting).toContain(demo.customers[0]?.password);
    expect(greeting).toContain(join(dataDir, 'outbox'));
    const curl = greeting.slice(greeting.indexOf('curl '), greeting.indexOf('Ctrl-C'));
    const [, url = ''] = /curl '([^']+)'/.exec(curl) ?? [];
    const headers = [...curl.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [name, value]);
    const answer = await fetch(url, { headers: Object.fromEntries(headers) });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ products: [{}, {}, {}] });
  });

  test('the greeting contains a link to a checkout page', async () => {
    const [url = ''] = /http:\S+\/checkout\/chk_\w+/.exec(greeting) ?? [];

    const page = await fetch(url);

    expect(page.status).toBe(200);
    expect(await page.text()).toContain('Rowan Stoneware Mug');
  });

  // This test is not concurrent, because otherwise the command could print that it waits for another command's
  // migrations.
  test('`site create` rejects an invalid currency with a one-line error', async () => {
    const { code, stdout, stderr } = await run(['site', 'create', '--name', 'Kiosk', '--currency', 'yen']);

    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe('yen is not an active ISO 4217 currency code.\n');
  });

  test.concurrent('rejects a second server on the same data directory with a one-line error', async () => {
    const { code, stderr } = await run(['start'], { PORT: String(await freePort()) });

    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(`${dataDir} is in use by another server`);
  });

  test.concurrent('`site create` prints credentials that work immediately', async () => {
    const { code, stdout } = await run(['site', 'create', '--name', 'Kiosk', '--currency', 'JPY']);

    expect(code).toBe(0);
    const site = JSON.parse(stdout) as { api_key: string; site_id: string; staff: { password: string } };
    const { data } = await createDashboardClient({ baseUrl, apiKey: site.api_key }).GET('/api/dashboard/settings');
    expect(data).toMatchObject({ site_id: site.site_id, name: 'Kiosk', currency: 'JPY' });
    expect(site.staff.password).toMatch(/^.{23}$/);
    expect(site).toMatchObject({ base_url: baseUrl });
  });

  test.concurrent('`site create --file` opens a shop that can sell immediately, and reports a mistake with its field', async () => {
    const file = join(dataDir, 'shop.json');
    const shop = {
      name: 'Mug & Co',
      country: 'DE',
      settings: { bank_details: { account_holder: 'Mug & Co', iban: 'DE89370400440532013000' } },
      shipping_options: [{ name: 'Parcel', price: '4.90', countries: ['DE'] }],
      products: [{ slug: 'mug', name: 'Mug', price: '12.00', status: 'active', inventory_quantity: 5 }],
    };
    writeFileSync(
      file,
      JSON.stringify({ ...shop, settings: { bank_details: { account_holder: 'M', iban: 'DE00370400440532013000' } } }),
    );
    const refused = await run(['site', 'create', '--file', file]);
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`${file}: settings.bank_details.iban: `),
    });

    writeFileSync(file, JSON.stringify(shop));
    const { stdout } = await run(['site', 'create', '--file', file]);
    const site = JSON.parse(stdout) as { api_key: string };
    expect(site).toMatchObject({
      panel_url: `${baseUrl}/panel`,
      setup: { can_sell: true, missing: ['contact', 'legal', 'storefront_url', 'returns'] },
    });
    const { data } = await createDashboardClient({ baseUrl, apiKey: site.api_key }).GET('/api/dashboard/products');
    expect(data?.products).toMatchObject([{ slug: 'mug', price: '12.00' }]);
  });

  test.concurrent('`site create` opens many shops from one file, or none if a line is invalid, and reports each invalid line', async () => {
    const file = join(dataDir, 'shops.jsonl');
    const line = (name: string, more: object = {}) => JSON.stringify({ name, country: 'DE', ...more });
    writeFileSync(file, `${line('Fleet 1')}\n${line('Fleet 2', { colour: 'red' })}\n{"name":\n`);
    const mistaken = await run(['site', 'create', '--file', file]);
    expect([mistaken.code, mistaken.stdout]).toEqual([1, '']);
    expect(mistaken.stderr).toContain(`${file}:2: colour: Unknown field.`);
    expect(mistaken.stderr).toContain(`${file}:3 is not JSON`);

    const twice = [{ slug: 'mug', name: 'Mug', price: '1.001' }];
    writeFileSync(file, `${line('Fleet 1')}\n\n${line('Fleet 2', { products: twice })}\n${line('Fleet 3')}\n`);
    const { code, stdout, stderr } = await run(['site', 'create', '--file', file]);
    const made = stdout
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one) as { line: number; api_key: string; site_id: string });
    expect([code, made.map((one) => one.line).toSorted()]).toEqual([1, [1, 4]]);
    expect(stderr).toContain(`${file}:3: products.0`);
    expect(stderr).toContain('2 of 3 shops are open.');
    const [{ api_key: apiKey, site_id } = { api_key: '', site_id: '' }] = made;
    const { data } = await createDashboardClient({ baseUrl, apiKey }).GET('/api/dashboard/settings');
    expect(data?.name).toMatch(/^Fleet [13]$/);

    const listed = await run(['site', 'list', '--problem', 'cannot-sell', '--status', 'open', '--json']);
    const found = (JSON.parse(listed.stdout) as { site_id: string; lacks: string[] }[]).find(
      (one) => one.site_id === site_id,
    );
    expect(found?.lacks).toEqual(expect.arrayContaining(['products', 'delivery']));
    expect((await run(['site', 'list', '--sort', 'colour'])).stderr).toContain('--sort must be one of name, created, ');
  });

  test.concurrent('`site usage` includes the calls of the last seconds', async () => {
    const made = await run(['site', 'create', '--name', 'Counted', '--currency', 'EUR']);
    const { site_id, api_key: apiKey } = JSON.parse(made.stdout) as { site_id: string; api_key: string };
    const client = createDashboardClient({ baseUrl, apiKey });
    for (let n = 0; n < 7; n += 1) await client.GET('/api/dashboard/settings');
    const usage = async () => {
      const { stdout } = await run(['site', 'usage', site_id, '--months', '1', '--json']);
      return (JSON.parse(stdout) as { calls: number }[])[0]?.calls;
    };
    await vi.waitUntil(async () => (await usage()) === 7, { timeout: LONG_ENOUGH_MS, interval: 1000 });
    expect((await run(['site', 'usage', site_id])).stdout).toMatch(/^Month +Calls +Orders .*\n\d{4}-\d\d +7 +0 /);
    expect((await run(['site', 'usage', site_id, '--months', '99'])).stderr).toContain('from 1 to 60');
  });

  test.concurrent('`site domain add` adds a host to a site, and the running server uses the host within seconds', async () => {
    const { site_id } = demoCredentials();
    const change = (...args: string[]) => run(['site', 'domain', ...args]);
    const whereAt = () =>
      fetchAt('xn--bcher-kva.example')(baseUrl).then(({ headers }) => headers.get('Location') ?? 'nowhere');

    const added = await change('add', site_id, 'Bücher.example', '--primary');
    const led = await vi.waitUntil(async () => (await whereAt()) !== 'nowhere' && whereAt(), {
      timeout: LONG_ENOUGH_MS,
      interval: 200,
    });
    const refused = await change('add', site_id, 'localhost.');
    const removed = await change('remove', site_id, 'bücher.example');

    expect(led).toBe(`/account?site_id=${site_id}`);
    expect(added.stdout).toContain(`xn--bcher-kva.example  (primary)\nIts pages and links are at http://xn--bcher-kva`);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is not a host name with a domain')]);
    expect(removed.stdout).toContain(`The site has no host of its own.\nIts pages and links are at ${baseUrl}.`);
  });

  test.concurrent('`site suspend`, `resume` and `delete` work while the server runs, and deletion needs confirmation', async () => {
    const made = await run(['site', 'create', '--name', 'Gone', '--currency', 'EUR']);
    const { site_id, api_key: apiKey } = JSON.parse(made.stdout) as { site_id: string; api_key: string };
    const status = async () => {
      const { response } = await createDashboardClient({ baseUrl, apiKey }).GET('/api/dashboard/settings');
      return response.status;
    };
    const site = (...args: string[]) => run(['site', ...args]);

    const suspended = await site('suspend', site_id, '--reason', 'unpaid');
    expect(JSON.parse(suspended.stdout)).toMatchObject({ suspended_reason: 'unpaid', delete_at: null });
    expect(await status()).toBe(403);
    expect((await site('resume', site_id)).code).toBe(0);
    expect(await status()).toBe(200);

    const unasked = await site('delete', site_id);
    expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringContaining('Add --yes')]);
    const planned = await site('delete', site_id, '--yes');
    expect(JSON.parse(planned.stdout)).toMatchObject({ delete_at: expect.any(String) });
    expect(planned.stderr).toContain('Earlier backups still contain the site');
    expect(JSON.parse((await site('delete', site_id, '--cancel')).stdout)).toMatchObject({ delete_at: null });
    expect(await status()).toBe(403);

    expect((await site('delete', site_id, '--now', '--yes')).code).toBe(0);
    expect(await status()).toBe(401);
    expect((await site('suspend', site_id)).stderr).toContain('There is no such site.');
  });

  test.concurrent('doctor finds no problem with a working server', async () => {
    const { code, stdout } = await run(['doctor']);

    expect(stdout).toMatch(/No problems found\.\n$/);
    expect(code).toBe(0);
  });

  test.concurrent('`doctor --json` exits with code 1 when it finds a problem', async () => {
    const { code, stdout } = await run(['doctor', '--json'], { PORT: 'eighty' });

    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ healthy: false, findings: [{ check: 'node' }, { state: 'wrong' }] });
  });
});

test(
  'a killed server restarts without manual steps and without data loss',
  async () => {
    const demo = demoCredentials();
    const client = createDashboardClient({ baseUrl, apiKey: demo.api_key, maxAttempts: 1 });
    const { data: made } = await client.POST('/api/dashboard/products', {
      body: { name: 'Last words', price: '1.00' },
    });
    await endServer('SIGKILL');

    await startServer();

    expect(demoCredentials()).toEqual(demo);
    const path = { product_id: made?.id ?? '' };
    const { data } = await client.GET('/api/dashboard/products/{product_id}', { params: { path } });
    expect(data).toEqual(made);
  },
  LONG_ENOUGH_MS,
);

test(
  'a stopped server leaves no process running',
  async () => {
    const code = await endServer('SIGTERM');

    expect(code).toBe(0);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  },
  LONG_ENOUGH_MS,
);

test(
  'a server that is stopped as soon as it is ready leaves no process running',
  async () => {
    const started = startServer().catch(() => undefined);
    await vi.waitUntil(() => isReady(), { timeout: LONG_ENOUGH_MS, interval: 1 });

    const code = await endServer('SIGTERM');

    await started;
    expect(code).toBe(0);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  },
  LONG_ENOUGH_MS,
);

test(
  '`start` reports a port in use with a one-line error, and stops the database',
  async () => {
    const taker = createServer();
    await new Promise<void>((listening) => taker.listen(port, '127.0.0.1', listening));

    const { code, stderr } = await run(['start']);

    taker.close();
    expect(code).toBe(1);
    expect(stderr).toBe(`Port ${port} is in use. Stop the program that uses it, or set PORT to another port.\n`);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  },
  LONG_ENOUGH_MS,
);

function demoCredentials(): DemoCredentials {
  return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoCredentials;
}

function launch(args: string[], env: Record<string, string> = {}): ChildProcess {
  const { PATH = '' } = process.env;
  return spawn(process.execPath, [BIN, ...args], {
    env: { PATH, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(args: string[], env?: Record<string, string>) {
  const child = launch(args, env);
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => (stdout += chunk));
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  const code = await new Promise<number | null>((ended) => child.once('close', ended));
  return { code, stdout, stderr };
}

/** Starts the server and resolves to its greeting. */
async function startServer(): Promise<string> {
  const child = launch(['start']);
  server = child;
  let said = '';
  child.stderr?.on('data', (chunk) => (said += chunk));
  return new Promise((ready, failed) => {
    child.once('exit', (code) => failed(new Error(`The server ended with ${code}: ${said}`)));
    child.stdout?.on('data', (chunk) => {
      said += chunk;
      if (said.includes('Ctrl-C')) ready(said);
    });
  });
}

function isReady(): Promise<boolean> {
  return fetch(`${baseUrl}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function endServer(signal: NodeJS.Signals): Promise<number | null> {
  const child = server;
  if (!child || child.exitCode !== null || child.signalCode !== null) return null;
  const ended = new Promise<number | null>((exit) => child.once('exit', exit));
  child.kill(signal);
  return ended;
}
