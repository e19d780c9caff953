import pg from 'pg';
import { type Logger, pino } from 'pino';
import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { ordersOf } from '../../test/buying.ts';
import { givenInvoice } from '../../test/invoices.ts';
import { workOverdue } from '../../test/jobs.ts';
import { SECRET_KEY } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { Connection, ignoreLostConnections } from '../db/connect.ts';
import { openAuditKey, readAuditKeys } from '../shop/audit/keys.ts';
import { addSeals, sealOf } from '../shop/audit/seals.ts';
import { type Head, verifySite } from '../shop/audit/verify.ts';
import { deleteOldData } from './retention.ts';
import { sealAudit } from './seal-audit.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const PERIODS = { cartsDays: 90, addressesDays: 30, auditDays: 400 };
const SILENT = pino({ level: 'silent' });

/** Runs work on a connection of an ordinary installation: its login owns the tables but is not a superuser. */
async function asOwner<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const pool = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl(), max: 1 }));
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
    await pool.end();
  }
}

async function runRetention({ db }: OpenShop, logger: Logger = SILENT) {
  const auditKey = await openAuditKey(db, SECRET_KEY);
  return asOwner((client) => deleteOldData(client, { ...PERIODS, secretKey: SECRET_KEY, auditKey, logger }));
}

/**
 * Sets all unfinished carts and checkouts of a shop to have ended this many days ago, and runs the job that expires
 * them.
 */
async function abandon(shop: OpenShop, days: number): Promise<void> {
  for (const table of ['carts', 'checkouts']) {
    await shop.owner.query(
      `update commerce.${table} set expires_at = now() - make_interval(days => $2)
        where site_id = $1 and status not in ('converted', 'completed')`,
      [shop.site_id, days],
    );
  }
  await workOverdue(shop);
}

async function count({ owner, site_id }: OpenShop, ...tables: string[]): Promise<number[]> {
  const counts = tables.map((table) => `(select count(*)::int from commerce.${table} where site_id = $1)`);
  const { rows } = await owner.query<{ counts: number[] }>(`select array[${counts.join(', ')}] as counts`, [site_id]);
  return rows[0]?.counts ?? [];
}

test('deletes carts and checkouts without an order 90 days after they expired', async () => {
  const shop = await openShop();
  await shop.givenDiscount();
  const { id: cart_id } = await shop.givenCart();
  const path = { cart_id };
  await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params: { path }, body: { code: 'TEN' } });
  await shop.givenCheckout({ cart_id });
  await shop.givenCart();
  const tables = ['carts', 'cart_items', 'checkouts', 'checkout_links', 'discount_redemptions'];
  await abandon(shop, 89);
  await runRetention(shop);
  expect(await count(shop, ...tables)).toEqual([2, 2, 1, 1, 1]);

  await abandon(shop, 91);
  await runRetention(shop);

  expect(await count(shop, ...tables)).toEqual([0, 0, 0, 0, 0]);
});

test('deletes a checkout with its failed payments, but keeps one with a payment that charged money, and its contact data', async () => {
  const shop = await openShop();
  const failing = await shop.givenCheckout({ payment_method: 'card' });
  const refunded = await shop.givenCheckout({ payment_method: 'card' });
  const notRefunded = await shop.givenCheckout({ payment_method: 'card' });
  for (const { id } of [failing, refunded, notRefunded]) {
    const body = { payment: { card_token: 'tok_declined' } };
    await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', {
      params: { path: { checkout_id: id } },
      body,
    });
  }
  await shop.owner.query(`update commerce.payments set status = 'refunded' where checkout_id = $1`, [refunded.id]);
  // The payment was charged, and its refund rejected.
  await shop.owner.query(
    `update commerce.payments set status = 'failed', captured_amount = amount where checkout_id = $1`,
    [notRefunded.id],
  );
  await abandon(shop, 91);
  expect(await count(shop, 'payments', 'checkouts', 'carts')).toEqual([3, 3, 3]);

  await runRetention(shop);

  expect(await count(shop, 'payments', 'checkouts', 'carts')).toEqual([2, 2, 2]);
  const { rows } = await shop.owner.query('select id, email from commerce.checkouts where site_id = $1 order by id', [
    shop.site_id,
  ]);
  expect(rows).toEqual([refunded, notRefunded].map(({ id }) => ({ id, email: 'june@example.com' })));
});

