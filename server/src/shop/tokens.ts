import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Every token has a prefix, 32 base62 characters that are random or derived from SECRET_KEY, and their CRC32 in 6
 * base62 characters, so that a typo is rejected without a query. The database stores only the SHA-256; 190 bits of
 * entropy need no slow hash.
 */
export const TOKEN_PREFIXES = {
  storefront: 'stk',
  staff: 'mch',
  api_key: 'key',
  sync: 'syk',
  customer: 'cust',
  checkout: 'chk',
  order: 'ord',
  reset: 'rst',
  verification: 'vrf',
  agent: 'agt',
  assistant: 'mrc',
  device: 'dvc',
  authorization: 'aut',
  code: 'cod',
  unlock: 'unl',
  invitation: 'inv',
  upload: 'upl',
  operator: 'opr',
} as const;

export type TokenKind = keyof typeof TOKEN_PREFIXES;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^([a-z]{3,4})_([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** Creates a secret. It cannot be read again; store its `hashToken`. */
export function mintToken(kind: TokenKind): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${TOKEN_PREFIXES[kind]}_${random}${checksum(random)}`;
}

/** Derives a secret of this kind from 32 secret bytes. */
export function tokenFrom(kind: TokenKind, seed: Buffer): string {
  let rest = BigInt(`0x${seed.toString('hex')}`);
  let text = '';
  for (let i = 0; i < RANDOM_LENGTH; i += 1) {
    text += ALPHABET[Number(rest % BigInt(ALPHABET.length))];
    rest /= BigInt(ALPHABET.length);
  }
  return `${TOKEN_PREFIXES[kind]}_${text}${checksum(text)}`;
}

/** Checks prefix and checksum. */
export function isWellFormed(kind: TokenKind, text: string): boolean {
  const [, prefix, random = '', check] = FORM.exec(text) ?? [];
  return prefix === TOKEN_PREFIXES[kind] && checksum(random) === check;
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The part of a secret that may be shown, so that people recognize it. */
export function visiblePrefix(token: string): string {
  return token.slice(0, 8);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
