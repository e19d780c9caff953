/**
 * Handles a request in the same order as the server: route, credentials, validation, then the operation, once per
 * Idempotency-Key. Operations that are not simulated return the contract's example.
 */

import { agentHandlers } from './agents.ts';
import { answerOAuth } from './authorizations.ts';
import type { Call, Handler, OperationId } from './call.ts';
import { authenticate, type Known } from './callers.ts';
import { cartHandlers } from './cart-changes.ts';
import { catalogHandlers } from './catalog.ts';
import { checkoutHandlers } from './checkouts.ts';
import { consentHandlers } from './consents.ts';
import { routeOf } from './contract.ts';
import type { MockOperation } from './contract-types.ts';
import { customerHandlers } from './customers.ts';
import { intentHandlers } from './intents.ts';
import { orderHandlers } from './orders.ts';
import { answerTo, Invalid, Refusal } from './refusal.ts';
import type { State } from './state.ts';
import { judge } from './validation.ts';

const handlers: Record<string, Handler<OperationId> | undefined> = {
  ...{ ...catalogHandlers, ...cartHandlers, ...checkoutHandlers, ...orderHandlers, ...customerHandlers },
  ...{ ...consentHandlers, ...agentHandlers, ...intentHandlers },
} as never;

/** A simulated failure: an error response, or a lost connection without a response. */
export type Played = Refusal | 'no_answer';

export interface Backend {
  state: State;
  /** The failure to simulate for this call, if one is set. */
  playedFor(operationId: string): Played | undefined;
  /** Called for each call of an operation, with the status 0 if there is no response. */
  note(operationId: string, status: number): void;
}

/** Answers a request like the server. Rejects like `fetch` if a lost connection is simulated. */
export async function answer(backend: Backend, request: Request): Promise<Response> {
  const { state } = backend;
  const oauth = await answerOAuth(state, request);
  if (oauth) return oauth;
  const request_id = state.nextId();
  const { pathname } = new URL(request.url);
  const route = routeOf(request.method, pathname.slice(basePathOf(state).length));
  if (Array.isArray(route)) return answerTo(unknownRoute(route), request_id, false);
  const { operation, path } = route;
  const played = backend.playedFor(operation.id);
  if (played === 'no_answer') {
    backend.note(operation.id, 0);
    throw new TypeError('Failed to fetch');
  }
  let known: Known | undefined;
  let response: Response;
  try {
    known = authenticate(state, operation, request);
    if (played) throw played;
    response = await perform(backend.state, operation, path, known, request, request_id);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    response = refusedBy(operation, error, isAgents(request), request_id);
  }
  backend.note(operation.id, response.status);
  record(state, operation, known, response.status);
  return response;
}

function isAgents({ headers }: Request): boolean {
  return headers.get('Authorization')?.startsWith('Bearer agt_') ?? false;
}

/** Consent operations that OAuth clients call as well. */
const OAUTH = ['agent.requestConsent', 'agent.pollConsent'];

function refusedBy({ id }: MockOperation, refusal: Refusal, byAgent: boolean, request_id: string): Response {
  return answerTo(refusal, request_id, byAgent || id.startsWith('agent.'), OAUTH.includes(id));
}

function basePathOf({ baseUrl }: State): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '');
}

function unknownRoute(allowed: string[]): Refusal {
  if (allowed.length === 0) return new Refusal('not_found', 'There is no such address.');
  const methods = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new Refusal('method_not_allowed', `This path supports ${methods.join(', ')}.`, { allowed: methods });
}

function record(state: State, { id: action, method }: MockOperation, known: Known | undefined, status: number): void {
  const agent = known?.agent;
  if (!agent) return;
  const created_at = new Date().toISOString();
  agent.last_used_at = created_at;
  agent.calls.push({ id: state.nextId(), action: action ?? method, status, created_at });
}

async function perform(
  state: State,
  operation: MockOperation,
  path: Record<string, string>,
  known: Known,
  request: Request,
  request_id: string,
): Promise<Response> {
  const text = await request.text();
  const body = parsed(text, request.headers.get('Content-Type') ?? '');
  const { searchParams } = new URL(request.url);
  const { mistakes, query } = judge(operation, { path, query: searchParams, headers: request.headers, body });
  const all = [...unnamedSite(operation, request.headers, searchParams), ...mistakes];
  if (all.length > 0) throw new Invalid(all);
  const { principal, ...caller } = known;
  // The cast is safe, because the request has been validated.
  const call = { state, operation, path, query, body, ...caller } as unknown as Call;
  const key = request.method === 'GET' ? null : request.headers.get('Idempotency-Key');
  const run = () => responseOf(operation, call, request_id);
  if (key === null) return run();
  return oncePerKey(state, `${principal} ${operation.id} ${key.toLowerCase()}`, `${request.url} ${text}`, run, call);
}

function parsed(text: string, type: string): unknown {
  if (text === '') return undefined;
  if (type.includes('x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  if (!type.includes('json')) throw new Refusal('unsupported_media_type', 'Send the body as application/json.');
  try {
    return JSON.parse(text);
  } catch {
    throw new Invalid([{ loc: ['body'], msg: 'The body is not valid JSON.', type: 'json_invalid' }]);
  }
}

/** The error for a consent request that names no shop. The contract's parameters cannot express this requirement. */
function unnamedSite({ id }: MockOperation, headers: Headers, query: URLSearchParams): Invalid['detail'] {
  if (id !== 'agent.requestConsent' || headers.has('X-Site-ID') || query.has('site_id')) return [];
  return [{ loc: ['query', 'site_id'], msg: 'Send the shop here or in X-Site-ID.', type: 'missing' }];
}

function responseOf(operation: MockOperation, call: Call, request_id: string): Response {
  const handle = handlers[operation.id];
  const body = handle ? handle(call) : structuredClone(operation.answer);
  const headers = { 'X-Request-Id': request_id };
  if (operation.answer === undefined) return new Response(null, { status: operation.status, headers });
  return Response.json(body, { status: operation.status, headers });
}

/**
 * Runs a mutation once. If the request is repeated with its Idempotency-Key, returns the stored response, even an
 * error.
 */
function oncePerKey(state: State, key: string, request: string, run: () => Response, call: Call): Response {
  const first = state.replays.get(key);
  if (first) {
    if (first.request !== request) {
      const msg = 'This Idempotency-Key was used for another request. Use a new key for each request.';
      throw new Invalid([{ loc: ['header', 'Idempotency-Key'], msg, type: 'idempotency_conflict' }]);
    }
    const replayed = first.response.clone();
    replayed.headers.set('Idempotency-Replayed', 'true');
    return replayed;
  }
  let response: Response;
  try {
    response = run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    response = refusedBy(call.operation, error, call.agent !== null, state.nextId());
    // Errors that may be temporary are not stored.
    if (response.status >= 500 || error.fields.retry_after_seconds !== undefined) return response;
  }
  state.replays.set(key, { request, response: response.clone() });
  return response;
}