test("keeps an order's cart and checkout, even if they expired long ago", async () => {
  const shop = await openShop();
  await shop.givenDiscount();
  const order = await shop.givenOrder();
  await shop.owner.query(
    `update commerce.carts set expires_at = now() - interval '9 years' where site_id = '${shop.site_id}';`,
  );
  await shop.owner.query(
    `update commerce.checkouts set expires_at = now() - interval '9 years' where site_id = '${shop.site_id}';`,
  );
  const kept = ['orders', 'order_lines', 'order_events', 'checkouts', 'carts', 'cart_items'];
  const before = await count(shop, ...kept);

  await runRetention(shop);

  expect(await count(shop, ...kept)).toEqual(before);
  expect(await ordersOf(shop)).toMatchObject([{ id: order.id, email: 'june@example.com' }]);
});

test('clears e-mail, phone, addresses and note of a checkout 30 days after it expired without an order', async () => {
  const shop = await openShop();
  const { id } = await shop.givenCheckout({ note: 'Ring twice' });
  const stored = async () => {
    const { rows } = await shop.owner.query(
      'select email, phone, shipping_address, billing_address, note from commerce.checkouts where id = $1',
      [id],
    );
    return rows[0];
  };
  await abandon(shop, 29);
  await runRetention(shop);
  expect(await stored()).toMatchObject({ email: 'june@example.com', note: 'Ring twice' });

  await abandon(shop, 31);
  await runRetention(shop);

  expect(await stored()).toEqual({
    ...{ email: null, phone: null, shipping_address: null, billing_address: null, note: null },
  });
});

test('deletes stock reservations from the history and ids of provider events after 90 days, and keeps sales', async () => {
  const shop = await openShop();
  await shop.givenOrder();
  const { owner, site_id } = shop;
  await owner.query(`update commerce.stock_movements set created_at = now() - interval '91 days' where site_id = $1`, [
    site_id,
  ]);
  await owner.query(
    `insert into commerce.payment_events (site_id, provider, event_id, received_at)
      values ($1, 'stripe', 'evt_old', now() - interval '91 days'), ($1, 'stripe', 'evt_new', now())`,
    [site_id],
  );

  await runRetention(shop);

  const { rows } = await owner.query('select type from commerce.stock_movements where site_id = $1 order by type', [
    site_id,
  ]);
  expect(rows.map(({ type }) => type)).toEqual(['adjustment', 'sale']);
  expect(await count(shop, 'payment_events')).toEqual([1]);
});

test('deletes the links of closed checkouts created more than 90 days ago, and keeps the links of open ones', async () => {
  const shop = await openShop();
  const { id } = await shop.givenCheckout();
  const old = (tail: string) => `01900000-0000-7000-8000-${tail.padStart(12, '0')}`;
  const oldOpen = old('3');
  for (const [copy, status] of [
    [old('1'), 'cancelled'],
    [old('2'), 'expired'],
    [oldOpen, 'open'],
  ]) {
    const { id: cart_id } = await shop.givenCart();
    const changes = { id: copy, status, cart_id };
    await shop.owner.query(
      `insert into commerce.checkouts select (jsonb_populate_record(k, $2::jsonb)).* from commerce.checkouts k where k.id = $1`,
      [id, changes],
    );
    await shop.owner.query(
      'insert into commerce.checkout_links (site_id, checkout_id, token_hash) values ($1, $2, sha256($3))',
      [shop.site_id, copy, copy],
    );
  }

  await runRetention(shop);

  const { rows } = await shop.owner.query(
    'select checkout_id from commerce.checkout_links where site_id = $1 order by checkout_id',
    [shop.site_id],
  );
  expect(rows).toEqual([{ checkout_id: oldOpen }, { checkout_id: id }]);
});

