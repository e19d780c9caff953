import type { Request, RequestHandler, Response } from 'express';
import { Overload, ShopError, ValidationError } from '../../shop/errors.ts';
import { logins } from '../../shop/passwords/passwords.ts';
import { type Buyer, buyerOf, namesBuyer } from '../callers/buyer.ts';
import type { Caller, Claim } from '../callers/caller.ts';
import { claimAtHost, claimOf, refuseAtHost } from '../callers/claims.ts';
import { openClaimOf } from '../callers/open-callers.ts';
import { withPanelSession } from '../callers/panel-session.ts';
import { type Operation, operationOf, type Surface } from '../contract/contract.ts';
import { attempt, type Deps, type Incoming, look, lookUp, type PlainHandler, partsOf } from './attempt.ts';
import { applyLimit } from './counted.ts';
import { Deadline, secondsFor } from './deadline.ts';
import { type Answer, answerTo, isUnavailable } from './errors.ts';
import { address } from './match.ts';
import type { Notes } from './notes.ts';
import { codeOf, countFailure, ensureAudited, isForAgent, runSucceeded } from './outcome.ts';
import { answerInCookie } from './panel-answer.ts';
import { requestMistakes } from './request-mistakes.ts';
import { send } from './send.ts';
import { shed } from './shedding.ts';
import { isStrict } from './strict-limits.ts';

/**
 * The steps of a request:
 * 1. the contract names its operation (404, 405), which may be refused under load (503)
 * 2. the credential has the right form (401), the body is JSON within bounds (413, 415)
 * 3. the request is validated against the contract; mistakes are reported only once the caller is known
 * 4. on one connection, inside a transaction when it is a mutation: the caller is authenticated (401, 403) and counted (429),
 *    mistakes are reported (422), and the handler runs, once per Idempotency-Key
 * 5. commit, and only then the answer; by then an agent's call has its audit row, whatever the outcome
 * The whole has a deadline: beyond it, what is not committed is rolled back, and the answer is 503 `timeout`.
 */
type WithBeforehand = {
  beforehand(call: never): Promise<PlainHandler>;
  hashes?: true;
};
/** Any operation's handler: the contract has checked what `dispatch` hands to it. */
export type AnyHandler = PlainHandler | WithBeforehand;
/** The handlers of each surface, which may be loaded only when they are asked for. */
export type Surfaces = Record<Surface, () => Promise<Record<string, AnyHandler>>>;

/** What becomes of a request, before it is written: to a connection, or to whoever called in this process. */
export interface Pipeline {
  /** All steps. */
  answer(req: Request, res: Response): Promise<Answer>;
  /** The last steps, for a request that was refused before it came here: counters, audit, the code in the log. */
  refuse(req: Request, res: Response, thrown: unknown): Promise<Answer>;
  /** Looks up the agent of a site whose token a request carries, and throws the refusal of every other credential. */
  identify(req: Request, res: Response, site_id: string): Promise<void>;
  /** Looks up the caller, and throws the refusal of a credential that the operation does not open to. */
  admit(claim: Claim, operation: Operation): Promise<Caller>;
}

export function openPipeline(deps: Deps, surfaces: Surfaces): Pipeline {
  const refused = async (req: Request, res: Response, thrown: unknown) => {
    const notes = res.locals as Notes;
    const error = await countFailure(deps.limits, thrown, req, res);
    const answer = answerTo(error, notes.request_id, isForAgent(req, notes));
    if (answer.status >= 500 && !(error instanceof Overload)) notes.cause = error;
    notes.error = codeOf(error);
    return answer;
  };
  const admit = (claim: Claim, operation: Operation) => {
    const deadline = new Deadline(secondsFor(operation, deps.deadlines));
    return deadline.limit(lookUp(deps, claim, operation, deadline));
  };
  return {
    admit,
    async answer(req, res) {
      const notes = res.locals as Notes;
      let answer: Answer;
      try {
        answer = await served(deps, surfaces, req, res);
        if (answer.status < 400) await runSucceeded(notes);
      } catch (thrown) {
        answer = await refused(req, res, thrown);
      }
      const { caller } = notes;
      if (caller && caller.kind !== 'anonymous') deps.usage.count(caller.tenant.site_id, 'calls');
      return ensureAudited(deps, req, notes, answer);
    },
    async refuse(req, res, thrown) {
      return ensureAudited(deps, req, res.locals as Notes, await refused(req, res, thrown));
    },
    async identify(req, res, site_id) {
      const claim = claimAtHost(claimOf(OF_ANY_AGENT, req.headers), site_id);
      (res.locals as Notes).caller = await admit(claim, OF_ANY_AGENT);
    },
  };
}

