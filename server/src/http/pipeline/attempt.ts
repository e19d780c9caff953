import type { Request, Response } from 'express';
import type { Pool } from 'pg';
import type { Sql } from 'sql-template-tag';
import { type Connection, query, together } from '../../db/connect.ts';
import { inSentTransaction, retryConflicts, withConnection } from '../../db/transaction.ts';
import type { Egress } from '../../egress/post.ts';
import type { RefusedCall } from '../../shop/agents/nearest.ts';
import type { AuditKey } from '../../shop/audit/keys.ts';
import { ValidationError } from '../../shop/errors.ts';
import type { PaymentAccounts } from '../../shop/payments/accounts/providers.ts';
import type { CheckoutDeps } from '../../shop/payments/deps.ts';
import type { PaymentProvider } from '../../shop/payments/provider.ts';
import { Shop } from '../../shop/shop.ts';
import type { UsageCounter } from '../../shop/usage.ts';
import { buyerOf } from '../callers/buyer.ts';
import type { Caller, Claim } from '../callers/caller.ts';
import { actorOf, authenticate } from '../callers/callers.ts';
import { checkOrigin } from '../callers/cors.ts';
import type { LastUsed } from '../callers/last-used.ts';
import type { SharedLookUps } from '../callers/shared-look-ups.ts';
import type { SiteHosts } from '../callers/site-hosts.ts';
import { needsStepUp, requireStepUp } from '../callers/step-up.ts';
import type { Beside } from '../callers/token-look-up.ts';
import type { Operation } from '../contract/contract.ts';
import { auditEvent } from './audit.ts';
import type { CatalogueCache, Found } from './cache.ts';
import { applyLimit } from './counted.ts';
import type { Deadline, Deadlines } from './deadline.ts';
import { type Answer, isRetryable } from './errors.ts';
import { claim, claimOf, isAnswered, type Key, runOncePerKey, wasAnswered } from './idempotency.ts';
import { runVersioned } from './if-match.ts';
import type { Limits } from './limits.ts';
import { auditIdOf, type Notes } from './notes.ts';
import { RequestOrigin } from './origin.ts';
import { auditOwnAccount, type OwnAccount, ownAccountOf } from './own-account.ts';
import { payloadOf } from './payload.ts';
import { readCatalogue, readTogether, sharesLookUps } from './read-catalogue.ts';
import type { Readiness } from './readiness.ts';
import { tellOwners } from './sensitive.ts';
import type { Strain } from './shedding.ts';
import { success } from './success.ts';

/**
 * What a request does with the database: on one connection, in a transaction when it is a mutation, the caller is
 * authenticated and counted, and the handler runs.
 */
export interface Deps {
  db: Pool;
  pooling: 'session' | 'transaction';
  baseUrl: string;
  secretKey: string;
  /** Signs the rows of the audit. */
  auditKey: AuditKey;
  hosts: SiteHosts;
  /** The provider of card payments; none means that cards are not accepted. */
  card: PaymentProvider | undefined;
  /** The providers of the sites that have a payment account. */
  accounts: PaymentAccounts;
  /** Sends to addresses that tenants name. */
  egress: Egress;
  limits: Limits;
  cache: CatalogueCache;
  lastUsed: LastUsed;
  lookUps: SharedLookUps;
  usage: UsageCounter;
  strain: Strain;
  readiness: Readiness;
  deadlines: Deadlines;
  validateResponses: boolean;
}

export type PlainHandler = (call: never) => Promise<unknown>;

/** A request with all that is known of it before the database is queried. */
export interface Incoming {
  operation: Operation;
  claim: Claim;
  mistakes: ValidationError['detail'];
  deadline: Deadline;
  req: Request;
  res: Response;
}

export async function lookUp(deps: Deps, claim: Claim, operation: Operation, deadline: Deadline): Promise<Caller> {
  const local = deps.pooling === 'transaction';
  return onConnection(deps, deadline, (connection) => authenticate(connection, claim, operation, local));
}

/** The caller, and whether the key already has an answer, before anything is done. */
export async function look(
  deps: Deps,
  incoming: Incoming,
  counted: boolean,
): Promise<{ caller: Caller; answered: boolean }> {
  return onConnection(deps, incoming.deadline, async (connection) => {
    const caller = await admit(deps, connection, undefined, incoming, counted);
    if (incoming.operation.safe || !hasKey(incoming.req)) return { caller, answered: false };
    const shop = new Shop(caller.tenant, actorOf(caller), connection);
    return { caller, answered: await isAnswered(shop, keyOf(deps, incoming)) };
  });
}

/** A request that took longer to fail is not repeated: it would take as long again, and a caller does not wait twice. */
const RETRY_WITHIN_MS = 1_000;

