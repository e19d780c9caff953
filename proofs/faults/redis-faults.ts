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
    const guesses = pick(size, 9, 15);
    const sum = { guesses: 0, checked: 0 };
    for (let round = 0; round < pick(size, 1, 20); round += 1) {
      let checked = 0;
      for (const [fault, work] of Object.entries(FAULTS)) {
        await work(redis);
        const before = buyers.orders;
        const buying = buyers.moreOrders(pick(size, 2, 20), 30_000);
        checked += await guess(server.baseUrl, `192.0.2.${round}`, guesses, violations);
        await buying;
        sum.guesses += guesses;
        if (checked > LOGINS)
          violations.add(`${fault}: ${checked} passwords were checked, more than the limit of ${LOGINS}`);
        if (buyers.orders === before)
          violations.add(`${fault}: no order was placed, although orders do not need Redis`);
        tried[fault] = (tried[fault] ?? 0) + buyers.orders - before;
        await redis.heal();
      }
      sum.checked += checked;
      progress(`${round + 1} rounds; ${buyers.orders} orders`);
    }
    await buyers.rest();
    for (const failure of buyers.failures) violations.add(failure);
    if (!server.running) violations.add(`The server ended: ${server.errors}`);
    const perFault = Object.entries(tried).map(([fault, orders]) => `${orders} ${fault}`);
    const note = `orders while Redis was: ${perFault.join(', ')}; ${sum.checked} of ${sum.guesses} guessed passwords were looked at`;
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

/** Guesses passwords from an IP address. Returns how many of them were checked. */
async function guess(baseUrl: string, address: string, times: number, violations: Violations): Promise<number> {
  let checked = 0;
  for (let count = 0; count < times; count += 1) {
    const { status } = await fetch(`${baseUrl}/api/dashboard/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID(), 'X-Forwarded-For': address },
      body: JSON.stringify({ email: `${randomUUID()}@example.com`, password: 'a guess of a password' }),
    });
    if (status === 401) checked += 1;
    else if (status !== 429) violations.add(`a wrong password: expected 401 or 429, got ${status}`);
  }
  return checked;
}
