import { randomBytes, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { createCatalogueCache } from './cache.ts';

const products = '/api/dashboard/products';

test('answers 401 with a WWW-Authenticate challenge if the credential is missing or malformed', async () => {
  const { baseUrl } = await openShop();

  const none = await fetch(`${baseUrl}${products}`);
  const noise = await fetch(`${baseUrl}${products}`, { headers: { 'X-API-Key': 'key_noise' } });

  expect([none.status, await none.json()]).toMatchObject([401, { error: 'unauthorized' }]);
  expect(none.headers.get('WWW-Authenticate')).toBe('Bearer realm="commerce"');
  expect([noise.status, await noise.json()]).toMatchObject([401, { error: 'invalid_token' }]);
  expect(noise.headers.get('WWW-Authenticate')).toContain('error="invalid_token"');
});

test('rejects a storefront token with the site id of another shop (401)', async () => {
  const [{ baseUrl, site_id }, { credentials }] = [await openShop(), await openShop()];

  const { status } = await fetch(`${baseUrl}/api/storefront/products`, {
    headers: { 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token },
  });

  expect(status).toBe(401);
});

test('rejects a request with both an API key and a storefront token (401)', async () => {
  const { baseUrl, credentials } = await openShop();

  const { status } = await fetch(`${baseUrl}${products}`, {
    headers: { 'X-API-Key': credentials.api_key, 'X-Service-Token': credentials.storefront_token },
  });

  expect(status).toBe(401);
});

test('answers 401, not a validation error, to a malformed body without credentials', async () => {
  const { baseUrl } = await openShop();

  const { status } = await fetch(`${baseUrl}${products}`, { method: 'POST', body: '{broken' });

  expect(status).toBe(401);
});

test('distinguishes bodies that are not JSON (422), too large (413), too deep (422) and of another media type (415)', async () => {
  const { baseUrl, credentials } = await openShop();
  const post = async (body: string, type = 'application/json', more: Record<string, string> = {}) => {
    const headers = {
      'X-API-Key': credentials.api_key,
      'Content-Type': type,
      'Idempotency-Key': randomUUID(),
      ...more,
    };
    const response = await fetch(`${baseUrl}/api/dashboard/sync-keys`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { error: string; detail?: { type: string }[] };
    return [response.status, answer.detail?.[0]?.type ?? answer.error];
  };

  expect(await post('{broken')).toEqual([422, 'json_invalid']);
  expect(await post(`"${'x'.repeat(110 * 1024)}"`)).toEqual([413, 'payload_too_large']);
  expect(await post(`${'['.repeat(40)}${']'.repeat(40)}`)).toEqual([422, 'too_deep']);
  expect(await post('a=b', 'application/x-www-form-urlencoded')).toEqual([415, 'unsupported_media_type']);
  expect(await post('{}', 'application/json', { 'Content-Encoding': 'gzip' })).toEqual([415, 'unsupported_media_type']);
  expect(await post('{"description":"a\\u0000b"}')).toEqual([422, 'string_unicode']);
  expect(await post('{"description":"\\ud800"}')).toEqual([422, 'string_unicode']);
  expect(await post('')).toEqual([422, 'missing']);
});

test('answers 405 with the allowed methods of a path, and accepts HEAD where GET works', async () => {
  const { baseUrl, credentials } = await openShop();
  const headers = { 'X-API-Key': credentials.api_key };

  const put = await fetch(`${baseUrl}${products}`, { method: 'PUT' });
  const head = await fetch(`${baseUrl}${products}`, { method: 'HEAD', headers });
  const options = await fetch(`${baseUrl}${products}`, { method: 'OPTIONS', headers: { Origin: 'https://a.example' } });
  const nothing = await fetch(`${baseUrl}/api/dashboard/Products`, { headers });

  expect([put.status, put.headers.get('Allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect([options.status, options.headers.get('Access-Control-Allow-Origin')]).toEqual([204, null]);
  expect(nothing.status).toBe(404);
});

test('rejects a request with an absolute URL (400 invalid_request)', async () => {
  const { baseUrl } = await openShop();
  const { port } = new URL(baseUrl);

  const answer = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`GET http://other.example${products} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('close', () => resolve(text));
  });

  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('"invalid_request"');
});

test("returns the caller's request id in header and body if it is valid, otherwise a new one", async () => {
  const { baseUrl } = await openShop();
  const ask = async (id: string) => {
    const response = await fetch(`${baseUrl}${products}`, { headers: { 'X-Request-Id': id } });
    return [response.headers.get('X-Request-Id'), ((await response.json()) as { request_id: string }).request_id];
  };

  expect(await ask('order-17.retry_2')).toEqual(['order-17.retry_2', 'order-17.retry_2']);
  const [header, body] = await ask('<script>');
  expect(header).toMatch(/^[0-9a-f-]{36}$/);
  expect(body).toBe(header);
});

test('a storefront token works only from the web origins in its settings (otherwise 403 origin_not_allowed)', async () => {
  const { baseUrl, dashboard, site_id, credentials } = await openShop();
  const from = (Origin: string) =>
    fetch(`${baseUrl}/api/storefront/products`, {
      headers: { 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token, Origin },
    });
  expect((await from('https://anywhere.example')).status).toBe(200);

  await dashboard.PATCH('/api/dashboard/settings', { body: { allowed_origins: ['https://shop.example'] } });

  const listed = await from('https://shop.example');
  const other = await from('https://evil.example');
  expect([listed.status, listed.headers.get('Access-Control-Allow-Origin')]).toEqual([200, 'https://shop.example']);
  expect([other.status, await other.json()]).toMatchObject([403, { error: 'origin_not_allowed' }]);
});

test('returns 429 with Retry-After to a caller above the rate limit, and still serves others', async () => {
  const { site_id, credentials } = await openShop();
  const neighbour = await openShop();
  const limited = await startServer(databaseUrl(), { rateLimits: true });
  const read = (id: string, token: string) =>
    fetch(`${limited.baseUrl}/api/storefront/shop`, { headers: { 'X-Site-ID': id, 'X-Service-Token': token } });

  const statuses: number[] = [];
  for (let i = 0; i < 60; i += 1) {
    const batch = await Promise.all(Array.from({ length: 11 }, () => read(site_id, credentials.storefront_token)));
    statuses.push(...batch.map(({ status }) => status));
  }
  const refused = await read(site_id, credentials.storefront_token);
  const served = await read(neighbour.site_id, neighbour.credentials.storefront_token);

  expect(statuses.filter((status) => status === 200)).toHaveLength(600);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(refused.headers.get('RateLimit-Policy')).toBe('"storefront_read";q=600;w=60');
  expect(served.status).toBe(200);
  await stopServer(limited);
});

test('liveness, readiness, metrics and the API reference need no credentials', async () => {
  const { baseUrl } = await openShop();
  const get = async (path: string) => {
    const response = await fetch(`${baseUrl}${path}`);
    return { status: response.status, text: await response.text() };
  };

  expect(await get('/healthz')).toEqual({ status: 200, text: '{"status":"ok"}' });
  const ready = await get('/readyz');
  expect([ready.status, JSON.parse(ready.text)]).toMatchObject([200, { status: 'ok' }]);
  expect((await get('/metrics')).text).toContain('http_request_duration_seconds_bucket');
  expect(JSON.parse((await get('/openapi.json')).text)).toMatchObject({ info: { version: '1.0.0' } });
  expect((await get('/docs')).text).toContain('<h2>Getting started</h2>');
  expect((await get('/docs/redoc.standalone.js')).status).toBe(200);
});

test('without a database, requests and /readyz answer 503, and /healthz answers 200', async () => {
  const auditKey = { id: randomUUID(), key: randomBytes(32), made_at: new Date().toISOString() };
  const lost = await startServer('postgres://nobody@127.0.0.1:9/none', { auditKey });
  const { site_id, credentials } = await openShop();
  const headers = { 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token };

  const call = await fetch(`${lost.baseUrl}/api/storefront/shop`, { headers });
  const ready = await fetch(`${lost.baseUrl}/readyz`);
  const live = await fetch(`${lost.baseUrl}/healthz`);

  expect([call.status, await call.json()]).toMatchObject([503, { error: 'unavailable', retryable: true }]);
  expect(call.headers.get('Retry-After')).toBe('1');
  expect([ready.status, live.status]).toEqual([503, 200]);
  await stopServer(lost);
});

test('sends no more queries after a query of a login times out (503)', async () => {
  const server = await startServer(databaseUrl());
  onTestFinished(() => stopServer(server));
  let asked = 0;
  server.db.on('acquire', () => {
    asked += 1;
  });
  const lock = await server.owner.connect();
  await lock.query('begin; lock table commerce.login_throttles in access exclusive mode');

  const late = await fetch(`${server.baseUrl}/api/dashboard/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
    body: JSON.stringify({ email: 'nobody@example.com', password: 'not the password' }),
  });
  await lock.query('rollback');
  lock.release();

  expect([late.status, await late.json()]).toMatchObject([
    503,
    { error: 'unavailable', message: 'The database took too long. Retry the request.' },
  ]);
  // The two queries are the look-up of a stored response and the query that timed out.
  expect(asked).toBe(2);
});

test('isolates tenants if the pooling is set to transaction mode', async () => {
  const [a, b] = [await openShop(), await openShop()];
  await a.givenProduct({ name: 'Of A' });
  const pooled = await startServer(databaseUrl(), {
    pooling: 'transaction',
    cache: createCatalogueCache({ enabled: false }),
  });
  const names = async ({ site_id, credentials }: typeof a) => {
    const response = await fetch(`${pooled.baseUrl}/api/storefront/products`, {
      headers: { 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token },
    });
    return ((await response.json()) as { products: { name: string }[] }).products.map(({ name }) => name);
  };

  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => names(i % 2 === 0 ? a : b)));

  expect(answers.filter((_, i) => i % 2 === 0)).toEqual(Array(10).fill(['Of A']));
  expect(answers.filter((_, i) => i % 2 === 1)).toEqual(Array(10).fill([]));
  await stopServer(pooled);
});
