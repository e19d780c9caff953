import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { createCatalogueCache } from './cache.ts';

const products = '/api/storefront/products';

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Requests without `fetch`, which asks for compression itself and decompresses the response. */
async function raw(url: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const sent = request(url, { method, headers });
  const answer = new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  sent.end(body);
  const response = await answer;
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
}

async function shopWithLargeList() {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Clay mug', description: 'clay '.repeat(1_000) });
  const headers = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.credentials.storefront_token };
  const get = (encoding: string, more: Sent = {}) =>
    raw(`${shop.baseUrl}${products}`, {
      ...more,
      headers: { ...headers, ...(encoding && { 'Accept-Encoding': encoding }), ...more.headers },
    });
  return { ...shop, headers, get };
}

test.each([
  ['br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip, br;q=0', 'gzip', gunzipSync],
])(
  'compresses a response over 1 KB for Accept-Encoding: %s, whether or not it is cached',
  async (accepted, encoding, unpack) => {
    const { get } = await shopWithLargeList();
    const plain = await get('');
    const [first, second] = [await get(accepted), await get(accepted)];

    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const { headers, bytes } of [first, second]) {
      expect(headers).toMatchObject({ 'content-encoding': encoding, 'content-length': String(bytes.length) });
      expect(headers.vary).toContain('Accept-Encoding');
      expect(bytes.length).toBeLessThan(plain.bytes.length / 4);
      expect(unpack(bytes).toString()).toBe(plain.bytes.toString());
    }
  },
);

test.each(['', 'identity', 'br;q=0, gzip;q=0', 'identity, gzip;q=0.5'])(
  'does not compress for Accept-Encoding: %s',
  async (accepted) => {
    const { headers, bytes } = await (await shopWithLargeList()).get(accepted);

    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.vary).toContain('Accept-Encoding');
    expect(JSON.parse(bytes.toString())).toMatchObject({ total: 1 });
  },
);

test('does not compress small responses or responses that contain secrets', async () => {
  const { baseUrl, credentials } = await openShop();
  const headers = { 'X-API-Key': credentials.api_key, 'Accept-Encoding': 'br, gzip' };
  const origins = Array.from({ length: 20 }, (_, i) => `https://${'long-name-'.repeat(5)}${i}.example`);

  const small = await raw(`${baseUrl}/api/dashboard/shipping-options`, { headers });
  const secret = await raw(`${baseUrl}/api/dashboard/storefront-tokens`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
    body: JSON.stringify({ description: 'Website', allowed_origins: origins }),
  });

  expect([small.status, small.headers['content-encoding']]).toEqual([200, undefined]);
  expect([secret.status, secret.headers['content-encoding']]).toEqual([201, undefined]);
  expect(secret.bytes.length).toBeGreaterThan(1_024);
});

test('a compressed response has a weak ETag, and requests with its ETag or the uncompressed one get 304 in every encoding', async () => {
  const { get } = await shopWithLargeList();
  const [plain, packed] = [await get(''), await get('br')];

  expect(packed.headers.etag).toBe(`W/${plain.headers.etag}`);
  for (const tag of [plain.headers.etag, packed.headers.etag]) {
    for (const encoding of ['', 'br', 'gzip']) {
      const { status, headers, bytes } = await get(encoding, { headers: { 'If-None-Match': String(tag) } });
      expect([status, bytes.length, headers['content-encoding']]).toEqual([304, 0, undefined]);
      expect(headers.vary).toContain('Accept-Encoding');
      expect(headers.etag).toBe(encoding ? packed.headers.etag : plain.headers.etag);
    }
  }
});

test('HEAD returns the same headers as GET, with and without compression', async () => {
  const { get } = await shopWithLargeList();
  for (const encoding of ['', 'br', 'gzip']) {
    const [head, whole] = [await get(encoding, { method: 'HEAD' }), await get(encoding)];
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary', 'content-type']) {
      expect(head.headers[name], name).toEqual(whole.headers[name]);
    }
  }
});

test('compression does not change the content of a large uncached response', async () => {
  const shop = await shopWithLargeList();
  for (let i = 0; i < 60; i += 1) await shop.givenProduct({ name: `Mug ${i}`, description: `clay ${i} `.repeat(600) });
  const server = await startServer(databaseUrl(), { cache: createCatalogueCache({ enabled: false }) });
  try {
    const get = (encoding: string) =>
      raw(`${server.baseUrl}${products}?limit=100`, { headers: { ...shop.headers, 'Accept-Encoding': encoding } });
    const plain = await get('identity');
    expect(plain.bytes.length).toBeGreaterThan(256 * 1_024);
    expect(brotliDecompressSync((await get('br')).bytes).equals(plain.bytes)).toBe(true);
    expect(gunzipSync((await get('gzip')).bytes).equals(plain.bytes)).toBe(true);
  } finally {
    await stopServer(server);
  }
});

test('a compressed response has both Accept-Encoding and Origin in Vary', async () => {
  const { get } = await shopWithLargeList();
  const { headers } = await get('br', { headers: { Origin: 'https://shop.example' } });

  expect(headers.vary?.split(', ').sort()).toEqual(['Accept-Encoding', 'Origin']);
});
