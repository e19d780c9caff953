import { isIP } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { asOwner } from '../../db/as-owner.ts';
import { type Connection, query } from '../../db/connect.ts';
import { inSentTransaction, inTransaction, retryConflicts } from '../../db/transaction.ts';
import type { FileStore } from '../../files/store.ts';
import { notFound, ShopError, ValidationError } from '../../shop/errors.ts';
import { findSiteOn } from '../../shop/in-shop.ts';
import { mintPassword, type NewPassword } from '../../shop/merchant/sites.ts';
import { findKey, type OperatorCallRecord, recordCall } from '../../shop/operators/keys.ts';
import { outsideOfTenants, Shop, SYSTEM } from '../../shop/shop.ts';
import { isUuid } from '../callers/claims.ts';
import { invalidToken, NOBODY } from '../callers/open-callers.ts';
import type { Operation } from '../contract/contract.ts';
import { type OperatorOperationId, operatorOperations } from '../contract/operator-contract.ts';
import { createRouting } from '../contract/route.ts';
import { mistakesInRow } from '../contract/rows.ts';
import { applyLimit } from '../pipeline/counted.ts';
import { Deadline, type Deadlines, secondsFor } from '../pipeline/deadline.ts';
import { type Answer, answerTo, isRetryable } from '../pipeline/errors.ts';
import { claim, type Key, runOncePerKey, wasAnswered } from '../pipeline/idempotency.ts';
import type { Limits } from '../pipeline/limits.ts';
import type { Notes } from '../pipeline/notes.ts';
import { codeOf } from '../pipeline/outcome.ts';
import { payloadOf } from '../pipeline/payload.ts';
import { requestMistakes } from '../pipeline/request-mistakes.ts';
import { send } from '../pipeline/send.ts';
import { success } from '../pipeline/success.ts';
import type { OperatorHandlers } from './operator-handler.ts';
import { SiteExport, sendExport } from './site-export.ts';

/**
 * The calls of operators. The steps are those of `dispatch`: the contract names the operation, the key is looked up and counted,
 * mistakes are reported, and the work runs in one transaction, once per Idempotency-Key of the operator's key. A call that names a
 * site has it as its tenant. Every call with a living key is recorded: in its own transaction if it changed something.
 */
export interface OperatorDeps {
  /** Of the login that owns the tables. */
  owner: Pool;
  baseUrl: string;
  /** Which cards all shops take, if any. */
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
    const notes = res.locals as Notes;
    let answer: Answer;
    try {
      const { operation, path } = routing.route(req.method, req.url.split('?')[0] ?? '');
      notes.operation = operation;
      req.params = path;
      const deadline = new Deadline(secondsFor(operation, deps.deadlines));
      answer = await deadline.limit(serve(deps, operation, deadline, req, res));
    } catch (thrown) {
      answer = await refused(deps, req, res, thrown);
    }
    if (answer.told instanceof SiteExport) await sendExport(deps, req, res, answer.told);
    else await send(req, res, answer, deps.validateResponses);
  };
}

async function refused({ limits }: OperatorDeps, req: Request, res: Response, thrown: unknown): Promise<Answer> {
  const notes = res.locals as Notes;
  let error = thrown;
  if (error instanceof ShopError && ['unauthorized', 'invalid_token'].includes(error.code)) {
    const { headers, refusal } = await limits.countFailure(req, 'operator');
    if (refusal) res.set(headers);
    error = refusal ?? error;
  }
  const answer = answerTo(error, notes.request_id);
  if (answer.status >= 500) notes.cause = error;
  notes.error = codeOf(error);
  return answer;
}

