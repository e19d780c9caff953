import { randomUUID } from 'node:crypto';
import { createDashboardClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { asOwner } from '../../test/as-owner.ts';
import { workJobs, workOverdue } from '../../test/jobs.ts';
import { mailsTo } from '../../test/mail.ts';
import { openMoves } from '../../test/moves.ts';
import { openOperators, SITES } from '../../test/operators.ts';
import { printedBy } from '../../test/printed.ts';
import { FILES_DIR } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { openStripe } from '../../test/stripe/shop.ts';
import { directoryStore } from '../files/directory.ts';
import { deleteSite } from '../shop/sites/deletion.ts';
import { resume } from './site-life.ts';

type TestShop = Awaited<ReturnType<typeof openShop>>;

const { config, other, exported, imported } = await openMoves();

/** A shop with an order that awaits a bank transfer, whose customer has not received any mail yet. */
async function givenUnpaidOrder() {
  const shop = await openShop();
  const email = `${randomUUID()}@example.com`;
  return { ...shop, email, order: await shop.givenOrder({ email }) };
}

async function makeOverdue({ owner, site_id }: TestShop): Promise<void> {
  await owner.query(`update commerce.orders set payment_due_at = now() - interval '1 minute' where site_id = $1`, [
    site_id,
  ]);
}

async function statusOf({ owner }: TestShop, order_id: string): Promise<string | undefined> {
  const { rows } = await owner.query<{ payment_status: string }>(
    'select payment_status from commerce.orders where id = $1',
    [order_id],
  );
  return rows[0]?.payment_status;
}

test('a moved shop cancels no orders and sends no mail, and can be deleted without force', async () => {
  const shop = await givenUnpaidOrder();

  const made = await imported(await exported(shop));
  const there = createDashboardClient({ baseUrl: other.baseUrl, apiKey: made.api_keys[0]?.secret ?? '' });
  const params = { path: { order_id: shop.order.id } };
  const paid = await there.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
  expect(paid.data).toMatchObject({ payment_status: 'paid' });

  await makeOverdue(shop);
  const neighbour = await givenUnpaidOrder();
  // Delivers the confirmation before the order expires, because it would not be sent afterwards.
  expect(await mailsTo(neighbour, neighbour.email)).toHaveLength(1);
  await makeOverdue(neighbour);
  const jobs = await workJobs();
  try {
    await workOverdue(shop);
    await expect.poll(() => statusOf(neighbour, neighbour.order.id)).toBe('expired');
    const mails = async () => (await mailsTo(neighbour, neighbour.email)).length;
    await expect.poll(mails, { timeout: 20_000 }).toBe(2);
  } finally {
    await jobs.stop();
  }
  expect(await statusOf(shop, shop.order.id)).toBe('awaiting_payment');
  expect(await mailsTo(shop, shop.email)).toEqual([]);

  const deleted = await asOwner((owner) =>
    deleteSite(owner, directoryStore(FILES_DIR), shop.site_id, { now: true, force: false }),
  );
  expect(deleted).toMatchObject({ removed: { left_over: 0 } });
});

test('returns 503 with Retry-After for API calls (site_moved) and a buy link of a moved shop', async () => {
  const shop = await openShop();
  const { variants } = await shop.givenProduct();
  const customer = await shop.givenCustomer();
  const { access_token } = await givenAgent(shop, customer);
  const token = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.credentials.storefront_token };
  const sync = { 'X-Site-ID': shop.site_id, 'X-Sync-Secret': shop.credentials.sync_secret };
  const calls: [method: string, path: string, headers: Record<string, string>][] = [
    ['GET', '/api/dashboard/products', { 'X-API-Key': shop.credentials.api_key }],
    ['GET', '/api/dashboard/orders/export', { 'X-API-Key': shop.credentials.api_key }],
    ['GET', '/api/storefront/products', token],
    ['POST', '/api/storefront/cart', token],
    ['GET', '/api/storefront/customer/me', { ...token, Authorization: `Bearer ${customer.access_token}` }],
    ['GET', '/api/sync/products', sync],
    ['GET', '/api/agent/token', { Authorization: `Bearer ${access_token}` }],
    ['GET', `/sites/${shop.site_id}/buy/${variants[0]?.id}:1`, {}],
  ];
  const ask = async ([method, path, headers]: (typeof calls)[number]) => {
    const isPost = method === 'POST';
    const json = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
    const answer = await fetch(shop.baseUrl + path, {
      method,
      headers: { ...headers, ...(isPost && json) },
      ...(isPost && { body: '{}' }),
    });
    return { path, status: answer.status, retry: answer.headers.get('Retry-After'), text: await answer.text() };
  };
  for (const call of calls) expect(await ask(call)).toMatchObject({ status: expect.any(Number), retry: null });

  await exported(shop);

  for (const call of calls) {
    const { text, ...answer } = await ask(call);
    expect(answer).toEqual({ path: call[1], status: 503, retry: '60' });
    expect(text).toContain(call[1].startsWith('/api/') ? '"error":"site_moved"' : '<h1>This shop is moving</h1>');
  }
});

