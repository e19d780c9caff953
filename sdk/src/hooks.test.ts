import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { baseUrl, openNetwork, refusal, requestId, siteId } from '../test/backend.ts';
import { createStorefrontClient, lastResponse, type RequestEvent, type ResponseEvent, unwrap } from './index.ts';

const network = openNetwork();
const credentials = { baseUrl, siteId, storefrontToken: 'stk_secret', customerToken: 'cust_secret' };
const busy = () =>
  refusal(503, 'unavailable', { retryable: true, headers: { 'Retry-After': '0', 'X-Request-Id': requestId } });
const cart = () => HttpResponse.json({ id: siteId }, { status: 201, headers: { 'X-Request-Id': 'req-2' } });

/** Answers with these responses first, then with new carts. */
function answerInTurn(...answers: (() => Response)[]) {
  network.use(http.post(`${baseUrl}/api/storefront/cart`, () => (answers.shift() ?? cart)()));
}

test('calls the hooks for each attempt, with the same Idempotency-Key and without secrets', async () => {
  const events: (RequestEvent | ResponseEvent)[] = [];
  const onRequest = (event: RequestEvent) => void events.push(event);
  const onResponse = (event: ResponseEvent) => void events.push(event);
  answerInTurn(busy, () => HttpResponse.error());
  await createStorefrontClient({ ...credentials, onRequest, onResponse }).POST('/api/storefront/cart', {
    params: { header: { 'Idempotency-Key': siteId } },
  });

  const attempt = (number: number) => ({
    ...{ method: 'POST', path: '/api/storefront/cart', idempotencyKey: siteId, attempt: number },
  });
  const elapsedMs = expect.any(Number);
  expect(events).toEqual([
    attempt(1),
    { ...attempt(1), status: 503, requestId, error: undefined, elapsedMs },
    attempt(2),
    {
      ...{ ...attempt(2), status: undefined, requestId: undefined, elapsedMs },
      error: expect.objectContaining({ name: 'ConnectionError' }),
    },
    attempt(3),
    { ...attempt(3), status: 201, requestId: 'req-2', error: undefined, elapsedMs },
  ]);
  expect(JSON.stringify(events)).not.toContain('_secret');
});

test('throws an error of onRequest unchanged', async () => {
  const stop = new Error('Not now.');
  const onRequest = () => {
    throw stop;
  };
  const call = createStorefrontClient({ ...credentials, onRequest }).POST('/api/storefront/cart');
  await expect(call).rejects.toBe(stop);
});

test('lastResponse returns the HTTP response of data, an error or a raw result', async () => {
  const storefront = createStorefrontClient(credentials);
  answerInTurn(busy);
  const data = await unwrap(storefront.POST('/api/storefront/cart'));
  expect(lastResponse(data)).toMatchObject({ status: 201, requestId: 'req-2', attempts: 2 });
  expect(lastResponse(data)?.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  expect(lastResponse(data)?.headers.get('Content-Type')).toBe('application/json');
  expect(JSON.stringify(data)).toBe(JSON.stringify({ id: siteId }));

  answerInTurn(() => refusal(409, 'cart_limit', { headers: { 'X-Request-Id': requestId } }));
  const error = await unwrap(storefront.POST('/api/storefront/cart')).catch((thrown: unknown) => thrown);
  expect(lastResponse(error)).toMatchObject({ status: 409, requestId, attempts: 1 });

  const { response } = await storefront.POST('/api/storefront/cart');
  expect(lastResponse(response)).toMatchObject({ status: 201, attempts: 1 });
  expect(lastResponse({ ...data })).toBeUndefined();
  expect(lastResponse(undefined)).toBeUndefined();
});
