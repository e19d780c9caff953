import type { Request, RequestHandler, Response } from 'express';
import type { Pool } from 'pg';
import type { Connection } from '../db/connect.ts';
import { inTransaction, withConnection } from '../db/transaction.ts';
import type { EgressPolicy } from '../egress/addresses.ts';
import { ShopError, ValidationError } from '../shop/errors.ts';
import type { PaymentProvider } from '../shop/payments/provider.ts';
import { Shop } from '../shop/shop.ts';
import { audit } from './audit.ts';
import { readBody } from './body.ts';
import type { CatalogueCache } from './cache.ts';
import { actorOf, authenticate, type Caller, type Claim, claimOf } from './callers.ts';
import { compress } from './compress.ts';
import type { Operation, Surface } from './contract.ts';
import { checkOrigin } from './cors.ts';
import { type Answer, answerTo, isRetryable } from './errors.ts';
import type { LastUsed } from './last-used.ts';
import type { Counted, Limits } from './limits.ts';
import { isAnswered, isReplay, type Key, once } from './once.ts';
import { route } from './route.ts';
import { faultIn } from './schemas.ts';
import type { Validation } from './validate.ts';

/**
 * The way of one request through the house:
 * 1. the contract names its operation (404, 405)
 * 2. the credential has the right form (401), the body is JSON within bounds (413, 415)
 * 3. the request is held against the contract; mistakes wait until we know who asks
 * 4. on one connection, inside a transaction when it is a mutation: the caller is looked up (401, 403), counted (429),
 *    told the mistakes (422), and the handler runs, once per Idempotency-Key
 * 5. commit, and only then the answer
 */
export interface Deps {
  db: Pool;
  pooling: 'session' | 'transaction';
  baseUrl: string;
  secretKey: string;
  /** Who takes cards; none means that none are taken. */
  card: PaymentProvider | undefined;
  /** Which addresses webhooks may go to. */
  egressPolicy: EgressPolicy;
  validation: Validation;
  limits: Limits;
  cache: CatalogueCache;
  lastUsed: LastUsed;
  validateResponses: boolean;
}

type PlainHandler = (call: never) => Promise<unknown>;
/** Any operation's handler: the contract has checked what `dispatch` hands to it. */
export type AnyHandler = PlainHandler | { beforehand(call: never): Promise<PlainHandler> };
export type Surfaces = Record<Surface, Record<string, AnyHandler>>;

/** What the pipeline notes of a request for the log line and the metrics. */
export interface Notes {
  request_id: string;
  operation?: Operation;
  caller?: Caller;
  cached?: boolean;
  error?: string;
  cause?: unknown;
}

export function dispatch(deps: Deps, surfaces: Surfaces): RequestHandler {
  return async (req, res) => {
    const notes = res.locals as Notes;
    try {
      if (req.originalUrl.length > MAX_URL_LENGTH) throw new ShopError('invalid_request', 'The address is too long.');
      if (!req.originalUrl.startsWith('/')) throw new ShopError('invalid_request', 'Send the path alone, from / on.');
      if (!isDecodable(req.originalUrl)) throw new ShopError('invalid_request', 'A % in the address encodes no UTF-8.');
      const { operation, path } = route(req.method, req.originalUrl);
      notes.operation = operation;
      req.params = Object.fromEntries(Object.entries(path).map(([name, value]) => [name, folded(value)]));
      const handler = surfaces[operation.surface][operation.name];
      if (!handler) throw new Error(`No handler for ${operation.id}`);
      const answer = await serve(deps, handler, operation, req, res);
      await send(deps, req, res, answer);
    } catch (error) {
      const answer = answerTo(error, notes.request_id);
      if (answer.status === 401) await deps.limits.recordFailure(req.ip ?? '');
      if (answer.status >= 500) notes.cause = error;
      notes.error = codeOf(error);
      await send(deps, req, res, answer);
    }
  };
}

function codeOf(error: unknown): string {
  return error instanceof ShopError
    ? error.code
    : error instanceof ValidationError
      ? 'validation_error'
      : 'internal_error';
}

const MAX_URL_LENGTH = 8 * 1024;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Ids are compared as text here and there, so they have one spelling from here on. */
function folded(value: string): string {
  return UUID.test(value) ? value.toLowerCase() : value;
}

function isDecodable(url: string): boolean {
  try {
    return !url.includes('%') || decodeURIComponent(url) !== '';
  } catch {
    return false;
  }
}

/** A request with all that is known of it before the database is asked. */
interface Incoming {
  operation: Operation;
  claim: Claim;
  mistakes: ValidationError['detail'];
  req: Request;
  res: Response;
}

async function serve(
  deps: Deps,
  handler: AnyHandler,
  operation: Operation,
  req: Request,
  res: Response,
): Promise<Answer> {
  const ip = req.ip ?? '';
  await deps.limits.admit(ip);
  const claim = claimOf(operation, req.headers);
  const mistakes = await mistakesOf(deps, operation, req, res);
  if (mistakes.length === 0) tell(res, await deps.limits.countStrictly(operation, claim, req));
  const incoming = { operation, claim, mistakes, req, res };
  if (!('beforehand' in handler)) return attempt(deps, handler, incoming, true);

  const local = deps.pooling === 'transaction';
  const { caller, answered } = await onConnection(deps, false, async (connection) => {
    const admitted = await admit(deps, connection, incoming, true, local);
    const shop = new Shop(admitted.tenant, actorOf(admitted), connection);
    const write = !operation.safe;
    return { caller: admitted, answered: write && (await isAnswered(shop, keyOf(deps, incoming, admitted))) };
  });
  // What stands outside the transaction must not happen again for an answer that is only told again.
  if (answered) return attempt(deps, alreadyAnswered, incoming, false);
  const proper = await handler.beforehand({ ...partsOf(deps, incoming), caller, db: deps.db } as never);
  return attempt(deps, proper, incoming, false);
}

