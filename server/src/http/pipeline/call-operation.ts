import type { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import type { Claim } from '../callers/caller.ts';
import { setHeaders } from '../callers/headers.ts';
import type { Operation } from '../contract/contract.ts';
import type { Pipeline } from './dispatch.ts';
import type { Answer } from './errors.ts';
import type { Record as Recorder } from './log.ts';
import type { Notes, Protocol } from './notes.ts';
import { validated } from './send.ts';

// Importing it would load Node's fetch with it, which a start need not wait for.
const { IncomingMessage, ServerResponse } = process.getBuiltinModule('node:http');

/**
 * Calls an operation of the contract in this process, on behalf of a request that speaks another protocol. The call is a request
 * like any other: it takes all the steps of `dispatch`, is counted, audited, timed and logged, only without a connection. It has
 * the address, the host and the request id of the request that it serves, and ends with it; its credentials are named anew.
 */
export interface OperationCall {
  operation: Operation;
  path?: Record<string, string>;
  query?: Record<string, string | string[]>;
  /** Sent as JSON. */
  body?: unknown;
  /** Credentials, `idempotency-key`, …; names in lower case. */
  headers?: Record<string, string>;
  /** For whom the call is made, where the server itself vouches for it. */
  claim?: Claim;
}

export interface Served {
  req: Request;
  res: Response;
  protocol: Protocol;
}

export interface OperationAnswer {
  status: number;
  headers: Record<string, string>;
  /** The JSON, parsed; undefined where the contract has no body. */
  body: unknown;
}

export interface CallOperation {
  (served: Served, call: OperationCall): Promise<OperationAnswer>;
  /** Answers a call that is refused before there is a request for its operation; an agent's leaves its audit row all the same. */
  refuse(served: Served, call: Partial<OperationCall>, thrown: unknown): Promise<OperationAnswer>;
  /** The refusal of a call whose credential the operation does not open to, which is on record then; undefined where it does. */
  refusalOf(served: Served, call: OperationCall & { claim: Claim }): Promise<OperationAnswer | undefined>;
}

interface CallDeps {
  app: Express;
  pipeline: Pipeline;
  record: Recorder;
  validateResponses: boolean;
}

export function openCalls({ app, pipeline, record, validateResponses }: CallDeps): CallOperation {
  const run = async (
    served: Served,
    call: Partial<OperationCall>,
    answering: (req: Request, res: Response) => Promise<Answer>,
  ): Promise<OperationAnswer> => {
    const started = performance.now();
    const { req, res } = requestFor(app, served, call);
    const end = () => void res.destroy();
    served.res.once('close', end);
    try {
      const given = await answering(req, res);
      const notes = res.locals as Notes;
      const { status, headers = {}, body } = validateResponses ? validated(notes, given) : given;
      setHeaders(res, headers);
      res.statusCode = status;
      record(req, res, status, started);
      return { status, headers: headersOf(res), body: body === undefined ? undefined : JSON.parse(String(body)) };
    } finally {
      served.res.off('close', end);
    }
  };
  const refuse: CallOperation['refuse'] = (served, call, thrown) =>
    run(served, call, (req, res) => {
      if (call.operation) (res.locals as Notes).operation = call.operation;
      req.params = call.path ?? {};
      req.body = call.body;
      return pipeline.refuse(req, res, thrown);
    });
  const refusalOf: CallOperation['refusalOf'] = async (served, call) => {
    try {
      await pipeline.admit(call.claim, call.operation);
      return undefined;
    } catch (error) {
      return refuse(served, call, error);
    }
  };
  return Object.assign((served: Served, call: OperationCall) => run(served, call, pipeline.answer), {
    refuse,
    refusalOf,
  });
}

/** Passed on from the request that is served: what tells the host, the language and the program of the caller. */
const PASSED_ON = ['host', 'user-agent', 'accept-language', 'origin'];

/** A request and its response that belong to no connection, as Express makes them of a connection's. */
function requestFor(app: Express, { req: outer, res: served, protocol }: Served, call: Partial<OperationCall>) {
  const req = new IncomingMessage(connectionOf(outer.ip)) as Request;
  const res = new ServerResponse(req) as Response;
  Object.setPrototypeOf(req, app.request);
  Object.setPrototypeOf(res, app.response);
  Object.assign(req, {
    res,
    method: call.operation?.method.toUpperCase() ?? outer.method,
    url: addressOf(call, outer),
  });
  req.originalUrl = req.url;
  const { claim } = call;
  const notes: Notes = { request_id: (served.locals as Notes).request_id, protocol, ...(claim && { claim }) };
  Object.assign(res, { req, locals: notes });
  for (const name of PASSED_ON) if (outer.headers[name] !== undefined) req.headers[name] = outer.headers[name];
  Object.assign(req.headers, call.headers);
  if (call.body !== undefined) {
    const bytes = Buffer.from(JSON.stringify(call.body));
    Object.assign(req.headers, { 'content-type': 'application/json', 'content-length': String(bytes.length) });
    req.push(bytes);
  }
  req.complete = true;
  req.push(null);
  return { req, res };
}

/** What Node and the parsers of bodies ask a connection for. */
function connectionOf(remoteAddress: string | undefined): Socket {
  const nothing = () => undefined;
  return { remoteAddress, readable: true, resume: nothing, pause: nothing, destroy: nothing } as unknown as Socket;
}

function addressOf({ operation, path = {}, query = {} }: Partial<OperationCall>, outer: Request): string {
  if (!operation) return outer.originalUrl;
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(path[name] ?? ''));
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => `${encoded(name)}=${encoded(value)}`),
  );
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled;
}

/** Half a surrogate pair becomes a byte that is no UTF-8, and so is refused like one that came over a connection. */
function encoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%FF';
}

function headersOf(res: Response): Record<string, string> {
  return Object.fromEntries(Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)]));
}