/** An operation that every agent's token may call. */
const OF_ANY_AGENT = operationOf('agent.listAudit');

export function dispatch(pipeline: Pipeline, validateResponses: boolean): RequestHandler {
  return async (req, res) => {
    await send(req, res, await pipeline.answer(req, res), validateResponses);
  };
}

async function served(deps: Deps, surfaces: Surfaces, req: Request, res: Response): Promise<Answer> {
  const { operation, path } = address(req);
  refuseAtHost(operation, deps.hosts.siteAt(req));
  (res.locals as Notes).operation = operation;
  req.params = path;
  const handler = (await surfaces[operation.surface]())[operation.name];
  if (!handler) throw new Error(`No handler for ${operation.id}`);
  const deadline = new Deadline(secondsFor(operation, deps.deadlines));
  const answer = await deadline.limit(serve(deps, handler, deadline, operation, req, res));
  return answerInCookie(operation, req, deps.hosts, answer);
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
  const host_site = deps.hosts.siteAt(req);
  const { claim: vouched } = res.locals as Notes;
  const secured = vouched ?? claimAtHost(claimOf(operation, withPanelSession(operation, req, deps.hosts)), host_site);
  // From an address that keeps sending bad credentials, the credential is checked before anything else is done.
  const open = operation.security.length === 0;
  if (!open && (await deps.limits.isSuspect(req))) await lookUp(deps, secured, operation, deadline);
  // Before its body is read: in a flood of requests, a refusal must cost next to nothing.
  if ('hashes' in handler) logins.refuseIfFull();
  const mistakes = await requestMistakes(operation, req, res);
  // Where nobody is authenticated, mistakes need not wait.
  if (open && mistakes.length > 0) throw new ValidationError(mistakes);
  const claim = open ? openClaimOf(operation, req, host_site) : secured;
  const incoming = { operation, claim, mistakes, deadline, req, res };
  if (!('beforehand' in handler)) return counted(deps, handler, incoming);
  const prepare = () => prepared(deps, handler, incoming);
  return attempt(deps, await (handler.hashes ? logins.take(prepare) : prepare()), incoming, false);
}

async function counted(deps: Deps, handler: PlainHandler, incoming: Incoming): Promise<Answer> {
  await countStrictly(deps, incoming);
  return attempt(deps, handler, incoming, true);
}

async function countStrictly(deps: Deps, incoming: Incoming): Promise<void> {
  const { operation, claim, mistakes, req, res } = incoming;
  if (mistakes.length > 0 || !isStrict(operation)) return;
  // Only the token tells whether the header with the buyer's address counts. A header that does not count must not help
  // failures escape their limits.
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
    // A copy of this request may have been answered meanwhile, and have used what this one no longer found. If the database did
    // not answer, it is not asked for that: the caller would wait a second time.
    if (isUnavailable(error) || !(await look(deps, incoming, false)).answered) throw error;
    return alreadyAnswered;
  });
}

/** Runs only if the answer that was just found is deleted before it can be sent again. */
async function alreadyAnswered(): Promise<never> {
  throw new ShopError('unavailable', 'The answer to this Idempotency-Key is just being removed. Send it again.');
}
