import { createHash, createHmac, randomUUID } from 'node:crypto';
import { unwrap } from '@commerce-backend/sdk';
import pg from 'pg';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import { mailsTo } from '../../../test/mail.ts';
import { openShop } from '../../../test/shop.ts';
import { superuserUrl } from '../../../test/worker-database.ts';

const login = '/api/storefront/customer/login';
const resetRequest = '/api/storefront/customer/reset-request';
const reset = '/api/storefront/customer/reset';
const password = '/api/storefront/customer/me/password';

const OTHER = 'a longer horse and a better staple';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

interface Outcome {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** Sends copies of a call until the first is answered, so that some arrive before, during and after its commit. */
async function copiesOf(shop: OpenShop, call: () => Promise<Outcome>, most: number): Promise<Outcome[]> {
  let answered = false;
  const copies: Promise<Outcome>[] = [];
  while (!answered && copies.length < most) {
    const copy = call().finally(() => {
      answered = true;
    });
    copies.push(copy);
    await shop.owner.query('select 1');
  }
  return Promise.all([...copies, call()]);
}

const keyed = () => ({ params: { header: { 'Idempotency-Key': randomUUID() } } });
const answers = (copies: Outcome[]) => new Set(copies.map((copy) => JSON.stringify([copy.response.status, copy.data])));
const effects = (copies: Outcome[]) =>
  copies.filter(({ response }) => !response.headers.has('Idempotency-Replayed')).length;

test('concurrent password resets with one Idempotency-Key reset once and get the same response', async () => {
  const shop = await openShop();
  const { email } = await shop.givenCustomer();
  await shop.storefront.POST(resetRequest, { body: { email } });
  const token = (await mailsTo(shop, email)).at(-1)?.token ?? '';
  const call = { ...keyed(), body: { token, new_password: OTHER } };

  const copies = await copiesOf(shop, () => shop.storefront.POST(reset, call), 24);

  expect(answers(copies)).toEqual(new Set([JSON.stringify([200, copies[0]?.data])]));
  expect(effects(copies)).toBe(1);
  const told = (await mailsTo(shop, email)).filter(({ subject }) => subject.includes('has changed'));
  expect(told).toHaveLength(1);
});

test('concurrent logins with one Idempotency-Key open one session and get the same token', async () => {
  const shop = await openShop();
  const { id, email, password: words } = await shop.givenCustomer();
  const call = { ...keyed(), body: { email, password: words } };

  // No more copies than the login attempts that an account allows without a delay.
  const copies = await copiesOf(shop, () => shop.storefront.POST(login, call), 4);

  expect(answers(copies)).toEqual(new Set([JSON.stringify([200, copies[0]?.data])]));
  expect(effects(copies)).toBe(1);
  const { rows } = await shop.owner.query(
    sql`select from commerce.customer_tokens where site_id = ${shop.site_id} and customer_id = ${id}`,
  );
  expect(rows).toHaveLength(2);
});

test('a concurrent retry that fails because the first request has completed returns the response of the first request', async () => {
  const shop = await openShop();
  const { id, email, password: words, client } = await shop.givenCustomer();
  const call = { ...keyed(), body: { current_password: words, new_password: OTHER } };
  const [first, second] = await Promise.all([lockHolder(), lockHolder()]);

  // Blocks the first copy before it takes effect, and the second copy before it checks the password.
  await first.query(sql`select from commerce.customers where id = ${id} for update`);
  const early = client.POST(password, call);
  await waitsFor(shop, first);
  const key = createHash('sha256').update(`${shop.site_id} ${email}`).digest();
  await second.query(
    sql`insert into commerce.login_throttles (key_hash, failures, next_attempt_at, expires_at) values (${key}, 1, now(), now())
      on conflict (key_hash) do update set failures = 1`,
  );
  const late = client.POST(password, call);
  await waitsFor(shop, second);
  await first.query('rollback');
  const changed = await early;
  await second.query('rollback');
  const copy = await late;

  expect([changed.response.status, changed.data]).toMatchObject([200, { email }]);
  expect([copy.response.status, copy.data]).toEqual([200, changed.data]);
  expect(copy.response.headers.get('Idempotency-Replayed')).toBe('true');
});

test('replays an error thrown before the transaction (409 webhook_disabled), even if its cause no longer exists', async () => {
  const shop = await openShop();
  const { dashboard } = shop;
  const webhook = await unwrap(
    dashboard.POST('/api/dashboard/webhooks', { body: { url: 'https://hooks.example.net/shop', events: ['*'] } }),
  );
  const path = { webhook_id: webhook.id };
  const setTo = (status: 'active' | 'disabled') =>
    dashboard.PATCH('/api/dashboard/webhooks/{webhook_id}', { params: { path }, body: { status } });
  await setTo('disabled');
  const header = { 'Idempotency-Key': randomUUID() };
  const ping = () => dashboard.POST('/api/dashboard/webhooks/{webhook_id}/test', { params: { path, header } });

  const refused = await ping();
  await setTo('active');
  const replayed = await ping();

  expect(refused.response.status).toBe(409);
  expect(refused.error).toMatchObject({ error: 'webhook_disabled' });
  expect(replayed.response.headers.get('Idempotency-Replayed')).toBe('true');
  expect(replayed.error).toEqual(refused.error);
});

test('rejects a call whose Idempotency-Key is in use by another request (409 idempotency_in_flight), and accepts other calls', async () => {
  const shop = await openShop();
  const { storefront, site_id } = shop;
  const { data: cart } = await storefront.POST('/api/storefront/cart', {});
  const key = randomUUID();
  const holder = await lockHolder();
  const { rows } = await holder.query<{ principal_id: string }>(
    'select principal_id from commerce.idempotency_keys where site_id = $1 limit 1',
    [site_id],
  );
  await holder.query(
    sql`select pg_advisory_xact_lock(
        hashtextextended(${site_id} || ${rows[0]?.principal_id} || ${`storefront.createCart ${key}`}, 0))`,
  );
  const create = () => storefront.POST('/api/storefront/cart', { params: { header: { 'Idempotency-Key': key } } });

  const [held, other] = await Promise.all([create(), storefront.POST('/api/storefront/cart', {})]);
  await holder.query('rollback');
  const free = await create();

  expect(cart?.id).toBeDefined();
  expect([held.response.status, held.error]).toMatchObject([409, { error: 'idempotency_in_flight' }]);
  expect(other.response.status).toBe(201);
  expect(free.response.status).toBe(201);
});

test('replays a response stored by another request between look-up and lock, and rolls back the repeated work', async () => {
  const shop = await openShop();
  const { owner, storefront, site_id } = shop;
  const key = randomUUID();
  const create = () => storefront.POST('/api/storefront/cart', { params: { header: { 'Idempotency-Key': key } } });
  const carts = async () =>
    (await owner.query('select from commerce.carts where site_id = $1', [site_id])).rowCount as number;
  const { data: first } = await storefront.POST('/api/storefront/cart', {});
  const before = await carts();
  // Simulates another server that takes no lock and stores its response while this one works.
  const holder = await lockHolder();
  await holder.query(
    sql`insert into commerce.idempotency_keys (site_id, principal_id, operation_id, key_hash, request_hash, status, body)
      select site_id, principal_id, operation_id, ${createHash('sha256').update(key).digest()},
        ${createHmac('sha256', key).update('["POST","/api/storefront/cart",{},{},null]').digest()}, status, body
      from commerce.idempotency_keys where site_id = ${site_id} limit 1`,
  );

  const sent = create();
  await waitsFor(shop, holder);
  await holder.query('commit');
  const { response, data } = await sent;

  expect([response.status, data]).toEqual([201, first]);
  expect(response.headers.get('Idempotency-Replayed')).toBe('true');
  expect(await carts()).toBe(before);
});

test('runs a call again if its Idempotency-Key has a stored response that has expired', async () => {
  const { owner, storefront, site_id } = await openShop();
  const key = randomUUID();
  const create = () => storefront.POST('/api/storefront/cart', { params: { header: { 'Idempotency-Key': key } } });
  const { data: first } = await create();
  await owner.query(
    "update commerce.idempotency_keys set completed_at = now() - interval '24 hours 1 second' where site_id = $1",
    [site_id],
  );

  const { data: second } = await create();
  const { data: third } = await create();

  expect(first?.id).toBeDefined();
  expect(second?.id).not.toBe(first?.id);
  expect(third?.id).toBe(second?.id);
});

/** A database connection with an open transaction. */
async function lockHolder(): Promise<pg.Client> {
  const client = new pg.Client(superuserUrl());
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin');
  return client;
}

/** Resolves when another session waits for a lock of the connection. */
async function waitsFor({ owner }: OpenShop, holder: pg.Client): Promise<void> {
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
  await expect
    .poll(async () => {
      const waiting = await owner.query('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [
        rows[0]?.pid,
      ]);
      return waiting.rowCount;
    })
    .toBe(1);
}
