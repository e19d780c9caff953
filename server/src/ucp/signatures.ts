/**
 * Verifies the signature (RFC 9421) and the digest (RFC 9530) of a UCP request with the keys in the caller's profile.
 * One of several signatures must verify. A signature counts only if it covers the target, the body and the headers of
 * UCP.
 */

import type { JsonWebKey } from 'node:crypto';
import type { Request } from 'express';
import {
  contentDigest,
  derivedOf,
  isSignedBy,
  isSupported,
  type ParsedSignature,
  parseSignatures,
  type Signable,
  sha256In,
  thumbprintOf,
} from '../shop/http-signatures.ts';
import { ProtocolError } from './protocol.ts';

/** A request with the bytes of its body, if it has one. */
export interface Received {
  req: Request;
  body: Buffer | undefined;
}

/** `created` may be this old, and this far in the future. */
const OLDEST_SECONDS = 300;
const EARLIEST_SECONDS = 60;

/** Whether a request has a header that `requireSignature` verifies, so that the bytes of its body are needed. */
export function isSigned({ headers }: Request): boolean {
  return ['signature', 'signature-input', 'content-digest'].some((name) => headers[name] !== undefined);
}

/**
 * Throws a ProtocolError unless one of the signatures verifies. A request without signatures is accepted unless the
 * shop requires one. Returns whether the request has a signature.
 */
export function requireSignature(received: Received, keys: JsonWebKey[], isRequired: boolean): boolean {
  const message = messageOf(received);
  const { 'signature-input': input, signature, 'content-digest': digest } = message.headers;
  if (digest !== undefined && sha256In(digest) !== contentDigest(received.body ?? '')) throw digestMismatch();
  if (input === undefined && signature === undefined && !isRequired) return false;
  if (input === undefined || signature === undefined) throw signatureMissing();
  const signatures = parseSignatures(input, signature);
  if (!signatures || signatures.length === 0) {
    throw invalid(
      'Signature-Input and Signature must be dictionaries with the same labels (RFC 9421, sections 4.1 and 4.2).',
    );
  }
  const refusals = signatures.map((one) => refusalOf(one, received, message, keys));
  const [first] = refusals;
  if (first && refusals.every((one) => one !== undefined)) throw first;
  return true;
}

function messageOf({ req }: Received): Signable {
  const { host = '' } = req.headers;
  const url = new URL(req.originalUrl, 'http://shop');
  // Clients omit the default port of the scheme.
  const authority = host.toLowerCase().replace(/:(?:80|443)$/, '');
  const headers = Object.fromEntries(
    Object.entries(req.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  return { derived: { ...derivedOf(req.method, url), '@authority': authority }, headers };
}

/** Returns the reason why a signature does not authenticate the request; undefined if it does. */
function refusalOf(
  signature: ParsedSignature,
  { req, body }: Received,
  message: Signable,
  keys: JsonWebKey[],
): ProtocolError | undefined {
  const { keyid = '', tag } = signature;
  if (tag !== undefined && tag !== 'web-bot-auth') return invalid(`The tag ${tag} is not one of UCP. Leave it out.`);
  const key = keys.find((one) => one.kid === keyid);
  if (!key) return keyNotFound(keyid);
  if (tag !== undefined && thumbprintOf(key) !== keyid)
    return invalid('The keyid must be the thumbprint of the key (RFC 7638).');
  if (!isSupported(key)) {
    const content = `The algorithm of the key ${keyid} is not supported. Sign with ES256, ES384 or Ed25519.`;
    return new ProtocolError(400, 'algorithm_unsupported', content);
  }
  const uncovered = neededIn(message, req, body).filter((name) => !covers(signature, name));
  if (uncovered.length > 0) return invalid(`The signature must also cover ${uncovered.join(', ')}.`);
  return staleness(signature) ?? (isSignedBy(key, message, signature) ? undefined : forged(keyid));
}

function neededIn({ headers }: Signable, req: Request, body: Buffer | undefined): string[] {
  const query = req.originalUrl.includes('?') ? ['@query'] : [];
  const ofBody = body !== undefined && body.length > 0 ? ['content-digest', 'content-type'] : [];
  const present = ['idempotency-key', 'ucp-agent', 'signature-agent'].filter((name) => headers[name] !== undefined);
  return ['@method', '@authority', '@path', ...query, ...ofBody, ...present];
}

/**
 * For Web Bot Auth, a signature may cover a single member of `signature-agent`. It must cover all members of every
 * other field, because otherwise the server might read a member that the signature does not cover.
 */
function covers({ components }: ParsedSignature, name: string): boolean {
  return components.some(
    (one) => one === `"${name}"` || (name === 'signature-agent' && one.startsWith(`"${name}";key=`)),
  );
}

function staleness({ created, expires }: ParsedSignature): ProtocolError | undefined {
  const now = Math.floor(Date.now() / 1_000);
  const moment = `Sign the request again; the time here is ${now}.`;
  if (expires !== undefined && expires <= now) return invalid(`The signature has expired. ${moment}`);
  if (created === undefined) return undefined;
  if (created < now - OLDEST_SECONDS)
    return invalid(`The signature is older than ${OLDEST_SECONDS} seconds. ${moment}`);
  if (created > now + EARLIEST_SECONDS) return invalid(`The signature is from the future. ${moment}`);
  return undefined;
}

function invalid(content: string): ProtocolError {
  return new ProtocolError(401, 'signature_invalid', content);
}

function forged(keyid: string): ProtocolError {
  return invalid(`The signature does not verify with the key ${keyid}. Sign the bytes and headers that you send.`);
}

function signatureMissing(): ProtocolError {
  const content = 'Send Signature-Input and Signature (RFC 9421), made with a key in your profile.';
  return new ProtocolError(401, 'signature_missing', content);
}

function keyNotFound(keyid: string): ProtocolError {
  const content = `Your profile has no key ${keyid} for signatures. Publish it in keys, and try again in a minute.`;
  return new ProtocolError(401, 'key_not_found', content);
}

function digestMismatch(): ProtocolError {
  const content =
    'Content-Digest does not have the sha-256 of the body as it arrived. Send the digest of the exact bytes.';
  return new ProtocolError(400, 'digest_mismatch', content);
}
