import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpResponse, http, passthrough } from 'msw';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { baseUrl, openNetwork, refusal, siteId } from '../test/backend.ts';
import { ConnectionError, createDashboardClient, createStorefrontClient, TimeoutError } from './index.ts';
import { withRetries } from './retry.ts';

const network = openNetwork();
const fast = { baseUrl, maxWaitMs: 5 };
const storefront = createStorefrontClient({ ...fast, siteId, storefrontToken: 'stk_1' });
const dashboard = createDashboardClient({ ...fast, apiKey: 'key_1' });
const patient = createStorefrontClient({ baseUrl, siteId, storefrontToken: 'stk_1' });
const body = { name: 'Mug' };

/** Answers calls in this order, then repeats the last response. Records times and requests. */
function answer(...answers: (() => Response | Promise<Response>)[]) {
  const calls: { at: number; key: string | null; text: string }[] = [];
  network.use(
    http.all(`${baseUrl}/*`, async ({ request }) => {
      const reply = answers[Math.min(calls.length, answers.length - 1)];
      const key = request.headers.get('Idempotency-Key');
      calls.push({ at: performance.now(), key, text: await request.text() });
      return reply?.() ?? HttpResponse.error();
    }),
  );
  return calls;
}

const fine = () => HttpResponse.json({});
const lost = () => HttpResponse.error();
const never = () => new Promise<Response>(() => {});
const busy = (retryAfter: string) => () =>
  refusal(429, 'rate_limited', { retryable: true, headers: { 'Retry-After': retryAfter } });

/** Starts a real server for tests of broken connections. `first` sends the first response; later ones succeed. */
async function listen(first: (response: ServerResponse) => void) {
  let calls = 0;
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    if (++calls === 1) first(response);
    else response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  network.use(http.all(`${address}/*`, () => passthrough()));
  return {
    calls: () => calls,
    client: (timeoutMs = 5000) =>
      createStorefrontClient({ ...fast, baseUrl: address, siteId, storefrontToken: 'stk_1', timeoutMs }),
  };
}

describe('temporary failures', () => {
  test('retries a mutation with the same Idempotency-Key and body after a lost connection', async () => {
    const calls = answer(lost, lost, fine);

    const { response } = await dashboard.POST('/api/dashboard/products', { body });

    expect(response.status).toBe(200);
    expect(calls.map(({ text }) => text)).toEqual(Array(3).fill('{"name":"Mug"}'));
    expect(calls[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(1);
  });

  test.each([
    [
      'a first call with the same key that is still running',
      () => refusal(409, 'idempotency_in_flight', { retryable: true }),
    ],
    ['too many requests', () => refusal(429, 'rate_limited', { retryable: true })],
    ['an internal error', () => refusal(500, 'internal_error', { retryable: true })],
    ['a restart', () => refusal(503, 'unavailable', { retryable: true })],
    ['an error of a gateway', () => new HttpResponse('<h1>Bad gateway</h1>', { status: 502 })],
  ])('retries after %s', async (_cause, refused) => {
    const calls = answer(refused, fine);

    const { response } = await dashboard.POST('/api/dashboard/products', { body });

    expect(response.status).toBe(200);
    expect(calls).toHaveLength(2);
  });

  test('retries a checkout completion with the same Idempotency-Key, so that a lost response does not lead to a second order', async () => {
    const calls = answer(lost, () => refusal(503, 'unavailable', { retryable: true }), fine);
    const params = { path: { checkout_id: siteId } };

    await storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} });

    expect(calls).toHaveLength(3);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(1);
  });

  test('retries after a response that was cut off', async () => {
    const server = await listen((response) => {
      response.write('{"products":[', () => response.destroy());
    });

    const { data } = await server.client().GET('/api/storefront/products');

    expect(data).toEqual({});
    expect(server.calls()).toBe(2);
  });
});

