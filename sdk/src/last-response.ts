/** The response of a call, apart from its data. */
export interface LastResponse {
  status: number;
  headers: Headers;
  /** The id of the request, for questions to support. */
  requestId: string | undefined;
  /** The Idempotency-Key of all attempts of a mutation. */
  idempotencyKey: string | undefined;
  /** The number of attempts, including the first. */
  attempts: number;
}

const known = new WeakMap<object, LastResponse>();

/**
 * The server's last response for a value: the data of `unwrap`, the CommerceError that it threw, or the `response` of a
 * raw result. Undefined for anything else, such as a copy, a part of the data, or the empty result of a 204.
 *
 *     const cart = await unwrap(storefront.POST('/api/storefront/cart'));
 *     console.log(lastResponse(cart)?.requestId);
 */
export function lastResponse(of: unknown): LastResponse | undefined {
  return typeof of === 'object' && of !== null ? known.get(of) : undefined;
}

/** Records the details of a call for its response. */
export function noteResponse(response: Response, request: Request, attempts: number): void {
  const { status, headers } = response;
  known.set(response, {
    ...{ status, headers, attempts },
    requestId: headers.get('X-Request-Id') ?? undefined,
    idempotencyKey: request.headers.get('Idempotency-Key') ?? undefined,
  });
}

/** Makes the details of a response available for the value that was made from it. */
export function passOn(response: Response, made: unknown): void {
  const note = known.get(response);
  if (note && typeof made === 'object' && made !== null) known.set(made, note);
}