test('deletes closed withdrawals three years after the end of their year, and keeps open ones', async () => {
  const shop = await openShop();
  const { owner, site_id } = shop;
  const year = new Date().getUTCFullYear();
  const state = (created_at: string, status: 'closed' | 'unmatched') =>
    owner.query(
      `with stated as (
          insert into commerce.withdrawal_statements (site_id, id, name, email, recipient, contract, locale, client_hash,
            created_at, acknowledge_at)
          values ($1, gen_random_uuid(), $2::text, 'jo@shop.example', 'jo@shop.example', '1', 'en', '', $2::text::timestamptz, now())
          returning site_id, id)
        insert into commerce.withdrawals (site_id, id, status, closed_at)
        select site_id, id, $3::text, case when $3::text = 'closed' then now() end from stated`,
      [site_id, created_at, status],
    );
  const [old, kept] = [`${year - 4}-12-31T23:59:59Z`, `${year - 3}-01-01T00:00:00Z`];
  await state(old, 'closed');
  await state(old, 'unmatched');
  await state(kept, 'closed');

  await runRetention(shop);

  const { rows } = await owner.query<{ name: string; status: string }>(
    `select s.name, w.status from commerce.withdrawal_statements s join commerce.withdrawals w using (site_id, id)
      where site_id = $1 order by s.created_at`,
    [site_id],
  );
  expect(rows).toEqual([
    { name: old, status: 'unmatched' },
    { name: kept, status: 'closed' },
  ]);
});

test("deletes the records of a site's calls without a token after 30 days, and none of other sites", async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const record = ({ site_id }: OpenShop, age: string) =>
    shop.owner.query(
      `insert into commerce.public_tool_calls (site_id, id, address, tool, outcome, created_at)
        values ($1, gen_random_uuid(), '192.0.2.1', $2::text, 'done', now() - $2::text::interval)`,
      [site_id, age],
    );
  for (const age of ['31 days', '30 days 1 minute', '29 days 23 hours']) await record(shop, age);
  await record(other, '1 day');

  const deleted = await runRetention(shop);

  const { rows } = await shop.owner.query<{ tool: string }>(
    'select tool from commerce.public_tool_calls where site_id = any($1) order by created_at',
    [[shop.site_id, other.site_id]],
  );
  expect(rows).toEqual([{ tool: '29 days 23 hours' }, { tool: '1 day' }]);
  expect(deleted).toMatchObject({ public_tool_calls: 2 });
});