function tell(res: Response, { headers, refusal }: Counted): void {
  res.set(headers);
  if (refusal) throw refusal;
}

async function mistakesOf(deps: Deps, operation: Operation, req: Request, res: Response) {
  try {
    await readBody(operation, req, res);
  } catch (error) {
    if (error instanceof ValidationError) return error.detail;
    throw error;
  }
  // HEAD is GET without its body, to the validator as to the handler.
  if (req.method === 'HEAD') req.method = 'GET';
  return deps.validation.mistakesIn(operation, req);
}

const ATTEMPTS = 3;

/** Runs the request, again when the database chose it as the victim of a deadlock or a serialisation conflict. */
async function attempt(deps: Deps, handler: PlainHandler, incoming: Incoming, counted: boolean): Promise<Answer> {
  const write = !incoming.operation.safe;
  for (let count = 1; ; count += 1) {
    try {
      return await onConnection(deps, write, (connection) =>
        run(deps, connection, handler, incoming, counted && count === 1),
      );
    } catch (error) {
      if (count === ATTEMPTS || !isRetryable(error)) throw error;
      await new Promise((done) => setTimeout(done, 20 + Math.random() * 60 * count));
    }
  }
}

/** Reads go without BEGIN and COMMIT, unless a proxy would hand each statement another connection. */
function onConnection<T>(deps: Deps, write: boolean, deed: (connection: Connection) => Promise<T>): Promise<T> {
  return write || deps.pooling === 'transaction' ? inTransaction(deps.db, deed) : withConnection(deps.db, deed);
}

async function admit(deps: Deps, connection: Connection, incoming: Incoming, counted: boolean, local: boolean) {
  const { operation, claim, mistakes, req, res } = incoming;
  const caller = await authenticate(connection, claim, operation, local);
  (res.locals as Notes).caller = caller;
  checkOrigin(operation, req, caller);
  if (counted) {
    tell(res, await deps.limits.count(operation, caller, req));
  }
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  return caller;
}

async function run(
  deps: Deps,
  connection: Connection,
  handler: PlainHandler,
  incoming: Incoming,
  counted: boolean,
): Promise<Answer> {
  const { operation, req, res } = incoming;
  const write = !operation.safe;
  const caller = await admit(deps, connection, incoming, counted, write || deps.pooling === 'transaction');
  const shop = new Shop(caller.tenant, actorOf(caller), connection);
  const call = { ...partsOf(deps, incoming), caller, shop };
  const answer = async () => success(operation, await handler(call as never));
  if (!write) {
    deps.lastUsed.note(caller);
    return operation.cacheable ? deps.cache.remember(shop, operation, req, res.locals as Notes, answer) : answer();
  }
  const key = keyOf(deps, incoming, caller);
  const result = await once(shop, key, answer);
  const { request: payload, request_id } = key;
  if (!isReplay(result)) {
    await audit(shop, {
      operation,
      caller,
      req,
      payload,
      secretKey: deps.secretKey,
      request_id,
      status: result.status,
    });
  }
  deps.lastUsed.note(caller);
  return result;
}

function keyOf(deps: Deps, { operation, claim, req, res }: Incoming, { principal_id }: Caller): Key {
  return {
    key: req.get('Idempotency-Key') ?? '',
    principal_id,
    operation_id: operation.id,
    request: canonical([req.method, operation.path, req.params, req.query, req.body ?? null]),
    secret: operation.secret,
    pepper: `${deps.secretKey}${claim.secret}${claim.customer_secret ?? ''}`,
    request_id: (res.locals as Notes).request_id,
  };
}

/** Runs only if the answer that was just seen is gone in the next moment. */
async function alreadyAnswered(): Promise<never> {
  throw new ShopError('unavailable', 'The answer to this Idempotency-Key is just being removed. Send it again.');
}

function partsOf(deps: Deps, { req }: Incoming) {
  const { baseUrl, secretKey, card, egressPolicy } = deps;
  return { baseUrl, egressPolicy, till: { baseUrl, secretKey, card }, path: req.params, query: req.query, body: req.body as unknown };
}

function success(operation: Operation, body: unknown): Answer {
  return { status: operation.status, body: body === undefined ? undefined : JSON.stringify(body) };
}

/** JSON with its keys in order, so that the same request has one form. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** If-None-Match by weak comparison (RFC 9110 §13.1.2): proxies that compress weaken a tag. */
function matches(wanted: string | undefined, etag: string): boolean {
  return wanted?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
}

/** Writes an answer. In tests it is held against the contract first, and a fault becomes a 500. */
async function send(deps: Deps, req: Request, res: Response, answer: Answer): Promise<void> {
  if (res.headersSent) return;
  const notes = res.locals as Notes;
  const fault =
    deps.validateResponses && notes.operation && faultIn(notes.operation, answer.status, answer.body?.toString());
  if (fault) notes.cause = new Error(fault);
  const told = fault ? answerTo(notes.cause, notes.request_id) : answer;
  const { status, body, headers = {} } = await compress(notes.operation, req, told);
  res.status(status).set(headers);
  if (headers.ETag && matches(req.headers['if-none-match'], headers.ETag)) {
    res.status(304).end();
    return;
  }
  if (body !== undefined) {
    res.set({ 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': String(Buffer.byteLength(body)) });
  }
  res.end(body);
}
