import sql, { type Sql } from 'sql-template-tag';
import { type Connection, query, together } from '../db/connect.ts';
import { ERA, inOneHistory } from '../db/era.ts';
import {
  CONFLICTS,
  hasCode,
  inSentTransaction,
  isLostConnection,
  retryConflicts,
  withConnection,
} from '../db/transaction.ts';
import type { Completed } from '../shop/checkout/complete.ts';
import { ShopError, ValidationError } from '../shop/errors.ts';
import { logins } from '../shop/passwords/passwords.ts';
import { Shop } from '../shop/shop.ts';
import { buyerOf, namesBuyer } from './callers/buyer.ts';
import type { Caller, Claim } from './callers/caller.ts';
import { actorOf, authenticate, callerOf, isAlwaysAudited } from './callers/callers.ts';
import { claimAtHost, claimOf as credentialOf, refuseAtHost } from './callers/claims.ts';
import { checkOrigin } from './callers/cors.ts';
import { openClaimOf } from './callers/open-callers.ts';
import { withPanelSession } from './callers/panel-session.ts';
import { sharesLookUps } from './callers/shared-look-ups.ts';
import { needsStepUp, requireStepUp } from './callers/step-up.ts';
import type { Operation, OperationId } from './contract/contract.ts';
import { callPartsOf, type Deps } from './deps.ts';
import { auditEvent, ensureAudited } from './pipeline/audit.ts';
import { hasAuditedChanges, withAuditedChanges } from './pipeline/audited-changes.ts';
import { applyLimit, outcomesOf } from './pipeline/counted.ts';
import { Deadline, secondsFor } from './pipeline/deadline.ts';
import { withAlternatives } from './pipeline/error-alternatives.ts';
import { type Answer, answerTo, codeOf, isRefusal, isUnavailable } from './pipeline/errors.ts';
import { isCredentialRefusal } from './pipeline/failed-credentials.ts';
import type { PreparedHandler, Run } from './pipeline/handler.ts';
import * as idempotency from './pipeline/idempotency.ts';
import { runVersioned } from './pipeline/if-match.ts';
import { auditedCall, type Incoming, isForAgent, keyOf, receivedOf } from './pipeline/incoming.ts';
import { auditOwnAccount, type OwnAccount, ownAccountOf } from './pipeline/own-account.ts';
import { answerInCookie } from './pipeline/panel-answer.ts';
import { type Performed, performedRequest } from './pipeline/performed.ts';
import { checked } from './pipeline/response-check.ts';
import { tellOwners } from './pipeline/sensitive.ts';
import { shed } from './pipeline/shedding.ts';
import { isStrict } from './pipeline/strict-limits.ts';
import { held, success } from './pipeline/success.ts';
import { validate } from './pipeline/validation.ts';
import type { Received } from './received.ts';
import type { ApiRequest } from './request.ts';

