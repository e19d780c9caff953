/**
 * Handles calls of operators with the steps of `handle`: look up and count the operator's key, report mistakes, and run
 * the handler in one transaction, once per Idempotency-Key. A call on a site uses that site as tenant. Every call with
 * a valid key is recorded, except above the rate limit; a successful call is recorded in its own transaction.
 */

import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { asOwner } from '../../db/as-owner.ts';
import { type Connection, query } from '../../db/connect.ts';
import { inOneHistory } from '../../db/era.ts';
import { inSentTransaction, inTransaction, retryConflicts } from '../../db/transaction.ts';
import type { FileStore } from '../../files/store.ts';
import { notFound, ShopError, ValidationError } from '../../shop/errors.ts';
import { findSiteOn } from '../../shop/in-shop.ts';
import { mintPassword, type NewPassword } from '../../shop/merchant/sites.ts';
import { findKey, type OperatorCallRecord, recordCall } from '../../shop/operators/keys.ts';
import { outsideOfTenants, Shop, SYSTEM } from '../../shop/shop.ts';
import { isUuid } from '../callers/claims.ts';
import { invalidToken, NO_CLAIM, NOBODY } from '../callers/open-callers.ts';
import type { Operation } from '../contract/contract.ts';
import { type OperatorOperationId, operatorOperations } from '../contract/operator-contract.ts';
import { createRouting, type Routing } from '../contract/route.ts';
import { mistakesInRow } from '../contract/rows.ts';
import { apiRequestOf } from '../express/api.ts';
import { contextOf } from '../express/context.ts';
import { send } from '../express/send.ts';
import { applyLimit } from '../pipeline/counted.ts';
import { Deadline, type Deadlines, secondsFor } from '../pipeline/deadline.ts';
import { type Answer, answerTo, codeOf, isRetryable } from '../pipeline/errors.ts';
import { isCredentialRefusal } from '../pipeline/failed-credentials.ts';
import * as idempotency from '../pipeline/idempotency.ts';
import { keyOf, receivedOf } from '../pipeline/incoming.ts';
import type { Limits } from '../pipeline/limits.ts';
import { checked } from '../pipeline/response-check.ts';
import { success } from '../pipeline/success.ts';
import { validate } from '../pipeline/validation.ts';
import type { Received, Sender } from '../received.ts';
import type { ApiRequest, RequestContext } from '../request.ts';
import type { OperatorHandlers } from './operator-handler.ts';
import { SiteExport, sendExport } from './site-export.ts';

export interface OperatorDeps {
  /** Pool of the login that owns the tables. */
  owner: Pool;
  baseUrl: string;
  /** The card provider for all shops, if the server has one. */
  card: { name: string } | undefined;
  secretKey: string;
  files: FileStore;
  limits: Limits;
  deadlines: Deadlines;
  validateResponses: boolean;
  handlers: () => Promise<OperatorHandlers>;
}

export function operatorCalls(deps: OperatorDeps): RequestHandler {
  const routing = createRouting(operatorOperations);
  return async (req, res) => {
    const context = contextOf(res);
    const request = apiRequestOf(req, res, targetOf(routing, req));
    const received = receivedOf(request);
    let answer: Answer;
    try {
      if ('refusal' in request.target) throw request.target.refusal;
      const { operation } = request.target;
      context.operation = operation;
      const deadline = new Deadline(secondsFor(operation, deps.deadlines));
      answer = await deadline.limit(serve(deps, { request, received, context, operation, deadline }));
    } catch (thrown) {
      answer = await refused(deps, request, thrown);
    }
    if (answer.told instanceof SiteExport) return sendExport(deps, req, res, answer.told);
    if (deps.validateResponses) answer = checked(context, answer);
    return send(req, res, { ...answer, headers: { ...context.limitHeaders, ...answer.headers } });
  };
}

function targetOf(routing: Routing, { method, url }: Request): ApiRequest['target'] {
  try {
    return routing.route(method, url.split('?')[0] ?? '');
  } catch (error) {
    return { refusal: error as Error };
  }
}

