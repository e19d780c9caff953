import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeServer, folder, loggedIn, refusal, user } from '../testing.ts';

const ID = '0192f3a0-4444-7000-8000-000000000001';

test("`api` sends a call with the profile's credentials, query and headers, and prints the response", async () => {
  const page = { orders: [], total: 0 };
  const server = await fakeServer({ 'GET /api/dashboard/orders': { body: page } });
  const { commerce } = await loggedIn(server.url);
  const query = ['--query', 'payment_status=paid', '--query', 'tag=a', '--query', 'tag=b'];
  const { code, out } = await commerce(['api', 'get', 'orders', ...query, '--header', 'X-Request-Id: r1']);
  expect({ code, answer: JSON.parse(out) }).toEqual({ code: 0, answer: page });
  expect(server.seen[0]?.query.toString()).toBe('payment_status=paid&tag=a&tag=b');
  expect(server.seen[0]?.headers).toMatchObject({ 'x-api-key': 'key_test', 'x-request-id': 'r1' });
  expect(server.seen[0]?.headers['idempotency-key']).toBeUndefined();
});

test('`api` converts fields to the types of the contract, including fields in objects and lists', async () => {
  const server = await fakeServer({
    'POST /api/dashboard/products': { status: 201, body: {} },
    [`POST /api/dashboard/orders/${ID}/refunds`]: { status: 201, body: {} },
    'PATCH /api/dashboard/settings': { body: {} },
  });
  const { commerce } = await loggedIn(server.url);
  const fields = (...given: string[]) => given.flatMap((field) => ['--field', field]);
  const product = [
    'name=2026',
    'price=14.00',
    'inventory_quantity=5',
    'track_inventory=true',
    'vendor=null',
    'sku=007',
  ];
  await commerce(['api', 'POST', '/products', ...fields(...product, 'tags[]=a', 'tags[]=1', 'metadata[size]=3')]);
  expect(server.seen.at(-1)?.body).toEqual({
    ...{ name: '2026', price: '14.00', inventory_quantity: 5, track_inventory: true, vendor: null, sku: '007' },
    ...{ tags: ['a', '1'], metadata: { size: '3' } },
  });
  const lines = ['line_items[][line_item_id]=a', 'line_items[][quantity]=1', 'line_items[][line_item_id]=b'];
  await commerce(['api', 'POST', `/orders/${ID}/refunds`, '--yes', ...fields('amount=5', ...lines)]);
  expect(server.seen.at(-1)?.body).toEqual({
    amount: '5',
    line_items: [{ line_item_id: 'a', quantity: 1 }, { line_item_id: 'b' }],
  });
  await commerce(['api', 'PATCH', '/settings', ...fields('brand[accent_color]=#0f4c81')]);
  expect(server.seen.at(-1)?.body).toEqual({ brand: { accent_color: '#0f4c81' } });
});

test('`api` suggests a similar path if the path is unknown, and checking the id if the id is unknown', async () => {
  const server = await fakeServer({
    'GET /api/dashboard/ordrs': refusal(404, 'not_found', 'The API has no path /api/dashboard/ordrs.'),
    [`GET /api/dashboard/orders/${ID}`]: refusal(404, 'not_found', 'There is no such order.'),
  });
  const { commerce } = await loggedIn(server.url);
  const path = await commerce(['api', 'GET', '/ordrs']);
  expect(path).toMatchObject({ code: 1, err: expect.stringContaining('The API has no path /api/dashboard/ordrs.') });
  expect(path.err).toContain('Did you mean /orders');
  expect(path.err).not.toContain('Check the id');
  const id = await commerce(['api', 'GET', `/orders/${ID}`]);
  expect(id.err).toContain('Check the id');
});

test('`api` sends the given Idempotency-Key with a mutation, otherwise a new one', async () => {
  const server = await fakeServer({ 'POST /api/dashboard/webhooks': { status: 201, body: {} } });
  const { commerce } = await loggedIn(server.url);
  const path = join(await folder(), 'body.json');
  await writeFile(path, '{"url": "https://a.example"}');
  await commerce(['api', 'POST', '/webhooks', '--input', path]);
  await commerce(['api', 'POST', '/webhooks', '--input', '-', '--idempotency-key', 'mine'], { input: '{"url": "b"}' });
  expect(server.seen.map(({ body }) => body)).toEqual([{ url: 'https://a.example' }, { url: 'b' }]);
  expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual([
    expect.stringMatching(/.{36}/),
    'mine',
  ]);
});

