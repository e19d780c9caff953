import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const importing = '/api/dashboard/customers/import';
const ada = {
  email: 'Ada@Example.com',
  first_name: 'Ada',
  last_name: 'Brandt',
  marketing_opt_in: true,
  marketing_opt_in_at: '2024-11-05T09:30:00.000Z',
  created_at: '2023-02-11T17:04:00.000Z',
  metadata: { tags: 'vip' },
  addresses: [{ address1: 'Gartenweg 3', city: 'Leipzig', country: 'DE' }],
};

test('customers come in with their past, and a repeat changes nothing', async () => {
  const { dashboard } = await openShop();
  const first = await dashboard.POST(importing, { body: { customers: [ada] } });
  expect(first.data?.counts).toEqual({ created: 1, updated: 0, unchanged: 0, failed: 0 });
  const customer_id = first.data?.results[0]?.customer_id ?? '';
  const read = () => dashboard.GET('/api/dashboard/customers/{customer_id}', { params: { path: { customer_id } } });
  const before = (await read()).data;
  expect(before).toMatchObject({
    email: 'ada@example.com',
    created_at: ada.created_at,
    has_account: false,
    email_verified_at: null,
    marketing_opt_in: true,
    marketing_consents: [{ granted: true, source: 'import', recorded_at: ada.marketing_opt_in_at }],
    addresses: [{ city: 'Leipzig', last_name: null, is_default: true }],
    metadata: { tags: 'vip' },
  });
  for (const overwrite of [false, true]) {
    const again = await dashboard.POST(importing, { body: { customers: [ada], overwrite } });
    expect(again.data?.counts).toMatchObject({ unchanged: 1 });
  }
  expect((await read()).data).toEqual(before);
});

test('nobody is sent a mail and no event is made', async () => {
  const shop = await openShop();
  const body = { url: 'https://receiver.example/hooks', events: ['customer.created' as const] };
  await shop.dashboard.POST('/api/dashboard/webhooks', { body });
  const email = `${randomUUID()}@example.com`;
  await shop.dashboard.POST(importing, { body: { customers: [{ email }] } });
  const events = () =>
    shop.owner.query(
      sql`select type from commerce.events where site_id = ${shop.site_id} and type = 'customer.created'`,
    );
  expect((await events()).rows).toEqual([]);
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: `${randomUUID()}@example.com` } });
  expect((await events()).rows).toHaveLength(1);
  const { rows } = await shop.owner.query(
    sql`select payload from graphile_worker._private_jobs where payload::text like ${`%${email}%`}`,
  );
  expect(rows).toEqual([]);
});

test('what a customer has here stays, unless it is to be overwritten', async () => {
  const { dashboard } = await openShop();
  const own = { email: 'ada@example.com', first_name: 'Adelheid', marketing_opt_in: true };
  const { data: made } = await dashboard.POST('/api/dashboard/customers', { body: own });
  const customer_id = made?.id ?? '';
  const at = { params: { path: { customer_id } } };
  await dashboard.PATCH('/api/dashboard/customers/{customer_id}', { ...at, body: { marketing_opt_in: false } });
  const kept = await dashboard.POST(importing, { body: { customers: [ada] } });
  expect(kept.data?.results).toMatchObject([{ status: 'updated', customer_id }]);
  const read = async () => (await dashboard.GET('/api/dashboard/customers/{customer_id}', at)).data;
  expect(await read()).toMatchObject({ first_name: 'Adelheid', last_name: 'Brandt', marketing_opt_in: false });
  await dashboard.POST(importing, { body: { customers: [ada], overwrite: true } });
  expect(await read()).toMatchObject({ first_name: 'Ada', marketing_opt_in: false });
});

test('a bad row, and an e-mail that comes twice, are refused by themselves; a dry run writes nothing', async () => {
  const { dashboard } = await openShop();
  const customers = [ada, { email: 'nobody', colour: 'red' } as never, { email: 'ADA@example.com' }];
  for (const dry_run of [true, false]) {
    const { data } = await dashboard.POST(importing, { body: { customers, dry_run } });
    expect(data?.counts).toEqual({ created: 1, updated: 0, unchanged: 0, failed: 2 });
    expect(data?.results[1]?.errors.map(({ loc }) => loc.join('.')).sort()).toEqual([
      'body.customers.1.colour',
      'body.customers.1.email',
    ]);
    expect(data?.results[2]?.errors).toMatchObject([{ loc: ['body', 'customers', 2, 'email'], type: 'duplicate' }]);
  }
  expect((await dashboard.GET('/api/dashboard/customers')).data?.total).toBe(1);
});
