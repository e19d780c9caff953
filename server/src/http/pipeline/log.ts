/**
 * Logs one line of JSON per request, from an allow-list: never a body, raw URL or credential. As a last safeguard, text
 * that looks like one of our secrets is replaced.
 */

import type { OutgoingHttpHeaders } from 'node:http';
import pino, { type Logger } from 'pino';
import { Unavailable } from '../../shop/errors.ts';
import type { Sender } from '../received.ts';
import type { RequestContext } from '../request.ts';

const SECRET = /\b(stk|cust|agt|dvc|aut|cod|mch|key|syk|chk|ord|rst|vrf|unl|inv|upl|opr|whsec)_[0-9A-Za-z+/=]{16,}/g;

// JSON does not escape these characters. Some change the terminal, and others count as line ends in some log readers.
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A logger that writes to standard output unless it is given a destination. */
export function createLogger(level: string, destination?: pino.DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: (line) => line.replaceAll(SECRET, '$1_[redacted]').replaceAll(UNPRINTABLE, escaped) },
    serializers: { cause: (error: unknown) => causeOf(error) },
  };
  return destination ? pino(options, destination) : pino(options);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Returns the parts of an error that may be logged, with the same parts of its cause, such as a full disk. Other parts
 * are left out: pg's errors contain row values (detail, where, internalQuery), and body-parser's contain the request
 * body.
 */
function causeOf(error: unknown, withCause = true): unknown {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, constraint } = error as { code?: string; constraint?: string };
  return {
    name: error.name,
    message: error.message.slice(0, 500),
    code,
    constraint,
    stack: error.stack?.slice(0, 4_000),
    ...(withCause && error.cause instanceof Error && { cause: causeOf(error.cause, false) }),
  };
}

/** A request whose response was sent, or whose client has disconnected. */
export interface Ended {
  request: Sender & { method: string; context: RequestContext };
  status: number;
  headers: OutgoingHttpHeaders;
  /** Value of `performance.now()`. */
  started: number;
}

/** Records a finished request in the log and the metrics. */
export type Recorder = (ended: Ended) => void;

export function recorderFor(logger: Logger, observe: (ended: Ended, seconds: number) => void): Recorder {
  return (ended) => {
    const { request, status, headers, started } = ended;
    const { context } = request;
    const seconds = (performance.now() - started) / 1_000;
    observe(ended, seconds);
    const line = {
      request_id: context.request_id,
      method: request.method,
      operation_id: context.operation?.id,
      protocol: context.protocol,
      site_id: context.caller?.tenant.site_id,
      caller: context.caller?.kind,
      credential_id: context.caller?.credential_id,
      status,
      duration_ms: Math.round(seconds * 1e5) / 100,
      bytes: Number(headers['content-length'] ?? 0) || undefined,
      cached: context.cached,
      standby: context.standby,
      // `commerce-server lost` compares the completed checkouts in the log with the database.
      ...context.completed,
      error: context.error,
      ip: truncated(request.ip),
      user_agent: request.headers['user-agent']?.slice(0, 200),
    };
    if (context.cause && !(context.cause instanceof Unavailable))
      logger.error({ ...line, cause: context.cause }, 'request failed');
    else logger.info(line, 'request');
  };
}

/** Truncates an IP address to its /24 (IPv4) or /48 (IPv6) network. */
function truncated(ip = ''): string {
  const v4 = /(\d+\.\d+\.\d+)\.\d+$/.exec(ip);
  return v4 ? `${v4[1]}.0/24` : `${ip.split(':').slice(0, 3).join(':')}::/48`;
}
