import type { Request, RequestHandler, Response } from 'express';
import type { Answer } from '../pipeline/errors.ts';
import { matchOf } from '../pipeline/routing.ts';
import type { ApiRequest } from '../request.ts';
import { contextOf } from './context.ts';
import { readBody } from './read-body.ts';
import { send } from './send.ts';

/** Serves the operations of the contract over HTTP. */
export function api(handle: (request: ApiRequest) => Promise<Answer>): RequestHandler {
  return async (req, res) => send(req, res, await handle(apiRequestOf(req, res, targetOf(req))));
}

/** Converts an HTTP request to plain data. */
export function apiRequestOf(req: Request, res: Response, target: ApiRequest['target']): ApiRequest {
  return {
    target,
    // HEAD is handled as GET. `send` omits the body.
    method: req.method === 'HEAD' ? 'GET' : req.method,
    path: req.path,
    query: req.query,
    headers: req.headers,
    ip: req.ip,
    readBody: (operation) => readBody(operation, req, res),
    acceptsLanguages: (languages) => req.acceptsLanguages(languages),
    isGone: () => res.destroyed,
    context: contextOf(res),
  };
}

function targetOf({ method, originalUrl }: Request): ApiRequest['target'] {
  try {
    return matchOf(method, originalUrl);
  } catch (error) {
    return { refusal: error as Error };
  }
}