test('skips carts and checkouts that a call has locked, and deletes them later', async () => {
  const shop = await openShop();
  const [locked] = [await shop.givenCart(), await shop.givenCart()];
  await abandon(shop, 91);
  const holder = await shop.owner.connect();
  try {
    await holder.query('begin');
    await holder.query('select from commerce.carts where id = $1 for update', [locked.id]);
    await runRetention(shop);
    expect(await count(shop, 'carts')).toEqual([1]);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  await runRetention(shop);
  expect(await count(shop, 'carts')).toEqual([0]);
});

/** Seals the unsealed rows of a shop as if they had been written and sealed this many days ago. */
async function sealDaysAgo({ db, owner, site_id }: OpenShop, days: number): Promise<void> {
  const key = await openAuditKey(db, SECRET_KEY);
  const { rows } = await owner.query<{ id: string; hmac: Buffer; at: string }>(
    `update commerce.audit_events e set created_at = e.created_at - make_interval(days => $2)
      where site_id = $1 and not exists (select from commerce.audit_seals s where s.site_id = e.site_id and e.id = any(s.ids))
      returning id, hmac, (extract(epoch from created_at) * 1000000)::bigint::text as at`,
    [site_id, days],
  );
  const last = await owner.query<{ seq: number; hmac: Buffer }>(
    'select seq, hmac from commerce.audit_seals where site_id = $1 order by seq desc limit 1',
    [site_id],
  );
  const { seq = 0, hmac: previous = null } = last.rows[0] ?? {};
  const client = await owner.connect();
  const newest =
    rows
      .map(({ at }) => at)
      .sort()
      .at(-1) ?? '';
  await addSeals(client, [sealOf(key, { site_id, seq: seq + 1, previous }, rows)], newest).finally(() =>
    client.release(),
  );
}

async function verifyAudit({ owner, site_id }: OpenShop, statement = 'select 1', head?: Head) {
  const client = await owner.connect();
  try {
    await client.query('begin');
    await client.query('set local search_path = commerce, public');
    await client.query(statement);
    const connection = new Connection(client);
    return await verifySite(connection, site_id, await readAuditKeys(connection, SECRET_KEY), head);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test('deletes sealed audit rows after 400 days, and audit verify continues from the signed checkpoint', async () => {
  const shop = await openShop();
  const { agent } = await givenAgent(shop, await shop.givenCustomer());
  const look = (query: string) => agent.POST('/api/agent/intent/find', { body: { query } });
  for (const days of [900, 401, 399, 0]) {
    await look(`mug ${days}`);
    await look(`bowl ${days}`);
    await sealDaysAgo(shop, days);
  }
  const { head: recorded } = await verifyAudit(shop);
  const [all = 0] = await count(shop, 'audit_events');

  expect(await runRetention(shop)).toMatchObject({ audit_events: all - 4 });

  expect(await count(shop, 'audit_events', 'audit_seals')).toEqual([4, 2]);
  expect(await verifyAudit(shop, 'select 1', recorded ?? undefined)).toMatchObject({
    ...{ sealed: 4, deleted: all - 4, findings: [], head: recorded },
  });
  const checkpoints = `commerce.audit_checkpoints`;
  const of = `where site_id = '${shop.site_id}'`;
  for (const [statement, finding] of [
    [`delete from ${checkpoints} ${of}`, /The seals 1 to 2 were removed/],
    [`update ${checkpoints} set deleted = deleted + 1 ${of}`, /The checkpoint was changed/],
    [`update ${checkpoints} set seq = 3 ${of}`, /The checkpoint was changed/],
    [`delete from commerce.audit_seals ${of} and seq = 3`, /The seals 3 to 3 were removed/],
  ] as const) {
    const { findings } = await verifyAudit(shop, statement);
    expect(findings.join('\n'), statement).toMatch(finding);
  }
  await look('mug today');
  await asOwner(async (client) => sealAudit(client, await openAuditKey(shop.db, SECRET_KEY)));
  expect(await verifyAudit(shop)).toMatchObject({ sealed: 5, findings: [] });
});

test("keeps a shop's last audit seal, so that the next seal can be chained to it", async () => {
  const shop = await openShop();
  const { agent } = await givenAgent(shop, await shop.givenCustomer());
  await agent.POST('/api/agent/intent/find', { body: { query: 'mug' } });
  await sealDaysAgo(shop, 500);

  await runRetention(shop);

  expect(await count(shop, 'audit_seals', 'audit_checkpoints')).toEqual([1, 0]);
});

test('keeps audit rows whose times were changed to look old, and logs a warning', async () => {
  const shop = await openShop();
  const { agent } = await givenAgent(shop, await shop.givenCustomer());
  for (const query of ['mug', 'bowl']) {
    await agent.POST('/api/agent/intent/find', { body: { query } });
    await sealDaysAgo(shop, 10);
  }
  for (const [table, column] of [
    ['audit_events', 'created_at'],
    ['audit_seals', 'through'],
  ]) {
    await shop.owner.query(
      `update commerce.${table} set ${column} = ${column} - interval '500 days' where site_id = $1`,
      [shop.site_id],
    );
  }
  const before = await count(shop, 'audit_events', 'audit_seals');
  const lines: string[] = [];

  await runRetention(shop, pino({}, { write: (line) => void lines.push(line) }));

  expect(await count(shop, 'audit_events', 'audit_seals')).toEqual(before);
  expect(lines.join()).toMatch(/old audit rows are kept: run audit verify/);
});

test('deletes invoices when the retention period of the seller’s country ends, credit notes first', async () => {
  const shop = await openShop();
  const order = await shop.givenOrder();
  const document_id = await givenInvoice(shop, order.id);
  const year = new Date().getUTCFullYear();
  const move = (issued: string, country: string) =>
    shop.owner.query(
      `update commerce.documents set issued_at = $2, content = jsonb_set(content, '{seller,country}', to_jsonb($3::text))
        where site_id = $1`,
      [shop.site_id, issued, country],
    );
  await shop.owner.query(
    `insert into commerce.documents (site_id, id, order_id, kind, number, invoice_id, locale, content, sha256)
      select site_id, gen_random_uuid(), order_id, 'credit_note', 'CN', id, locale, content, sha256
      from commerce.documents where site_id = $1 and id = $2`,
    [shop.site_id, document_id],
  );
  await move(`${year - 8}-01-01`, 'DE');
  await runRetention(shop);
  expect(await count(shop, 'documents')).toEqual([2]);
  await move(`${year - 9}-12-30`, 'FR');
  await runRetention(shop);
  expect(await count(shop, 'documents')).toEqual([2]);

  await move(`${year - 9}-12-30`, 'DE');
  await runRetention(shop);
  expect(await count(shop, 'documents')).toEqual([1]);
  await runRetention(shop);

  expect(await count(shop, 'documents')).toEqual([0]);
});
