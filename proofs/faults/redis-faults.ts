import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/src/db/free-port.ts';
import { findTool } from '../../server/test/tools.ts';
import { Buyers } from '../testing/buyers.ts';
import { notRunWithout } from '../testing/missing-tool.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { REDIS, Redis } from '../testing/redis.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';

/** The number of failed logins that one IP address may make in 15 minutes. */
const LOGINS = 30;

/** Redis stops responding, is killed, loses its data or is full, while people buy and somebody guesses passwords. */
export const C8: Proof = {
  id: 'C8',
  promise: 'Whatever happens to Redis, shoppers can browse and buy, and no more passwords can be guessed.',
  async run(trial) {
    const program = findTool(REDIS);
    if (!program) return notRunWithout('C8', REDIS);
    return withDirectory((directory) =>
      withOwnDatabase(trial.databaseUrl, (url) => attack(trial, { program, directory, databaseUrl: url })),
    );
  },
};

interface Place {
  /** The path of redis-server. */
  program: string;
  directory: string;
  databaseUrl: string;
}

async function attack({ size, progress }: Trial, { program, directory, databaseUrl }: Place): Promise<Figures> {
  const violations = new Violations();
  const redis = await Redis.start(program, directory);
  const server = new ServerProcess(await freePort(), {
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: directory, LOG_LEVEL: 'warn', DEMO_SHOP: 'off', ROLE: 'api' },
    ...{ REDIS_URL: redis.url, RATE_LIMITS: 'on', TRUST_PROXY: '1', BASE_URL: 'http://127.0.0.1' },
  });
  let buyers: Buyers | undefined;
  try {
    while (server.running && !(await server.ready()));
    buyers = await Buyers.open({ databaseUrl, servers: [server.baseUrl], retries: 0 });
    buyers.begin(2);
    await buyers.moreOrders(1, 30_000);
    const tried: Record<string, number> = {};
    const guesser = new Guesser(server.baseUrl, violations);
    for (let round = 0; round < pick(size, 1, 20); round += 1) {
      if (size === 'full') guesser.move();
      for (const [fault, work] of Object.entries(FAULTS)) {
        await work(redis);
        const before = buyers.orders;
        await Promise.all([buyers.moreOrders(pick(size, 2, 20), 30_000), guesser.guess(fault, pick(size, 9, 15))]);
        if (buyers.orders === before)
          violations.add(`${fault}: no order was placed, although orders do not need Redis`);
        tried[fault] = (tried[fault] ?? 0) + buyers.orders - before;
        await redis.heal();
      }
      progress(`${round + 1} rounds; ${buyers.orders} orders, ${guesser.tried} guesses`);
    }
    await buyers.rest();
    for (const failure of buyers.failures) violations.add(failure);
    if (!server.running) violations.add(`The server ended: ${server.errors}`);
    const perFault = Object.entries(tried).map(([fault, orders]) => `${orders} ${fault}`);
    const note = `orders while Redis was: ${perFault.join(', ')}; ${guesser.judged} of ${guesser.tried} guessed passwords were looked at`;
    return { tried: buyers.answers, unit: 'requests', violations: violations.list, note };
  } finally {
    await buyers?.rest();
    await server.end('SIGTERM');
    await redis.end();
  }
}

const FAULTS: Record<string, (redis: Redis) => Promise<unknown>> = {
  stopped: async (redis) => redis.signal('SIGSTOP'),
  killed: (redis) => redis.kill(),
  flushed: async (redis) => {
    // Flushing proves something only if the server counts in Redis again, which takes up to two seconds after a fault.
    await sleep(2_000);
    return redis.command('FLUSHALL');
  },
  full: (redis) => redis.command('CONFIG SET maxmemory 1'),
  'stopped again': async (redis) => redis.signal('SIGSTOP'),
};

/** Guesses passwords from one IP address at a time, and counts how many were checked. */
class Guesser {
  tried = 0;
  judged = 0;
  readonly #baseUrl: string;
  readonly #violations: Violations;
  #address = '192.0.2.1';
  #judgedHere = 0;
  #moves = 1;

  constructor(baseUrl: string, violations: Violations) {
    this.#baseUrl = baseUrl;
    this.#violations = violations;
  }

  /** Continues to guess from another IP address. */
  move(): void {
    this.#moves += 1;
    this.#address = `192.0.2.${this.#moves}`;
    this.#judgedHere = 0;
  }

  async guess(fault: string, times: number): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      this.tried += 1;
      const { status } = await fetch(`${this.#baseUrl}/api/dashboard/auth/login`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'Idempotency-Key': randomUUID(),
          'X-Forwarded-For': this.#address,
        },
        body: JSON.stringify({ email: `${randomUUID()}@example.com`, password: 'a guess of a password' }),
      });
      if (status === 401) {
        this.judged += 1;
        this.#judgedHere += 1;
      } else if (status !== 429) this.#violations.add(`${fault}: a wrong password: expected 401 or 429, got ${status}`);
      if (this.#judgedHere > LOGINS)
        this.#violations.add(`${fault}: ${this.#judgedHere} passwords were checked, more than the limit of ${LOGINS}`);
    }
  }
}
