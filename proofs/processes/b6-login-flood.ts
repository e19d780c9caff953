import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import pg from 'pg';
import { hashPassword } from '../../server/src/shop/passwords.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../frame.ts';
import { freePort, ServerProcess, withDirectory } from './server-process.ts';
import { openTenant } from './tenant.ts';

/** A password costs a core tens of milliseconds: 500 who log in at once, over and over, while others look at the goods. */
export const B6: Proof = {
  id: 'B6',
  promise: '500 who log in at once are served or told to come back, and the catalogue stays quick.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

const AT_ONCE = 500;
const PASSWORD = 'a password of the proofs';
const READS_A_SECOND = 50;
const ANSWER_WITHIN_MS = 30_000;
/** Of what 99 of 100 looks at the catalogue take, in milliseconds; held against full forms alone, on a machine at rest. */
const GOAL = 100;

async function attack({ size, databaseUrl, progress }: Trial, directory: string): Promise<Figures> {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'api' };
  const shop = await openTenant(databaseUrl);
  const emails = await openAccounts(databaseUrl, shop.site_id);
  const server = await new ServerProcess(await freePort(), env).mustBeReady();
  const violations = new Violations();
  const headers = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.storefront_token };
  const duration = pick(size, 4, 20);
  try {
    const atRest = await read(server, headers, pick(size, 1, 5));
    progress(`${atRest.latency.p99} ms of the catalogue at rest`);
    const [reads, logins] = await Promise.all([
      read(server, headers, duration),
      logIn(server, headers, emails, duration),
    ]);
    judge(violations, 'a login', logins, ['200', '429', '503']);
    judge(violations, 'a look at the catalogue', countsOf(reads), ['200']);
    if (size === 'full' && reads.latency.p99 >= GOAL) {
      violations.add(`99 of 100 looks at the catalogue take up to ${reads.latency.p99} ms`);
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

/** Customers with passwords of the usual cost. */
async function openAccounts(databaseUrl: string, site_id: string): Promise<string[]> {
  const owner = new pg.Client({ connectionString: databaseUrl });
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

/** A steady stream of looks at the catalogue. */
function read({ baseUrl }: ServerProcess, headers: Headers, duration: number): Promise<autocannon.Result> {
  const url = `${baseUrl}/api/storefront/products`;
  return autocannon({ url, headers, duration, connections: 4, overallRate: READS_A_SECOND });
}

/** All log in at once, and again as soon as they are answered; who is told to come back later does so. */
async function logIn(
  { baseUrl }: ServerProcess,
  headers: Headers,
  emails: string[],
  duration: number,
): Promise<Record<string, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const until = Date.now() + duration * 1_000;
  const counts: Record<string, number> = {};
  const one = async (email: string) => {
    while (Date.now() < until) {
      const { status, wait } = await post(agent, `${baseUrl}/api/storefront/customer/login`, headers, email);
      counts[status] = (counts[status] ?? 0) + 1;
      await sleep(wait * 1_000);
    }
  };
  await Promise.all(emails.map(one));
  agent.destroy();
  return counts;
}

/** A login; answers its status, and how many seconds to wait before the next. */
function post(agent: Agent, url: string, headers: Headers, email: string): Promise<{ status: string; wait: number }> {
  const own = { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
  return new Promise((resolve) => {
    const sent = request(url, { agent, method: 'POST', headers: own, timeout: ANSWER_WITHIN_MS }, (response) => {
      response.resume().on('end', () => {
        resolve({ status: String(response.statusCode), wait: Number(response.headers['retry-after'] ?? 0) });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error('There was no answer.')));
    sent.on('error', (error) => resolve({ status: error.message, wait: 1 }));
    sent.end(JSON.stringify({ email, password: PASSWORD }));
  });
}

function judge(violations: Violations, what: string, counts: Record<string, number>, expected: string[]): void {
  for (const [status, count] of Object.entries(counts)) {
    if (!expected.includes(status)) violations.add(`${count} times ${what} was answered ${status}`);
  }
  if (!expected.some((status) => counts[status])) violations.add(`${what} was never answered as it should be`);
}

function countsOf({ statusCodeStats, errors }: autocannon.Result): Record<string, number> {
  const counts = Object.entries(statusCodeStats ?? {}).map(([status, { count }]) => [status, count ?? 0]);
  return { ...Object.fromEntries(counts), ...(errors > 0 && { 'not at all': errors }) };
}
