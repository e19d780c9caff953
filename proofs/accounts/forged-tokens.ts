import { crc32 } from 'node:zlib';
import { claimOf } from '../../server/src/http/callers/claims.ts';
import type { Operation } from '../../server/src/http/contract/contract.ts';
import { ShopError } from '../../server/src/shop/errors.ts';
import { mintToken, TOKEN_PREFIXES, type TokenKind } from '../../server/src/shop/tokens.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { RawClient, rawRequest } from '../testing/raw-http.ts';
import { openTenant } from '../testing/site.ts';
import { operationOf } from '../testing/tenant.ts';
import { openSession } from '../testing/three-tenants.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The prefixes of this server's tokens, of tokens that it may have in the future, and of other vendors' tokens. */
const PREFIXES = [...Object.values(TOKEN_PREFIXES), 'agt', 'cust', 'chk', 'rst', 'vrf', 'whsec', 'ghp', 'sk', ''];
const MEGABYTE = 1_048_576;

/** Only issued tokens may be accepted. A random text must not even cause a database query. */
export const E9: Proof = {
  id: 'E9',
  promise: 'A forged token is rejected, and one with a bad checksum causes no database query.',
  async run(trial) {
    const server = await startServer(trial.databaseUrl, { rateLimits: false }, trial.databaseUrl);
    // Each query of the server takes a connection from the pool.
    let lookUps = 0;
    server.db.on('acquire', () => {
      lookUps += 1;
    });
    try {
      return await attack(trial, server.baseUrl, () => lookUps);
    } finally {
      await stopServer(server);
    }
  },
};

async function attack({ size, seed, databaseUrl }: Trial, baseUrl: string, lookUps: () => number) {
  const client = new RawClient(Number(new URL(baseUrl).port));
  const credentials = await openCredentials(databaseUrl, baseUrl);
  const random = chanceOf(seed);
  const violations = new Violations();
  const count = pick(size, 5_000, 1_000_000);
  // The code that parses credentials checks all forgeries; every n-th one is also sent over HTTP.
  const share = pick(size, 20, 50);
  let wasted = 0;
  for (let i = 0; i < count; i += 1) {
    const credential = random.of(credentials);
    const forged = forge(random, credential.token);
    // HTTP trims spaces around a header value, so a token with such spaces counts as the issued token.
    if (forged.trim() === credential.token) continue;
    const wellFormed = isWellFormed(forged);
    if (passesFormCheck(credential, forged) && !wellFormed)
      violations.add(`${credential.kind}: a token with a wrong checksum was accepted: ${shown(forged)}`);
    if (i % share !== 0) continue;
    const before = lookUps();
    const answer = await client.send(requestWith(credential, forged));
    if (!wellFormed) wasted += lookUps() - before;
    if (answer && (answer.status < 400 || answer.status >= 500))
      violations.add(`${credential.kind}: expected 4xx, got ${answer.status} for ${shown(forged)}`);
  }
  if (wasted > 0) violations.add(`${wasted} database queries for tokens with a wrong checksum instead of 0`);
  for (const credential of credentials) {
    const answer = await client.send(requestWith(credential, credential.token));
    if (answer?.status !== 200) violations.add(`${credential.kind}: the genuine token was rejected: ${answer?.status}`);
  }
  client.close();
  return { tried: count, unit: 'forged tokens', violations: violations.list };
}

/** A kind of credential: a valid token, and how a call sends it. */
interface Credential {
  kind: TokenKind;
  token: string;
  operation: Operation;
  headers(token: string): Record<string, string>;
}

async function openCredentials(databaseUrl: string, baseUrl: string): Promise<Credential[]> {
  const { site_id, storefront_token, api_key, staff } = await openTenant(databaseUrl);
  return [
    {
      kind: 'staff',
      token: await openSession({ baseUrl }, staff.email, staff.password),
      operation: operationOf('dashboard.getMe'),
      headers: (token) => ({ Authorization: `Bearer ${token}` }),
    },
    {
      kind: 'api_key',
      token: api_key,
      operation: operationOf('dashboard.getSettings'),
      headers: (token) => ({ 'X-API-Key': token }),
    },
    {
      kind: 'storefront',
      token: storefront_token,
      operation: operationOf('storefront.getShop'),
      headers: (token) => ({ 'X-Service-Token': token, 'X-Site-ID': site_id }),
    },
  ];
}