test('returns 503 to provider webhooks of a moved shop, and creates no order', async () => {
  const stripe = await openStripe();
  try {
    const shop = await stripe.givenShop();
    const { url } = await shop.givenPage();
    await stripe.standIn.press(url, 'pay');

    await exported(shop);

    for (const event of shop.events()) expect(await shop.send(event)).toBe(503);
    const { rows } = await shop.owner.query('select from commerce.orders where site_id = $1', [shop.site_id]);
    expect(rows).toEqual([]);
  } finally {
    await stripe.close();
  }
});

test('a moved shop resumes only with --not-imported, and then answers calls, sends mails and expires orders again', async () => {
  const shop = await givenUnpaidOrder();
  await exported(shop);

  const without = resume(config, shop.site_id, { notImported: false });
  await expect(without).rejects.toThrow('--not-imported');
  await printedBy(() => resume(config, shop.site_id, { notImported: true }));

  expect((await shop.dashboard.GET('/api/dashboard/products')).response.status).toBe(200);
  expect(await mailsTo(shop, shop.email)).toHaveLength(1);
  await makeOverdue(shop);
  await workOverdue(shop);
  expect(await statusOf(shop, shop.order.id)).toBe('expired');
});

test('a final export includes a transaction that ends during the wait, and fails if a transaction does not end', async () => {
  const shop = await openShop();
  const connection = await shop.db.connect();
  await connection.query('begin');
  await connection.query(`select set_config('app.site_id', $1, true)`, [shop.site_id]);
  await connection.query(`update commerce.sites set merchant_name = 'Renamed' where site_id = $1`, [shop.site_id]);
  // The site's row is locked, so the shop is closed as soon as the transaction ends.
  const ends = new Promise((done) => setTimeout(done, 300)).then(() => connection.query('commit'));
  const file = await exported(shop);
  await ends;
  await imported(file);
  const { rows } = await other.owner.query('select merchant_name from commerce.sites where site_id = $1', [
    shop.site_id,
  ]);
  expect(rows).toEqual([{ merchant_name: 'Renamed' }]);

  const next = await openShop();
  await connection.query('begin');
  // `app.site_id` is set first, because the row-level security policy throws without it.
  await connection.query(`select set_config('app.site_id', $1, true)`, [next.site_id]);
  await connection.query('select from commerce.orders');
  try {
    await expect(exported(next)).rejects.toMatchObject({ code: 'conflict' });
  } finally {
    await connection.query('commit');
    connection.release();
  }
  await exported(next);
});

test('operators can close and export a site over HTTP, and resume it only with confirmation', async () => {
  const shop = await openShop();
  const operators = await openOperators();
  const site = `${SITES}/${shop.site_id}`;
  try {
    const moved = await operators.ask(`${site}/move`, { method: 'POST' });
    expect(moved.data).toMatchObject({ site_id: shop.site_id, moved_at: expect.any(String), suspended_at: null });
    const listed = (await operators.ask(`${SITES}?status=moved`)).data.sites as { site_id: string }[];
    expect(listed.map(({ site_id }) => site_id)).toContain(shop.site_id);
    const headers = { Authorization: `Bearer ${operators.secret}` };
    const file = await fetch(`${operators.base}${site}/export`, { headers });
    expect([file.status, (await file.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
    expect((await shop.dashboard.GET('/api/dashboard/products')).response.status).toBe(503);

    const refused = await operators.ask(`${site}/resume`, { method: 'POST' });
    expect([refused.status, refused.data.error]).toEqual([409, 'conflict']);
    const resumed = await operators.ask(`${site}/resume?not_imported=true`, { method: 'POST' });
    expect(resumed.data).toMatchObject({ moved_at: null });
    expect((await shop.dashboard.GET('/api/dashboard/products')).response.status).toBe(200);
  } finally {
    await operators.close();
  }
});