/**
 * Handles a request of any protocol. The steps, in order:
 * 1. routing: the adapter has found the operation, or an error (404, 405)
 * 2. load shedding (503). From here on the request has a deadline: it ends with 503 `timeout`, and its transaction has
 *    no effect. Once COMMIT has been sent, the result of COMMIT decides
 * 3. the form of the credential (401, or 403 if only a person may call the operation; operations open to anyone do
 *    this after step 4). If the IP address keeps sending invalid credentials, the credential is looked up here already.
 *    Passwords are hashed for a limited number of callers at a time (503)
 * 4. the body (413 and 415 immediately) and validation, whose mistakes are reported in step 7b, after authentication
 * 5. without mistakes: strict rate limits (429), for operations that allow guessing or send mails. They are counted in
 *    PostgreSQL, outside of the request's transaction. These operations have no other rate limit in step 7b. With
 *    X-Buyer-IP the credential is looked up first (401)
 * 6. only for a handler with `prepare`: 7a without claiming the key, 7b, and a look for a stored response. Without one,
 *    `prepare` works outside of the request's transaction. Transactions that it commits itself, such as a payment, are
 *    not undone by a later error or timeout
 * 7. one transaction for a mutation, one connection for a read (cacheable reads share the look-up of 7a):
 *    a. the look-up of the credential sets the tenant for row-level security (401, 403). If it finds a token, it also
 *       claims the Idempotency-Key, unless there are mistakes
 *    b. admission: origin, rate limit, step-up (403, 429), then 422 with every mistake. A replay and a 422 count too
 *    c. a response stored under this caller's key for this operation is replayed for 24 hours (422 if method, path,
 *       query or body differ); one with a secret only to the same credential (422) and until the secret is revoked
 *       (409). While another request holds the key, this one waits at most 2 s, then answers 409. Without a stored
 *       response the handler runs
 *    d. audit row, stored response and COMMIT are sent together. Calls of sync keys, anonymous callers and staff outside
 *       of a shop have no row here or in step 8. A successful change of a staff login is audited in 7c instead, in each
 *       of the person's shops
 * 8. an error thrown in step 7 rolls its transaction back and frees the key. If the handler or `prepare` threw it, the
 *    request has a key and the error is final (see `storeRefusal`), a second transaction claims the key as in 7c and
 *    stores the error with its audit row. Otherwise nothing is stored: no response, and no audit row except by step 9
 * 9. after a call with an existing agent's token, even a revoked or expired one, or of an assistant that acts for a staff
 *    member, an audit row is written if step 7 or 8 may have written none. Its id is generated once per request, so
 *    there is never a second row. If it cannot be written, the call fails. After a 5xx the caller waits at most 500 ms
 *    for it instead, and the row may be missing
 *
 * A missing or invalid credential, found in any step, is counted, and above a limit answered with 429 (see `refuse`).
 *
 * A transaction that PostgreSQL aborted (deadlock, serialization failure, connection lost before COMMIT) starts again
 * at 7a at most twice, and so does a request whose copy stored its response first. After a lost connection, this
 * happens only within a second of the first attempt. A request that finds the database in another history (db/era.ts)
 * starts again once. If the connection is lost during COMMIT, the result is unknown: the request is answered with 503
 * and not repeated. A retry with the same key returns the stored response if it was committed, and otherwise runs;
 * without a key it may take effect twice.
 */
export async function handle(deps: Deps, request: ApiRequest): Promise<Answer> {
  const { context } = request;
  const received = receivedOf(request);
  let answer: Answer;
  try {
    answer = await respond(deps, request, received);
    // After a success, limits that count only failures get their point back. An error here does not change the
    // response.
    if (answer.status < 400) await context.succeeded?.().catch(() => undefined);
    noteCompleted(request, answer);
  } catch (error) {
    answer = await refuse(deps, request, error);
  }
  const { caller, refusalIfFailed } = context;
  // `refusalIfFailed` is set once a strict limit with `rejectsOnlyFailures` is used up; other limits reject the request
  // before it runs. Then every 4xx becomes 429, so that the response does not reveal whether a guess was right. The
  // actual error stays stored under the key.
  if (refusalIfFailed && isRefusal(answer)) answer = await refuse(deps, request, refusalIfFailed);
  if (caller && caller.kind !== 'anonymous') deps.usage.count(caller.tenant.site_id, 'calls');
  answer = await ensureAudited(deps, received, context, answer, request.vouched?.assistant?.known);
  if (deps.validateResponses && !request.hold) answer = checked(context, answer);
  return { ...answer, headers: { ...context.limitHeaders, ...answer.headers } };
}

/** Notes the order of a completed checkout for the log, even if the response is a replay. */
function noteCompleted({ target, context }: ApiRequest, { told }: Answer): void {
  if ('refusal' in target || context.operation?.id !== COMPLETES) return;
  const order = (told as Partial<Completed> | undefined)?.order;
  context.completed = { checkout_id: target.path.checkout_id ?? '', order_number: order?.order_number };
}

const COMPLETES: string = 'storefront.completeCheckout' satisfies OperationId;

/**
 * Returns the response to an error. Counts requests with missing or invalid credentials, by IP address, and by IP
 * address, site and kind of credential. Above a limit, the response is 429 instead of 401; a valid credential is still
 * accepted.
 */
