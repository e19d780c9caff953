import { randomUUID } from 'node:crypto';
import pg from 'pg';
import sql from 'sql-template-tag';
import { expect, test, vi } from 'vitest';
import { askForConsent, poll } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { ignoreLostConnections } from '../db/connect.ts';
import { hashUserCode } from '../shop/agents/user-codes.ts';
import { sweep } from './sweep.ts';

const products = '/api/dashboard/products';

/** Makes the stored responses of a shop older. */
async function age(shop: Awaited<ReturnType<typeof openShop>>, interval: string) {
  await shop.owner.query(
    sql`update commerce.idempotency_keys set completed_at = now() - ${interval}::interval where site_id = ${shop.site_id}`,
  );
}

/** Sweeps as in a real installation: with a login that owns the tables but is not a superuser. */
async function sweepOnce() {
  const pool = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl(), max: 1 }));
  const client = await pool.connect();
  try {
    return await sweep(client);
  } finally {
    client.release();
    await pool.end();
  }
}

async function keysOf({ owner, site_id }: Awaited<ReturnType<typeof openShop>>): Promise<number> {
  const { rows } = await owner.query(sql`select from commerce.idempotency_keys where site_id = ${site_id}`);
  return rows.length;
}

test('keeps stored responses for a day, then deletes them in every shop', async () => {
  const [old, older, young] = await Promise.all([openShop(), openShop(), openShop()]);
  for (const shop of [old, older, young]) await shop.givenProduct();
  await age(old, '24 hours 1 second');
  await age(older, '9 days');
  await age(young, '23 hours 59 minutes');

  await sweepOnce();

  expect(await Promise.all([old, older, young].map(keysOf))).toEqual([0, 0, 1]);
});

test('accepts an Idempotency-Key again after its stored response is deleted', async () => {
  const shop = await openShop();
  const call = { body: { name: 'Mug', price: '10.00' }, params: { header: { 'Idempotency-Key': randomUUID() } } };
  const { data: first } = await shop.dashboard.POST(products, call);
  await age(shop, '24 hours 1 second');

  await sweepOnce();

  const { data: second } = await shop.dashboard.POST(products, call);
  expect(second?.id).not.toBe(first?.id);
});

test('the sweeper deletes all expired rows, even if they do not fit in one batch', async () => {
  const shop = await openShop();
  await shop.owner.query(
    sql`insert into commerce.idempotency_keys (site_id, principal_id, operation_id, key_hash, request_hash, status, completed_at)
      select ${shop.site_id}, ${shop.site_id}, 'x', int8send(n), '', 200, now() - interval '2 days'
      from generate_series(1::bigint, 12000) n`,
  );

  const { idempotency_keys } = await sweepOnce();

  expect(idempotency_keys).toBeGreaterThanOrEqual(12_000);
  expect(await keysOf(shop)).toBe(0);
});

test('the sweeper deletes expired login throttles, publications and sessions, and keeps current ones', async () => {
  const shop = await openShop();
  const { owner, site_id } = shop;
  await owner.query(sql`insert into commerce.login_throttles (key_hash, failures, next_attempt_at, expires_at)
    values (sha256(${`old ${site_id}`}::text::bytea), 5, now(), now() - interval '1 second'),
      (sha256(${`new ${site_id}`}::text::bytea), 5, now(), now() + interval '1 minute')`);
  await owner.query(sql`insert into commerce.catalog_schedule (site_id, publish_at)
    values (${site_id}, now() - interval '1 second'), (${site_id}, now() + interval '1 hour')`);
  await owner.query(sql`insert into commerce.staff_sessions (id, staff_id, token_hash, expires_at)
    select gen_random_uuid(), staff_id, sha256(gen_random_uuid()::text::bytea), now() - days * interval '1 day'
    from commerce.staff_memberships, generate_series(0, 2) days where site_id = ${site_id}`);

  await sweepOnce();

  const left = await owner.query(sql`select
    (select count(*) from commerce.login_throttles
      where key_hash in (sha256(${`old ${site_id}`}::text::bytea), sha256(${`new ${site_id}`}::text::bytea))) as throttles,
    (select count(*) from commerce.catalog_schedule where site_id = ${site_id}) as publications,
    (select count(*) from commerce.staff_sessions join commerce.staff_memberships using (staff_id)
      where site_id = ${site_id}) as sessions`);
  expect(left.rows).toEqual([{ throttles: 1, publications: 1, sessions: 1 }]);
});

