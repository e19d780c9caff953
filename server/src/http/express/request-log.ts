import type { RequestHandler } from 'express';
import { v7 as uuidv7 } from 'uuid';
import type { Recorder } from '../pipeline/log.ts';
import { newContext } from '../request.ts';
import { contextOf } from './context.ts';

const ID_BYTES = 16;
const randomBytes = new Uint8Array(256 * ID_BYTES);
let used = randomBytes.length;

/** Random bytes for one id. Drawn in large blocks, because each call to the generator is expensive. */
function randomForIds(): Uint8Array {
  if (used === randomBytes.length) {
    crypto.getRandomValues(randomBytes);
    used = 0;
  }
  used += ID_BYTES;
  return randomBytes.subarray(used - ID_BYTES, used);
}

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** Assigns the request an id: the client's own if it is valid, otherwise a new one. The response repeats it. */
export const requestId: RequestHandler = (req, res, next) => {
  const given = String(req.headers['x-request-id'] ?? '');
  const id = SANE_REQUEST_ID.test(given) ? given : uuidv7({ rng: randomForIds });
  Object.assign(res.locals, newContext(id));
  res.setHeader('X-Request-Id', id);
  next();
};

/** Logs each request after its response was sent, or with status 499 after the client disconnected. */
export function requestLog(record: Recorder): RequestHandler {
  return (req, res, next) => {
    const started = performance.now();
    res.once('close', () => {
      const status = res.writableFinished ? res.statusCode : 499;
      const { method, ip, headers } = req;
      record({ request: { method, ip, headers, context: contextOf(res) }, status, headers: res.getHeaders(), started });
    });
    next();
  };
}