async function refuse({ limits }: Deps, request: ApiRequest, thrown: unknown): Promise<Answer> {
  const { context } = request;
  let error = thrown;
  if (error instanceof ShopError && isCredentialRefusal(error)) {
    const { headers, refusal } = await limits.countFailure(request);
    if (refusal) Object.assign(context.limitHeaders, headers);
    error = refusal ?? error;
  }
  const answer = answerTo(error, context.request_id, isForAgent(request));
  if (answer.status >= 500) context.cause = error;
  context.error = codeOf(error);
  return answer;
}

/** Steps 1 and 2: throws routing errors and sheds load. Enforces the deadline of the later steps. */
async function respond(deps: Deps, request: ApiRequest, received: Received): Promise<Answer> {
  const { target, context } = request;
  if ('refusal' in target) {
    if (target.operation) context.operation = target.operation;
    throw target.refusal;
  }
  const { operation } = target;
  refuseAtHost(operation, deps.hosts.siteAt(request));
  context.operation = operation;
  const handler = request.hold ?? (await deps.surfaces[operation.surface]())[operation.name];
  if (!handler) throw new Error(`No handler for ${operation.id}`);
  shed(deps.load(), operation, request.query);
  const deadline = new Deadline(secondsFor(operation, deps.deadlines));
  const answer = await deadline.limit(serve(deps, request, received, handler, deadline));
  return answerInCookie(operation, request, deps.hosts, answer);
}

/** Steps 3 to 6, then starts step 7. */
async function serve(
  deps: Deps,
  request: ApiRequest,
  received: Received,
  handler: Run | PreparedHandler,
  deadline: Deadline,
): Promise<Answer> {
  const { context } = request;
  const operation = context.operation as Operation;
  const { hosts, limits } = deps;
  const host_site = hosts.siteAt(request);
  const secured =
    request.vouched ?? claimAtHost(credentialOf(operation, withPanelSession(operation, request, hosts)), host_site);
  const isOpen = operation.security.length === 0;
  const early: Incoming = {
    ...{ request, received, context, operation, deadline },
    claim: secured,
    mistakes: [],
    key: undefined,
  };
  // Looks up the credential before any other work if this IP address keeps sending invalid ones.
  if (!isOpen && (await limits.isSuspect(request))) await lookUp(deps, early);
  if ('prepare' in handler && handler.hashes) logins.refuseIfFull();
  const mistakes = await validate(operation, request, received);
  // Operations without authentication report mistakes here. The others report them in step 7b.
  if (isOpen && mistakes.length > 0) throw new ValidationError(mistakes);
  const claim = isOpen ? openClaimOf(operation, received, host_site) : secured;
  const key = keyOf(deps.secretKey, operation, claim, received, context.request_id);
  const incoming = { ...early, claim, mistakes, key };
  if (!('prepare' in handler)) {
    await countStrictly(deps, incoming);
    return attempt(deps, incoming, handler, { countsRate: true });
  }
  const prepared = () => prepare(deps, incoming, handler);
  return attempt(deps, incoming, await (handler.hashes ? logins.take(prepared) : prepared()), { countsRate: false });
}

async function countStrictly(deps: Deps, incoming: Incoming): Promise<void> {
  const { operation, claim, mistakes, received, context } = incoming;
  if (mistakes.length > 0 || !isStrict(operation)) return;
  // A shop's own server sends the buyer's IP address. The address is accepted only with a private token: public tokens
  // are known to everyone, and with one of them anyone could evade their own limits.
  const caller = namesBuyer(operation, received) ? await lookUp(deps, incoming) : undefined;
  const buyer = caller ? buyerOf(operation, caller, received) : { mistakes: [] };
  if (buyer.mistakes.length > 0) throw new ValidationError(buyer.mistakes);
  const named = buyer.ip ? { ip: buyer.ip, token_id: caller?.private_token_id } : undefined;
  const counted = await deps.limits.countStrictly(operation, claim, received, named);
  Object.assign(context, outcomesOf(counted));
  applyLimit(context.limitHeaders, counted);
}

/**
 * Runs the part of a handler that must not hold a connection. Skips it if a response is stored under the
 * Idempotency-Key; step 7c then replays or rejects it.
 */
