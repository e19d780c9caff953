/**
 * Webhooks for receivers, by Standard Webhooks 1.0 (https://www.standardwebhooks.com), with only Web Crypto: the
 * signature is the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`.
 */

import { given } from './credentials.ts';
import type { WebhookEvent } from './events.ts';

const PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 300;

/** The reason why a delivery was not verified. Answer with 401, and ignore its content. */
export type WebhookVerificationReason =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'no_matching_signature'
  | 'invalid_payload';

/** The delivery is not from the shop, was modified in transit, is too old or too new, or does not contain an event. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Headers in the form of fetch, or of Node. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** One secret, or several during a rotation in your own settings: any of them may have signed. */
export type WebhookSecrets = string | readonly string[];

/** The raw body: bytes, or their text. */
export type WebhookPayload = string | Uint8Array | ArrayBuffer;

export interface VerifyOptions {
  /** The maximum difference between the delivery's time and now. */
  toleranceSeconds?: number;
  /** The current time; only for tests. */
  now?: Date;
}

/**
 * Verifies the signature of a delivery and returns its event. Pass the raw body: a parsed and serialized one has other
 * bytes. Throws a WebhookVerificationError with the reason, and a TypeError for an invalid secret or payload.
 *
 *     const event = await webhooks.verify(await request.text(), request.headers, process.env.WEBHOOK_SECRET ?? '');
 *     if (event.type === 'order.paid') await ship(event.data.order_number);
 */
export async function verify(
  payload: WebhookPayload,
  headers: WebhookHeaders,
  secret: WebhookSecrets,
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const keys = await keysOf(secret, 'verify');
  const body = bytesOf(payload);
  const event_id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  checkTimestamp(timestamp, toleranceSeconds, now);
  const signed = signedBytes(event_id, timestamp, body);
  if (!(await isSigned(signed, signatures, keys))) {
    const message = 'No signature in webhook-signature matches the secret and the raw body.';
    throw new WebhookVerificationError('no_matching_signature', message);
  }
  return { ...eventIn(body), event_id };
}

export interface SignOptions {
  /** The header webhook-id. Default: a new one. */
  event_id?: string;
  /** The time of the delivery. */
  now?: Date;
}

/** The headers of a delivery. */
export interface WebhookSignature extends Record<string, string> {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/**
 * Signs a body as the shop does, to test a receiver. Several secrets give one signature each. Throws a TypeError for an
 * invalid secret.
 *
 *     const headers = await webhooks.sign(body, secret);
 */
export async function sign(
  payload: WebhookPayload,
  secret: WebhookSecrets,
  { event_id = crypto.randomUUID(), now = new Date() }: SignOptions = {},
): Promise<WebhookSignature> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signed = signedBytes(event_id, timestamp, bytesOf(payload));
  const signatures = (await keysOf(secret, 'sign')).map(
    async (key) => `v1,${btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))))}`,
  );
  return {
    'webhook-id': event_id,
    'webhook-timestamp': timestamp,
    'webhook-signature': (await Promise.all(signatures)).join(' '),
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Throws a TypeError for an invalid secret, which is a mistake in the receiver's settings and not in the delivery. */
function keysOf(secret: WebhookSecrets, use: 'sign' | 'verify'): Promise<CryptoKey[]> {
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? []);
  if (secrets.length === 0) throw new TypeError('secret is missing.');
  return Promise.all(
    secrets.map(async (one) => {
      const raw = fromBase64(given('secret', one).replace(PREFIX, ''));
      if (!raw?.length) throw new TypeError(`A secret is ${PREFIX} followed by base64, as shown at its creation.`);
      return crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
    }),
  );
}

function bytesOf(payload: WebhookPayload): Bytes {
  if (typeof payload === 'string') return new TextEncoder().encode(payload);
  // Copies the bytes, because they may be in shared memory, which Web Crypto rejects.
  if (payload instanceof Uint8Array || payload instanceof ArrayBuffer) return new Uint8Array(payload);
  throw new TypeError('payload must be the raw body, a string or bytes, not the parsed body.');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : ownHeader(headers, name);
  if (value) return value;
  throw new WebhookVerificationError('missing_header', `The header ${name} is missing.`);
}

function ownHeader(headers: Record<string, string | string[] | undefined>, name: string): string | undefined {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  // Joins a repeated header like fetch does.
  return Array.isArray(value) ? value.join(', ') : value;
}

function checkTimestamp(timestamp: string, toleranceSeconds: number, now: Date): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('invalid_timestamp', 'The header webhook-timestamp is not a number of seconds.');
  }
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp);
  if (age > toleranceSeconds) {
    throw new WebhookVerificationError('timestamp_too_old', `The delivery was sent ${age} s ago, which is too old.`);
  }
  if (age < -toleranceSeconds) {
    const message = `The delivery was sent ${-age} s in the future. Is the clock of this machine right?`;
    throw new WebhookVerificationError('timestamp_too_new', message);
  }
}

function signedBytes(event_id: string, timestamp: string, body: Bytes): Bytes {
  const head = new TextEncoder().encode(`${event_id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  return signed;
}

/** Whether any signature of version 1 matches a key. Other versions, such as v1a, are skipped. */
async function isSigned(signed: Bytes, signatures: string, keys: CryptoKey[]): Promise<boolean> {
  for (const signature of signatures.split(' ')) {
    const [version, encoded = ''] = signature.split(',', 2);
    const raw = version === 'v1' ? fromBase64(encoded) : undefined;
    if (!raw) continue;
    for (const key of keys) {
      // Web Crypto compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, raw, signed)) return true;
    }
  }
  return false;
}

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function eventIn(body: Bytes): WebhookEvent {
  const event = parsed(body) as Partial<WebhookEvent> | null | undefined;
  const isEvent = typeof event?.type === 'string' && typeof event.data === 'object' && event.data !== null;
  if (isEvent) return event as WebhookEvent;
  throw new WebhookVerificationError('invalid_payload', 'The signature is valid, but the body is not an event.');
}

function parsed(body: Bytes): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
