/**
 * Runs the examples as their README sections start them, next to a server with its demo shop. The server and the
 * examples are killed and restarted during the work.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDashboardClient, createStorefrontClient, paginate, unwrap } from '@commerce-backend/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loggedIn } from '../../cli/src/testing.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import type { DemoCredentials } from '../../server/src/demo/stored.ts';
import { waitFor } from '../../server/test/receiver.ts';

const ROOT = join(import.meta.dirname, '../..');
const LONG_ENOUGH_MS = 240_000;

const dataDir = mkdtempSync(join(tmpdir(), 'commerce-examples-'));
const ports = { server: 0, receiver: 0, search: 0 };
const running = new Map<string, ChildProcess>();
let demo: DemoCredentials;

beforeAll(async () => {
  // PostgreSQL may run as another user, who must be able to enter the directory.
  chmodSync(dataDir, 0o711);
  for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await freePort();
  await startServer();
  demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
}, LONG_ENOUGH_MS);

afterAll(async () => {
  for (const name of ['search', 'receiver', 'server']) await end(name, 'SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
}, LONG_ENOUGH_MS);

test(
  'a receiver that uses standardwebhooks gets every event once, even if the receiver and the server are killed and restarted',
  async () => {
    const commerce = await staff();
    const begun = new Date().toISOString();
    const url = `http://localhost:${ports.receiver}/hooks`;
    const { id: webhook_id, secret } = JSON.parse(await commerce('webhooks', 'create', url, '--json'));
    const startReceiver = () =>
      start('receiver', ['examples/webhook-receiver.ts'], 'Listening', {
        ...{ WEBHOOK_SECRET: secret, PORT: String(ports.receiver), EVENTS_FILE: join(dataDir, 'events.jsonl') },
      });
    const received = () => linesOf('events.jsonl').map(({ id }) => id as string);

    const { begin } = await loggedIn(demo.base_url, demo.api_key);
    const listening = begin(['listen', '--json']);
    await waitFor(() => listening.out().includes('whsec_'));
    await startReceiver();
    const mug = await sell('Restart mug');
    const order = await buy(mug.variants[0]?.id ?? '');
    await waitFor(() => received().length > 0);
    await end('receiver', 'SIGKILL');
    await commerce('orders', 'mark-paid', order, '--yes');
    await end('server', 'SIGKILL');
    await Promise.all([startServer(), startReceiver()]);
    await commerce('orders', 'ship', order);
    await commerce('orders', 'deliver', order);
    await end('server', 'SIGTERM');
    await startServer();
    const path = { product_id: mug.id };
    await unwrap(dashboard().DELETE('/api/dashboard/products/{product_id}', { params: { path } }));
    await commerce('orders', 'refund', order, '--all', '--reason', 'returned', '--yes');

    await allTaken(webhook_id, begun);
    const expected = await deliveriesOf(webhook_id);
    expect(new Set(received())).toEqual(new Set(expected.map(({ event_id }) => event_id)));
    expect(received()).toHaveLength(expected.length);
    // `commerce listen` kept running through the restarts, and missed no event either.
    await waitFor(() => expected.every(({ event_id }) => listening.out().includes(event_id)));
    listening.interrupt();
    expect((await listening.ended).code).toBe(0);
    const types = ['product.created', 'order.created', 'order.paid', 'order.fulfilled', 'order.delivered'];
    for (const type of [...types, 'order.refunded', 'product.deleted'])
      expect(expected.map((one) => one.type)).toContain(type);
  },
  LONG_ENOUGH_MS,
);

test(
  'the search index contains every change of the catalogue, even if the index and the server are killed and restarted',
  async () => {
    const commerce = await staff();
    const startIndex = () =>
      start('search', ['examples/search-index-sync.ts'], 'Search them', {
        ...{ DATA_DIR: dataDir, INDEX_DIR: dataDir, PORT: String(ports.search), POLL_SECONDS: '1' },
      });

    const crawled = Number(/(\d+) products/.exec(await startIndex())?.[1]);
    expect(crawled).toBe(await visible());
    const [first, second] = [await sell('Quokka kettle'), await sell('Quokka teapot')];
    await waitFor(async () => (await search('quokka')).length === 2);

    await end('search', 'SIGKILL');
    await commerce('inventory', 'adjust', first.variants[0]?.id ?? '', '--delta', '-10', '--reason', 'lost');
    const path = { product_id: second.id };
    await unwrap(dashboard().DELETE('/api/dashboard/products/{product_id}', { params: { path } }));
    await end('server', 'SIGKILL');
    // The index waits for the server, and continues from its cursor.
    const [, output] = await Promise.all([startServer(), startIndex()]);
    expect(output).toContain(`${crawled + 1} products`);
    expect(await search('quokka')).toMatchObject([{ id: first.id, in_stock: false }]);

    await end('server', 'SIGTERM');
    await startServer();
    await sell('Quokka cup');
    await waitFor(async () => (await search('quokka')).length === 2);
    const registered = JSON.parse(await commerce('webhooks', 'list', '--json')) as { url: string }[];
    expect(registered.filter(({ url }) => url.includes(`:${ports.search}/`))).toHaveLength(1);
    const forged = await fetch(`http://localhost:${ports.search}/hooks`, { method: 'POST', body: '{}' });
    expect(forged.status).toBe(401);
  },
  LONG_ENOUGH_MS,
);

/** Logs the command line in as staff. The returned function runs a command and resolves to its output. */
async function staff() {
  const { commerce } = await loggedIn(demo.base_url, demo.api_key);
  return async (...args: string[]): Promise<string> => {
    const { code, out, err } = await commerce(args);
    expect({ args, code, err }).toEqual({ args, code: 0, err: '' });
    return out;
  };
}

