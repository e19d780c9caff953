import { randomUUID } from 'node:crypto';
import { mintToken, TOKEN_PREFIXES, type TokenKind } from '../../server/src/shop/tokens.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { exchange, watchExchanges } from '../testing/raw-requests.ts';
import { openTenant } from '../testing/site.ts';
import { openSession } from '../testing/three-tenants.ts';
import { Secrets, searchTables } from './sent-secrets.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
/** A fair random source exceeds this unevenness in one of the 33 tests with a probability of 1e-5. */
const MOST_UNEVEN = 5;

/** Checks that tokens cannot be guessed, and cannot be read from a stolen database. */
export const E10: Proof = {
  id: 'E10',
  promise: 'Tokens are unique and uniformly random, and the database does not store them in clear text.',
  async run(trial) {
    const violations = new Violations();
    const minted = pick(trial.size, 20_000, 100_000);
    mintAndMeasure(minted, violations);
    const issued = await withOwnDatabase(trial.databaseUrl, (databaseUrl) =>
      issueAndSearch({ ...trial, databaseUrl }, violations),
    );
    const note = `${issued} secrets issued over HTTP (each request twice) and looked for in all tables`;
    return { tried: minted, unit: 'minted tokens', violations: violations.list, note };
  },
};

/**
 * Mints tokens, and tests the distribution of their characters: one chi-squared test for each position, and one for
 * pairs of neighbours.
 */
function mintAndMeasure(count: number, violations: Violations): void {
  const kinds = Object.keys(TOKEN_PREFIXES) as TokenKind[];
  const seen = new Set<string>();
  const positions = Array.from({ length: RANDOM_LENGTH }, () => new Array<number>(62).fill(0));
  const neighbours = new Array<number>(62 * 62).fill(0);
  for (let i = 0; i < count; i += 1) {
    const random = mintToken(kinds[i % kinds.length] as TokenKind).slice(4, 4 + RANDOM_LENGTH);
    seen.add(random);
    const digits = [...random].map((character) => ALPHABET.indexOf(character));
    for (const [at, counts] of positions.entries()) increment(counts, digits[at] ?? 0);
    for (let at = 1; at < digits.length; at += 1) increment(neighbours, (digits[at - 1] ?? 0) * 62 + (digits[at] ?? 0));
  }
  if (seen.size !== count) violations.add(`${count - seen.size} tokens were minted twice`);
  const most = Math.max(...[...positions, neighbours].map(unevenness));
  if (most > MOST_UNEVEN) violations.add(`The characters are not uniform: ${most} standard deviations`);
}

function increment(counts: number[], at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

/**
 * Returns how much more uneven the counts are than those of a fair random source, in standard deviations (chi-squared
 * test, approximated by Wilson and Hilferty).
 */
function unevenness(counts: number[]): number {
  const expected = counts.reduce((sum, one) => sum + one, 0) / counts.length;
  const chi = counts.reduce((sum, one) => sum + (one - expected) ** 2 / expected, 0);
  const freedom = counts.length - 1;
  const spread = 2 / (9 * freedom);
  return (Math.cbrt(chi / freedom) - (1 - spread)) / Math.sqrt(spread);
}

/** Lets new shops issue secrets, and searches the database for them. Returns their number. */
async function issueAndSearch({ size, databaseUrl }: Trial, violations: Violations): Promise<number> {
  const secrets = new Secrets();
  const server = await startServer(databaseUrl, { rateLimits: false }, databaseUrl);
  const stop = watchExchanges((seen) => secrets.note(seen));
  try {
    for (let shop = 0; shop < pick(size, 2, 25); shop += 1) await issue(server.baseUrl, databaseUrl, secrets);
    await searchTables(server.owner, secrets.search(), violations);
  } finally {
    stop();
    await stopServer(server);
  }
  return secrets.count;
}

/** Makes a new shop issue secrets. Each request is sent twice, so that its response is stored and replayed. */
async function issue(baseUrl: string, databaseUrl: string, secrets: Secrets): Promise<void> {
  const { storefront_token, api_key, sync_secret, staff } = await openTenant(databaseUrl);
  for (const secret of [storefront_token, api_key, sync_secret, staff.password]) secrets.add('a first secret', secret);
  const session = await openSession({ baseUrl }, staff.email, staff.password);
  const post = async (path: string, body?: object) => {
    const headers = {
      ...{ Authorization: `Bearer ${session}`, 'Idempotency-Key': randomUUID() },
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const send = () => exchange(baseUrl, 'POST', `/api/dashboard/${path}`, headers, body && JSON.stringify(body));
    const [first, second] = [await send(), await send()];
    if (first.status >= 300 || first.text !== second.text)
      throw new Error(`POST ${path}: ${first.status} ${first.text}, then ${second.status} ${second.text}`);
    return JSON.parse(first.text) as { id: string };
  };
  const key = await post('api-keys', { description: 'Proof', scopes: ['read'] });
  const token = await post('storefront-tokens', { description: 'Proof' });
  await post('sync-keys', { description: 'Proof' });
  await post(`api-keys/${key.id}/rotate`);
  await post(`storefront-tokens/${token.id}/rotate`);
}
