import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { AppDeps } from '../../server/src/app.ts';
import { hashPassword } from '../../server/src/shop/passwords/passwords.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { rankSumTest } from '../tenancy/ranks.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Call, comparable, type Reply, send } from '../testing/raw-requests.ts';
import { openTenant } from '../testing/site.ts';
import { watchStatements } from '../testing/statements.ts';
import {
  type AttackedShop,
  addCustomers,
  addStaff,
  callByStranger,
  openSessionOf,
  PASSWORD,
  WRONG_PASSWORD,
} from './strangers.ts';

/**
 * Sends requests that contain an e-mail address. The response and the server's work must not depend on whether the
 * address has an account.
 */
export const B1: Proof = {
  id: 'B1',
  promise:
    'No request by a stranger reveals whether an e-mail address has an account, whether by its response, by the work the server does, or by how long it takes.',
  run: (trial) => withOwnDatabase(trial.databaseUrl, (databaseUrl) => attack({ ...trial, databaseUrl })),
};

async function attack(trial: Trial): Promise<Figures> {
  const lastUsed = { note() {}, noteSession() {} } as unknown as AppDeps['lastUsed'];
  const settings = { rateLimits: true, trustProxy: 1, validateResponses: false, lastUsed };
  const server = await startServer(trial.databaseUrl, settings, trial.databaseUrl);
  try {
    const shop = await openShop(trial, server);
    const violations = new Violations();
    const asked = await compareAnswers(trial, shop, violations);
    const timed = trial.size === 'full' ? await compareTimes(trial, shop, violations) : undefined;
    const tried = asked + (timed?.asked ?? 0);
    return { tried, unit: 'questions', violations: violations.list, ...(timed && { note: timed.note }) };
  } finally {
    await stopServer(server);
  }
}

async function openShop(
  { databaseUrl }: Trial,
  server: Pick<AttackedShop, 'baseUrl' | 'owner'>,
): Promise<AttackedShop> {
  const count = countHashes();
  const password_hash = await hashPassword(PASSWORD);
  if (count.end() !== 1) throw new Error('The proof cannot count hashes any more.');
  return { ...server, ...(await openTenant(databaseUrl)), password_hash };
}

/** Stores these e-mail addresses in the shop. */
type Population = (shop: AttackedShop, emails: string[]) => Promise<void>;

const unknown: Population = async () => {};

const registered: Population = async ({ owner, site_id, password_hash }, emails) => {
  await owner.query(
    `insert into commerce.customer_registrations (site_id, id, email, password_hash, profile)
     select $1, gen_random_uuid(), email, $3, '{}' from unnest($2::text[]) as email`,
    [site_id, emails, password_hash],
  );
};

const CUSTOMERS: Record<string, Population> = {
  'with an account': addCustomers,
  'with an unverified account': (shop, emails) => addCustomers(shop, emails, { isVerified: false }),
  'entered by staff': (shop, emails) => addCustomers(shop, emails, { hasPassword: false, isVerified: false }),
  'who has registered': registered,
};

/** Returns new e-mail addresses of this population, all of the same length. */
async function emailsOf(shop: AttackedShop, population: Population, count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, () => `${randomUUID()}@example.com`);
  await population(shop, emails);
  return emails;
}

/**
 * A request that contains an e-mail address. Its response must not reveal to which kind in `who` the address belongs.
 */
interface Question {
  operation: string;
  who: Record<string, Population>;
  body: (email: string) => object;
  /** Set if a customer sends the request; each request is sent by a new one. */
  asCustomer?: true;
}

const QUESTIONS: Question[] = [
  { operation: 'storefront.loginCustomer', who: CUSTOMERS, body: (email) => ({ email, password: WRONG_PASSWORD }) },
  { operation: 'storefront.registerCustomer', who: CUSTOMERS, body: (email) => ({ email, password: PASSWORD }) },
  { operation: 'storefront.requestPasswordReset', who: CUSTOMERS, body: (email) => ({ email }) },
  { operation: 'storefront.resendVerification', who: CUSTOMERS, body: (email) => ({ email }) },
  {
    operation: 'storefront.updateCustomer',
    who: CUSTOMERS,
    body: (email) => ({ email, current_password: PASSWORD }),
    asCustomer: true,
  },
  {
    operation: 'dashboard.login',
    who: { 'of staff': addStaff },
    body: (email) => ({ email, password: WRONG_PASSWORD }),
  },
];

async function callOf(shop: AttackedShop, { operation, body, asCustomer }: Question, email: string): Promise<Call> {
  if (!asCustomer) return callByStranger(shop, operation, body(email));
  const [caller = ''] = await emailsOf(shop, addCustomers, 1);
  return callByStranger(shop, operation, body(email), await openSessionOf(shop, caller));
}

/** The number of calls with the same address: more than each limit allows, so that rejections are compared too. */
const TIMES = 7;

