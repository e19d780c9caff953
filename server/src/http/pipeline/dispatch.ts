import type { Request, RequestHandler, Response } from 'express';
import type { Pool } from 'pg';
import type { Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { Connection } from '../../db/connect.ts';
import { inTransaction, retryConflicts, withConnection } from '../../db/transaction.ts';
import type { EgressPolicy } from '../../egress/addresses.ts';
import { Overload, ShopError, ValidationError } from '../../shop/errors.ts';
import { logins } from '../../shop/passwords/passwords.ts';
import type { PaymentProvider } from '../../shop/payments/provider.ts';
import { ShownJson } from '../../shop/products/shown.ts';
import { Shop } from '../../shop/shop.ts';
import { type Buyer, buyerOf, namesBuyer } from '../callers/buyer.ts';
import type { Caller, Claim } from '../callers/caller.ts';
import { actorOf, authenticate } from '../callers/callers.ts';
import { claimOf } from '../callers/claims.ts';
import { checkOrigin } from '../callers/cors.ts';
import type { LastUsed } from '../callers/last-used.ts';
import { openClaimOf } from '../callers/open-callers.ts';
import { unlockPasses } from '../callers/unlock-cookie.ts';
import type { Operation, Surface } from '../contract/contract.ts';
import { auditEvent, userAgentOf } from './audit.ts';
import type { CatalogueCache } from './cache.ts';
import { applyLimit } from './counted.ts';
import { Deadline, type Deadlines, secondsFor } from './deadline.ts';
import { type Answer, answerTo, isRetryable, isUnavailable } from './errors.ts';
import { isAnswered, isReplay, type Key, runOncePerKey } from './idempotency.ts';
import type { Limits } from './limits.ts';
import { address } from './match.ts';
import type { Notes } from './notes.ts';
import { codeOf, countFailure, ensureAudited, runSucceeded } from './outcome.ts';
import { payloadOf } from './payload.ts';
import type { Readiness } from './readiness.ts';
import { requestMistakes } from './request-mistakes.ts';
import { send } from './send.ts';
import { type Strain, shed } from './shedding.ts';
import { isStrict } from './strict-limits.ts';

/**
 * The way of one request:
 * 1. the contract names its operation (404, 405), which may be refused under load (503)
 * 2. the credential has the right form (401), the body is JSON within bounds (413, 415)
 * 3. the request is validated against the contract; mistakes are reported only once the caller is known
 * 4. on one connection, inside a transaction when it is a mutation: the caller is authenticated (401, 403) and counted (429),
 *    mistakes are reported (422), and the handler runs, once per Idempotency-Key
 * 5. commit, and only then the answer; by then an agent's call has its audit row, whatever the outcome
 * The whole has a deadline: beyond it, what is not committed is rolled back, and the answer is 503 `timeout`.
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
  limits: Limits;
  cache: CatalogueCache;
  lastUsed: LastUsed;
  strain: Strain;
  readiness: Readiness;
  deadlines: Deadlines;
  validateResponses: boolean;
}

type PlainHandler = (call: never) => Promise<unknown>;
type WithBeforehand = { beforehand(call: never): Promise<PlainHandler>; hashes?: true };
/** Any operation's handler: the contract has checked what `dispatch` hands to it. */
export type AnyHandler = PlainHandler | WithBeforehand;
export type Surfaces = Record<Surface, Record<string, AnyHandler>>;

export function dispatch(deps: Deps, surfaces: Surfaces): RequestHandler {
  return async (req, res) => {
    const notes = res.locals as Notes;
    notes.audit_id = uuidv7();
    let answer: Answer;
    try {
      const { operation, path } = address(req);
      notes.operation = operation;
      req.params = path;
      const handler = surfaces[operation.surface][operation.name];
      if (!handler) throw new Error(`No handler for ${operation.id}`);
      const deadline = new Deadline(secondsFor(operation, deps.deadlines));
      answer = await deadline.limit(serve(deps, handler, deadline, operation, req, res));
      if (answer.status < 400) await runSucceeded(notes);
    } catch (thrown) {
      const error = await countFailure(deps.limits, thrown, req, res);
      answer = answerTo(error, notes.request_id);
      if (answer.status >= 500 && !(error instanceof Overload)) notes.cause = error;
      notes.error = codeOf(error);
    }
    await send(req, res, await ensureAudited(deps, req, notes, answer), deps.validateResponses);
  };
}

/** A request with all that is known of it before the database is queried. */
interface Incoming {
  operation: Operation;
  claim: Claim;
  mistakes: ValidationError['detail'];
  deadline: Deadline;
  req: Request;
  res: Response;
}

async function serve(
  deps: Deps,
  handler: AnyHandler,
  deadline: Deadline,
  operation: Operation,
  req: Request,
  res: Response,
): Promise<Answer> {
  shed(deps.strain(), operation, req);
  const secured = claimOf(operation, req.headers);
  // From an address that keeps sending bad credentials, the credential is checked before anything else is done.
  const open = operation.security.length === 0;
  if (!open && (await deps.limits.isSuspect(req))) await lookUp(deps, secured, operation, deadline);
  // Before its body is read: in a flood of requests, a refusal must cost next to nothing.
  if ('hashes' in handler) logins.refuseIfFull();
  const mistakes = await requestMistakes(operation, req, res);
  // Where nobody is authenticated, mistakes need not wait.
  if (open && mistakes.length > 0) throw new ValidationError(mistakes);
  const claim = open ? openClaimOf(operation, req) : secured;
  const incoming = { operation, claim, mistakes, deadline, req, res };
  if ('beforehand' in handler) {
    const prepare = () => prepared(deps, handler, incoming);
    return attempt(deps, await (handler.hashes ? logins.take(prepare) : prepare()), incoming, false);
  }
  await countStrictly(deps, incoming);
  return attempt(deps, handler, incoming, true);
}

async function lookUp(deps: Deps, claim: Claim, operation: Operation, deadline: Deadline): Promise<Caller> {
  const local = deps.pooling === 'transaction';
  return onConnection(deps, deadline, false, (connection) => authenticate(connection, claim, operation, local));
}

async function countStrictly(deps: Deps, incoming: Incoming): Promise<void> {
  const { operation, claim, mistakes, req, res } = incoming;
  if (mistakes.length > 0 || !isStrict(operation)) return;
  // Only the token tells whether the header with the buyer's address counts, and it must not let failures escape their limits.
  const caller = namesBuyer(operation, req) ? await lookUp(deps, claim, operation, incoming.deadline) : undefined;
  const buyer: Buyer = caller ? buyerOf(operation, caller, req) : { mistakes: [] };
  if (buyer.mistakes.length > 0) throw new ValidationError(buyer.mistakes);
  const named = buyer.ip && { ip: buyer.ip, token_id: caller?.private_token_id };
  const counted = await deps.limits.countStrictly(operation, claim, req, named || undefined);
  (res.locals as Notes).succeeded = counted.succeeded;
  applyLimit(res, counted);
}

/** The handler proper, after what it does outside the transaction. */
async function prepared(deps: Deps, handler: WithBeforehand, incoming: Incoming): Promise<PlainHandler> {
  await countStrictly(deps, incoming);
  const { caller, answered } = await look(deps, incoming, true);
  // What is done outside the transaction must not happen again when a stored answer is only sent again.
  if (answered) return alreadyAnswered;
  const ended = () => incoming.res.destroyed || deps.readiness.draining || incoming.deadline.over;
  const call = { ...partsOf(deps, incoming, caller), caller, db: deps.db, ended };
  return handler.beforehand(call as never).catch(async (error: unknown) => {
    // A copy of this request may have been answered meanwhile, and have used what this one no longer found. A database that
    // did not answer is not asked for that: the caller would wait for it a second time.
    if (isUnavailable(error) || !(await look(deps, incoming, false)).answered) throw error;
    return alreadyAnswered;
  });
}

/** The caller, and whether the key has its answer, before anything is done. */
async function look(deps: Deps, incoming: Incoming, counted: boolean): Promise<{ caller: Caller; answered: boolean }> {
  return onConnection(deps, incoming.deadline, false, async (connection) => {
    const caller = await admit(deps, connection, incoming, counted, deps.pooling === 'transaction');
    if (incoming.operation.safe || !hasKey(incoming.req)) return { caller, answered: false };
    const shop = new Shop(caller.tenant, actorOf(caller), connection);
    return { caller, answered: await isAnswered(shop, keyOf(deps, incoming, caller)) };
  });
}

/** A request that took longer to fail would take as long again, and a caller does not wait twice. */
const RETRY_WITHIN_MS = 1_000;

/** Runs the request, and again if the database chose it as the victim of a deadlock or a serialisation conflict. */
function attempt(deps: Deps, handler: PlainHandler, incoming: Incoming, counted: boolean): Promise<Answer> {
  const write = !incoming.operation.safe;
  const begun = Date.now();
  return retryConflicts(
    (count) =>
      onConnection(deps, incoming.deadline, write, (connection) =>
        run(deps, connection, handler, incoming, counted && count === 1),
      ),
    (error) => !incoming.deadline.over && Date.now() - begun <= RETRY_WITHIN_MS && isRetryable(error),
  );
}

/** Reads go without BEGIN and COMMIT. */
function onConnection<T>(
  { db }: Deps,
  deadline: Deadline,
  write: boolean,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const inTime = (connection: Connection) => deadline.hold(connection, write, () => work(connection));
  return write ? inTransaction(db, inTime) : withConnection(db, inTime);
}

async function admit(
  deps: Deps,
  connection: Connection,
  incoming: Incoming,
  counted: boolean,
  local: boolean,
  shown: string[] = [],
) {
  const { operation, claim, mistakes, req, res } = incoming;
  const known = await authenticate(connection, claim, operation, local, shown);
  const buyer = buyerOf(operation, known, req);
  const caller: Caller = { ...known, ...(buyer.ip && { buyer_ip: buyer.ip }) };
  (res.locals as Notes).caller = caller;
  checkOrigin(operation, req, caller);
  if (counted) {
    applyLimit(res, await deps.limits.count(operation, caller, req));
  }
  const all = [...mistakes, ...buyer.mistakes];
  if (all.length > 0) throw new ValidationError(all);
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
  const kept = operation.cacheable ? deps.cache.find(operation, incoming.claim.site_id, req) : undefined;
  const local = write || deps.pooling === 'transaction';
  const caller = await admit(deps, connection, incoming, counted, local, kept?.productIds);
  const shop = new Shop(caller.tenant, actorOf(caller), connection);
  const call = { ...partsOf(deps, incoming, caller), caller, shop };
  const answer = async () => success(operation, await handler(call as never));
  const notes = res.locals as Notes;
  const key = keyOf(deps, incoming, caller);
  const { request: payload, request_id } = key;
  const event = (status: number) =>
    auditEvent(shop, {
      ...{ operation, caller, req, payload, request_id, status },
      secretKey: deps.secretKey,
      audit_id: notes.audit_id,
    });
  const read = () => (kept ? deps.cache.remember(kept, shop, notes, answer) : answer());
  const keyed = write && hasKey(req);
  const result = keyed ? await runOncePerKey(shop, key, answer, event) : write ? await answer() : await read();
  const ofAgent = caller.kind === 'agent';
  // `runOncePerKey` writes the audit row together with the answer that it stores; the other rows are written here.
  if (keyed ? ofAgent && isReplay(result) : ofAgent || write) await recordAudit(shop, event(result.status));
  deps.lastUsed.note(caller);
  return ofAgent ? { ...result, audited: true } : result;
}

async function recordAudit(shop: Shop, event: Sql | undefined): Promise<void> {
  if (event) await shop.run(event);
}

/** Every mutation has one, except for the few operations where it is optional. */
function hasKey(req: Request): boolean {
  return req.headers['idempotency-key'] !== undefined;
}

function keyOf(deps: Deps, { operation, claim, req, res }: Incoming, { principal_id }: Caller): Key {
  return {
    key: req.get('Idempotency-Key') ?? '',
    principal_id,
    operation_id: operation.id,
    request: payloadOf(req, operation),
    secret: operation.secret,
    pepper: `${deps.secretKey}${claim.secret}${claim.customer_secret ?? ''}`,
    request_id: (res.locals as Notes).request_id,
  };
}

/** Runs only if the answer that was just found is deleted before it can be sent again. */
async function alreadyAnswered(): Promise<never> {
  throw new ShopError('unavailable', 'The answer to this Idempotency-Key is just being removed. Send it again.');
}

function partsOf(deps: Deps, { req }: Incoming, { buyer_ip }: Caller) {
  const { baseUrl, secretKey, card, egressPolicy } = deps;
  const ip = buyer_ip ?? req.ip ?? null;
  const origin = { ip, user_agent: userAgentOf(req), unlocks: unlockPasses(req, baseUrl) };
  const checkoutDeps = { baseUrl, secretKey, card };
  return { baseUrl, egressPolicy, checkoutDeps, origin, path: req.params, query: req.query, body: req.body as unknown };
}

function success(operation: Operation, body: unknown): Answer {
  if (body instanceof ShownJson) return { status: operation.status, body: undefined, shown: body };
  const empty = (body as { total?: unknown } | undefined)?.total === 0;
  return { status: operation.status, body: body === undefined ? undefined : JSON.stringify(body), empty };
}
