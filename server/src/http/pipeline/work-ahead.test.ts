import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import sql from 'sql-template-tag';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { openPool } from '../../db/connect.ts';

/** A server that counts what it sends. */
let server: Awaited<ReturnType<typeof startServer>>;
const db = openPool({ url: databaseUrl(), max: 4, pooling: 'session' });
let trips = 0;
let statements: string[] = [];

beforeAll(async () => {
  db.on('connect', watch);
  server = await startServer(databaseUrl(), { db });
  server = { ...server, db };
});

afterAll(() => stopServer(server));

beforeEach(() => reset());

function reset() {
  [trips, statements] = [0, []];
}

/** Statements that are sent while others are under way are one round trip with them. */
function watch(connection: pg.PoolClient) {
  const send = connection.query.bind(connection) as (config: unknown) => Promise<unknown>;
  let underWay = 0;
  const watched = async (config: unknown) => {
    if (underWay === 0) trips += 1;
    underWay += 1;
    statements.push((config as { text?: string }).text ?? String(config));
    try {
      return await send(config);
    } finally {
      underWay -= 1;
    }
  };
  Object.assign(connection, { query: watched });
}

type Shop = Awaited<ReturnType<typeof openShop>>;

async function post({ site_id, credentials }: Shop, path: string, body: unknown, headers: Record<string, string> = {}) {
  reset();
  const reply = await fetch(`${server.baseUrl}/api/storefront${path}`, {
    method: 'POST',
    headers: {
      ...{ 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token, 'Idempotency-Key': randomUUID() },
      ...{ 'Content-Type': 'application/json', ...headers },
    },
    body: JSON.stringify(body),
  });
  const { status, headers: answered } = reply;
  const answer = (await reply.json()) as Cart;
  const remaining = Number(/r=(\d+)/.exec(answered.get('RateLimit') ?? '')?.[1]);
  return { status, replayed: answered.has('Idempotency-Replayed'), remaining, body: answer, trips };
}

interface Cart {
  id: string;
  items?: { quantity: number }[];
}

/** A shop with a cart, whose token the server has looked up before. */
async function openKnownShop() {
  const shop = await openShop();
  const { variants } = await shop.givenProduct({ inventory_quantity: 50 });
  const line = { variant_id: variants[0]?.id ?? '', quantity: 1 };
  const { id } = await shop.givenCart([]);
  const items = `/cart/${id}/items`;
  await post(shop, items, line);
  const pieces = async () => {
    const { rows } = await shop.owner.query(
      'select coalesce(sum(quantity), 0)::int as n from commerce.cart_items where cart_id = $1',
      [id],
    );
    return rows[0].n as number;
  };
  return { shop, items, line, pieces };
}

test('a line is written together with the look-up of a credential that is known, in two round trips', async () => {
  const { shop, items, line } = await openKnownShop();

  const added = await post(shop, items, line);

  expect(added).toMatchObject({ status: 200, body: { items: [{ quantity: 2 }] }, trips: 2 });
  expect(statements[0]).toBe('begin');
  expect(statements.at(-1)).toBe('commit');
});

