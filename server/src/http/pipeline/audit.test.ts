import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openShop } from '../../../test/shop.ts';

const cart = '/api/storefront/cart';
const me = '/api/storefront/customer/me';

async function eventsOf({ owner, site_id }: Awaited<ReturnType<typeof openShop>>) {
  const { rows } = await owner.query(
    sql`select actor_type, actor_id, action, status, correlation_id, length(payload_hash) as hash, ip, user_agent
      from commerce.audit_events where site_id = ${site_id} order by id`,
  );
  return rows;
}

test('a mutation with a storefront token, a customer token or an API key writes one audit row, but replays and reads write none', async () => {
  const shop = await openShop();
  const { client, id } = await shop.givenCustomer();
  const key = { 'Idempotency-Key': randomUUID(), 'X-Request-Id': 'request-17' };

  for (let i = 0; i < 2; i += 1)
    await client.PATCH(me, { body: { phone: '030' }, params: { header: key }, headers: key });
  await client.GET(me);
  await shop.storefront.POST(cart);
  await shop.givenProduct();

  expect(await eventsOf(shop)).toMatchObject([
    { actor_type: 'storefront', action: 'storefront.loginCustomer', status: 200 },
    {
      actor_type: 'customer',
      actor_id: id,
      action: 'storefront.updateCustomer',
      status: 200,
      correlation_id: 'request-17',
      hash: 32,
      ip: expect.any(String),
    },
    { actor_type: 'storefront', action: 'storefront.createCart', status: 201 },
    { actor_type: 'api_key', action: 'dashboard.createProduct', status: 201 },
  ]);
});

test('audits a call rejected with 404, but not one with an invalid body', async () => {
  const shop = await openShop();
  const line = { variant_id: randomUUID(), quantity: 1 };
  const path = { cart_id: randomUUID() };

  await shop.storefront.POST('/api/storefront/cart/{cart_id}/items', { params: { path }, body: line });
  await shop.storefront.POST('/api/storefront/cart/{cart_id}/items', {
    params: { path },
    body: { ...line, quantity: 0 },
  });

  expect(await eventsOf(shop)).toMatchObject([{ action: 'storefront.addCartItem', status: 404 }]);
});

test("the server's database role can insert audit rows, but not change or delete them", async () => {
  const shop = await openShop();
  await shop.storefront.POST(cart);

  for (const statement of ['update commerce.audit_events set status = 200', 'delete from commerce.audit_events']) {
    const connection = await shop.db.connect();
    await connection.query('begin');
    // With a tenant set, only the missing privilege can be the reason for the rejection.
    await connection.query(`select set_config('app.site_id', $1, true)`, [shop.site_id]);
    const refused = await connection.query(statement).catch((error: unknown) => error);
    await connection.query('rollback');
    connection.release();
    expect(String(refused)).toContain('permission denied');
  }
});
