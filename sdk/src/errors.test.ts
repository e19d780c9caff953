import { HttpResponse, http } from 'msw';
import { expect, expectTypeOf, test } from 'vitest';
import { baseUrl, invalid, openNetwork, refusal, requestId } from '../test/backend.ts';
import {
  AuthenticationError,
  CommerceError,
  ConflictError,
  createDashboardClient,
  type ErrorOf,
  isError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  unwrap,
  ValidationError,
} from './index.ts';

const network = openNetwork();
const dashboard = createDashboardClient({ baseUrl, apiKey: 'key_1', maxAttempts: 1 });

/** The error that a call throws for this response. */
async function thrownFor(answer: Response): Promise<CommerceError> {
  network.use(http.get(`${baseUrl}/api/dashboard/me`, () => answer));
  try {
    await unwrap(dashboard.GET('/api/dashboard/me'));
  } catch (error) {
    if (error instanceof CommerceError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

test.each([
  [401, 'invalid_token', AuthenticationError],
  [403, 'insufficient_scope', PermissionError],
  [404, 'not_found', NotFoundError],
  [409, 'slug_taken', ConflictError],
  [410, 'gone', NotFoundError],
  [413, 'payload_too_large', CommerceError],
  [429, 'rate_limited', RateLimitError],
  [500, 'internal_error', ServerError],
] as const)(
  'throws the error class of the status %i, with code, message and request id',
  async (status, code, Family) => {
    const error = await thrownFor(refusal(status, code));

    expect(error.constructor).toBe(Family);
    expect(error).toMatchObject({ name: Family.name, status, code, requestId, retryable: false, detail: [] });
    expect(error.message).toBe(`It is ${code}.`);
  },
);

test('the message of a ValidationError lists the first mistakes of a 422, and `detail` contains all', async () => {
  const error = await thrownFor(invalid());

  expect(error).toBeInstanceOf(ValidationError);
  expect(error.code).toBe('validation_error');
  expect(error.message).toBe(
    'The request has 2 mistakes. (body.products.0.price: String should match the pattern; body.products.0.name: Field required)',
  );
  expect(error.detail.map(({ loc }) => loc)).toEqual([
    ['body', 'products', 0, 'price'],
    ['body', 'products', 0, 'name'],
  ]);
});

test('returns `retryable` and the delay for a temporary error', async () => {
  const error = await thrownFor(refusal(503, 'unavailable', { retryable: true, headers: { 'Retry-After': '2' } }));
  expect(error).toMatchObject({ retryable: true, retryAfterMs: 2000 });
});

test('returns the extra fields of an error code in `body`', async () => {
  const body = {
    error: 'insufficient_stock',
    message: 'Too few.',
    request_id: requestId,
    retryable: false,
    available: 3,
  };
  const error = await thrownFor(HttpResponse.json(body, { status: 409 }));
  expect(error.body).toEqual(body);
});

test('isError and a switch over codes narrow the type of an error to the fields of its code', async () => {
  const body = {
    ...{ error: 'budget_exceeded', message: 'Too much.', request_id: requestId, retryable: false },
    ...{ limit: 'budget', budget_cents: 10_000, budget_used_cents: 7000, required_cents: 4200 },
    budget: { currency: 'EUR', budget_remaining_cents: 3000 },
  };
  const error: unknown = await thrownFor(HttpResponse.json(body, { status: 402 }));

  if (!isError(error, 'budget_exceeded', 'price_changed')) throw error;
  switch (error.code) {
    case 'budget_exceeded':
      expect(error.body.required_cents - error.body.budget.budget_remaining_cents).toBe(1200);
      expectTypeOf(error.body.limit).toExtend<string>();
      break;
    case 'price_changed':
      expectTypeOf(error.body.lines[0]?.price).toEqualTypeOf<string | null | undefined>();
      throw error;
  }
  expect(isError(error, 'price_changed')).toBe(false);
  expect(isError(new Error('budget_exceeded'), 'budget_exceeded')).toBe(false);
  expectTypeOf<ErrorOf<'cart_not_active'>['body']>().toHaveProperty('status');
  expectTypeOf<ErrorOf<'cart_empty'>['body']>().not.toHaveProperty('status');
  // @ts-expect-error: no such code
  isError(error, 'budget_exceded');
});

test.each([
  ['a page', HttpResponse.html('<h1>Bad gateway</h1>', { status: 502, headers: { 'X-Request-Id': 'edge-1' } })],
  [
    'a body of the wrong types',
    HttpResponse.json({ error: 7, detail: 'no' }, { status: 502, headers: { 'X-Request-Id': 'edge-1' } }),
  ],
])('derives the error from the status if a proxy returns %s', async (_what, answer) => {
  const error = await thrownFor(answer);

  expect(error).toBeInstanceOf(ServerError);
  expect(error).toMatchObject({ code: 'http_502', requestId: 'edge-1', retryable: true, detail: [] });
  expect(error.message).toMatch(/^The server answered 502/);
});