function dashboard() {
  return createDashboardClient({ baseUrl: demo.base_url, apiKey: demo.api_key });
}

function storefront() {
  const { base_url: baseUrl, site_id: siteId, storefront_token: storefrontToken } = demo;
  return createStorefrontClient({ baseUrl, siteId, storefrontToken });
}

function sell(name: string) {
  const body = { name, price: '12.00', status: 'active' as const, inventory_quantity: 10 };
  return unwrap(dashboard().POST('/api/dashboard/products', { body }));
}

/** Places an order of one unit by bank transfer, and returns its number. */
async function buy(variant_id: string): Promise<string> {
  const shop = storefront();
  const { id: cart_id } = await unwrap(shop.POST('/api/storefront/cart'));
  const body = { variant_id, quantity: 1 };
  await unwrap(shop.POST('/api/storefront/cart/{cart_id}/items', { params: { path: { cart_id } }, body }));
  const { id: checkout_id } = await unwrap(shop.POST('/api/storefront/checkout', { body: { cart_id } }));
  const { shipping_options } = await unwrap(dashboard().GET('/api/dashboard/shipping-options'));
  const params = { path: { checkout_id } };
  await unwrap(
    shop.PATCH('/api/storefront/checkout/{checkout_id}', {
      params,
      body: {
        email: 'june@example.com',
        shipping_address: {
          ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7' },
          ...{ city: 'Berlin', postal_code: '10115', country: 'DE' },
        },
        shipping_option_id: shipping_options.find(({ kind }) => kind === 'delivery')?.id ?? null,
        payment_method: 'bank_transfer',
      },
    }),
  );
  const { order } = await unwrap(shop.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} }));
  return order.order_number;
}

async function visible(): Promise<number> {
  return (await unwrap(storefront().GET('/api/storefront/products', { params: { query: { limit: 1 } } }))).total;
}

async function deliveriesOf(webhook_id: string) {
  const deliveries = [];
  const params = { query: { webhook_id } };
  for await (const one of paginate(dashboard(), '/api/dashboard/webhook-deliveries', { params })) deliveries.push(one);
  return deliveries;
}

/**
 * Waits until all deliveries succeeded. A delivery that failed twice, because the receiver was still starting, would
 * wait for minutes, so it is replayed as docs/webhooks.md describes. Deliveries of a killed server are retried seconds
 * after the next start, when their jobs are unlocked.
 */
async function allTaken(webhook_id: string, since: string): Promise<void> {
  const commerce = await staff();
  await waitFor(async () => {
    const waiting = (await deliveriesOf(webhook_id)).filter(({ status }) => status !== 'succeeded');
    const soon = Date.now() + 20_000;
    if (waiting.some(({ next_attempt_at }) => next_attempt_at && Date.parse(next_attempt_at) > soon)) {
      for (const verb of ['disable', 'enable']) await commerce('webhooks', verb, webhook_id);
      await commerce('deliveries', 'replay', '--failed-since', since, '--webhook', webhook_id);
    }
    return waiting.length === 0;
  }, 100_000);
}

async function search(words: string): Promise<{ id: string; in_stock: boolean }[]> {
  const response = await fetch(`http://localhost:${ports.search}/search?q=${encodeURIComponent(words)}`);
  return (await response.json()) as { id: string; in_stock: boolean }[];
}

function linesOf(file: string): Record<string, unknown>[] {
  const path = join(dataDir, file);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function startServer(): Promise<string> {
  return start('server', ['server/bin/commerce-server.js', 'start'], 'Ctrl-C', {
    ...{ DATA_DIR: dataDir, PORT: String(ports.server), LOG_LEVEL: 'warn' },
  });
}

/** Starts a process, and resolves to its output when it prints the text `ready`. */
function start(name: string, args: string[], ready: string, env: Record<string, string>): Promise<string> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.set(name, child);
  return new Promise((resolve, reject) => {
    let output = '';
    const hear = (chunk: Buffer) => {
      output += chunk;
      if (output.includes(ready)) resolve(output);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}: ${output}`)));
  });
}

async function end(name: string, signal: NodeJS.Signals): Promise<void> {
  const child = running.get(name);
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((exit) => child.once('exit', exit));
  child.kill(signal);
  await ended;
}
