import { setTimeout as sleep } from 'node:timers/promises';
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
import { auditEvent, auditRefused, userAgentOf } from './audit.ts';
import type { CatalogueCache } from './cache.ts';
import { applyLimit } from './counted.ts';
import { Deadline, type Deadlines, secondsFor } from './deadline.ts';
import { type Answer, answerTo, isRetryable } from './errors.ts';
import { isCredentialRefusal } from './failed-credentials.ts';
import { isAnswered, isReplay, type Key, runOncePerKey } from './idempotency.ts';
import type { Limits } from './limits.ts';
import { address } from './match.ts';
import type { Notes } from './notes.ts';
import { payloadOf } from './payload.ts';
import type { Readiness } from './readiness.ts';
import { requestMistakes } from './request-mistakes.ts';
import { send } from './send.ts';
import { type Strain, shed } from './shedding.ts';
import { isStrict } from './strict-limits.ts';

/**
 * The way of one request:
 * 1. the contract names its operation (404, 405), which may have to give way to others (503)
 * 2. the credential has the right form (401), the body is JSON within bounds (413, 415)
 * 3. the request is held against the contract; mistakes wait until we know who asks
 * 4. on one connection, inside a transaction when it is a mutation: the caller is looked up (401, 403), counted (429),
 *    told the mistakes (422), and the handler runs, once per Idempotency-Key
 * 5. commit, and only then the answer; a call of an agent is on record by then, whatever came of it
 * The whole has a deadline: beyond it, what is not committed is undone, and the answer is 503 `timeout`.
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
      if (answer.status < 400) await succeeded(notes);
    } catch (thrown) {
      const error = await countFailure(deps, thrown, req, res);
      answer = answerTo(error, notes.request_id);
      if (answer.status >= 500 && !(error instanceof Overload)) notes.cause = error;
      notes.error = codeOf(error);
    }
    await send(req, res, await onRecord(deps, req, notes, answer), deps.validateResponses);
  };
}

/** What happened stays as it is, whether or not this is noted. */
async function succeeded({ succeeded: note }: Notes): Promise<void> {
  await note?.().catch(() => undefined);
}

/** A bad credential is 401, or 429 where there have been too many of them. */
async function countFailure({ limits }: Deps, error: unknown, req: Request, res: Response): Promise<unknown> {
  if (!(error instanceof ShopError) || !isCredentialRefusal(error)) return error;
  const { headers, refusal } = await limits.countFailure(req);
  if (refusal) res.set(headers);
  return refusal ?? error;
}

const AUDIT_FAILURE_WITHIN_MS = 500;

/** Sees to it that a call of an agent has its row before it is answered; without one there is no answer. */
async function onRecord(deps: Deps, req: Request, notes: Notes, answer: Answer): Promise<Answer> {
  if (answer.audited) return answer;
  const { operation, request_id, audit_id, caller } = notes;
  const { secretKey, db } = deps;
  const { status } = answer;
  try {
    const payload = payloadOf(req, operation);
    const call = { operation, req, payload, secretKey, request_id, audit_id, status, buyer_ip: caller?.buyer_ip };
    const written = auditRefused(db, call);
    if (status < 500) await written;
    // What keeps the request from its answer may keep the row as well: the caller does not wait for both.
    else await Promise.race([written.catch(() => undefined), sleep(AUDIT_FAILURE_WITHIN_MS)]);
    return answer;
  } catch (error) {
    if (status >= 500) return answer;
    notes.cause = error;
    return answerTo(error, request_id);
  }
}

function codeOf(error: unknown): string {
  return error instanceof ShopError
    ? error.code
    : error instanceof ValidationError
      ? 'validation_error'
      : 'internal_error';
}

/** A request with all that is known of it before the database is asked. */
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
  // Where bad credentials keep coming from, this one is looked at before anything else is done for it.
  const open = operation.security.length === 0;
  if (!open && (await deps.limits.isSuspect(req))) await lookUp(deps, secured, operation, deadline);
  // Before its body is read: of a flood, each refusal must cost next to nothing.
  if ('hashes' in handler) logins.refuseIfFull();
  const mistakes = await requestMistakes(operation, req, res);
  // Where nobody is to be authenticated, mistakes need not wait.
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
  // Whether the header counts is known of the token alone, and failures must not escape their limits by it.
  const caller = namesBuyer(operation, req) ? await lookUp(deps, claim, operation, incoming.deadline) : undefined;
  const buyer: Buyer = caller ? buyerOf(operation, caller, req) : { mistakes: [] };
  if (buyer.mistakes.length > 0) throw new ValidationError(buyer.mistakes);
  const named = buyer.ip && { ip: buyer.ip, token_id: caller?.private_token_id };
  const counted = await deps.limits.countStrictly(operation, claim, req, named || undefined);
  (res.locals as Notes).succeeded = counted.succeeded;
  applyLimit(res, counted);
}

/** The handler proper, once what stands outside the transaction is done. */
async function prepared(deps: Deps, handler: WithBeforehand, incoming: Incoming): Promise<PlainHandler> {
  await countStrictly(deps, incoming);
  const { caller, answered } = await look(deps, incoming, true);
  // What stands outside the transaction must not happen again for an answer that is only told again.
  if (answered) return alreadyAnswered;
  const ended = () => incoming.res.destroyed || deps.readiness.draining || incoming.deadline.over;
  const call = { ...partsOf(deps, incoming, caller), caller, db: deps.db, ended };
  return handler.beforehand(call as never).catch(async (error: unknown) => {
    // A copy of this request may have been answered meanwhile, and have used up what this one found gone.
    if (!(await look(deps, incoming, false)).answered) throw error;
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

/** What took longer to fail would take as long again, and a caller does not wait twice. */
const RETRY_WITHIN_MS = 1_000;

/** Runs the request, again when the database chose it as the victim of a deadlock or a serialisation conflict. */
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

async function admit(deps: Deps, connection: Connection, incoming: Incoming, counted: boolean, local: boolean) {
  const { operation, claim, mistakes, req, res } = incoming;
  const known = await authenticate(connection, claim, operation, local);
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
  const caller = await admit(deps, connection, incoming, counted, write || deps.pooling === 'transaction');
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
  const read = () => (operation.cacheable ? deps.cache.remember(shop, operation, req, notes, answer) : answer());
  const keyed = write && hasKey(req);
  const result = keyed ? await runOncePerKey(shop, key, answer, event) : write ? await answer() : await read();
  const ofAgent = caller.kind === 'agent';
  // What `once` ran is on record with its answer; the other calls are told here.
  if (keyed ? ofAgent && isReplay(result) : ofAgent || write) await recordAudit(shop, event(result.status));
  deps.lastUsed.note(caller);
  return ofAgent ? { ...result, audited: true } : result;
}

async function recordAudit(shop: Shop, event: Sql | undefined): Promise<void> {
  if (event) await shop.run(event);
}

/** The few operations where it may be absent aside, every mutation has one. */
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

/** Runs only if the answer that was just seen is gone in the next moment. */
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
  const empty = (body as { total?: unknown } | undefined)?.total === 0;
  return { status: operation.status, body: body === undefined ? undefined : JSON.stringify(body), empty };
}
