import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { startServer, stopServer } from '../../server/test/server.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Reply, send } from '../testing/raw-requests.ts';
import { openTenant } from '../testing/site.ts';
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
 * Guesses passwords wherever the server checks one, each time from a new IP address, with every spelling of the e-mail
 * address. Hours are simulated by moving the times in the database into the past.
 */
export const B2: Proof = {
  id: 'B2',
  promise: 'Any attack tries at most 20 passwords an hour on an account, and its owner waits 15 minutes at most.',
  run: (trial) =>
    withOwnDatabase(trial.databaseUrl, async (databaseUrl) => {
      const settings = { rateLimits: true, trustProxy: 1, validateResponses: false };
      const server = await startServer(databaseUrl, settings, databaseUrl);
      try {
        return await attack({ ...trial, databaseUrl }, server);
      } finally {
        await stopServer(server);
      }
    }),
};

const MOST_AN_HOUR = 20;
const LONGEST_WAIT = 15 * 60;
const HOUR = 3_600;

async function attack(trial: Trial, { baseUrl, owner }: { baseUrl: string; owner: Pool }) {
  const violations = new Violations();
  const shop = { baseUrl, owner, ...(await openTenant(trial.databaseUrl)), password_hash: CHEAP_HASH };
  const chance = chanceOf(trial.seed);
  const figures = { attempts: 0, most: 0, longest: 0 };
  const strategies = Object.entries(STRATEGIES);
  const hours = pick(trial.size, 1.1, 4);
  for (const [place, open] of Object.entries(PLACES)) {
    const chosen = [
      ...strategies.slice(0, 1),
      ...chance.some(strategies.slice(1), pick(trial.size, 1, strategies.length)),
    ];
    for (const [what, strategy] of chosen) {
      const target = await open(shop);
      const guesser = new Guesser(shop, target);
      await guesser.runStrategy(strategy(chance), hours * HOUR);
      figures.attempts += guesser.attempts;
      figures.most = Math.max(figures.most, guesser.mostInAnHour());
      if (guesser.mostInAnHour() > MOST_AN_HOUR) {
        violations.add(`${place}, ${what}: ${guesser.mostInAnHour()} passwords tried within an hour`);
      }
      const waited = await guesser.logInAsOwner();
      figures.longest = Math.max(figures.longest, waited, guesser.longestRetryAfter);
      if (Math.max(waited, guesser.longestRetryAfter) > LONGEST_WAIT) {
        violations.add(
          `${place}, ${what}: expected the owner to wait at most ${LONGEST_WAIT} s, but the login took ${waited} s and the longest Retry-After was ${guesser.longestRetryAfter} s`,
        );
      }
      trial.progress(`${place}, ${what}: ${guesser.mostInAnHour()} within an hour, ${figures.attempts} attempts`);
    }
  }
  const note = `at most ${figures.most} passwords tried on an account within any hour; the owner waited ${Math.ceil(figures.longest)} s at most`;
  return { tried: figures.attempts, unit: 'attempts', violations: violations.list, note } satisfies Figures;
}

/** A hash of `PASSWORD` at the lowest cost, so that many attempts take little time. */
const CHEAP_HASH = '$argon2id$v=19$m=8,t=1,p=1$oUJkuJrwEN58OIOGYbAuFA$4ldxRodfvzyXuAFLLDwwZDZ88E3kVCvRd0JjgjbvwPw';

/** An account, and the operations through which its password is guessed. */
interface Target {
  /** The spellings of the e-mail address that identify the account. */
  spellings: string[];
  tryPassword(spelling: string, password: string): Promise<Reply>;
}

const PLACES: Record<string, (shop: AttackedShop) => Promise<Target>> = {
  'login of customers': async (shop) => {
    const email = newAddress();
    await addCustomers(shop, [email]);
    const tryPassword = (spelling: string, password: string) =>
      ask(shop, 'storefront.loginCustomer', { email: spelling, password });
    return { tryPassword, spellings: await spellingsThatOpen(shop, email, tryPassword) };
  },
  'everything that asks customers for their password': async (shop) => {
    const email = newAddress();
    await addCustomers(shop, [email]);
    const token = await openSessionOf(shop, email);
    const operations: Record<string, (password: string) => Promise<Reply>> = {
      login: (password) => ask(shop, 'storefront.loginCustomer', { email, password }),
      password: (current_password) =>
        ask(shop, 'storefront.changePassword', { current_password, new_password: PASSWORD }, token),
      email: (current_password) =>
        ask(shop, 'storefront.updateCustomer', { current_password, email: `new-${email}` }, token),
    };
    const tryPassword = (name: string, password: string) =>
      (operations[name] as (typeof operations)['login'])(password);
    return { tryPassword, spellings: Object.keys(operations) };
  },
  'login of staff': async (shop) => {
    const email = newAddress();
    await addStaff(shop, [email]);
    const tryPassword = (spelling: string, password: string) =>
      ask(shop, 'dashboard.login', { email: spelling, password });
    return { tryPassword, spellings: await spellingsThatOpen(shop, email, tryPassword) };
  },
};

/** Creates an address with letters that change when their case is folded. */
function newAddress(): string {
  return `kisß-é-${randomUUID()}@example.com`;
}

function ask(shop: AttackedShop, operation_id: string, body: object, token?: string): Promise<Reply> {
  return send(shop.baseUrl, callByStranger(shop, operation_id, body, token));
}

