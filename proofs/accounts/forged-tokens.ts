import { crc32 } from 'node:zlib';
import { claimOf } from '../../server/src/http/callers/claims.ts';
import { operationTable } from '../../server/src/http/contract/contract.ts';
import { ShopError } from '../../server/src/shop/errors.ts';
import { mintToken, TOKEN_PREFIXES, type TokenKind } from '../../server/src/shop/tokens.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { RawClient, rawRequest } from '../testing/raw-http.ts';
import { openTenant } from '../testing/site.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The prefixes of this server's tokens, of tokens that it may have in the future, and of other vendors' tokens. */
const PREFIXES = [...Object.values(TOKEN_PREFIXES), 'agt', 'cust', 'chk', 'rst', 'vrf', 'whsec', 'ghp', 'sk', ''];
const MEGABYTE = 1_048_576;

/** Only issued tokens may be accepted. A random text must not even cause a database query. */
export const E9: Proof = {
  id: 'E9',
  promise: 'A forged token is rejected, and one with a bad checksum causes no database query.',
  async run(trial) {
    const { server, ...running } = await startServer(trial.databaseUrl, { rateLimits: false }, trial.databaseUrl);
    const client = new RawClient(Number(new URL(running.baseUrl).port));
    try {
      return await attack(trial, client, countLookUps(running.db));
    } finally {
      client.close();
      await stopServer({ server, ...running });
    }
  },
};

async function attack({ size, seed, databaseUrl, progress }: Trial, client: RawClient, lookUps: () => number) {
  const credentials = await openCredentials(databaseUrl, client);
  const random = chanceOf(seed);
  const violations = new Violations();
  const count = pick(size, 5_000, 1_000_000);
  // The code that parses credentials checks all forgeries; every n-th one is also sent over HTTP.
  const share = pick(size, 20, 50);
  const overWire = { sent: 0, wellFormed: 0 };
  let wasted = 0;
  let tried = 0;
  for (let i = 0; i < count; i += 1) {
    if (i % 50_000 === 0) progress(`${i} of ${count} forgeries`);
    const credential = random.of(credentials);
    const forged = forge(random, credential);
    if (isGenuine(credential, forged)) continue;
    tried += 1;
    const wellFormed = isWellFormed(forged);
    const passed = passesFormCheck(credential, forged);
    if (passed && !wellFormed)
      violations.add(`${credential.kind}: a token with a wrong checksum was accepted: ${shown(forged)}`);
    if (i % share !== 0) continue;
    const before = lookUps();
    const answer = await client.send(credential.request(forged));
    overWire.sent += 1;
    if (wellFormed) overWire.wellFormed += 1;
    else wasted += lookUps() - before;
    if (answer && (answer.status < 400 || answer.status >= 500))
      violations.add(`${credential.kind}: expected 4xx, got ${answer.status} for ${shown(forged)}`);
  }
  if (wasted > 0) violations.add(`${wasted} database queries for tokens with a wrong checksum instead of 0`);
  for (const credential of credentials) {
    const answer = await client.send(credential.request(credential.token));
    if (answer?.status !== 200) violations.add(`${credential.kind}: the genuine token was rejected: ${answer?.status}`);
  }
  const note = `${overWire.sent} of them over HTTP, ${overWire.wellFormed} with a right checksum; look-ups for a bad one: ${wasted}`;
  return { tried, unit: 'forged tokens', violations: violations.list, note };
}

/** A kind of credential: a valid token, and how a call sends it. */
interface Credential {
  kind: TokenKind;
  token: string;
  header: string;
  operation: (typeof operationTable)[number];
  request(token: string): string;
  headers(token: string): Record<string, string>;
}