test('copies of a call under one key write once, and all get its answer', async () => {
  const { shop, items, line, pieces } = await openKnownShop();
  const key = { 'Idempotency-Key': randomUUID() };

  const copies = await Promise.all(Array.from({ length: 4 }, () => post(shop, items, line, key)));
  const later = await post(shop, items, line, key);

  expect([...copies, later].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(copies.filter(({ replayed }) => !replayed)).toHaveLength(1);
  expect(new Set([...copies, later].map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(await pieces()).toBe(2);
});

test('under a key that was used for another request, nothing is written', async () => {
  const { shop, items, line, pieces } = await openKnownShop();
  const key = { 'Idempotency-Key': randomUUID() };
  await post(shop, items, line, key);

  expect(await post(shop, items, { ...line, quantity: 5 }, key)).toMatchObject({ status: 422 });
  expect(await pieces()).toBe(2);
});

test.each([
  ['a revoked token', 401, 'update commerce.tokens set revoked_at = now() where site_id = $1', {}],
  [
    'a browser on a foreign origin',
    403,
    "update commerce.tokens set allowed_origins = '{https://shop.example}' where site_id = $1",
    { Origin: 'https://elsewhere.example' },
  ],
] as const)('%s writes nothing, and after one refusal nothing is begun for it', async (_, status, change, headers) => {
  const { shop, items, line, pieces } = await openKnownShop();
  await shop.owner.query(change, [shop.site_id]);

  expect(await post(shop, items, line, headers)).toMatchObject({ status });
  expect(await post(shop, items, line, headers)).toMatchObject({ status });

  expect(statements.filter((text) => text.includes('cart_items'))).toEqual([]);
  expect(await pieces()).toBe(1);
});

test('a change of the shop counts for the very next call', async () => {
  const { shop, items, line } = await openKnownShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { show_stock: 'never' } });

  const refused = await post(shop, items, { ...line, quantity: 60 });

  expect(refused).toMatchObject({ status: 409, body: { lines: [{ available: 1 }] } });
});

test('a cart that another transaction holds too long is told as that, not as a database out of reach', async () => {
  const { shop, items, line, pieces } = await openKnownShop();
  const holder = await db.connect();
  const held = async () => {
    await holder.query('begin');
    await holder.query(sql`select set_config('app.site_id', ${shop.site_id}, true)`);
    await holder.query(
      sql`select from carts where site_id = ${shop.site_id} and id = ${items.split('/')[2]} for update`,
    );
    return post(shop, items, line);
  };
  const refused = await held().finally(async () => {
    await holder.query('rollback');
    holder.release();
  });

  expect(refused).toMatchObject({ status: 503, body: { message: expect.stringContaining('took too long') } });
  expect(await pieces()).toBe(1);
});

/** The look-ups that were sent, by whether they read all that is known of a token. */
function lookUps() {
  const sent = statements.filter((text) => text.includes('set_config'));
  const whole = sent.filter((text) => text.includes('row_to_json')).length;
  return { whole, brief: sent.length - whole };
}

test('of a token that is known, each call asks only whether it has changed', async () => {
  const { items, line, shop } = await openKnownShop();

  await post(shop, items, line);
  expect(lookUps()).toEqual({ whole: 0, brief: 1 });
  await post(shop, '/cart', {});
  expect(lookUps()).toEqual({ whole: 0, brief: 1 });
});

test('a change of the row of a token is read once, and its call counts once', async () => {
  const { items, line, shop, pieces } = await openKnownShop();
  const left = async () => {
    const { status, remaining } = await post(shop, items, line);
    expect(status).toBe(200);
    return remaining;
  };
  const before = await left();
  await shop.owner.query('update commerce.tokens set last_used_at = now() where site_id = $1', [shop.site_id]);

  expect(await left()).toBe(before - 1);
  expect(lookUps()).toEqual({ whole: 1, brief: 1 });
  expect(await left()).toBe(before - 2);
  expect(await left()).toBe(before - 3);
  expect(lookUps()).toEqual({ whole: 0, brief: 1 });
  expect(await pieces()).toBe(5);
});

test('a customer who has logged out writes nothing with the token that was known', async () => {
  const { shop, line } = await openKnownShop();
  const { access_token } = await shop.givenCustomer();
  const asCustomer = { Authorization: `Bearer ${access_token}` };
  const { body } = await post(shop, '/cart', {}, asCustomer);
  const items = `/cart/${body.id}/items`;
  expect(await post(shop, items, line, asCustomer)).toMatchObject({ status: 200 });
  expect(lookUps()).toEqual({ whole: 0, brief: 1 });
  await shop.owner.query('update commerce.customer_tokens set revoked_at = now() where site_id = $1', [shop.site_id]);

  expect(await post(shop, items, line, asCustomer)).toMatchObject({ status: 401 });
  const { rows } = await shop.owner.query('select quantity from commerce.cart_items where cart_id = $1', [body.id]);
  expect(rows).toEqual([{ quantity: 1 }]);
});

test('a token that is known for one shop opens no other', async () => {
  const [mine, theirs] = [await openKnownShop(), await openKnownShop()];

  const elsewhere = { ...mine.shop, site_id: theirs.shop.site_id };

  expect(await post(elsewhere, mine.items, mine.line)).toMatchObject({ status: 401 });
  expect(await mine.pieces()).toBe(1);
});

test('a call sent again by a known token gets the answer that it was given, and writes nothing', async () => {
  const { shop, items, line, pieces } = await openKnownShop();
  const key = { 'Idempotency-Key': randomUUID() };
  const first = await post(shop, items, line, key);

  const again = await post(shop, items, line, key);

  expect(again).toMatchObject({ status: 200, replayed: true, body: first.body });
  expect(await pieces()).toBe(2);
});

test("another shop's cart is not there", async () => {
  const [mine, theirs] = [await openKnownShop(), await openKnownShop()];

  expect(await post(mine.shop, theirs.items, mine.line)).toMatchObject({ status: 404 });
  expect(await theirs.pieces()).toBe(1);
});
