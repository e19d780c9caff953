/**
 * Webhook secrets and signatures by Standard Webhooks 1.0: `whsec_` and 32 random bytes in base64; the signature is
 * HMAC-SHA256 over `{id}.{timestamp}.{body}`. Signing needs the secret itself, so the database stores it encrypted with
 * SECRET_KEY, not hashed.
 */

import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import * as sealing from '../sealing.ts';

const PREFIX = 'whsec_';

export function mintSecret(): string {
  return `${PREFIX}${randomBytes(32).toString('base64')}`;
}

/** Identifies a secret without decrypting it. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Encrypts a webhook secret for storage, bound to its webhook. */
export function seal(secretKey: string, webhook_id: string, secret: string): Buffer {
  return sealing.seal(sealingOf(secretKey, webhook_id), secret);
}

/** Decrypts a webhook secret. Throws if it was encrypted with another SECRET_KEY. */
export function unseal(secretKey: string, webhook_id: string, sealed: Buffer): string {
  return sealing.unseal(sealingOf(secretKey, webhook_id), sealed);
}

function sealingOf(secretKey: string, webhook_id: string): sealing.Sealing {
  return { key: derivedKey(secretKey), tag: 'last', context: webhook_id };
}

const keys = new Map<string, Buffer>();

function derivedKey(secretKey: string): Buffer {
  const known = keys.get(secretKey);
  if (known) return known;
  const derived = Buffer.from(hkdfSync('sha256', secretKey, '', 'commerce webhook secrets', 32));
  keys.set(secretKey, derived);
  return derived;
}

/** Returns the headers of an attempt. During a rotation, they contain one signature per secret. */
export function signatureHeaders(event_id: string, body: string, secrets: string[]): Record<string, string> {
  const now = new Date();
  return {
    'webhook-id': event_id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(event_id, now, body)).join(' '),
  };
}