async function prepare(deps: Deps, incoming: Incoming, handler: PreparedHandler): Promise<Run> {
  await countStrictly(deps, incoming);
  const { request, key, deadline } = incoming;
  const { caller, isAnswered } = await admitAndLook(deps, incoming);
  if (isAnswered) return expectReplay;
  const ended = () => request.isGone() || deps.readiness.draining || deadline.over;
  const perform = (call: Performed) => handle(deps, performedRequest(request, incoming.claim, call));
  const call = { ...callPartsOf(deps, incoming, caller), caller, db: deps.db, ended, perform };
  return handler.prepare(call as never).catch((error: unknown) => {
    // If the database did not answer, a second query would make the caller wait twice.
    if (key === undefined || isUnavailable(error)) throw error;
    // The error is thrown in step 7c, so that it is stored like an error of the handler. If a copy of this request has
    // stored a response by then, that response is replayed instead.
    return () => Promise.reject(error);
  });
}

/** Authenticates the caller and checks whether a response is stored under the Idempotency-Key. */
async function admitAndLook(deps: Deps, incoming: Incoming) {
  const { key } = incoming;
  return onConnection(deps, incoming.deadline, async (connection) => {
    const known = await authenticate(connection, incoming.claim, incoming.operation, isLocal(deps));
    const caller = await admit(deps, incoming, known, { countsRate: true });
    const shop = new Shop(caller.tenant, actorOf(caller), connection);
    return { caller, isAnswered: key !== undefined && (await idempotency.isAnswered(shop, key)) };
  });
}

/** Authenticates a caller for adapters that need it before they call an operation. Throws 401 or 403. */
export function identify(deps: Deps, claim: Claim, operation: Operation): Promise<Caller> {
  const deadline = new Deadline(secondsFor(operation, deps.deadlines));
  return deadline.limit(lookUp(deps, { claim, operation, deadline }));
}

function lookUp(
  deps: Deps,
  { claim, operation, deadline }: Pick<Incoming, 'claim' | 'operation' | 'deadline'>,
): Promise<Caller> {
  return onConnection(deps, deadline, (connection) => authenticate(connection, claim, operation, isLocal(deps)));
}

/**
 * Replaces the handler if a stored response was found in step 6. Called only if that response has expired in the
 * meantime.
 */
async function expectReplay(): Promise<never> {
  throw new ShopError('unavailable', 'This Idempotency-Key is expiring. Retry the request.');
}

/** A request that loses its connection later than this after its first attempt began is answered with 503. */
const RETRY_WITHIN_MS = 1_000;

/** Whether this attempt counts against the rate limit. Only the first attempt of a request does. */
interface RateCount {
  countsRate: boolean;
}

/**
 * Runs step 7. Repeats it in three cases: after a conflict, after a connection was lost before COMMIT, and if a copy of
 * the request stored its response between this request's look-up and claim. If the connection is lost during COMMIT,
 * throws CommitUnknown and repeats nothing.
 */
function attempt(deps: Deps, incoming: Incoming, run: Run, { countsRate }: RateCount): Promise<Answer> {
  const startedAt = Date.now();
  const { deadline, operation } = incoming;
  const once = operation.safe ? read : mutate;
  // CommitUnknown is none of these.
  const mayRetry = (error: unknown) =>
    hasCode(error, CONFLICTS) ||
    idempotency.wasStoredByOther(error) ||
    (isLostConnection(error) && Date.now() - startedAt <= RETRY_WITHIN_MS);
  return retryConflicts(
    // Retries never count against the rate limit, even if the first attempt failed before it was counted.
    (attempted) => once(deps, incoming, run, { countsRate: countsRate && attempted === 1 }),
    (error) => !deadline.over && mayRetry(error),
  );
}

