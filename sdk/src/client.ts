import createFetchClient, { defaultPathSerializer, type Middleware } from 'openapi-fetch';
import type { AnswerOf, EasedPaths, ErrorAnswer, OperationOf, OptionsOf, PathsWith, Verb } from './contract.ts';
import { ConnectionError } from './errors.ts';
import type { Hooks } from './hooks.ts';
import { type Limits, type Send, withRetries } from './retry.ts';

/** The options of every client. */
export interface ClientOptions extends Optional<Limits>, Optional<Hooks> {
  /**
   * The address of the server, such as `https://shop.example`. In browsers, a path (`/shop`) is relative to the page.
   */
  baseUrl: string;
  /** Sends one request instead of the global fetch. */
  fetch?: Send | undefined;
}

/** Options that may be left out or, even under `exactOptionalPropertyTypes`, be undefined. */
type Optional<Options> = { [Name in keyof Options]?: Options[Name] | undefined };

/**
 * Calls operations of the contract by verb and path. Each call resolves to a raw result for any status: `data` of a 2xx
 * or `error` of any other, and the `response`. `unwrap` converts it to the data or throws a CommerceError.
 *
 * A call throws a ConnectionError or TimeoutError if the API did not respond, the reason of the caller's `signal`, or a
 * TypeError for an invalid path parameter.
 */
export interface Client<Paths> {
  /** Calls a GET operation, which changes nothing: `await unwrap(shop.GET('/api/storefront/products'))`. */
  GET: Call<Paths, 'get'>;
  /**
   * Calls a POST operation, with an `Idempotency-Key` of its own: `await unwrap(shop.POST('/api/storefront/cart', {
   * body: {} }))`.
   */
  POST: Call<Paths, 'post'>;
  /** Calls a PUT operation, which replaces a whole object. */
  PUT: Call<Paths, 'put'>;
  /** Calls a PATCH operation, which changes the fields of the body and keeps the others. */
  PATCH: Call<Paths, 'patch'>;
  /** Calls a DELETE operation. */
  DELETE: Call<Paths, 'delete'>;
}

type Call<Paths, Method extends Verb> = <Path extends PathsWith<Paths, Method>>(
  path: Path,
  ...options: OptionsOf<OperationOf<Paths, Path, Method>>
) => Promise<Result<AnswerOf<OperationOf<Paths, Path, Method>>>>;

/** The raw result of a call: a 2xx response with its data, or any other with its error. */
export type Result<Data> =
  | { data: Data; error?: undefined; response: Response }
  | { data?: undefined; error: ErrorAnswer; response: Response };

/** The operations without credentials. */
export type PublicPaths = EasedPaths<
  | '/api/dashboard/auth/login'
  | '/api/dashboard/auth/invitation'
  | '/api/dashboard/auth/invitation/register'
  | '/api/dashboard/auth/reset-request'
  | '/api/dashboard/auth/reset'
  | '/api/agent/consent/request'
  | '/api/agent/consent/poll'
>;

/**
 * A client without credentials, for logging in or asking for consent. Throws a TypeError for an invalid `baseUrl`.
 *
 *     const body = { email, password };
 *     const { access_token } = await unwrap(createClient({ baseUrl }).POST('/api/dashboard/auth/login', { body }));
 */
export function createClient(options: ClientOptions): Client<PublicPaths> {
  return createSurfaceClient<PublicPaths>(options, {});
}

/** A client that sends the credentials with each call. Throws a TypeError for an invalid baseUrl. */
export function createSurfaceClient<Paths extends object>(
  { baseUrl, fetch, maxAttempts = 3, maxWaitMs = 30_000, timeoutMs = 30_000, onRequest, onResponse }: ClientOptions,
  credentials: Record<string, string>,
): Client<Paths> {
  if (!/^(https?:\/\/|\/|$)/i.test(baseUrl)) {
    throw new TypeError(`baseUrl must begin with http:// or https://, not "${baseUrl}".`);
  }
  // globalThis.fetch is read on each call, so that replacing it later takes effect.
  const send: Send = fetch ?? ((request) => globalThis.fetch(request));
  const client = createFetchClient<Paths>({
    baseUrl,
    headers: credentials,
    // Following a redirect would change a POST to a GET, and send the credentials to another server.
    redirect: 'manual',
    fetch: withRetries(
      send,
      { maxAttempts, maxWaitMs, timeoutMs },
      { ...(onRequest && { onRequest }), ...(onResponse && { onResponse }) },
    ),
    pathSerializer: safePath,
  });
  client.use(idempotencyKey, answersOnly);
  // Only the types differ: they reject unknown options, and responses have open enums.
  return client as unknown as Client<Paths>;
}

/** Adds an Idempotency-Key to each mutation before its first attempt, so that all attempts use the same one. */
const idempotencyKey: Middleware = {
  onRequest({ request }) {
    if (request.method === 'GET' || request.headers.has('Idempotency-Key')) return;
    request.headers.set('Idempotency-Key', crypto.randomUUID());
  },
};

/**
 * Throws for responses that the server never sends but a wrong baseUrl often returns: redirects, and pages instead of
 * JSON.
 */
const answersOnly: Middleware = {
  onResponse({ request, response }) {
    const { origin } = new URL(request.url);
    const redirected = response.status >= 300 && response.status < 400 && response.status !== 304;
    if (redirected || response.type === 'opaqueredirect') {
      const target = response.headers.get('Location') ?? 'another address';
      throw new ConnectionError(`${origin} redirects to ${target}. Set baseUrl to the server's own address.`);
    }
    const type = response.headers.get('Content-Type') ?? 'no content type';
    if (response.ok && response.status !== 204 && !type.includes('json')) {
      throw new ConnectionError(`${origin} answered with ${type} instead of JSON. Is baseUrl right?`);
    }
  },
};

/**
 * Inserts path parameters. Throws for missing or empty values, and for `.` and `..`: they would lead to another path.
 */
function safePath(path: string, params: Record<string, unknown>): string {
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === null || ['', '.', '..'].includes(String(value))) {
      throw new TypeError(`The path parameter ${name} must not be ${JSON.stringify(value) ?? 'undefined'}.`);
    }
  }
  return defaultPathSerializer(path, params);
}
