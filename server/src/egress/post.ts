import { setTimeout as pause } from 'node:timers/promises';
import { AddressRefused, checkUrl, type EgressPolicy } from './addresses.ts';
import { type Client, openClient, READ_BYTES, TOTAL_MS } from './client.ts';
import { type Document, type GetLimits, get } from './get.ts';

/** Result of a POST, with the values of the contract's WebhookAttempt. */
export type Outcome =
  | 'succeeded'
  | 'refused'
  | 'timed_out'
  | 'not_connected'
  | 'tls_failed'
  | 'url_refused'
  | 'not_signed';

export interface Attempted {
  outcome: Outcome;
  /** Null if no response arrived. */
  response_status: number | null;
  /** Retry-After in seconds. */
  retry_after_seconds: number | null;
  duration_ms: number;
  /** The first kilobyte of the response as text; null if no response arrived. */
  response_body: string | null;
}

/** Sends requests to URLs that tenants or callers choose. The server must send all of them through this interface. */
export interface Egress {
  readonly policy: EgressPolicy;
  /** Posts JSON. Never throws; a failure is a result. */
  post(url: string, headers: Record<string, string>, body: string): Promise<Attempted>;
  /** Fetches a small JSON document. Never throws; undefined if it is not available. */
  get(url: string, limits: GetLimits): Promise<Document | undefined>;
  close(): Promise<void>;
}

const KEPT_BYTES = 1_024;

export function openEgress(policy: EgressPolicy): Egress {
  let opened: Promise<Client> | undefined;
  return {
    policy,
    post: async (url, headers, body) => {
      opened ??= openClient(policy);
      return attempt(await opened, policy, url, headers, body);
    },
    get: async (url, limits) => {
      opened ??= openClient(policy);
      return get(await opened, policy, url, limits);
    },
    close: async () => (await opened)?.agent.destroy(),
  };
}

async function attempt(
  { agent, request }: Client,
  policy: EgressPolicy,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<Attempted> {
  const start = performance.now();
  const lasted = () => Math.round(performance.now() - start);
  const overall = new AbortController();
  const timer = setTimeout(() => overall.abort(new Error('timed out')), TOTAL_MS);
  try {
    const {
      statusCode,
      headers: answered,
      body: rest,
    } = await request(checkUrl(url, policy), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'commerce-backend-webhooks/1', ...headers },
      body,
      dispatcher: agent,
      signal: overall.signal,
    });
    const response_body = textOf(await beginningOf(rest));
    return {
      outcome: statusCode >= 200 && statusCode < 300 ? 'succeeded' : 'refused',
      response_status: statusCode,
      retry_after_seconds: secondsOf(answered['retry-after']),
      duration_ms: lasted(),
      response_body,
    };
  } catch (error) {
    const outcome = overall.signal.aborted ? 'timed_out' : outcomeOf(error);
    return { ...UNANSWERED, outcome, duration_ms: lasted() };
  } finally {
    clearTimeout(timer);
  }
}

export const UNANSWERED = { response_status: null, retry_after_seconds: null, response_body: null } as const;

/**
 * Returns the first kilobyte of a response. A short response is read to its end, so that the connection can be reused;
 * a longer one is aborted.
 */
async function beginningOf(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<Buffer> {
  const kept: Buffer[] = [];
  let read = 0;
  const reading = (async () => {
    for await (const chunk of body) {
      if (read < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - read));
      read += chunk.length;
      if (read > READ_BYTES) break;
    }
  })().catch(() => undefined);
  await Promise.race([reading, pause(1_000, undefined, { ref: false })]);
  body.destroy();
  return Buffer.concat(kept);
}

/** Decodes bytes as text, and removes control characters and an incomplete last character. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll(/[^\P{Cc}\t\n\r]/gu, '');
}

/** Seconds to wait according to a Retry-After header, which contains seconds or a date (RFC 9110 §10.2.3). */
function secondsOf(header: string | string[] | undefined): number | null {
  const text = String(header ?? '').trim();
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const moment = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? null : Math.max(0, Math.ceil((moment - Date.now()) / 1000));
}

const TIMEOUTS = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];

function outcomeOf(error: unknown): Outcome {
  if (error instanceof AddressRefused) return 'url_refused';
  const { code = '', cause } = error as { code?: string; cause?: unknown };
  if (cause instanceof AddressRefused) return 'url_refused';
  if (TIMEOUTS.includes(code)) return 'timed_out';
  // Codes of OpenSSL's certificate errors and Node's TLS errors.
  return /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/.test(code)
    ? 'tls_failed'
    : 'not_connected';
}
