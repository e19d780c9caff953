import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Operators, openOperators, SITES } from '../../test/operators.ts';
import { testServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { operatorOperations } from '../http/contract/operator-contract.ts';
import { createLimits } from '../http/pipeline/limits.ts';
import { createKey, revokeKey } from '../shop/operators/keys.ts';

let operators: Operators;
const ask: Operators['ask'] = (path, asked) => operators.ask(path, asked);
const asKeeper: Operators['asKeeper'] = (work) => operators.asKeeper(work);

beforeAll(async () => {
  await testServer();
  operators = await openOperators();
});

afterAll(() => operators.close());

test("rejects every operator operation without an active operator key (401), and on the shops' port (404)", async () => {
  const { base, secret } = operators;
  const { baseUrl } = await testServer();
  const ended = await asKeeper((connection) => createKey(connection, { description: 'ended', days: 1 }));
  await asKeeper((connection) => revokeKey(connection, ended.id));
  const shop = await openShop();

  for (const { method, path } of operatorOperations) {
    const address = path.replace('{site_id}', shop.site_id).replace('{host}', 'shop.example');
    const asked = { method: method.toUpperCase() };
    for (const key of ['', ended.secret, shop.credentials.api_key, `${secret.slice(0, -1)}!`]) {
      expect((await ask(address, { ...asked, key })).status).toBe(401);
    }
    expect((await ask(address, { ...asked, headers: { Origin: base } })).data.error).toBe('origin_not_allowed');
    const onShops = await fetch(`${baseUrl}${address}`, { ...asked, headers: { Authorization: `Bearer ${secret}` } });
    expect(onShops.status).toBe(404);
  }
});

test("the operators' listener does not serve the APIs of shops (404)", async () => {
  expect((await ask('/api/dashboard/settings')).status).toBe(404);
  expect((await ask('/healthz')).status).toBe(404);
});

test('two calls with one Idempotency-Key create one working shop', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const body = { name: 'Fleet one', country: 'DE', shipping_options: [{ name: 'Parcel', price: '4.90' }] };

  const first = await ask(SITES, { method: 'POST', body, headers });
  const again = await ask(SITES, { method: 'POST', body, headers });

  expect(first.status).toBe(201);
  expect(again.data).toEqual(first.data);
  expect(again.headers.get('Idempotency-Replayed')).toBe('true');
  const { baseUrl } = await testServer();
  const settings = await fetch(`${baseUrl}/api/dashboard/settings`, { headers: { 'X-API-Key': first.data.api_key } });
  expect(await settings.json()).toMatchObject({ name: 'Fleet one', currency: 'EUR', default_locale: 'de' });
});

test('rejects an invalid request for a new shop (422), names the field, and creates nothing', async () => {
  const name = `Half ${randomUUID()}`;
  const body = { name, currency: 'EUR', shipping_options: [{ name: 'Parcel', price: '4.901' }] };

  const { status, data } = await ask(SITES, { method: 'POST', body });

  expect(status).toBe(422);
  expect(data.detail[0].loc).toEqual(['body', 'shipping_options', 0, 'price']);
  expect((await ask(`${SITES}?q=${encodeURIComponent(name)}`)).data.total).toBe(0);
});

test('adds and removes hosts of one site, and rejects a host of another site (409)', async () => {
  const [one, two] = [await openShop(), await openShop()];
  const host = `fleet-${one.site_id}.example`;
  const domains = ({ site_id }: { site_id: string }) => `${SITES}/${site_id}/domains`;

  const added = await ask(domains(one), { method: 'POST', body: { host, is_primary: true } });
  const taken = await ask(domains(two), { method: 'POST', body: { host } });
  const foreign = await ask(`${domains(two)}/${host}`, { method: 'DELETE' });
  const bad = await ask(domains(two), { method: 'POST', body: { host: 'https://evil.example' } });

  expect(added.data.domains).toEqual([{ host, is_primary: true }]);
  expect([taken.status, taken.data.error]).toEqual([409, 'conflict']);
  expect(foreign.status).toBe(404);
  expect([bad.status, bad.data.detail[0].loc]).toEqual([422, ['body', 'host']]);
  expect((await ask(`${domains(one)}/${host}`, { method: 'DELETE' })).data).toEqual({ domains: [] });
});

test('replaces the rate limits of one site, and leaves those of another unchanged', async () => {
  const [one, two] = [await openShop(), await openShop()];
  const limits = ({ site_id }: { site_id: string }) => `${SITES}/${site_id}/limits`;
  const of = ({ data }: Awaited<ReturnType<typeof ask>>) =>
    data.limits.find(({ name }: { name: string }) => name === 'storefront_read').points;

  const set = await ask(limits(one), { method: 'PUT', body: { limits: { storefront_read: 7 } } });
  const wrong = await ask(limits(one), { method: 'PUT', body: { limits: { login: 5 } } });

  expect([of(set), of(await ask(limits(two)))]).toEqual([7, 600]);
  expect(wrong.data.detail[0].loc).toEqual(['body', 'limits', 'login']);
  expect((await ask(`${SITES}/${one.site_id}`)).data.limits).toMatchObject([{ name: 'storefront_read', points: 7 }]);
});

test('answers 404 for an unknown site, and returns only data of the requested site', async () => {
  const [one, two] = [await openShop(), await openShop()];
  await one.givenProduct();

  expect((await ask(`${SITES}/${randomUUID()}`)).data.error).toBe('not_found');
  expect((await ask(`${SITES}/${one.site_id}`)).data).toMatchObject({ products: 1, health: { failing_webhooks: [] } });
  expect((await ask(`${SITES}/${two.site_id}`)).data.products).toBe(0);
});

test('an operator key may make 3,000 calls a minute, independently of other keys (429)', async () => {
  const { db } = await testServer();
  const limits = createLimits({ db, redis: undefined, enabled: true, baseUrl: '' });
  const [one, other] = [randomUUID(), randomUUID()];
  const counted = await Promise.all(Array.from({ length: 3001 }, () => limits.countOperator(one)));
  expect(counted.filter(({ refusal }) => refusal)).toHaveLength(1);
  expect(counted[0]?.headers['RateLimit-Policy']).toBe('"operator";q=3000;w=60');
  expect((await limits.countOperator(other)).refusal).toBeUndefined();
});

test('records every call with an operator key, even a rejected one, in a table that shops cannot read', async () => {
  const { site_id } = await openShop();
  await ask(`${SITES}/${site_id}`);
  await ask(`${SITES}/${site_id}/domains`, { method: 'POST', body: { host: 'no' } });

  const { db, owner: superuser } = await testServer();
  const { rows } = await superuser.query(
    'select operation, status from commerce.operator_audit_events where about_site = $1 order by created_at',
    [site_id],
  );

  expect(rows).toEqual([
    { operation: 'operator.getSite', status: 200 },
    { operation: 'operator.addDomain', status: 422 },
  ]);
  await expect(db.query('select from commerce.operator_keys')).rejects.toThrow('permission denied');
  await expect(db.query('select from commerce.operator_audit_events')).rejects.toThrow('permission denied');
});
