import { randomUUID } from 'node:crypto';
import autocannon from 'autocannon';
import pg from 'pg';
import { freePort } from '../../server/src/db/free-port.ts';
import { hashPassword } from '../../server/src/shop/passwords/passwords.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { logInAtOnce } from './simultaneous-logins.ts';

/**
 * 500 customers log in concurrently and repeatedly while others browse the catalogue. Hashing a password takes a CPU
 * core tens of milliseconds.
 */
export const B6: Proof = {
  id: 'B6',
  promise: '500 simultaneous logins are served or asked to retry, and the catalogue stays fast.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

const AT_ONCE = 500;
const PASSWORD = 'a password of the proofs';
const READS_A_SECOND = 50;
/**
 * The limit for the p99 of catalogue reads in milliseconds. Checked in the full form only, which needs an idle machine.
 */
const GOAL = 100;

async function attack({ size, databaseUrl, progress }: Trial, directory: string): Promise<Figures> {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'api' };
  const shop = await openTenant(databaseUrl);
  const emails = await openAccounts(databaseUrl, shop.site_id);
  const server = await new ServerProcess(await freePort(), env).mustBeReady();
  const violations = new Violations();
  const headers = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.storefront_token };
  const seconds = pick(size, 2, 20);
  try {
    const atRest = await read(server, headers, pick(size, 1, 5));
    progress(`${atRest.latency.p99} ms of the catalogue at rest`);
    const [reads, logins] = await Promise.all([
      read(server, headers, seconds),
      logInAtOnce({
        ...{ url: `${server.baseUrl}/api/storefront/customer/login`, headers },
        ...{ emails, password: PASSWORD, seconds },
      }),
    ]);
    judge(violations, 'a login', logins, ['200', '429', '503']);
    judge(violations, 'a look at the catalogue', countsOf(reads), ['200']);
    if (size === 'full' && reads.latency.p99 >= GOAL) {
      violations.add(`p99 of catalogue reads during the logins: ${reads.latency.p99} ms, above the limit`);
    }
    const counts = Object.entries(logins).map(([status, count]) => `${count} × ${status}`);
    const note = `logins: ${counts.join(', ')}; the catalogue meanwhile p99 ${reads.latency.p99} ms, at rest ${atRest.latency.p99} ms`;
    return {
      tried: Object.values(logins).reduce((sum, count) => sum + count, 0),
      unit: 'logins',
      violations: violations.list,
      note,
    };
  } finally {
    await server.end('SIGTERM');
  }
}

/** Creates customers whose passwords are hashed at the usual cost. Returns their e-mail addresses. */
async function openAccounts(databaseUrl: string, site_id: string): Promise<string[]> {
  const owner = new pg.Client({ connectionString: databaseUrl });
  owner.on('error', () => undefined);
  await owner.connect();
  const emails = Array.from({ length: AT_ONCE }, () => `${randomUUID()}@example.com`);
  try {
    await owner.query(
      `insert into commerce.customers (site_id, id, email, password_hash, email_verified_at)
       select $1, gen_random_uuid(), email, $3, now() from unnest($2::text[]) as email`,
      [site_id, emails, await hashPassword(PASSWORD)],
    );
  } finally {
    await owner.end();
  }
  return emails;
}

type Headers = Record<string, string>;

const READ_TIMEOUT_SECONDS = 30;

/** Sends catalogue reads at a steady rate for `seconds`, or longer if the responses take longer. */
function read({ baseUrl }: ServerProcess, headers: Headers, seconds: number): Promise<autocannon.Result> {
  const url = `${baseUrl}/api/storefront/products`;
  const amount = seconds * READS_A_SECOND;
  const [connections, timeout] = [4, READ_TIMEOUT_SECONDS];
  return autocannon({ url, headers, amount, connections, timeout, overallRate: READS_A_SECOND });
}

function judge(violations: Violations, what: string, counts: Record<string, number>, expected: string[]): void {
  for (const [status, count] of Object.entries(counts)) {
    if (!expected.includes(status))
      violations.add(`${what}: ${count} responses with ${status} instead of ${expected.join(' or ')}`);
  }
  const [served = ''] = expected;
  if (!counts[served]) violations.add(`${what}: no response with ${served}`);
}

function countsOf({ statusCodeStats, errors }: autocannon.Result): Record<string, number> {
  const counts = Object.entries(statusCodeStats ?? {}).map(([status, { count }]) => [status, count ?? 0]);
  return { ...Object.fromEntries(counts), ...(errors > 0 && { 'not at all': errors }) };
}
