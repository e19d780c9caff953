/**
 * HTTP Message Signatures (RFC 9421) and Content-Digest (RFC 9530), as far as UCP uses them: with ES256, ES384 and
 * Ed25519, and without the parameters `sf`, `bs`, `tr` and `req`. The key determines the algorithm, never the message.
 */

import { createHash, createPublicKey, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto';

/** The values of a message that a signature can cover. */
export interface Signable {
  /** Derived components, such as `@method`. */
  derived: Record<string, string>;
  /** Header fields with lower-case names. */
  headers: Record<string, string | undefined>;
}

export function contentDigest(body: Buffer | string): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}

/** The sha-256 in a `Content-Digest`, in the form of `contentDigest`; undefined without one. */
export function sha256In(field: string): string | undefined {
  const bytes = membersOf(field, ':[A-Za-z0-9+/=]*:')?.get('sha-256');
  return bytes && `sha-256=${bytes}`;
}

/** The derived components of a request to this URL. */
export function derivedOf(method: string, url: URL): Record<string, string> {
  const { host, pathname, search } = url;
  return { '@method': method, '@authority': host, '@path': pathname, '@query': search || '?' };
}

export interface SigningKey {
  kid: string;
  /** A private key on P-256. */
  privateKey: KeyObject;
}

/** Returns the two header fields of a signature by ES256 over these components. */
export function signatureHeaders(message: Signable, names: string[], key: SigningKey, created: number) {
  const components = names.map((name) => `"${name}"`);
  const params = `(${components.join(' ')});created=${created};keyid="${key.kid}"`;
  const base = signatureBase(message, components, params);
  if (base === undefined) throw new Error(`The message lacks one of ${names.join(', ')}.`);
  const signature = sign('sha256', Buffer.from(base), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return { 'signature-input': `sig1=${params}`, signature: `sig1=:${signature.toString('base64')}:` };
}

export interface ParsedSignature {
  /** Components as in `Signature-Input`, with their parameters: `"@method"`. */
  components: string[];
  /** The value of the line `@signature-params`. */
  params: string;
  keyid: string | undefined;
  tag: string | undefined;
  created: number | undefined;
  expires: number | undefined;
  signature: Buffer;
}

const KEY = '[a-z*][a-z0-9_.*-]*';
const STRING = '"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\])*"';
const BARE = `(?:${STRING}|-?\\d{1,15}|[A-Za-z*][\\w!#$%&'*+.^\`|~:/-]*|:[A-Za-z0-9+/=]*:|\\?[01])`;
const PARAMS = `(?:;${KEY}(?:=${BARE})?)*`;
const COMPONENT = `${STRING}${PARAMS}`;
const COMPONENTS = `\\((?:${COMPONENT}(?: ${COMPONENT})*)?\\)`;

/** Returns the signatures of a message, at most five; undefined if a field is not a dictionary as in RFC 9421. */
export function parseSignatures(input: string, signature: string): ParsedSignature[] | undefined {
  const inputs = membersOf(input, `${COMPONENTS}${PARAMS}`);
  const signatures = membersOf(signature, `:[A-Za-z0-9+/=]*:${PARAMS}`);
  if (!inputs || !signatures || inputs.size === 0) return undefined;
  return [...inputs].slice(0, 5).flatMap(([label, params]) => {
    const [, bytes] = /^:(.*?):/.exec(signatures.get(label) ?? '') ?? [];
    return bytes === undefined ? [] : [{ ...parsedInput(params), params, signature: Buffer.from(bytes, 'base64') }];
  });
}

function parsedInput(params: string): Omit<ParsedSignature, 'params' | 'signature'> {
  const [list = ''] = new RegExp(`^${COMPONENTS}`).exec(params) ?? [];
  const components = list.match(new RegExp(COMPONENT, 'g')) ?? [];
  const given = params.slice(list.length).matchAll(new RegExp(`;(${KEY})(?:=(${BARE}))?`, 'g'));
  const values = new Map(Array.from(given, ([, name, value = '']) => [name, value]));
  const text = (name: string) => /^"([^"\\]*)"$/.exec(values.get(name) ?? '')?.[1];
  const number = (name: string) => {
    const value = values.get(name) ?? '';
    return /^-?\d+$/.test(value) ? Number(value) : undefined;
  };
  const moments = { created: number('created'), expires: number('expires') };
  return { components, keyid: text('keyid'), tag: text('tag'), ...moments };
}

/**
 * The members of a dictionary of structured fields (RFC 8941) whose values match; undefined if anything else is in it.
 */
function membersOf(field: string, value: string): Map<string, string> | undefined {
  const member = new RegExp(`[ \\t]*(${KEY})=(${value})[ \\t]*(?:,|$)`, 'y');
  const found = new Map<string, string>();
  while (member.lastIndex < field.length) {
    const match = member.exec(field);
    if (!match) return undefined;
    found.set(match[1] ?? '', match[2] ?? '');
  }
  return found;
}

/**
 * Returns the signature base (RFC 9421 §2.5). Undefined if the message lacks a component, or a component occurs twice.
 */
export function signatureBase(message: Signable, components: string[], params: string): string | undefined {
  if (new Set(components).size < components.length) return undefined;
  const lines = components.map((component) => {
    const value = componentValue(message, component);
    return value === undefined ? undefined : `${component}: ${value}`;
  });
  return lines.includes(undefined) ? undefined : [...lines, `"@signature-params": ${params}`].join('\n');
}

function componentValue({ derived, headers }: Signable, component: string): string | undefined {
  const [, name = '', member] = /^"([^"]*)"(?:;key="([^"]*)")?$/.exec(component) ?? [];
  if (name.startsWith('@')) return member === undefined ? derived[name] : undefined;
  const value = headers[name]?.trim();
  return member === undefined || value === undefined ? value : membersOf(value, `${BARE}${PARAMS}`)?.get(member);
}

const ALGORITHMS: Record<string, { alg: string; hash: string | null }> = {
  'EC P-256': { alg: 'ES256', hash: 'sha256' },
  'EC P-384': { alg: 'ES384', hash: 'sha384' },
  'OKP Ed25519': { alg: 'EdDSA', hash: null },
};

/** Whether this file can verify signatures of a key. */
export function isSupported({ kty, crv, alg }: JsonWebKey): boolean {
  const known = ALGORITHMS[`${kty} ${crv}`];
  return known !== undefined && (alg === undefined || alg === known.alg);
}

export function isSignedBy(jwk: JsonWebKey, message: Signable, parsed: ParsedSignature): boolean {
  const base = signatureBase(message, parsed.components, parsed.params);
  const known = ALGORITHMS[`${jwk.kty} ${jwk.crv}`];
  if (base === undefined || !known) return false;
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    return verify(known.hash, Buffer.from(base), { key, dsaEncoding: 'ieee-p1363' }, parsed.signature);
  } catch {
    return false;
  }
}

/** The thumbprint of a key (RFC 7638), which identifies it by its public parts. */
export function thumbprintOf({ crv, kty, x, y }: JsonWebKey): string {
  const parts = kty === 'OKP' ? { crv, kty, x } : { crv, kty, x, y };
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
