import type { ErrorBody, ErrorCode, HTTPValidationError } from '@commerce-backend/spec';
import { HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';

export const baseUrl = 'https://shop.test';
export const siteId = '0192f3a0-3333-7000-8000-000000000001';
export const requestId = '0192f3a1-7c4e-7b1a-9a52-3f6d2c1b0a99';

/** Replaces the network. An unexpected request fails the test. */
export function openNetwork() {
  const network = setupServer();
  beforeAll(() => network.listen({ onUnhandledFrame: 'error' }));
  afterEach(() => network.resetHandlers());
  afterAll(() => network.close());
  return network;
}

/** An error response with the contract's body. */
export function refusal(
  status: number,
  error: ErrorCode,
  { retryable = false, headers = {} }: { retryable?: boolean; headers?: Record<string, string> } = {},
) {
  const body = { error, message: `It is ${error}.`, request_id: requestId, retryable } satisfies ErrorBody;
  return HttpResponse.json(body, { status, headers });
}

/** A 422 with two mistakes. */
export function invalid() {
  const body = {
    error: 'validation_error',
    message: 'The request has 2 mistakes.',
    request_id: requestId,
    retryable: false,
    detail: [
      {
        loc: ['body', 'products', 0, 'price'],
        msg: 'String should match the pattern',
        type: 'string_pattern_mismatch',
      },
      { loc: ['body', 'products', 0, 'name'], msg: 'Field required', type: 'missing' },
    ],
  } satisfies HTTPValidationError;
  return HttpResponse.json(body, { status: 422 });
}