/** An operator's call for which the operation is known. */
interface Call {
  request: ApiRequest;
  received: Received;
  context: RequestContext;
  operation: Operation;
  deadline: Deadline;
}

async function refused({ limits }: OperatorDeps, request: ApiRequest, thrown: unknown): Promise<Answer> {
  const { context } = request;
  let error = thrown;
  if (error instanceof ShopError && isCredentialRefusal(error)) {
    const { headers, refusal } = await limits.countFailure(request, 'operator');
    if (refusal) Object.assign(context.limitHeaders, headers);
    error = refusal ?? error;
  }
  const answer = answerTo(error, context.request_id);
  if (answer.status >= 500) context.cause = error;
  context.error = codeOf(error);
  return answer;
}

async function serve(deps: OperatorDeps, call: Call): Promise<Answer> {
  const { request, received, context, operation } = call;
  if (request.headers.origin !== undefined) throw ofBrowser();
  const secret = secretOf(request);
  const key_id = await lookUp(deps, secret);
  applyLimit(context.limitHeaders, await deps.limits.countOperator(key_id));
  const record = (status: number) => recordOf(call, key_id, status);
  try {
    const mistakes = await validate(operation, request, received);
    if (mistakes.length > 0) throw new ValidationError(mistakes);
    // Hashing takes a tenth of a second, so it runs before a connection or lock is held.
    const password = operation.id === OPENS_SITE ? await mintPassword() : undefined;
    return await attempt(deps, call, { key_id, secret, password, record });
  } catch (error) {
    const { status } = answerTo(error, '');
    await inTransaction(deps.owner, (connection) => asOwner(connection, () => recordCall(connection, record(status))));
    throw error;
  }
}

function ofBrowser(): ShopError {
  const message = "Operators' keys are not accepted from web pages. Send the request without the header Origin.";
  return new ShopError('origin_not_allowed', message);
}

function secretOf({ headers }: Sender): string {
  const [, secret] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (secret === undefined) {
    throw new ShopError('unauthorized', 'This operation needs Authorization: Bearer opr_….');
  }
  return secret;
}

async function lookUp({ owner }: OperatorDeps, secret: string): Promise<string> {
  const found = await inTransaction(owner, (connection) => asOwner(connection, () => findKey(connection, secret)));
  if (!found) throw invalidToken();
  return found;
}

const OPENS_SITE: string = 'operator.createSite' satisfies OperatorOperationId;

interface Known {
  key_id: string;
  secret: string;
  password: NewPassword | undefined;
  record(status: number): OperatorCallRecord;
}

/**
 * Runs a call, and retries it after a conflict. Looks up the key again inside the transaction, so that a key revoked
 * meanwhile is rejected.
 */
function attempt(deps: OperatorDeps, call: Call, known: Known): Promise<Answer> {
  return retryConflicts(
    () => (call.operation.safe ? read(deps, call, known) : mutate(deps, call, known)),
    (error) => !call.deadline.over && (isRetryable(error) || idempotency.wasStoredByOther(error)),
  );
}

function read(deps: OperatorDeps, call: Call, known: Known): Promise<Answer> {
  return inRecordedTransaction(deps, call, known, async (connection) => {
    const answer = success(call.operation, await work(deps, call, connection, known.password));
    return { answer, last: () => undefined };
  });
}

