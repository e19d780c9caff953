import { randomUUID } from 'node:crypto';
import { createDashboardClient } from '@commerce-backend/sdk';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { logIn } from '../../test/session.ts';
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

test('imports customers with their history, and importing them again changes nothing', async () => {
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

test('an import of customers sends no mail and creates no event', async () => {
  const shop = await openShop();
  const body = { url: 'https://receiver.example/hooks', events: ['customer.created' as const] };
  await shop.dashboard.POST('/api/dashboard/webhooks', { body });
  const email = `${randomUUID()}@example.com`;
  const imported = await shop.dashboard.POST(importing, { body: { customers: [{ email, marketing_opt_in: true }] } });
  expect(imported.data?.counts).toMatchObject({ created: 1 });
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

test('an import of customers keeps existing values unless the request sets `overwrite`', async () => {
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

test('rejects invalid rows and repeated e-mail addresses row by row, and a dry run writes nothing', async () => {
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

test('an import of customers needs the scope to write customers, and does not change customers of another shop', async () => {
  const shop = await openShop();
  const other = await openShop();
  const { data: made } = await other.dashboard.POST('/api/dashboard/customers', { body: { email: ada.email } });
  const { data } = await shop.dashboard.POST(importing, { body: { customers: [ada], overwrite: true } });
  expect(data?.counts).toMatchObject({ created: 1 });
  const params = { path: { customer_id: made?.id ?? '' } };
  const { data: theirs } = await other.dashboard.GET('/api/dashboard/customers/{customer_id}', { params });
  expect(theirs).toMatchObject({ first_name: null, marketing_opt_in: false, addresses: [] });

  const anonymous = await fetch(`${shop.baseUrl}${importing}`, { method: 'POST', body: '{}' });
  expect(anonymous.status).toBe(401);
  const { staff } = await logIn(shop);
  const { data: key } = await staff.POST('/api/dashboard/api-keys', { body: { description: 'R', scopes: ['read'] } });
  const reader = createDashboardClient({ baseUrl: shop.baseUrl, apiKey: key?.secret ?? '', maxAttempts: 1 });
  const { error, response } = await reader.POST(importing, { body: { customers: [ada] } });
  expect([response.status, error?.error]).toEqual([403, 'insufficient_scope']);
});

test('rejects a row with a value out of range, and names the field', async () => {
  const { dashboard } = await openShop();
  const full = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, 'v']));
  const street = (i: number) => ({ address1: `Gartenweg ${i}` });
  const before = {
    email: 'full@example.com',
    metadata: full,
    addresses: Array.from({ length: 50 }, (_, i) => street(i)),
  };
  await dashboard.POST(importing, { body: { customers: [before] } });
  const customers = [
    { email: 'long@example.com', first_name: 'x'.repeat(256) },
    { email: 'later@example.com', marketing_opt_in: true, marketing_opt_in_at: '2999-01-01T00:00:00.000Z' },
    { email: 'full@example.com', metadata: { one: 'more' } },
    { email: 'kept@example.com' },
  ];
  const { data } = await dashboard.POST(importing, { body: { customers } });
  expect(data?.results.map(({ errors }) => errors.map(({ loc }) => loc.join('.')))).toEqual([
    ['body.customers.0.first_name'],
    ['body.customers.1.marketing_opt_in_at'],
    ['body.customers.2.metadata'],
    [],
  ]);
  const crowded = { email: 'full@example.com', addresses: [street(1), street(50)] };
  const { data: more } = await dashboard.POST(importing, { body: { customers: [crowded] } });
  expect(more?.results[0]?.errors).toMatchObject([{ loc: ['body', 'customers', 0, 'addresses'], ctx: { max: 50 } }]);

  const many = Array.from({ length: 101 }, (_, i) => ({ email: `c${i}@example.com` }));
  for (const refused of [[], many]) {
    const { response } = await dashboard.POST(importing, { body: { customers: refused } });
    expect(response.status).toBe(422);
  }
  expect((await dashboard.GET('/api/dashboard/customers')).data?.total).toBe(2);
});

test('two concurrent imports of the same new customers create each once, with the data of both', async () => {
  const { dashboard } = await openShop();
  const all = Array.from({ length: 60 }, (_, i) => ({ email: `c${i}@example.com` }));
  const named = all.map((one) => ({ ...one, first_name: 'Ada', addresses: [{ city: 'Lindau' }] }));
  const noted = all.map((one) => ({
    ...one,
    note: 'Rings first',
    marketing_opt_in: true,
    addresses: [{ city: 'Ulm' }],
  }));
  const calls = [named, noted.toReversed(), named.slice(20)].map((customers) =>
    dashboard.POST(importing, { body: { customers } }),
  );
  const counts = (await Promise.all(calls)).map(({ data }) => data?.counts);
  expect(counts.reduce((sum, each) => sum + (each?.created ?? 0), 0)).toBe(60);
  expect(counts.map((each) => each?.failed)).toEqual([0, 0, 0]);
  const { data } = await dashboard.GET('/api/dashboard/customers', { params: { query: { limit: 100 } } });
  expect(data?.total).toBe(60);
  for (const { id, ...customer } of data?.customers.slice(0, 5) ?? []) {
    expect(customer).toMatchObject({ first_name: 'Ada', note: 'Rings first', marketing_opt_in: true });
    const params = { path: { customer_id: id } };
    const read = await dashboard.GET('/api/dashboard/customers/{customer_id}', { params });
    expect(read.data?.addresses.map(({ city }) => city).sort()).toEqual(['Lindau', 'Ulm']);
    expect(read.data?.addresses.filter(({ is_default }) => is_default)).toHaveLength(1);
  }
});

test('an import of customers removes invisible characters with a warning', async () => {
  const { dashboard } = await openShop();
  const hidden = { email: '\ufeffada@example.com', first_name: 'A\u202eda', note: 'Two\nlines' };
  const { data } = await dashboard.POST(importing, { body: { customers: [hidden] } });
  expect(data?.results[0]).toMatchObject({ status: 'created', email: 'ada@example.com' });
  expect(data?.results[0]?.warnings.map(({ loc }) => loc.at(-1))).toEqual(['email', 'first_name']);
  const params = { path: { customer_id: data?.results[0]?.customer_id ?? '' } };
  const read = await dashboard.GET('/api/dashboard/customers/{customer_id}', { params });
  expect(read.data).toMatchObject({ first_name: 'Ada', note: 'Two\nlines' });
});

test('imports a customer with only a phone number, and finds the same customer in the next import', async () => {
  const { dashboard } = await openShop();
  const sani = { first_name: 'Sani', phone: '+49 (170) 123-4567', marketing_opt_in: true };
  const send = (phone: string) => dashboard.POST(importing, { body: { customers: [{ ...sani, phone }] } });

  const first = await send(sani.phone);
  const again = await send(sani.phone);
  const otherwise = await send('0049 170 1234567');

  expect(first.data?.counts).toMatchObject({ created: 1 });
  expect(again.data?.counts).toMatchObject({ unchanged: 1 });
  expect(otherwise.data?.results[0]?.customer_id).toBe(first.data?.results[0]?.customer_id);
  const { data } = await dashboard.GET('/api/dashboard/customers', { params: { query: { q: '4567' } } });
  expect(data?.customers).toMatchObject([
    { email: '491701234567@phone.invalid', has_email: false, phone: sani.phone, marketing_opt_in: false },
  ]);
});

test('rejects a customer with neither an e-mail address nor a phone number, and imports the others', async () => {
  const { dashboard } = await openShop();
  const customers = [{ first_name: 'Bob' }, { first_name: 'Cy', phone: '12' }, { email: 'di@example.com' }];

  const { data } = await dashboard.POST(importing, { body: { customers } });

  expect(data?.counts).toMatchObject({ created: 1, failed: 2 });
  expect(data?.results.map(({ errors }) => errors.map(({ loc, type }) => [loc.at(-1), type]))).toEqual([
    [['email', 'missing']],
    [['email', 'missing']],
    [],
  ]);
});
