import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import pg from 'pg';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { mintToken, TOKEN_PREFIXES, type TokenKind } from '../../server/src/shop/tokens.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { openTenant } from '../testing/site.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
/** The number of times that a shop issues each kind of secret. */
const ROUNDS = 4;
/** A fair random source fails the tests with this probability. */
const CHANCE_OF_FALSE_ALARM = 1e-5;

/** Checks that tokens cannot be guessed, and cannot be read from a stolen database. */
export const E10: Proof = {
  id: 'E10',
  promise: 'Tokens are unique and uniformly random, and the database does not store them in clear text.',
  async run(trial) {
    const violations = new Violations();
    const minted = pick(trial.size, 20_000, 100_000);
    const chance = mintAndMeasure(minted, violations);
    trial.progress('tokens minted and measured');
    const found = await withOwnDatabase(trial.databaseUrl, (databaseUrl) =>
      issueAndSearch({ ...trial, databaseUrl }, violations),
    );
    const note = `${found.secrets} issued over HTTP (each request twice) and looked for in ${found.megabytes.toFixed(1)} MB of rows; least p of 33 uniformity tests, adjusted, ${chance.toPrecision(2)}`;
    return { tried: minted, unit: 'minted tokens', violations: violations.list, note };
  },
};

/**
 * Mints tokens, and tests the distribution of their characters: one chi-squared test for each position, and one for
 * pairs of neighbours. Returns the lowest p-value, adjusted for the number of tests.
 */
function mintAndMeasure(count: number, violations: Violations): number {
  const kinds = Object.keys(TOKEN_PREFIXES) as TokenKind[];
  const seen = new Set<string>();
  const positions = Array.from({ length: RANDOM_LENGTH }, () => new Uint32Array(62));
  const neighbours = new Uint32Array(62 * 62);
  for (let i = 0; i < count; i += 1) {
    const random = mintToken(kinds[i % kinds.length] as TokenKind).slice(4, 4 + RANDOM_LENGTH);
    seen.add(random);
    let before = -1;
    for (const [at, character] of [...random].entries()) {
      const digit = ALPHABET.indexOf(character);
      increment(positions[at], digit);
      if (before >= 0) increment(neighbours, before * 62 + digit);
      before = digit;
    }
  }
  if (seen.size !== count) violations.add(`${count - seen.size} tokens were minted twice`);
  const chances = [...positions, neighbours].map(chanceOf);
  const least = Math.min(...chances) * chances.length;
  if (least < CHANCE_OF_FALSE_ALARM) violations.add(`The characters are not uniform: p = ${least}`);
  return Math.min(1, least);
}

function increment(counts: Uint32Array | undefined, at: number): void {
  if (counts) counts[at] = (counts[at] ?? 0) + 1;
}

/**
 * The probability that a fair random source gives counts at least as uneven as these (chi-squared test, approximated by Wilson
 * and Hilferty).
 */
function chanceOf(counts: Uint32Array): number {
  const total = counts.reduce((sum, one) => sum + one, 0);
  const expected = total / counts.length;
  const chi = counts.reduce((sum, one) => sum + (one - expected) ** 2 / expected, 0);
  const freedom = counts.length - 1;
  const spread = 2 / (9 * freedom);
  const z = (Math.cbrt(chi / freedom) - (1 - spread)) / Math.sqrt(spread);
  return upperTail(z);
}

/** P(Z > z) of the normal distribution (Abramowitz and Stegun 26.2.17). */
function upperTail(z: number): number {
  if (z < 0) return 1 - upperTail(-z);
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

async function issueAndSearch({ size, databaseUrl, progress }: Trial, violations: Violations) {
  const { server, ...running } = await startServer(databaseUrl, { rateLimits: false }, databaseUrl);
  const dump = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl, max: 1 }));
  try {
    const secrets: string[] = [];
    const shops = pick(size, 2, 25);
    for (let i = 0; i < shops; i += 1) {
      secrets.push(...(await issue(running.baseUrl, databaseUrl, violations)));
      progress(`${secrets.length} secrets issued`);
    }
    const megabytes = await search(dump, secrets, violations);
    return { secrets: secrets.length, megabytes };
  } finally {
    await dump.end();
    await stopServer({ server, ...running });
  }
}