describe('final failures', () => {
  test.each([
    ['a conflict', () => refusal(409, 'slug_taken')],
    ['a total that differs from what the human saw', () => refusal(409, 'price_changed')],
    ['a card that was declined', () => refusal(409, 'payment_failed')],
    ['a code that is used up', () => refusal(400, 'discount_usage_limit_reached')],
    ['a wrong credential', () => refusal(401, 'invalid_token')],
    ['a 503 that is not retryable', () => refusal(503, 'unavailable')],
    ['an error with an unknown code', () => new HttpResponse('<h1>Oops</h1>', { status: 500 })],
  ])('does not retry after %s', async (_cause, refused) => {
    const calls = answer(refused);
    await dashboard.POST('/api/dashboard/products', { body });
    expect(calls).toHaveLength(1);
  });

  test('does not retry a mutation without an Idempotency-Key, because it may have taken effect', async () => {
    const send = vi.fn(async () => Promise.reject(new Error('lost')));
    const sendWithRetries = withRetries(send, { maxAttempts: 3, maxWaitMs: 1, timeoutMs: 1000 });

    await expect(sendWithRetries(new Request(baseUrl, { method: 'POST' }))).rejects.toThrow(ConnectionError);
    expect(send).toHaveBeenCalledTimes(1);

    await expect(sendWithRetries(new Request(baseUrl))).rejects.toThrow(ConnectionError);
    expect(send).toHaveBeenCalledTimes(4);
  });

  test('returns the last result after maxAttempts attempts', async () => {
    const calls = answer(() => refusal(503, 'unavailable', { retryable: true }));
    const { response } = await storefront.GET('/api/storefront/shop');
    expect(response.status).toBe(503);
    expect(calls).toHaveLength(3);

    const lostCalls = answer(lost);
    const call = storefront.GET('/api/storefront/shop', { params: {} });
    await expect(call).rejects.toThrow(ConnectionError);
    await expect(call).rejects.toThrow('GET https://shop.test/api/storefront/shop had no response');
    expect(lostCalls).toHaveLength(3);
  });
});

describe('Retry-After', () => {
  test('waits for a Retry-After in seconds', async () => {
    const calls = answer(busy('1'), fine);
    await patient.GET('/api/storefront/shop');
    expect((calls[1]?.at ?? 0) - (calls[0]?.at ?? 0)).toBeGreaterThanOrEqual(995);
  });

  test('waits for a Retry-After as a date', async () => {
    // An HTTP date has no fractions of a second, so this one is 1 to 2 seconds from now.
    const date = Math.floor(Date.now() / 1000) * 1000 + 2000;
    answer(busy(new Date(date).toUTCString()), fine);
    await patient.GET('/api/storefront/shop');
    expect(Date.now()).toBeGreaterThanOrEqual(date - 5);
  });

  test('returns the error without waiting if Retry-After exceeds maxWaitMs', async () => {
    const calls = answer(busy('60'), fine);
    const { response } = await storefront.GET('/api/storefront/shop');
    expect(response.status).toBe(429);
    expect(calls).toHaveLength(1);
  });
});

describe('timeouts and aborts', () => {
  test('retries an attempt that times out, and throws a TimeoutError after the last one', async () => {
    const hasty = createStorefrontClient({ ...fast, siteId, storefrontToken: 'stk_1', timeoutMs: 30, maxAttempts: 2 });
    const calls = answer(never);

    const call = hasty.GET('/api/storefront/shop');

    await expect(call).rejects.toThrow(TimeoutError);
    await expect(call).rejects.toThrow('had no response within 30 ms');
    expect(calls).toHaveLength(2);
  });

  test('applies the timeout to a body that stalls', async () => {
    const server = await listen((response) => {
      response.write('{"products":[');
    });

    const { data } = await server.client(1_000).GET('/api/storefront/products');

    expect(data).toEqual({});
    expect(server.calls()).toBe(2);
  });

  test("aborts a running attempt with the caller's reason, and does not retry it", async () => {
    const calls = answer(never);
    const controller = new AbortController();

    const call = storefront.GET('/api/storefront/shop', { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('The page was left.')), 20);

    await expect(call).rejects.toThrow('The page was left.');
    expect(calls).toHaveLength(1);
  });

  test("aborting the caller's signal ends the wait between attempts", async () => {
    const calls = answer(busy('3600'));
    // Without the abort, the test would wait for an hour and time out.
    const waiting = createStorefrontClient({ baseUrl, siteId, storefrontToken: 'stk_1', maxWaitMs: 4_000_000 });

    await expect(waiting.GET('/api/storefront/shop', { signal: AbortSignal.timeout(50) })).rejects.toThrow(
      expect.objectContaining({ name: 'TimeoutError' }),
    );

    expect(calls).toHaveLength(1);
  });

  test("sends no request if the caller's signal was already aborted", async () => {
    const calls = answer(fine);
    await expect(storefront.GET('/api/storefront/shop', { signal: AbortSignal.abort() })).rejects.toThrow('abort');
    expect(calls).toHaveLength(0);
  });
});