/**
 * Runs the request, and again if the database chose it as the victim of a deadlock or a serialisation conflict, or if a copy of it
 * was faster.
 */
export function attempt(deps: Deps, handler: PlainHandler, incoming: Incoming, counted: boolean): Promise<Answer> {
  const begun = Date.now();
  const { deadline, operation } = incoming;
  const runNow = operation.safe ? read : write;
  return retryConflicts(
    (count) => runNow(deps, handler, incoming, counted && count === 1),
    (error) => !deadline.over && Date.now() - begun <= RETRY_WITHIN_MS && (isRetryable(error) || wasAnswered(error)),
  );
}

async function write(deps: Deps, handler: PlainHandler, incoming: Incoming, counted: boolean): Promise<Answer> {
  return inSentTransaction(deps.db, (connection, begun) =>
    incoming.deadline.hold(connection, true, () => run(deps, connection, begun, handler, incoming, counted)),
  );
}

/** Without BEGIN and COMMIT. */
async function read(deps: Deps, handler: PlainHandler, incoming: Incoming, counted: boolean): Promise<Answer> {
  const { operation, claim, deadline, req } = incoming;
  const found = operation.cacheable ? deps.cache.find(operation, claim.site_id, req) : undefined;
  if (found && sharesLookUps(claim)) {
    const admit = (known: Caller, first: boolean) => admitted(deps, known, incoming, counted && first);
    return readTogether(deps, incoming, found, handler, admit);
  }
  return onConnection(deps, deadline, async (connection) => {
    const { result, last } = found
      ? await readAudited(deps, connection, handler, found, incoming, counted)
      : await run(deps, connection, undefined, handler, incoming, counted);
    if (last) await query(connection, last);
    return result;
  });
}

function onConnection<T>({ db }: Deps, deadline: Deadline, work: (connection: Connection) => Promise<T>): Promise<T> {
  return withConnection(db, (connection) => deadline.hold(connection, false, () => work(connection)));
}

/** `begun` is the BEGIN that was sent ahead; undefined outside a transaction. */
async function admit(
  deps: Deps,
  connection: Connection,
  begun: Promise<unknown> | undefined,
  incoming: Incoming,
  counted: boolean,
  beside: Beside = {},
): Promise<Caller> {
  const local = begun !== undefined || deps.pooling === 'transaction';
  const lookUp = authenticate(connection, incoming.claim, incoming.operation, local, beside);
  const [, known] = await together(begun, lookUp);
  return admitted(deps, known, incoming, counted);
}

/** A caller who is known, is counted and has made no mistakes. */
async function admitted(deps: Deps, known: Caller, incoming: Incoming, counted: boolean): Promise<Caller> {
  const { operation, mistakes, req, res } = incoming;
  const buyer = buyerOf(operation, known, req);
  const caller: Caller = { ...known, ...(buyer.ip && { buyer_ip: buyer.ip }) };
  (res.locals as Notes).caller = caller;
  checkOrigin(operation, req, caller, deps.hosts);
  if (counted) {
    applyLimit(res, await deps.limits.count(operation, caller, req));
  }
  requireStepUp(operation, caller, req.body);
  const all = [...mistakes, ...buyer.mistakes];
  if (all.length > 0) throw new ValidationError(all);
  return caller;
}

/** The answer, and the statement that is sent last. */
interface Ran {
  result: Answer;
  last: Sql | undefined;
}

async function run(
  deps: Deps,
  connection: Connection,
  begun: Promise<unknown> | undefined,
  handler: PlainHandler,
  incoming: Incoming,
  counted: boolean,
): Promise<Ran> {
  const { operation, req } = incoming;
  const write = !operation.safe;
  const known = begun && keyOfToken(deps, incoming);
  const caller = await admit(deps, connection, begun, incoming, counted, { key: known && claimOf(known) });
  const shop = new Shop(caller.tenant, actorOf(caller), connection);
  let account = ownAccountOf(caller, operation);
  const noteAccount = (named: OwnAccount) => {
    account = named;
  };
  const call = { ...partsOf(deps, incoming, caller), caller, shop, noteAccount };
  const work = async () => {
    const body = await handler(call as never).catch(async (error: unknown) => {
      throw caller.kind === 'agent' ? await advised(shop, error, req) : error;
    });
    if (needsStepUp(operation, req.body)) await tellOwners(shop, operation, caller);
    const answer = success(operation, body);
    if (account) await auditOwnAccount(connection, account, recordOf(deps, incoming, keyOf(deps, incoming), answer));
    return { answer, body };
  };
  const versioned = operation.guarded || operation.tagged;
  const answer = async () => (versioned ? runVersioned(operation, req, shop, work) : (await work()).answer);
  const ofAgent = isAgent(caller);
  // Reads of other callers are not audited, so their payload is not needed.
  const key = known ?? (write || ofAgent ? keyOf(deps, incoming) : undefined);
  const event = (given: Answer) => key && eventOf(deps, incoming, shop, caller, key, given);
  const keyed = write && hasKey(req);
  const { result, last } =
    key && keyed
      ? await runOncePerKey(shop, connection, {
          ...{ key, claimed: caller.key_state ? Promise.resolve(caller.key_state) : claim(shop, connection, key) },
          ...{ run: answer, alongside: event },
        })
      : { result: await answer(), last: undefined };
  deps.lastUsed.note(caller);
  // `runOncePerKey` writes the audit row together with the answer that it stores; the other rows are written here.
  return {
    result: ofAgent ? { ...result, audited: true } : result,
    last: last ?? (ofAgent || (write && !keyed) ? event(result) : undefined),
  };
}