async function mutate(deps: Deps, incoming: Incoming, run: Run, rate: RateCount): Promise<Answer> {
  const { operation, claim, mistakes, key } = incoming;
  let refused: { caller: Caller; error: unknown } | undefined;
  try {
    return await inTransactionOf(deps, incoming, async (connection, begun) => {
      const beside = key && mistakes.length === 0 ? { key: idempotency.claimOf(key) } : {};
      const [, known] = await together(begun, authenticate(connection, claim, operation, true, beside));
      const caller = await admit(deps, incoming, known, rate);
      const shop = new Shop(caller.tenant, actorOf(caller), connection);
      // For staff, guests and open operations the key is claimed here, because their look-up cannot claim it.
      const stored = key && (await idempotency.claimAndFindResponse(shop, connection, key, known.key_state));
      deps.lastUsed.note(caller);
      // A replay writes no audit row here; `ensureAudited` writes one for an agent with a token and for an assistant.
      if (stored) return { result: stored, last: undefined };
      const answer = await runHandler(deps, incoming, run, caller, shop, connection).catch((error: unknown) => {
        refused = { caller, error };
        throw error;
      });
      return recorded(deps, incoming, shop, caller, answer);
    });
  } catch (error) {
    if (!key || !refused || refused.error !== error) throw error;
    return storeRefusal(deps, incoming, key, refused.caller, error);
  }
}

/**
 * Step 8. Errors with 400, 402, 403, 404 and 409 are final, unless the contract calls their error code retryable. All
 * others, such as 422, are rethrown and not stored, because a retry may succeed. A missing permission that the handler
 * finds gets an audit row, but no stored response: the key is free again, so that the call succeeds once the permission
 * is granted. If a copy of the request has stored a response meanwhile, that response is returned, and only step 9
 * audits this call.
 */
function storeRefusal(
  deps: Deps,
  incoming: Incoming,
  key: idempotency.Key,
  caller: Caller,
  error: unknown,
): Promise<Answer> {
  const answer = idempotency.finalRefusalOrThrow(error, key, isForAgent(incoming.request));
  return inTransactionOf(deps, incoming, async (connection, begun) => {
    const shop = new Shop(caller.tenant, actorOf(caller), connection);
    const [, , state] = await together(
      begun,
      shop.run(sql`select ${ERA}, set_config('app.site_id', ${shop.siteId}, true)`),
      idempotency.claimAfterOther(shop, connection, key),
    );
    const stored = await idempotency.claimAndFindResponse(shop, connection, key, state);
    if (stored) return { result: stored, last: undefined };
    // Writes that belong to the error, such as storing the price that it reports. They are omitted if the request has
    // no key or the error is not final.
    if (error instanceof ShopError) await error.afterwards?.(shop);
    incoming.context.error = codeOf(error);
    return recorded(deps, incoming, shop, caller, answer, error);
  });
}

/** Step 7d: the response, with the statement to send together with COMMIT. */
function recorded(
  deps: Deps,
  incoming: Incoming,
  shop: Shop,
  caller: Caller,
  answer: Answer,
  refusal?: unknown,
): { result: Answer; last: Sql | undefined } {
  const event = auditEvent(shop, { caller, ...auditedCall(deps, incoming, answer) });
  const { key } = incoming;
  const isStored = key !== undefined && idempotency.isStored(refusal);
  return {
    result: isAlwaysAudited(caller) ? { ...answer, audited: true } : answer,
    last: isStored ? idempotency.storing(shop, key, answer, event) : event,
  };
}

function inTransactionOf<T>(
  { db }: Deps,
  { deadline }: Incoming,
  work: (connection: Connection, begun: Promise<unknown>) => Promise<{ result: T; last: Sql | undefined }>,
): Promise<T> {
  return inOneHistory(db, () =>
    inSentTransaction(db, (connection, begun) =>
      deadline.hold(connection, { commits: true }, () => work(connection, begun)),
    ),
  );
}

/**
 * Step 7 for a read: runs the handler on one connection, in a transaction only behind a transaction pooler. If the
 * response is not cached, a standby may first fill the cache. This function then runs again on the primary, which
 * checks that the cached response is current.
 */