async function serve(
  deps: OperatorDeps,
  operation: Operation,
  deadline: Deadline,
  req: Request,
  res: Response,
): Promise<Answer> {
  if (req.headers.origin !== undefined) throw ofBrowser();
  const secret = secretOf(req);
  const key_id = await lookUp(deps, secret);
  applyLimit(res, await deps.limits.countOperator(key_id));
  const record = (status: number) => recordOf(operation, key_id, status, req, res);
  try {
    const mistakes = await requestMistakes(operation, req, res);
    if (mistakes.length > 0) throw new ValidationError(mistakes);
    // Hashing takes a tenth of a second, in which no connection is held and no lock.
    const password = operation.id === OPENS_SITE ? await mintPassword() : undefined;
    return await attempt(deps, operation, { key_id, secret, deadline, password, record }, req, res);
  } catch (error) {
    const { status } = answerTo(error, '');
    await inTransaction(deps.owner, (connection) => asOwner(connection, () => recordCall(connection, record(status))));
    throw error;
  }
}

function ofBrowser(): ShopError {
  const message = "Operators' keys are not accepted from web pages: send the request without the header Origin.";
  return new ShopError('origin_not_allowed', message);
}

function secretOf({ headers }: Request): string {
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
  deadline: Deadline;
  password: NewPassword | undefined;
  record(status: number): OperatorCallRecord;
}

/** The look-up that counts is the one inside the transaction: a key that was revoked meanwhile is refused. */
function attempt(deps: OperatorDeps, operation: Operation, known: Known, req: Request, res: Response): Promise<Answer> {
  const { key_id, secret, deadline, record } = known;
  return retryConflicts(
    () =>
      inSentTransaction(deps.owner, async (connection, begun) =>
        deadline.hold(connection, true, async () => {
          await begun;
          const found = await asOwner(connection, () => findKey(connection, secret));
          if (found !== key_id) throw invalidToken();
          const ran = await once(deps, operation, known, connection, req, res);
          await asOwner(connection, () => recordCall(connection, record(ran.result.status)));
          await actAs(connection, NOBODY);
          return ran;
        }),
      ),
    (error) => !deadline.over && (isRetryable(error) || wasAnswered(error)),
  );
}

async function once(
  deps: OperatorDeps,
  operation: Operation,
  { key_id, secret, password }: Known,
  connection: Connection,
  req: Request,
  res: Response,
) {
  await actAs(connection, NOBODY);
  const run = async () => {
    const answer = success(operation, await work(deps, operation, connection, req, password));
    await actAs(connection, NOBODY);
    return answer;
  };
  if (operation.safe) return { result: await run(), last: undefined };
  const key: Key = {
    key: req.get('Idempotency-Key') ?? '',
    operation_id: operation.id,
    request: payloadOf(req, operation),
    secret: operation.secret,
    secretRefusal: false,
    pepper: `${deps.secretKey}${secret}`,
    request_id: (res.locals as Notes).request_id,
  };
  // Whose keys these are: nobody's shop, and the operator's key.
  const outside = new Shop(outsideOfTenants(NOBODY), { ...SYSTEM, id: key_id }, connection);
  return runOncePerKey(outside, connection, {
    ...{ key, claimed: claim(outside, connection, key), run },
    alongside: () => undefined,
  });
}

/** The tenant of what follows in the transaction. */
async function actAs(connection: Connection, site_id: string): Promise<void> {
  await query(connection, sql`select set_config('app.site_id', ${site_id}, true)`);
}

async function work(
  deps: OperatorDeps,
  operation: Operation,
  connection: Connection,
  req: Request,
  password: NewPassword | undefined,
): Promise<unknown> {
  const { site_id } = req.params;
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
    ...{ path: req.params, query: req.query, body: req.body as unknown },
  });
}

async function siteNamed(connection: Connection, site_id: string): Promise<Shop> {
  const tenant = await findSiteOn(connection, site_id);
  if (!tenant) throw notFound('site');
  await actAs(connection, tenant.site_id);
  return new Shop(tenant, SYSTEM, connection);
}

function recordOf(
  operation: Operation,
  key_id: string,
  status: number,
  req: Request,
  res: Response,
): OperatorCallRecord {
  const { site_id } = req.params;
  return {
    ...{ key_id, operation: operation.id, status, request_id: (res.locals as Notes).request_id },
    about_site: isUuid(site_id) ? site_id : null,
    ip: isIP(req.ip ?? '') > 0 ? (req.ip ?? null) : null,
  };
}