/**
 * Makes a new shop issue secrets of several kinds. Each request is sent twice, so that its response is stored and
 * replayed. Returns the secrets.
 */
async function issue(baseUrl: string, databaseUrl: string, violations: Violations): Promise<string[]> {
  const { storefront_token, api_key, sync_secret, sync_key_id, staff } = await openTenant(databaseUrl);
  const secrets = [storefront_token, api_key, sync_secret, staff.password];
  let session: string | undefined;
  const post = async (path: string, body?: object): Promise<Record<string, string>> => {
    const idempotencyKey = randomUUID();
    const call = async () => {
      const answer = await fetch(`${baseUrl}/api/dashboard/${path}`, {
        method: 'POST',
        headers: {
          ...(session && { Authorization: `Bearer ${session}` }),
          'Idempotency-Key': idempotencyKey,
          ...(body && { 'Content-Type': 'application/json' }),
        },
        body: body && JSON.stringify(body),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const [first, second] = [await call(), await call()];
    if (first.status >= 300) throw new Error(`POST ${path}: ${first.status} ${first.text}`);
    if (first.text !== second.text) violations.add(`POST ${path}: the replay differs from the first answer`);
    return JSON.parse(first.text) as Record<string, string>;
  };
  for (let i = 0; i < ROUNDS; i += 1) {
    const { access_token } = await post('auth/login', { email: staff.email, password: staff.password });
    session = access_token;
    const key = await post('api-keys', { description: 'Proof', scopes: ['read'] });
    const token = await post('storefront-tokens', { description: 'Proof' });
    const rotated = await post(`api-keys/${key.id}/rotate`);
    const rotatedToken = await post(`storefront-tokens/${token.id}/rotate`);
    const issued = [key.secret, token.secret, access_token, rotated.secret, rotatedToken.secret];
    for (const secret of issued) {
      if (secret === undefined) throw new Error('An operation that issues a secret answered without one.');
      secrets.push(secret);
    }
  }
  const sync = await post('sync-keys', { description: 'Proof' });
  secrets.push(String(sync.secret));
  if (!sync_key_id || !sync.secret) violations.add('A new sync key came without its secret');
  return secrets;
}

/**
 * Searches all rows of all tables for the secrets: for each half of the random part, also in hexadecimal, and for the
 * whole secret in Base64. Returns the number of megabytes searched.
 */
async function search(db: Pool, secrets: string[], violations: Violations): Promise<number> {
  const needles = secrets.flatMap((secret) => {
    const random = secret.slice(4, 4 + RANDOM_LENGTH);
    const parts = secret.length > RANDOM_LENGTH ? [random.slice(0, 16), random.slice(16)] : [secret];
    return [...parts, ...parts.map((part) => Buffer.from(part).toString('hex')), base64Core(secret)];
  });
  const sorted = new Map<number, Set<string>>();
  for (const needle of needles) {
    const ofLength = sorted.get(needle.length) ?? new Set();
    sorted.set(needle.length, ofLength.add(needle));
  }
  let bytes = 0;
  const { rows: tables } = await db.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  for (const { name } of tables) {
    const { rows } = await db.query<{ row: string }>(`select t::text as row from ${name} t`);
    for (const { row } of rows) {
      bytes += row.length;
      if (holdsOne(row, sorted)) violations.add(`${name} holds a secret in clear: ${row.slice(0, 300)}`);
    }
  }
  return bytes / 1e6;
}

/** Returns the first 40 Base64 characters, which do not depend on the bytes after the secret. */
function base64Core(secret: string): string {
  return Buffer.from(secret).toString('base64').slice(0, 40);
}

function holdsOne(row: string, needles: Map<number, Set<string>>): boolean {
  const shortest = Math.min(...needles.keys());
  for (const [run] of row.matchAll(/[0-9A-Za-z+/=-]+/g)) {
    if (run.length < shortest) continue;
    for (const [length, set] of needles) {
      for (let at = 0; at + length <= run.length; at += 1) {
        if (set.has(run.slice(at, at + length))) return true;
      }
    }
  }
  return false;
}
