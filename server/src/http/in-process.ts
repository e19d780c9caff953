import type { Request, Response } from 'express';
import type { Claim } from './callers/caller.ts';
import type { Operation } from './contract/contract.ts';
import { contextOf } from './express/context.ts';
import { parseBody, tooLarge } from './pipeline/body.ts';
import type { Answer } from './pipeline/errors.ts';
import type { Recorder } from './pipeline/log.ts';
import { matchWith } from './pipeline/routing.ts';
import { type ApiRequest, newContext, type Protocol } from './request.ts';

/**
 * A call of an operation on behalf of a request of another protocol. The call passes through every step of `handle`. It
 * has the IP address, host, user agent and request id of that request, but its own credentials.
 */
export interface OperationCall {
  operation: Operation;
  path?: Record<string, string>;
  query?: Record<string, string | string[]>;
  /** Serialized as JSON. */
  body?: unknown;
  /** Credentials, Idempotency-Key and other headers; names in lower case. */
  headers?: Record<string, string>;
  /** The authenticated caller, if the adapter has verified it itself. */
  vouched?: Claim;
  /** Runs instead of the operation's handler (see `ApiRequest`). */
  hold?: ApiRequest['hold'];
}

/** The request of the other protocol. */
export interface Served {
  req: Request;
  res: Response;
  protocol: Protocol;
}

export interface OperationAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Parsed JSON; undefined if the operation's response has no body. */
  body: unknown;
}

export interface CallOperation {
  (served: Served, call: OperationCall): Promise<OperationAnswer>;
  /** Answers a call that the adapter itself rejects. Agents' calls are audited as usual. */
  refuse(served: Served, call: Partial<OperationCall>, refusal: Error): Promise<OperationAnswer>;
}

export function openCalls(handle: (request: ApiRequest) => Promise<Answer>, record: Recorder): CallOperation {
  const run = async (served: Served, target: ApiRequest['target'], call: Partial<OperationCall>) => {
    const started = performance.now();
    const request = requestFor(served, target, call);
    const { status, headers = {}, body } = await handle(request);
    record({ request, status, headers, started });
    return {
      status,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      body: body === undefined ? undefined : (JSON.parse(String(body)) as unknown),
    };
  };
  return Object.assign((served: Served, call: OperationCall) => run(served, targetOf(call), call), {
    refuse: (served: Served, call: Partial<OperationCall>, refusal: Error) =>
      run(served, { refusal, operation: call.operation, path: call.path, body: call.body }, call),
  });
}

function targetOf({ operation, path = {} }: OperationCall): ApiRequest['target'] {
  try {
    return matchWith(operation, path);
  } catch (error) {
    return { refusal: error as Error, operation, path };
  }
}

/** Request headers that are copied to the call. */
const PASSED_ON = ['host', 'user-agent', 'accept-language', 'origin'];

function requestFor(
  { req, res, protocol }: Served,
  target: ApiRequest['target'],
  call: Partial<OperationCall>,
): ApiRequest {
  const { operation, query = {}, body, headers, vouched, hold } = call;
  const passedOn = PASSED_ON.flatMap((name) => (req.headers[name] === undefined ? [] : [[name, req.headers[name]]]));
  return {
    ...{ target, query, vouched, hold },
    method: operation?.method.toUpperCase() ?? req.method,
    path: req.path,
    headers: { ...Object.fromEntries(passedOn), ...headers, ...(body !== undefined && { 'content-type': JSON_TYPE }) },
    ip: req.ip,
    readBody: async ({ bodyLimitBytes }) => (body === undefined ? undefined : bodyOf(call, bodyLimitBytes)),
    acceptsLanguages: (languages) => req.acceptsLanguages(languages),
    isGone: () => res.destroyed,
    context: newContext(contextOf(res).request_id, protocol),
  };
}

const JSON_TYPE = 'application/json';

/** Applies the limits of an HTTP request body to the call's body. */
function bodyOf({ operation, body }: Partial<OperationCall>, limit: number): unknown {
  const bytes = Buffer.from(JSON.stringify(body));
  if (bytes.length > limit) throw tooLarge(limit);
  return operation && parseBody(operation, JSON_TYPE, bytes);
}