test('deletes a login unlock link a day after it expired', async () => {
  const { owner, site_id } = await openShop();
  const hash = (words: string) => sql`sha256(${`${words} ${site_id}`}::text::bytea)`;
  await owner.query(sql`insert into commerce.login_unlocks (token_hash, key_hash, expires_at)
    values (${hash('old')}, ${hash('account')}, now() - interval '1 day 1 second'),
      (${hash('young')}, ${hash('account')}, now() - interval '23 hours')`);

  await sweepOnce();

  const left = await owner.query(sql`select token_hash = ${hash('young')} as young from commerce.login_unlocks
    where key_hash = ${hash('account')}`);
  expect(left.rows).toEqual([{ young: true }]);
});

test('deletes an order link if it and the last change of its order are more than 180 days old', async () => {
  const shop = await openShop();
  const { owner, site_id } = shop;
  const [quiet, changed] = [await shop.givenOrder(), await shop.givenOrder()];
  const old = sql`now() - interval '180 days 1 second'`;
  await owner.query(sql`update commerce.order_events set created_at = ${old} where order_id = ${quiet.id}`);
  await owner.query(sql`insert into commerce.order_links (site_id, token_hash, order_id, created_at) values
    (${site_id}, '\\x01', ${quiet.id}, ${old}), (${site_id}, '\\x02', ${changed.id}, ${old}), (${site_id}, '\\x03', ${quiet.id}, now())`);

  await sweepOnce();

  const left = await owner.query(
    sql`select token_hash from commerce.order_links where site_id = ${site_id} order by 1`,
  );
  expect(left.rows.map(({ token_hash }) => token_hash[0])).toEqual([2, 3]);
});

test('the sweeper processes every table from which its role may delete', async () => {
  const { owner } = await openShop();
  const { rows } = await owner.query<{ table_name: string }>(
    `select table_name from information_schema.role_table_grants
      where grantee = 'commerce_sweep' and privilege_type = 'DELETE' and table_schema = 'commerce'`,
  );

  const withTheirEvents = ['webhook_attempts', 'webhook_deliveries'];
  const swept = [...Object.keys(await sweepOnce()), ...withTheirEvents];
  expect(rows.map(({ table_name }) => table_name).sort()).toEqual(swept.sort());
});

test("the sweeper's database role sees no current Idempotency-Key, and cannot read products", async () => {
  const shop = await openShop();
  await shop.givenProduct();
  const client = await shop.owner.connect();

  await client.query('begin');
  await client.query('set local role commerce_sweep');
  await client.query(`select set_config('app.site_id', '00000000-0000-0000-0000-000000000000', true)`);
  const seen = await client.query(sql`select from commerce.idempotency_keys where site_id = ${shop.site_id}`);
  await expect(client.query('select from commerce.products')).rejects.toThrow('permission denied');
  await client.query('rollback');
  client.release();

  expect(seen.rows).toHaveLength(0);
});

test('deletes expired sessions, links, registrations and counters of customers, and keeps current ones', async () => {
  const shop = await openShop();
  const { owner, site_id } = shop;
  const { id } = await shop.givenCustomer();
  await shop.givenCustomer();
  await owner.query(
    sql`update commerce.customer_tokens set expires_at = now() - interval '25 hours' where customer_id = ${id}`,
  );
  await owner.query(sql`insert into commerce.customer_codes (site_id, token_hash, purpose, email, expires_at) values
    (${site_id}, '\\x01', 'register', 'old@example.com', now() - interval '25 hours'),
    (${site_id}, '\\x02', 'register', 'new@example.com', now() - interval '23 hours')`);
  await owner.query(sql`insert into commerce.customer_registrations (site_id, id, email, password_hash, profile, created_at) values
    (${site_id}, gen_random_uuid(), 'old@example.com', '', '{}', now() - interval '8 days'),
    (${site_id}, gen_random_uuid(), 'new@example.com', '', '{}', now())`);
  await owner.query(sql`insert into commerce.rate_counts (key_hash, points, expires_at) values
    (sha256(${`old ${site_id}`}::text::bytea), 1, now()), (sha256(${`new ${site_id}`}::text::bytea), 1, now() + interval '1 hour')`);

  await sweepOnce();

  const left = await owner.query(sql`select
    (select count(*) from commerce.customer_tokens where site_id = ${site_id}) as tokens,
    (select string_agg(email, ' ') from commerce.customer_codes where site_id = ${site_id}) as codes,
    (select string_agg(email, ' ') from commerce.customer_registrations where site_id = ${site_id}) as registrations,
    (select count(*) from commerce.rate_counts
      where key_hash in (sha256(${`old ${site_id}`}::text::bytea), sha256(${`new ${site_id}`}::text::bytea))) as counts`);
  expect(left.rows).toEqual([{ tokens: 1, codes: 'new@example.com', registrations: 'new@example.com', counts: 1 }]);
});

