/** How the server answered a call, beside the data. */
export interface LastResponse {
  status: number;
  headers: Headers;
  /** Quote it when asking for help. */
  requestId: string | undefined;
  /** The key that all attempts of a mutation carried. */
  idempotencyKey: string | undefined;
  /** How often the call was sent, the first time included. */
  attempts: number;
}

const known = new WeakMap<object, LastResponse>();

/**
 * How the server answered the call that gave this: the data of `unwrap`, the CommerceError that it threw, or the `response` of a
 * raw result. Undefined for anything else, such as a copy, a part of the data, or the nothing of a 204.
 *
 *     const cart = await unwrap(storefront.POST('/api/storefront/cart'));
 *     console.log(lastResponse(cart)?.requestId);
 */
export function lastResponse(of: unknown): LastResponse | undefined {
  return typeof of === 'object' && of !== null ? known.get(of) : undefined;
}

/** Notes how a call went, to be found by its response. */
export function noteResponse(response: Response, request: Request, attempts: number): void {
  const { status, headers } = response;
  known.set(response, {
    ...{ status, headers, attempts },
    requestId: headers.get('X-Request-Id') ?? undefined,
    idempotencyKey: request.headers.get('Idempotency-Key') ?? undefined,
  });
}

/** Lets what was made of a response be found like the response itself. */
export function passOn(response: Response, made: unknown): void {
  const note = known.get(response);
  if (note && typeof made === 'object' && made !== null) known.set(made, note);
}