/**
 * Sends the same requests for addresses of each kind, in the short form of two kinds. The responses and the work of the
 * server must not differ. Returns the number of requests.
 */
async function compareAnswers({ size, seed }: Trial, shop: AttackedShop, violations: Violations): Promise<number> {
  const chance = chanceOf(seed);
  let asked = 0;
  for (const question of QUESTIONS) {
    const expected = await interview(shop, question, unknown);
    asked += TIMES;
    const all = Object.entries(question.who);
    for (const [who, population] of chance.some(all, pick(size, 2, all.length))) {
      const actual = await interview(shop, question, population);
      asked += TIMES;
      const [same, other] = [expected, actual].map((steps) => steps.map(({ answer }) => answer).join('\n'));
      if (same !== other)
        violations.add(`${question.operation} reveals whether it is ${who}: response ${other} instead of ${same}`);
      const differing = actual.findIndex(({ work }, index) => work !== expected[index]?.work);
      if (differing >= 0) {
        const [done, usual] = [actual[differing]?.work, expected[differing]?.work];
        violations.add(`${question.operation} does different work for ${who}: ${done} instead of ${usual}`);
      }
    }
  }
  return asked;
}

interface Step {
  answer: string;
  /** The SQL statements in order, and the number of passwords hashed. */
  work: string;
}

async function interview(shop: AttackedShop, question: Question, population: Population): Promise<Step[]> {
  const [email = ''] = await emailsOf(shop, population, 1);
  const steps: Step[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const call = await callOf(shop, question, email);
    // Extends the login delay, so that the delay still applies on a slow machine.
    await shop.owner.query(
      `update commerce.login_throttles set next_attempt_at = now() + interval '1 minute'
       where next_attempt_at > expires_at - interval '1 hour'`,
    );
    const { reply, work } = await observed(() => send(shop.baseUrl, call));
    steps.push({ answer: withoutTimes(comparable(reply, [email])), work });
  }
  return steps;
}

/** Removes times and ids from a response, because they differ in each response. */
function withoutTimes(answer: string): string {
  return answer
    .replaceAll(/(;t=|in |"retry_after_seconds\\":|"retry-after":")\d+/g, '$1<time>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<moment>')
    .replaceAll(/[0-9a-f-]{36}/g, '<id>');
}

async function observed(sendRequest: () => Promise<Reply>): Promise<{ reply: Reply; work: string }> {
  const statements: string[] = [];
  const count = countHashes();
  const stop = watchStatements((text) => statements.push(text.replaceAll(/\s+/g, ' ')));
  try {
    const reply = await sendRequest();
    return { reply, work: JSON.stringify({ hashes: count.end(), statements }) };
  } finally {
    stop();
    count.end();
  }
}

/** Counts password hashes: each is a message to a worker thread. */
function countHashes(): { end(): number } {
  let hashes = 0;
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (this: Worker, ...message: Parameters<typeof post>) {
    hashes += 1;
    return post.apply(this, message);
  };
  return {
    end() {
      Worker.prototype.postMessage = post;
      return hashes;
    },
  };
}

const QUESTIONS_EACH = 2_000;
const P = 0.01;

async function compareTimes(trial: Trial, shop: AttackedShop, violations: Violations) {
  const chance = chanceOf(trial.seed);
  const found: string[] = [];
  for (const question of QUESTIONS) {
    const [who, population] = Object.entries(question.who)[0] as [string, Population];
    let p = await series(shop, question, population, chance);
    // One series in a hundred looks suspicious by chance, so such a series is repeated. A real leak would show again.
    if (p <= P) p = await series(shop, question, population, chance);
    if (p <= P) violations.add(`${question.operation}: the response time reveals ${who} (p = ${p})`);
    found.push(`${question.operation} ${p.toFixed(3)}`);
    trial.progress(found.at(-1) ?? '');
  }
  const asked = QUESTIONS.length * QUESTIONS_EACH * 2;
  return { asked, note: `p of the time, ${QUESTIONS_EACH} known and as many unknown: ${found.join(', ')}` };
}

/** Returns the p-value of a test whether requests with known and with unknown addresses take different times. */
async function series(shop: AttackedShop, question: Question, population: Population, chance: Chance): Promise<number> {
  const times = { known: [] as number[], unknown: [] as number[] };
  const known = await emailsOf(shop, population, QUESTIONS_EACH);
  const strange = await emailsOf(shop, unknown, QUESTIONS_EACH);
  const asked = [
    ...known.map((email) => ({ email, kind: 'known' as const })),
    ...strange.map((email) => ({ email, kind: 'unknown' as const })),
  ];
  for (const { email, kind } of chance.some(asked, asked.length)) {
    const call = await callOf(shop, question, email);
    const started = performance.now();
    await send(shop.baseUrl, call);
    times[kind].push(performance.now() - started);
  }
  return rankSumTest(times.known, times.unknown);
}