test('deletes consent requests of agents and their codes a day after they expire', async () => {
  const shop = await openShop();
  const [old, young] = [await askForConsent(shop), await askForConsent(shop)];
  await shop.owner.query(
    sql`update commerce.agent_consents set expires_at = now() - interval '25 hours'
      where site_id = ${shop.site_id} and user_code_hash = ${hashUserCode(old.user_code)}`,
  );

  await sweepOnce();

  expect((await poll(shop, old.device_code)).error).toMatchObject({ error: 'invalid_grant' });
  expect((await poll(shop, young.device_code)).error).toMatchObject({ error: 'authorization_pending' });
});

test("keeps a product's latest change and one change from when the product was public", async () => {
  const shop = await openShop();
  const { dashboard, owner, site_id, givenProduct } = shop;
  const { id } = await givenProduct();
  const params = { path: { product_id: id } };
  for (const status of ['draft', 'archived', 'draft'] as const) {
    await dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { status, name: 'Cup' } });
  }
  const entries = async () =>
    (
      await owner.query(
        sql`select seen from commerce.product_changes where site_id = ${site_id} order by era, changed_in`,
      )
    ).rows;
  expect((await entries()).length).toBeGreaterThan(2);

  // A row is deleted only when every reader can see the row that replaces it: after all concurrent transactions have
  // ended.
  await vi.waitFor(
    async () => {
      await sweepOnce();
      expect(await entries()).toEqual([{ seen: true }, { seen: false }]);
    },
    { timeout: 20_000, interval: 200 },
  );

  const { data } = await shop.sync.GET('/api/sync/products');
  expect(data?.changes).toMatchObject([{ product_id: id, removed: true }]);
});

test('deletes an event 30 days after its last delivery ended, and never during a delivery', async () => {
  const shop = await openShop();
  const { data: webhook } = await shop.dashboard.POST('/api/dashboard/webhooks', {
    body: { url: 'https://hooks.example.net/shop', events: ['customer.created'] },
  });
  const given = async (event_age: string, completed_age: string | null) => {
    const id = randomUUID();
    await shop.owner.query(sql`insert into commerce.events (site_id, id, type, payload, created_at)
      values (${shop.site_id}, ${id}, 'customer.created', '{}', now() - ${event_age}::interval)`);
    await shop.owner.query(sql`insert into commerce.webhook_deliveries
        (site_id, id, webhook_id, event_id, type, status, next_attempt_at, completed_at)
      values (${shop.site_id}, gen_random_uuid(), ${webhook?.id}, ${id}, 'customer.created',
        ${completed_age ? 'failed' : 'pending'}, ${completed_age ? null : '2126-01-01T00:00:00Z'},
        now() - ${completed_age}::interval)`);
    return id;
  };
  await given('31 days', '30 days 1 second');
  const replayed = await given('31 days', '29 days');
  const under_way = await given('31 days', null);
  const young = await given('29 days', '29 days');

  await sweepOnce();

  const left = await shop.owner.query(sql`select event_id from commerce.webhook_deliveries
    join commerce.events e on e.site_id = webhook_deliveries.site_id and e.id = event_id
    where e.site_id = ${shop.site_id}`);
  expect(left.rows.map(({ event_id }) => event_id).sort()).toEqual([replayed, under_way, young].sort());
  await shop.owner.query(sql`delete from commerce.webhooks where site_id = ${shop.site_id}`);
});