async function read(deps: Deps, incoming: Incoming, run: Run, rate: RateCount): Promise<Answer> {
  const { operation, claim, received, context, deadline } = incoming;
  const { cache, lookUps, lastUsed, standbys } = deps;
  const found = operation.cacheable ? cache.find(operation, claim.site_id, received) : undefined;
  let counted = rate;
  if (found && (found.isKept || standbys) && sharesLookUps(claim)) {
    const row = await inOneHistory(deps.db, () => lookUps.find(claim, operation, found.productIds));
    const caller = await admit(deps, incoming, callerOf(claim, row, operation), rate);
    lastUsed.note(caller);
    const kept = cache.current(found, caller.tenant, context);
    if (kept) return kept;
    counted = { countsRate: false };
    if (standbys) {
      context.standby = await standbys.read(caller.tenant, (connection) => {
        const shop = new Shop(caller.tenant, actorOf(caller), connection);
        return cache.remember(found, shop, context, () => runHandler(deps, incoming, run, caller, shop, connection));
      });
      // Another look-up on the primary decides whether the cached response is current, and reads its stock.
      if (context.standby === 'read') {
        const answer = await read({ ...deps, standbys: undefined }, incoming, run, counted);
        context.cached = false;
        return answer;
      }
    }
  }
  return onConnection(deps, deadline, async (connection) => {
    const shown = found?.productIds ?? [];
    const known = await authenticate(connection, claim, operation, isLocal(deps), { shown });
    const caller = await admit(deps, incoming, known, counted);
    lastUsed.note(caller);
    const shop = new Shop(caller.tenant, actorOf(caller), connection);
    const fresh = () => runHandler(deps, incoming, run, caller, shop, connection);
    const answer = await (found ? cache.remember(found, shop, context, fresh) : fresh());
    if (!isAlwaysAudited(caller)) return answer;
    const event = auditEvent(shop, { caller, ...auditedCall(deps, incoming, answer) });
    if (event) await query(connection, event);
    return { ...answer, audited: true };
  });
}

function onConnection<T>({ db }: Deps, deadline: Deadline, work: (connection: Connection) => Promise<T>): Promise<T> {
  return inOneHistory(db, () =>
    withConnection(db, (connection) => deadline.hold(connection, { commits: false }, () => work(connection))),
  );
}

/** Whether the tenant is set per transaction, because a pooler in transaction mode may switch connections. */
function isLocal({ pooling }: Deps): boolean {
  return pooling === 'transaction';
}

/**
 * Step 7b. Throws if the caller's origin is not allowed, a rate limit is used up, a required step-up is missing, or the
 * request has mistakes.
 */
async function admit(deps: Deps, incoming: Incoming, known: Caller, { countsRate }: RateCount): Promise<Caller> {
  const { operation, mistakes, received, context } = incoming;
  const buyer = buyerOf(operation, known, received);
  const caller: Caller = { ...known, ...(buyer.ip && { buyer_ip: buyer.ip }) };
  context.caller = caller;
  checkOrigin(operation, received, caller, deps.hosts);
  // Throws 429. Counts nothing for an operation with strict limits, because step 5 has counted it.
  if (countsRate) applyLimit(context.limitHeaders, await deps.limits.count(operation, caller, received));
  // A held call runs later, after a person has confirmed it, and needs no step-up here.
  if (!incoming.request.hold) requireStepUp(operation, caller, received.body);
  const all = [...mistakes, ...buyer.mistakes];
  if (all.length > 0) throw new ValidationError(all);
  return caller;
}

/** Step 7c: runs the handler, and adds the ETag of the resource that it read or changed. */
async function runHandler(
  deps: Deps,
  incoming: Incoming,
  run: Run,
  caller: Caller,
  shop: Shop,
  connection: Connection,
): Promise<Answer> {
  const { operation, received } = incoming;
  let account: OwnAccount | undefined = ownAccountOf(caller, operation);
  const noteAccount = (named: OwnAccount) => {
    account = named;
  };
  const call = { ...callPartsOf(deps, incoming, caller), caller, shop, noteAccount };
  if (incoming.request.hold) return held(await run(call as never));
  const once = async () => {
    const body = await run(call as never).catch(async (error: unknown) => {
      throw caller.kind === 'agent' ? await withAlternatives(shop, error, received) : error;
    });
    if (needsStepUp(operation, received.body)) await tellOwners(shop, operation, caller);
    const answer = success(operation, body);
    if (account) await auditOwnAccount(connection, account, auditedCall(deps, incoming, answer));
    return { answer, body };
  };
  const ran = (locked?: object) =>
    operation.guarded || operation.tagged
      ? runVersioned(operation, received, shop, once, locked)
      : once().then(({ answer }) => answer);
  return hasAuditedChanges(operation, caller) ? withAuditedChanges(operation, received, shop, ran) : ran();
}
