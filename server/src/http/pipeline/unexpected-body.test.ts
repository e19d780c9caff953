import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { givenAgent } from '../../../test/agents.ts';
import { logIn } from '../../../test/session.ts';
import { openShop } from '../../../test/shop.ts';
import { once } from '../../once.ts';
import { type Operation, operationTable } from '../contract/contract.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;
type Credentials = Record<string, () => Promise<Record<string, string>>>;
type Sent = { type?: string; body: string; chunked?: true };

const json = 'application/json';
const withoutBody = operationTable.filter(({ hasBody, method }) => !hasBody && method !== 'get');
const REFUSED: [string, Sent, number, { type: string; loc: string[] } | undefined][] = [
  ['a field', { type: json, body: '{"amount":"0.01"}' }, 422, { type: 'extra_forbidden', loc: ['body', 'amount'] }],
  ['a list', { type: json, body: '[]' }, 422, { type: 'extra_forbidden', loc: ['body'] }],
  ['null', { type: json, body: 'null' }, 422, { type: 'extra_forbidden', loc: ['body'] }],
  ['JSON text', { type: json, body: '"x"', chunked: true }, 422, { type: 'extra_forbidden', loc: ['body'] }],
  ['broken JSON', { type: json, body: '{"amount":' }, 422, { type: 'json_invalid', loc: ['body'] }],
  ['a form', { type: 'application/x-www-form-urlencoded', body: 'amount=0.01' }, 415, undefined],
  ['bytes without a type', { body: '{}', chunked: true }, 415, undefined],
  ['a body above the limit', { type: json, body: `{"a":"${'x'.repeat(110 * 1024)}"}` }, 413, undefined],
];
const ACCEPTED: [string, Sent][] = [
  ['an empty object', { type: json, body: '{}' }],
  ['only a type', { type: json, body: '' }],
  ['only another type, chunked', { type: 'text/plain', body: '', chunked: true }],
];

test.each(REFUSED)('rejects %s if the contract declares no body', async (_, sent, status, mistake) => {
  const shop = await openShop();
  const credentials = credentialsOf(shop);

  for (const operation of withoutBody) {
    const answer = await send(shop, operation, credentials, sent);
    expect([operation.id, answer.status]).toEqual([operation.id, status]);
    if (mistake) expect(answer.body.detail, operation.id).toMatchObject([mistake]);
    else expect(answer.body.error, operation.id).toMatch(/^unsupported_media_type|payload_too_large$/);
  }
});

test.each(ACCEPTED)('treats %s as no body if the contract declares none', async (_, sent) => {
  const shop = await openShop();
  // The operation for a test order needs a product and a shipping option.
  await shop.givenProduct();
  await shop.givenShippingOption();

  for (const operation of withoutBody) {
    // Some operations revoke their own credentials, so each call gets new ones.
    const { status } = await send(shop, operation, credentialsOf(shop), sent);
    // The objects in the path do not exist, and the new shop has no payment account.
    const missing = operation.path.includes('{') || operation.id === 'dashboard.deletePaymentAccount';
    // The staff member has not enabled two-factor login.
    const off = operation.id === 'dashboard.replaceRecoveryCodes';
    const expected = missing ? 404 : off ? 409 : operation.status;
    expect([operation.id, status]).toEqual([operation.id, expected]);
  }
});

test('a mark-paid call rejected for its unexpected body (422) records no payment', async () => {
  const shop = await openShop();
  const { dashboard, baseUrl, credentials } = shop;
  const order = await shop.givenOrder();
  const markPaid = async (body: string) => {
    const headers = { 'X-API-Key': credentials.api_key, 'Content-Type': json, 'Idempotency-Key': randomUUID() };
    const url = `${baseUrl}/api/dashboard/orders/${order.id}/mark-paid`;
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  const stateOf = async () => {
    const params = { path: { order_id: order.id } };
    return (await dashboard.GET('/api/dashboard/orders/{order_id}', { params })).data?.payment_status;
  };

  expect([await markPaid('{"amount":"0.01"}'), await stateOf()]).toEqual([422, 'awaiting_payment']);
  expect([await markPaid('{}'), await stateOf()]).toEqual([200, 'paid']);
});

interface Answer {
  status: number;
  body: { error?: string; detail?: object[] };
}

async function send(shop: Shop, operation: Operation, credentials: Credentials, sent: Sent): Promise<Answer> {
  const path = operation.path.replace('{user_code}', 'BCDF-GHJK').replaceAll(/\{\w+\}/g, () => randomUUID());
  const headers: Record<string, string> = { 'Idempotency-Key': randomUUID() };
  for (const scheme of operation.security.at(-1) ?? []) Object.assign(headers, await credentials[scheme]?.());
  if (sent.type) headers['Content-Type'] = sent.type;
  if (sent.chunked) headers['Transfer-Encoding'] = 'chunked';
  else headers['Content-Length'] = String(Buffer.byteLength(sent.body));
  return new Promise((resolve, reject) => {
    const call = request(`${shop.baseUrl}${path}`, { method: operation.method, headers }, async (response) => {
      const text = (await response.toArray()).join('');
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text || '{}') as Answer['body'] });
    });
    call.on('error', reject).end(sent.body);
  });
}

/** Request headers by security scheme of the contract. Sessions are created on first use. */
function credentialsOf(shop: Shop): Credentials {
  const { site_id, credentials } = shop;
  const customer = once(() => shop.givenCustomer());
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  return {
    ApiKey: async () => ({ 'X-API-Key': credentials.api_key }),
    SiteId: async () => ({ 'X-Site-ID': site_id }),
    StorefrontToken: async () => ({ 'X-Service-Token': credentials.storefront_token }),
    SyncSecret: async () => ({ 'X-Sync-Secret': credentials.sync_secret }),
    StaffSession: once(async () => bearer((await logIn(shop)).session.access_token)),
    CustomerToken: once(async () => bearer((await customer()).access_token)),
    AgentToken: once(async () => bearer((await givenAgent(shop, await customer())).access_token)),
  };
}