async function openCredentials(databaseUrl: string, client: RawClient): Promise<Credential[]> {
  const { site_id, storefront_token, api_key, staff } = await openTenant(databaseUrl);
  const login = await client.send(
    rawRequest(
      'POST',
      '/api/dashboard/auth/login',
      { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
      JSON.stringify({ email: staff.email, password: staff.password }),
    ),
  );
  const { access_token } = JSON.parse(login?.body ?? '{}') as { access_token?: string };
  if (!access_token) throw new Error(`The login was refused: ${login?.body}`);
  const credential = (
    kind: TokenKind,
    token: string,
    operationId: string,
    headers: Credential['headers'],
  ): Credential => {
    const operation = operationTable.find(({ id }) => id === operationId);
    if (!operation) throw new Error(`The contract has no ${operationId}.`);
    const header = Object.keys(headers(''))[0] ?? '';
    return { kind, token, header, operation, headers, request: (t) => rawRequest('GET', operation.path, headers(t)) };
  };
  return [
    credential('staff', access_token, 'dashboard.getMe', (token) => ({ Authorization: `Bearer ${token}` })),
    credential('api_key', api_key, 'dashboard.getSettings', (token) => ({ 'X-API-Key': token })),
    credential('storefront', storefront_token, 'storefront.getShop', (token) => ({
      'X-Service-Token': token,
      'X-Site-ID': site_id,
    })),
  ];
}

type Forgery = (random: Chance, token: string) => string;

const FORGERIES: Forgery[] = [
  (random, token) => replaced(token, 4 + below(random, 32), random.of([...BASE62])),
  (random, token) => replaced(token, 36 + below(random, 6), random.of([...BASE62])),
  (random, token) => replaced(token, below(random, token.length), String.fromCharCode(33 + below(random, 94))),
  (random, token) => swapped(token, 4 + below(random, 37)),
  (random, token) => token.slice(0, below(random, token.length)),
  (random, token) => token.slice(below(random, token.length - 1) + 1),
  (random, token) => token + text(random, BASE62, 1 + below(random, 8)),
  (random, token) => flippedCase(token, below(random, token.length)),
  (_, token) => token.toUpperCase(),
  (_, token) => token.toLowerCase(),
  (random, token) => `${random.of(PREFIXES)}_${token.slice(4)}`,
  (random, token) => inserted(token, below(random, token.length + 1), '\0'),
  (random, token) =>
    inserted(token, below(random, token.length + 1), random.of([' ', '\t', ',', ';', '%00', '\x7f', 'é'])),
  (random) => mintToken(random.of(Object.keys(TOKEN_PREFIXES) as TokenKind[])),
  (random, token) => `${token.slice(0, 4)}${withChecksum(text(random, BASE62, 32))}`,
  (random, token) => `${token.slice(0, 4)}${text(random, BASE62, 38)}`,
  (random, token) =>
    `${token.slice(0, 4)}${withChecksum(replaced(token.slice(4, 36), below(random, 32), random.of([...BASE62])))}`,
  (_, token) => `${token}, ${token}`,
  (_, token) => `${token} ${token}`,
  (_, token) => Buffer.from(token).toString('base64'),
  (_, token) => encodeURIComponent(token).replace('_', '%5F'),
  (_, token) => `"${token}"`,
  (random) => random.of(['', 'null', 'undefined', 'true', '0', '*', "' or 1=1 --", '[object Object]', '__proto__']),
];

function forge(random: Chance, { token }: Credential): string {
  // One forgery in 20,000 is a megabyte long; more of them would make the proof slow.
  return below(random, 20_000) === 0 ? token + 'A'.repeat(MEGABYTE) : random.of(FORGERIES)(random, token);
}

/** HTTP trims spaces around a header value, so a token with such spaces counts as the issued token. */
function isGenuine({ token }: Credential, forged: string): boolean {
  return forged.trim() === token;
}

function passesFormCheck(credential: Credential, forged: string): boolean {
  try {
    const headers = Object.entries(credential.headers(forged)).map(([name, value]) => [name.toLowerCase(), value]);
    claimOf(credential.operation, Object.fromEntries(headers));
    return true;
  } catch (error) {
    if (error instanceof ShopError) return false;
    throw error;
  }
}

/** Whether the last six characters are the checksum of the 32 before them, computed here instead of by the server's code. */
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

function replaced(text: string, at: number, character: string): string {
  return text.slice(0, at) + character + text.slice(at + 1);
}

function inserted(text: string, at: number, characters: string): string {
  return text.slice(0, at) + characters + text.slice(at);
}

function swapped(text: string, at: number): string {
  return text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
}

function flippedCase(text: string, at: number): string {
  const character = text.charAt(at);
  const flipped = character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
  return replaced(text, at, flipped);
}

/** Returns a random integer from 0 up to, but not including, `bound`. */
function below(random: Chance, bound: number): number {
  return Math.floor(random.next() * bound);
}

function text(random: Chance, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[below(random, alphabet.length)]).join('');
}

function shown(token: string): string {
  return JSON.stringify(token.slice(0, 120));
}

/** Counts how often the server takes a connection from the pool. The returned function returns the count. */
function countLookUps(db: { on(event: 'acquire', listener: () => void): unknown }): () => number {
  let count = 0;
  db.on('acquire', () => {
    count += 1;
  });
  return () => count;
}