function requestWith({ operation, headers }: Credential, token: string): string {
  return rawRequest('GET', operation.path, headers(token));
}

const FORGERIES: ((random: Chance, token: string) => string)[] = [
  (random, token) => spliced(token, 4 + below(random, 32), 1, random.of([...BASE62])),
  (random, token) => spliced(token, 36 + below(random, 6), 1, random.of([...BASE62])),
  (random, token) => spliced(token, below(random, token.length), 1, String.fromCharCode(33 + below(random, 94))),
  (random, token) => {
    const at = 4 + below(random, 37);
    return spliced(token, at, 2, token.charAt(at + 1) + token.charAt(at));
  },
  (random, token) => token.slice(0, below(random, token.length)),
  (random, token) => token.slice(below(random, token.length - 1) + 1),
  (random, token) => token + text(random, 1 + below(random, 8)),
  (_, token) => token.toUpperCase(),
  (_, token) => token.toLowerCase(),
  (random, token) => `${random.of(PREFIXES)}_${token.slice(4)}`,
  (random, token) => spliced(token, below(random, token.length + 1), 0, random.of(ODD_CHARACTERS)),
  (random) => mintToken(random.of(Object.keys(TOKEN_PREFIXES) as TokenKind[])),
  (random, token) => `${token.slice(0, 4)}${withChecksum(text(random, 32))}`,
  (random, token) => `${token.slice(0, 4)}${text(random, 38)}`,
  (_, token) => `${token}, ${token}`,
  (_, token) => `${token} ${token}`,
  (_, token) => Buffer.from(token).toString('base64'),
  (_, token) => encodeURIComponent(token).replace('_', '%5F'),
  (_, token) => `"${token}"`,
  (random) => random.of(['', 'null', 'undefined', 'true', '0', '*', "' or 1=1 --", '[object Object]', '__proto__']),
];
const ODD_CHARACTERS = ['\0', ' ', '\t', ',', ';', '%00', '\x7f', 'é'];

function forge(random: Chance, token: string): string {
  // One forgery in 20,000 is a megabyte long; more of them would make the proof slow.
  return below(random, 20_000) === 0 ? token + 'A'.repeat(MEGABYTE) : random.of(FORGERIES)(random, token);
}

function passesFormCheck({ operation, headers }: Credential, forged: string): boolean {
  try {
    const sent = Object.entries(headers(forged)).map(([name, value]) => [name.toLowerCase(), value]);
    claimOf(operation, Object.fromEntries(sent));
    return true;
  } catch (error) {
    if (error instanceof ShopError) return false;
    throw error;
  }
}

/**
 * Whether the last six characters are the checksum of the 32 before them, computed here instead of by the server's
 * code.
 */
function isWellFormed(token: string): boolean {
  const [, random = '', check] = /^[a-z]{3}_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(token) ?? [];
  return random !== '' && withChecksum(random) === random + check;
}

function withChecksum(random: string): string {
  let rest = BigInt(crc32(random));
  let digits = '';
  while (digits.length < 6) {
    digits = BASE62[Number(rest % 62n)] + digits;
    rest /= 62n;
  }
  return random + digits;
}

/** Returns the text with `length` characters replaced. */
function spliced(token: string, at: number, length: number, characters: string): string {
  return token.slice(0, at) + characters + token.slice(at + length);
}

/** Returns a random integer from 0 up to, but not including, `bound`. */
function below(random: Chance, bound: number): number {
  return Math.floor(random.next() * bound);
}

function text(random: Chance, length: number): string {
  return Array.from({ length }, () => random.of([...BASE62])).join('');
}

function shown(token: string): string {
  return JSON.stringify(token.slice(0, 120));
}