/** A read of the catalogue by anybody, whose row for the audit is written if it is an agent's. */
async function readAudited(
  deps: Deps,
  connection: Connection,
  handler: PlainHandler,
  found: Found,
  incoming: Incoming,
  counted: boolean,
): Promise<Ran> {
  const admission = admit(deps, connection, undefined, incoming, counted, { shown: found.productIds });
  const { answer, caller, shop } = await readCatalogue(deps, incoming, found, handler, connection, admission);
  if (!isAgent(caller)) return { result: answer, last: undefined };
  const last = eventOf(deps, incoming, shop, caller, keyOf(deps, incoming), answer);
  return { result: { ...answer, audited: true }, last };
}

/** The row of the audit. */
function eventOf(deps: Deps, incoming: Incoming, shop: Shop, caller: Caller, key: Key, given: Answer) {
  return auditEvent(shop, { caller, ...recordOf(deps, incoming, key, given) });
}

/** What the audit tells of a call, whoever made it. */
function recordOf({ secretKey, auditKey }: Deps, { operation, req, res }: Incoming, key: Key, given: Answer) {
  const { status, made } = given;
  const about = { operation, req, payload: key.request, request_id: key.request_id, status, made, answer: given };
  return { ...about, secretKey, auditKey, audit_id: auditIdOf(res.locals as Notes) };
}

/** The key of a mutation with a token, which is claimed in the look-up of the token. */
function keyOfToken(deps: Deps, incoming: Incoming): Key | undefined {
  return claimsByToken(incoming) ? keyOf(deps, incoming) : undefined;
}

function claimsByToken({ operation, claim: { kind }, mistakes, req }: Incoming): boolean {
  const byToken = kind !== 'anonymous' && kind !== 'staff' && kind !== 'guest_agent';
  return !operation.safe && byToken && mistakes.length === 0 && hasKey(req);
}

/** All calls of agents are audited, also those of agents without a token. */
function isAgent({ kind }: Caller): boolean {
  return kind === 'agent' || kind === 'guest_agent';
}

/** Every mutation has one, except for the few operations where it is optional. */
function hasKey(req: Request): boolean {
  return req.headers['idempotency-key'] !== undefined;
}

function keyOf(deps: Deps, { operation, claim, req, res }: Incoming): Key {
  return {
    key: req.get('Idempotency-Key') ?? '',
    operation_id: operation.id,
    request: payloadOf(req, operation),
    secret: operation.secret,
    secretRefusal: operation.secretRefusal,
    pepper: `${deps.secretKey}${claim.secret}${claim.customer_secret ?? ''}`,
    request_id: (res.locals as Notes).request_id,
  };
}

/** A refusal of an agent with what it could take instead, which is loaded when first needed. */
async function advised(shop: Shop, error: unknown, { params, body = {} }: Request): Promise<unknown> {
  const { withAlternatives } = await import('../../shop/agents/alternatives.ts');
  return withAlternatives(shop, error, { path: params, body } as RefusedCall);
}

export function partsOf(deps: Deps, { req }: Incoming, { buyer_ip }: Pick<Caller, 'buyer_ip'>) {
  const { baseUrl, egress } = deps;
  return {
    baseUrl,
    egress,
    checkoutDeps: checkoutDepsOf(deps),
    origin: new RequestOrigin(req, buyer_ip, baseUrl),
    path: req.params,
    query: req.query,
    body: req.body as unknown,
  };
}

export function checkoutDepsOf({ baseUrl, hosts, secretKey, card, accounts }: Deps): CheckoutDeps {
  return { baseUrl, hosts, secretKey, card, accounts };
}
