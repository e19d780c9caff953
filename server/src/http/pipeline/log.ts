import type { Request, RequestHandler, Response } from 'express';
import pino, { type Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { Unavailable } from '../../shop/errors.ts';
import type { Notes } from './notes.ts';

/**
 * One line of JSON per request, from an allow-list: never a body, a raw URL or a credential. The last
 * line of defence replaces whatever still looks like one of our secrets.
 */
const SECRET = /\b(stk|cust|agt|dvc|aut|cod|mch|key|syk|chk|ord|rst|vrf|unl|inv|upl|opr|whsec)_[0-9A-Za-z+/=]{16,}/g;

// JSON does not escape these, but terminals obey the first ones and some readers end a line at the others.
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: (line) => line.replaceAll(SECRET, '$1_[redacted]').replaceAll(UNPRINTABLE, escaped) },
    serializers: { cause: causeOf },
  });
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * The parts of an error that may be logged. pg's detail, where and internalQuery hold row values; body-parser's body the
 * request.
 */
function causeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, constraint } = error as { code?: string; constraint?: string };
  return {
    name: error.name,
    message: error.message.slice(0, 500),
    code,
    constraint,
    stack: error.stack?.slice(0, 4_000),
  };
}

const ID_BYTES = 16;
const randomBytes = new Uint8Array(256 * ID_BYTES);
let used = randomBytes.length;

/** Random bytes for one id; drawn for many at once, since each call costs more than the bytes. */
function randomForIds(): Uint8Array {
  if (used === randomBytes.length) {
    crypto.getRandomValues(randomBytes);
    used = 0;
  }
  used += ID_BYTES;
  return randomBytes.subarray(used - ID_BYTES, used);
}

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** Gives each request its id: the caller's own when it is sane, else a new one. It is echoed in the answer. */
export const requestId: RequestHandler = (req, res, next) => {
  const given = String(req.headers['x-request-id'] ?? '');
  const id = SANE_REQUEST_ID.test(given) ? given : uuidv7({ rng: randomForIds });
  (res.locals as Notes).request_id = id;
  res.setHeader('X-Request-Id', id);
  next();
};

/** Notes the end of a request in the log and the metrics. */
export type Record = (req: Request, res: Response, status: number, started: number) => void;

export function recordOf(logger: Logger, observe: (res: Response, seconds: number) => void): Record {
  return (req, res, status, started) => {
    const notes = res.locals as Notes;
    const seconds = (performance.now() - started) / 1_000;
    observe(res, seconds);
    const line = {
      request_id: notes.request_id,
      method: req.method,
      operation_id: notes.operation?.id,
      protocol: notes.protocol,
      site_id: notes.caller?.tenant.site_id,
      caller: notes.caller?.kind,
      credential_id: notes.caller?.credential_id,
      status,
      duration_ms: Math.round(seconds * 1e5) / 100,
      bytes: Number(res.getHeader('Content-Length') ?? 0) || undefined,
      cached: notes.cached,
      error: notes.error,
      ip: truncated(req.ip),
      user_agent: req.headers['user-agent']?.slice(0, 200),
    };
    if (notes.cause && !(notes.cause instanceof Unavailable))
      logger.error({ ...line, cause: notes.cause }, 'request failed');
    else logger.info(line, 'request');
  };
}

export function requestLog(record: Record): RequestHandler {
  return (req, res, next) => {
    const started = performance.now();
    res.once('close', () => record(req, res, res.writableFinished ? res.statusCode : 499, started));
    next();
  };
}

/** /24 of an IPv4 address, /48 of an IPv6 one. */
function truncated(ip = ''): string {
  const v4 = /(\d+\.\d+\.\d+)\.\d+$/.exec(ip);
  return v4 ? `${v4[1]}.0/24` : `${ip.split(':').slice(0, 3).join(':')}::/48`;
}
