import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { PaperBrowser } from '../../../test/paper-browser.ts';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';

const SECONDS = 0.5;

/** Opens a shop on a server whose deadline is half a second. */
async function openHurried() {
  const shop = await openShop();
  const { site_id, credentials, givenProduct } = shop;
  const failures: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line) => failures.push(line) });
  const server = await startServer(databaseUrl(), { deadlines: { request: SECONDS, upload: SECONDS }, logger });
  onTestFinished(() => stopServer(server));
  const headers = { 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token };
  const lock = async (table: string) => {
    const connection = await server.owner.connect();
    await connection.query(`begin; lock table commerce.${table} in access exclusive mode`);
    return async () => {
      await connection.query('rollback');
      connection.release();
    };
  };
  return { server, shop, headers, lock, givenProduct, failures };
}

test('rolls back a mutation that times out (503), and runs it when it is retried with the same Idempotency-Key', async () => {
  const { server, shop, headers, lock, givenProduct } = await openHurried();
  const { variants } = await givenProduct();
  const { data: cart } = await shop.storefront.POST('/api/storefront/cart');
  const id = cart?.id ?? '';
  const post = (path: string, key: string, body: object) =>
    fetch(`${server.baseUrl}/api/storefront/cart${path}`, {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const key = randomUUID();
  const add = () => post(`/${id}/items`, key, { variant_id: variants[0]?.id, quantity: 1 });
  const quantities = async () =>
    (await server.owner.query('select quantity from commerce.cart_items where cart_id = $1', [id])).rows;

  const unlock = await lock('cart_items');
  const late = await add();
  await unlock();

  expect([late.status, await late.json()]).toMatchObject([503, { error: 'timeout', retryable: true }]);
  expect(late.headers.get('Retry-After')).toBe('1');
  // PostgreSQL notices the closed connection within two seconds. Until then the Idempotency-Key is locked.
  await expect.poll(async () => (await add()).status, { timeout: 20_000 }).toBe(200);
  expect(await quantities()).toEqual([{ quantity: 1 }]);
});

test('a write that waits for a lock at COMMIT times out at the deadline and changes nothing (503 timeout)', async () => {
  const { server, headers, lock } = await openHurried();
  const key = randomUUID();
  const make = () =>
    fetch(`${server.baseUrl}/api/storefront/cart`, {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': key, 'Content-Type': 'application/json' },
      body: '{}',
    });
  const carts = async () =>
    (await server.owner.query('select id from commerce.carts where site_id = $1', [headers['X-Site-ID']])).rows;

  const unlock = await lock('carts');
  const begun = performance.now();
  const late = await make();
  const took = performance.now() - begun;
  await unlock();

  expect([late.status, await late.json()]).toMatchObject([503, { error: 'timeout', retryable: true }]);
  // `lock_timeout` is 2 s, so it was the deadline that ended the wait.
  expect(took).toBeLessThan(1_500);
  expect(await carts()).toEqual([]);
  // On a busy machine, the retry may time out too.
  let again: { id?: string } = {};
  const retry = async () => {
    again = (await (await make()).json()) as { id?: string };
    return again.id;
  };
  await expect.poll(retry).toBeDefined();
  expect(await carts()).toEqual([{ id: again.id }]);
});

test('releases the connection of a read that times out (503)', async () => {
  const { server, headers, lock, givenProduct } = await openHurried();
  await givenProduct();
  const list = () => fetch(`${server.baseUrl}/api/storefront/products?q=${randomUUID()}`, { headers });

  const unlock = await lock('products');
  const late = await Promise.all(Array.from({ length: 15 }, list));
  await unlock();

  expect(late.map(({ status }) => status)).toEqual(Array(15).fill(503));
  await expect.poll(() => server.db.totalCount - server.db.idleCount).toBe(0);
  expect((await list()).status).toBe(200);
});

test('rolls back a form submission that times out (503), and asks the shopper to try again', async () => {
  const { server, shop, lock, failures } = await openHurried();
  const { checkout_url } = await shop.givenCheckout();
  let origin = shop.baseUrl;
  const ask: typeof fetch = (url, init) => fetch(String(url).replace(shop.baseUrl, origin), init);
  const browser = new PaperBrowser(shop.baseUrl, {}, ask);
  const form = await browser.open(`${checkout_url}?change=1`);
  const name = 'Changed';

  // Blocks the audit row, which is written after the change.
  const unlock = await lock('audit_events');
  origin = server.baseUrl;
  const late = await browser.press(form, 'save', { shipping_first_name: name });
  await unlock();
  origin = shop.baseUrl;

  expect(late.response.status).toBe(503);
  expect(failures.map((line) => JSON.parse(line))).toMatchObject([{ cause: { code: 'timeout' } }]);
  expect(late.response.headers.get('Retry-After')).toBe('1');
  expect(late.html).toContain('try again in a few seconds');
  await expect.poll(() => server.db.totalCount - server.db.idleCount).toBe(0);
  expect((await browser.open(`${checkout_url}?change=1`)).html).not.toContain(name);
  const sent = await browser.press(form, 'save', { shipping_first_name: name });
  expect(sent.response.status).toBe(200);
  expect(sent.html).toContain(name);
});

test('answers 408 if the request body does not arrive completely in time', async () => {
  const { server, headers } = await openHurried();
  const fields = { ...headers, Host: 'x', 'Idempotency-Key': randomUUID(), 'Content-Type': 'application/json' };
  const head = Object.entries({ ...fields, 'Content-Length': '100' }).map((field) => field.join(': '));
  const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });

  socket.write(`POST /api/storefront/checkout HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{`);
  await once(socket, 'close');

  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('"error":"request_timeout"');
});
