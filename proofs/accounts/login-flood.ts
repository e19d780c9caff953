import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import pg from 'pg';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { hashPassword } from '../../server/src/shop/passwords/passwords.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { exchange } from '../testing/raw-requests.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { addCustomers, PASSWORD } from './strangers.ts';

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
const READS_A_SECOND = 50;
/**
 * The limit for the p99 of catalogue reads in milliseconds. Checked in the full form only, which needs an idle machine.
 */
const GOAL = 100;

async function attack({ size, databaseUrl }: Trial, directory: string): Promise<Figures> {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'api' };
  const { site_id, storefront_token } = await openTenant(databaseUrl);
  const emails = Array.from({ length: AT_ONCE }, () => `${randomUUID()}@example.com`);
  const owner = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl, max: 1 }));
  await addCustomers({ owner, site_id, password_hash: await hashPassword(PASSWORD) }, emails);
  await owner.end();
  const server = await new ServerProcess(await freePort(), env).mustBeReady();
  const violations = new Violations();
  const headers = { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token };
  const duration = pick(size, 2, 20);
  try {
    const [reads, logins] = await Promise.all([
      // Reads in a thread, so that sending the logins does not make the catalogue look slow.
      autocannon({
        ...{ url: `${server.baseUrl}/api/storefront/products`, headers, duration },
        ...{ connections: 4, overallRate: READS_A_SECOND, workers: 1 },
      }),
      logInAtOnce(server.baseUrl, headers, emails, duration),
    ]);
    judge(violations, 'a login', logins, ['200', '429', '503']);
    judge(violations, 'a look at the catalogue', countsOf(reads), ['200']);
    if (size === 'full' && reads.latency.p99 >= GOAL) {
      violations.add(`p99 of catalogue reads during the logins: ${reads.latency.p99} ms, above the limit`);
    }
    const counts = Object.entries(logins).map(([status, count]) => `${count} × ${status}`);
    return {
      tried: Object.values(logins).reduce((sum, count) => sum + count, 0),
      unit: 'logins',
      violations: violations.list,
      note: `logins: ${counts.join(', ')}; the catalogue meanwhile p99 ${reads.latency.p99} ms`,
    };
  } finally {
    await server.end('SIGTERM');
  }
}

/**
 * All customers log in at the same time, and again after each response (after its Retry-After, if any). Returns the
 * number of responses by status.
 */
async function logInAtOnce(
  baseUrl: string,
  headers: Record<string, string>,
  emails: string[],
  seconds: number,
): Promise<Record<string, number>> {
  // Opens a connection for each login, because the server may close an idle one just when it is used again.
  const agent = new Agent({ maxSockets: emails.length });
  const until = Date.now() + seconds * 1_000;
  const counts: Record<string, number> = {};
  const logIn = async (email: string) => {
    const body = JSON.stringify({ email, password: PASSWORD });
    while (Date.now() < until) {
      const own = { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
      const reply = await exchange(baseUrl, 'POST', '/api/storefront/customer/login', own, body, agent);
      const wait = reply.headers['retry-after'];
      const status = reply.status === 503 && !wait ? '503 without Retry-After' : String(reply.status);
      counts[status] = (counts[status] ?? 0) + 1;
      await sleep(Number(wait ?? 0) * 1_000);
    }
  };
  await Promise.all(emails.map(logIn));
  return counts;
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
