import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openShop } from '../../../test/shop.ts';

/** Sends a raw request in Latin-1, which no client library could send. */
async function send(baseUrl: string, method: string, target: string, headers: Record<string, string>, body = '') {
  const fields = Object.entries({ Host: 'x', Connection: 'close', ...headers }).map((field) => field.join(': '));
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  socket.write(`${method} ${target} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  await once(socket, 'close');
  const [head = '', json = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: json === '' ? undefined : JSON.parse(json) };
}

async function openRaw() {
  const { baseUrl, site_id, credentials } = await openShop();
  const storefront = { 'X-Site-ID': site_id, 'X-Service-Token': credentials.storefront_token };
  const dashboard = { 'X-API-Key': credentials.api_key, 'Content-Type': 'application/json' };
  return { baseUrl, storefront, dashboard };
}

test('rejects a body that is not UTF-8 instead of storing U+FFFD (422 string_unicode)', async () => {
  const { baseUrl, dashboard } = await openRaw();
  const json = '{"description":"Caf\xe9"}';
  const headers = { ...dashboard, 'Idempotency-Key': randomUUID(), 'Content-Length': String(json.length) };

  const { status, body } = await send(baseUrl, 'POST', '/api/dashboard/sync-keys', headers, json);

  expect(status).toBe(422);
  expect(body.detail).toMatchObject([{ loc: ['body'], type: 'string_unicode' }]);
});

test('rejects a form that is not UTF-8, raw or percent-encoded (422 string_unicode)', async () => {
  const { baseUrl, storefront } = await openRaw();
  const type = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Site-ID': storefront['X-Site-ID'] };
  for (const form of ['client_id=x\xe9', 'client_id=x%E9']) {
    const headers = { ...type, 'Content-Length': String(form.length) };
    const { status, body } = await send(baseUrl, 'POST', '/api/agent/consent/request', headers, form);
    expect([status, body.detail?.[0]?.type]).toEqual([422, 'string_unicode']);
  }
});

test('rejects a URL or a header that is not valid UTF-8 (400 invalid_request)', async () => {
  const { baseUrl, storefront } = await openRaw();

  const encoded = await send(baseUrl, 'GET', '/api/storefront/products?q=caf%E9', storefront);
  const header = await send(baseUrl, 'GET', '/api/storefront/products', { ...storefront, 'User-Agent': 'x\xff' });

  for (const { status, body } of [encoded, header]) {
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  }
});

test('rejects a body above the limit without side effects, even if the operation has no body (413)', async () => {
  const { baseUrl, storefront } = await openRaw();
  const headers = { ...storefront, 'Idempotency-Key': randomUUID() };

  const long = await send(baseUrl, 'POST', '/api/storefront/cart', { ...headers, 'Content-Length': '9999999999' });
  const again = await send(baseUrl, 'POST', '/api/storefront/cart', { ...headers, 'Content-Length': '0' });

  expect([long.status, long.body.error]).toEqual([413, 'payload_too_large']);
  expect(again.status).toBe(201);
});

test('rejects a body with an unsupported Transfer-Encoding (400 invalid_request)', async () => {
  const { baseUrl, storefront } = await openRaw();
  for (const coding of ['xchunked', 'gzip, chunked', 'identity']) {
    const headers = { ...storefront, 'Idempotency-Key': randomUUID(), 'Transfer-Encoding': coding };
    const { status, body } = await send(baseUrl, 'POST', '/api/storefront/cart', headers, '0\r\n\r\n');
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  }
});