/** Returns the spellings of an address that identify the account. */
async function spellingsThatOpen(
  shop: AttackedShop,
  email: string,
  tryPassword: (spelling: string, password: string) => Promise<Reply>,
): Promise<string[]> {
  const spellings = [
    email,
    email.toUpperCase(),
    email.replace('@example.com', '@EXAMPLE.com'),
    email.replace('k', '\u212a'),
    email.replace('i', '\u0130'),
    email.replace('i', '\u0131'),
    email.replace('s', '\u017f'),
    email.replace('ß', 'ẞ'),
    email.replace('ß', 'ss'),
    email.normalize('NFD'),
    email.replace('é', '\u00c9'),
    email.replace('kis', '\uff4b\uff49\uff53'),
    email.replace('kis', 'ki\u00ads'),
    email.replace('kis', 'k\u200bis'),
    email.replace('é', '\u00e9\u0323'),
  ];
  const opening: string[] = [];
  for (const spelling of new Set(spellings)) {
    const { status } = await tryPassword(spelling, PASSWORD);
    if (status === 200) opening.push(spelling);
  }
  // Deletes the recorded attempts, so that the attack starts without them.
  await shop.owner.query('delete from commerce.login_throttles');
  return opening;
}

/** An attacker's strategy: how many attempts run concurrently, and how long to wait after a response. */
interface Strategy {
  atOnce: number;
  /**
   * How many seconds to wait before the next guess. `retryAfter` is the Retry-After of the last response in seconds, 0
   * if the password was checked.
   */
  wait(retryAfter: number, tried: number): number;
}

const QUARTER = 15 * 60;

const STRATEGIES: Record<string, (chance: Chance) => Strategy> = {
  '8 at once, as soon as one may': () => ({ atOnce: 8, wait: (retryAfter) => retryAfter }),
  'as soon as one may': () => ({ atOnce: 1, wait: (retryAfter) => retryAfter }),
  ...Object.fromEntries(
    [5, 8, 10, 11, 12, 14].flatMap((burst) =>
      [QUARTER + 1, HOUR + 1].map((rest) => [
        `${burst} in a row, then ${Math.floor(rest / 60)} minutes of rest`,
        (): Strategy => ({
          atOnce: 1,
          wait: (retryAfter, tried) => (tried > 0 && tried % burst === 0 && retryAfter === 0 ? rest : retryAfter),
        }),
      ]),
    ),
  ),
  'at random': (chance) => ({
    atOnce: 1,
    wait: (retryAfter) => Math.max(retryAfter, chance.of([0, 0, 0, 60, 300, QUARTER, QUARTER + 1])),
  }),
  'against the clock': (chance) => ({
    atOnce: 1,
    wait: (retryAfter) => (retryAfter > 0 ? chance.of([retryAfter, retryAfter / 2, 1]) : 0),
  }),
};

class Guesser {
  readonly #shop: AttackedShop;
  readonly #target: Target;
  /** The times at which passwords were checked, in seconds since the attack began. */
  readonly #checkedAt: number[] = [];
  readonly #began = performance.now();
  #skipped = 0;
  attempts = 0;
  longestRetryAfter = 0;

  constructor(shop: AttackedShop, target: Target) {
    this.#shop = shop;
    this.#target = target;
  }

  get #time(): number {
    return this.#skipped + (performance.now() - this.#began) / 1_000;
  }

  async runStrategy({ atOnce, wait }: Strategy, seconds: number): Promise<void> {
    const { spellings } = this.#target;
    while (this.#time < seconds) {
      // Cycles through all spellings of the address, in case the server counts each spelling separately.
      const tries = Array.from(
        { length: atOnce },
        (_, index) => spellings[(this.attempts + index) % spellings.length] ?? '',
      );
      const waits = await Promise.all(tries.map((spelling) => this.#guess(spelling)));
      await this.#pass(wait(Math.min(...waits), this.#checkedAt.length));
    }
  }

  /** Returns Retry-After in seconds, or 0 if the password was checked. */
  async #guess(spelling: string): Promise<number> {
    this.attempts += 1;
    const reply = await this.#target.tryPassword(spelling, WRONG_PASSWORD);
    if (reply.status === 401) this.#checkedAt.push(this.#time);
    else if (reply.status !== 429) throw new Error(`A guess was answered ${reply.status}: ${reply.text}`);
    const retryAfter = reply.status === 429 ? Number(reply.headers['retry-after']) : 0;
    this.longestRetryAfter = Math.max(this.longestRetryAfter, retryAfter);
    return retryAfter;
  }

  /** Lets time pass: moves the database's records of guesses into the past. */
  async #pass(seconds: number): Promise<void> {
    if (seconds <= 0) return;
    this.#skipped += seconds;
    await this.#shop.owner.query(
      `with throttles as (
         update commerce.login_throttles set next_attempt_at = next_attempt_at - $1 * interval '1 second',
           expires_at = expires_at - $1 * interval '1 second'
       )
       update commerce.rate_counts set expires_at = expires_at - $1 * interval '1 second'`,
      [seconds],
    );
  }

  /**
   * Logs in as the owner: sends the right password until it is accepted, and waits for Retry-After each time. Returns
   * the total wait in seconds.
   */
  async logInAsOwner(): Promise<number> {
    const arrived = this.#time;
    for (;;) {
      const reply = await this.#target.tryPassword(this.#target.spellings[0] ?? '', PASSWORD);
      if (reply.status === 200) return this.#time - arrived;
      if (reply.status !== 429) throw new Error(`The owner was answered ${reply.status}: ${reply.text}`);
      await this.#pass(Number(reply.headers['retry-after']));
    }
  }

  mostInAnHour(): number {
    return Math.max(
      0,
      ...this.#checkedAt.map((from) => this.#checkedAt.filter((at) => at >= from && at < from + HOUR).length),
    );
  }
}