test('`api DELETE` asks for confirmation', async () => {
  const server = await fakeServer({ [`DELETE /api/dashboard/webhooks/${ID}`]: { body: { id: ID, deleted: true } } });
  const { commerce } = await loggedIn(server.url);
  const args = ['api', 'DELETE', `/webhooks/${ID}`];
  const refused = await commerce(args);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain(`/api/dashboard/webhooks/${ID}?\n  What to do: Add --yes.`);
  const declined = await commerce(args, { typed: 'n' });
  expect(declined.err).toContain(`/api/dashboard/webhooks/${ID}? [y/N]`);
  expect(declined.code).toBe(2);
  expect(server.seen).toEqual([]);
  expect((await commerce(args, { typed: 'y' })).code).toBe(0);
  expect((await commerce([...args, '--yes'])).code).toBe(0);
});

test('`api POST` asks for confirmation only if the dedicated command for the same call does', async () => {
  const server = await fakeServer({ [`POST /api/dashboard/orders/${ID}/mark-paid`]: { body: {} } });
  const { commerce } = await loggedIn(server.url);
  const args = ['api', 'POST', `/orders/${ID}/mark-paid`];
  expect((await commerce(args)).err).toContain('Add --yes.');
  expect(server.seen).toEqual([]);
  expect((await commerce([...args, '--yes'])).code).toBe(0);
  expect((await commerce(['api', 'POST', `/orders/${ID}/capture`])).code).toBe(1);
});

test("`api` calls other APIs with the given headers, without the profile's credentials", async () => {
  const server = await fakeServer({ 'GET /api/storefront/products': { body: { products: [] } } });
  const { commerce } = await user({ COMMERCE_URL: server.url });
  const headers = ['--header', 'X-Site-ID: s', '--header', 'X-Service-Token: stk_1'];
  const { code } = await commerce(['api', 'GET', '/api/storefront/products', ...headers]);
  expect(code).toBe(0);
  expect(server.seen[0]?.headers).toMatchObject({ 'x-site-id': 's', 'x-service-token': 'stk_1' });
  expect(server.seen[0]?.headers['x-api-key']).toBeUndefined();
});

test('`api` exits with code 1 after an error of the server, and with code 2 before any request if an argument is invalid', async () => {
  const server = await fakeServer({
    'GET /api/dashboard/orders/x': refusal(404, 'not_found', 'There is no such thing.'),
  });
  const { commerce } = await loggedIn(server.url);
  expect((await commerce(['api', 'GET', '/orders/x'])).code).toBe(1);
  const wrong = [
    [['FETCH', '/orders'], 'There is no method FETCH.'],
    [['GET', 'https://shop.example/api/dashboard/orders'], 'Give a path, not an address.'],
    [['GET', '/orders?limit=1'], 'The path has no query.'],
    [['GET', '/orders/../../sync/orders'], 'is no path of the API.'],
    [['GET', '/orders', '--field', 'a=1'], 'GET takes no body.'],
    [['POST', '/products', '--field', 'name'], '--field name is not a field with a value.'],
    [['POST', '/products', '--field', 'a=1', '--input', '-'], 'Give either --field or --input.'],
    [['POST', '/products', '--input', '-'], 'The input is not JSON.'],
    [['GET', '/orders', '--query', 'limit'], '--query limit has no name.'],
  ] as const;
  for (const [args, message] of wrong) {
    const { code, err } = await commerce(['api', ...args]);
    expect({ args, code }).toEqual({ args, code: 2 });
    expect(err).toContain(message);
  }
  expect(server.seen).toHaveLength(1);
  expect((await commerce(['api'])).code).toBe(2);
});

test('`api endpoints` and `api schema` describe operations without a server', async () => {
  const { commerce } = await user();
  const { out } = await commerce(['api', 'endpoints', '--surface', 'dashboard', '--q', 'refund']);
  expect(out).toMatch(/^METHOD +PATH +OPERATION\n/);
  expect(out).toMatch(/\nPOST +\/api\/dashboard\/orders\/\{order_id\}\/refunds +dashboard\.createRefund\n/);
  const all = JSON.parse((await commerce(['api', 'endpoints', '--json'])).out);
  expect(new Set(all.map(({ operation }: { operation: string }) => operation.split('.')[0]))).toEqual(
    new Set(['dashboard', 'storefront', 'agent', 'sync']),
  );
  const schema = await commerce(['api', 'schema', 'dashboard.createRefund']);
  expect(schema.out).toMatch(/^POST \/api\/dashboard\/orders\/\{order_id\}\/refunds\n/);
  expect(schema.out).toMatch(/\nreason \* +string +.*\(customer, returned/);
  const narrow = await commerce(['api', 'schema', 'dashboard.listProducts'], { typed: '', columns: 80 });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal output contains colour codes.
  const lines = narrow.out.replace(/\x1b\[\d+m/g, '').split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.join(' ').replace(/\s+/g, ' ')).toContain(
    'page integer The page to return, from 1. Past the end the list is empty.',
  );
  const whole = JSON.parse((await commerce(['api', 'schema', 'dashboard.createProduct', '--json'])).out);
  expect(whole.schemas).toHaveProperty([whole.body.$ref]);
  const unknown = await commerce(['api', 'schema', 'createProduct']);
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('commerce api endpoints');
});