/** Runs a mutation once per Idempotency-Key and operator's key, as `handle` does for shops. */
async function mutate(deps: OperatorDeps, call: Call, known: Known): Promise<Answer> {
  const { operation, received, context } = call;
  const claim = { ...NO_CLAIM, secret: known.secret };
  const key = keyOf(deps.secretKey, operation, claim, received, context.request_id);
  if (!key) throw new Error(`${operation.id} requires an Idempotency-Key.`);
  let refusal: { error: unknown } | undefined;
  try {
    return await inRecordedTransaction(deps, call, known, async (connection, outside) => {
      const stored = await idempotency.claimAndFindResponse(outside, connection, key, undefined);
      if (stored) return { answer: stored, last: () => undefined };
      const body = await work(deps, call, connection, known.password).catch((error: unknown) => {
        refusal = { error };
        throw error;
      });
      const answer = success(operation, body);
      return { answer, last: () => idempotency.storing(outside, key, answer, undefined) };
    });
  } catch (error) {
    if (refusal?.error !== error) throw error;
    const answer = idempotency.finalRefusalOrThrow(error, key, false);
    return inRecordedTransaction(deps, call, known, async (connection, outside) => {
      const state = await idempotency.claimAfterOther(outside, connection, key);
      const stored = await idempotency.claimAndFindResponse(outside, connection, key, state);
      return {
        answer: stored ?? answer,
        last: () => (stored ? undefined : idempotency.storing(outside, key, answer, undefined)),
      };
    });
  }
}

interface Done {
  answer: Answer;
  /** The statement to send together with COMMIT. */
  last(): Sql | undefined;
}

/**
 * Runs a transaction for a valid operator's key, and records the call. `outside` is a placeholder tenant to which the
 * operator's Idempotency-Keys belong.
 */
function inRecordedTransaction(
  deps: OperatorDeps,
  { deadline }: Call,
  { key_id, secret, record }: Known,
  part: (connection: Connection, outside: Shop) => Promise<Done>,
): Promise<Answer> {
  return inOneHistory(deps.owner, () =>
    inSentTransaction(deps.owner, (connection, begun) =>
      deadline.hold(connection, { commits: true }, async () => {
        await begun;
        const found = await asOwner(connection, () => findKey(connection, secret));
        if (found !== key_id) throw invalidToken();
        await actAs(connection, NOBODY);
        const outside = new Shop(outsideOfTenants(NOBODY), { ...SYSTEM, id: key_id }, connection);
        const { answer, last } = await part(connection, outside);
        await asOwner(connection, () => recordCall(connection, record(answer.status)));
        await actAs(connection, NOBODY);
        return { result: answer, last: last() };
      }),
    ),
  );
}

/** Sets the tenant for the rest of the transaction. */
async function actAs(connection: Connection, site_id: string): Promise<void> {
  await query(connection, sql`select set_config('app.site_id', ${site_id}, true)`);
}

async function work(
  deps: OperatorDeps,
  { operation, received }: Call,
  connection: Connection,
  password: NewPassword | undefined,
): Promise<unknown> {
  const { params: path, query, body } = received;
  const { site_id } = path;
  const shop = site_id === undefined ? undefined : await siteNamed(connection, String(site_id));
  const handlers = (await deps.handlers()) as unknown as Record<string, (call: object) => Promise<unknown>>;
  const handler = handlers[operation.name];
  if (!handler) throw new Error(`No handler for ${operation.id}`);
  return handler({
    site: () => {
      if (!shop) throw new Error(`${operation.id} names no site.`);
      return shop;
    },
    password: () => {
      if (!password) throw new Error(`${operation.id} opens no site.`);
      return password;
    },
    connection,
    asOwner: <T>(part: () => Promise<T>) => asOwner(connection, part),
    ...{ baseUrl: deps.baseUrl, card: deps.card, mistakesInRow },
    ...{ path, query, body },
  });
}

async function siteNamed(connection: Connection, site_id: string): Promise<Shop> {
  const tenant = await findSiteOn(connection, site_id);
  if (!tenant) throw notFound('site');
  await actAs(connection, tenant.site_id);
  return new Shop(tenant, SYSTEM, connection);
}

function recordOf({ received, context, operation }: Call, key_id: string, status: number): OperatorCallRecord {
  const { params, ip = '' } = received;
  return {
    ...{ key_id, operation: operation.id, status, request_id: context.request_id },
    about_site: isUuid(params.site_id) ? params.site_id : null,
    ip: isIP(ip) > 0 ? ip : null,
  };
}
