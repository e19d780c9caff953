import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Proof, pick, type Trial, Violations } from '../frame.ts';
import { chanceOf } from '../random.ts';
import { freePort, ServerProcess, withDirectory } from './server-process.ts';
import { Shoppers } from './shoppers.ts';

/** A server is killed when the shoppers have had so many more answers, at most, and then at any moment. */
const MOST_ANSWERS_PER_LIFE = 60;
const LONGEST_WAIT_MS = 20;
/** Between two looks at all that was told. */
const KILLS_PER_BATCH = 20;

/** Servers are killed one after the other, at any moment of what they do, while the next is there. */
export const C1: Proof = {
  id: 'C1',
  promise:
    'Whenever servers are killed, no order that was acknowledged is lost, none is made twice, and none by halves.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, seed, databaseUrl, progress }: Trial, directory: string) {
  const goal = pick(size, 5, 1_000);
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: directory,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    // In the tests, the background jobs would work on the rows of others.
    ROLE: pick(size, 'api', 'all'),
    // Most of a start is compiling, and only a server that ends by itself writes down what it has compiled.
    NODE_COMPILE_CACHE: join(directory, 'compiled'),
  };
  const violations = new Violations();
  const chance = chanceOf(seed);
  const start = async () => new ServerProcess(await freePort(), env);
  await (await up(await start())).end('SIGTERM');
  let victim = await up(await start());
  let heir = await start();
  let open = [victim.baseUrl];
  let shoppers: Shoppers | undefined;
  try {
    shoppers = await Shoppers.open({ databaseUrl, servers: () => open, shoppers: pick(size, 6, 12), seed });
    let kills = 0;
    while (kills < goal) {
      shoppers.begin();
      for (const end = Math.min(goal, kills + KILLS_PER_BATCH); kills < end; kills += 1) {
        await up(heir);
        open = [victim.baseUrl, heir.baseUrl];
        await shoppers.moreAnswers(Math.ceil(chance.next() * MOST_ANSWERS_PER_LIFE));
        await sleep(chance.next() * LONGEST_WAIT_MS);
        const { code } = await victim.end('SIGKILL');
        if (code !== null) violations.add(`A server ended by itself with ${code}: ${victim.errors}`);
        open = [heir.baseUrl];
        victim = heir;
        heir = await start();
      }
      await shoppers.rest();
      await shoppers.judge(violations);
      progress(`${kills} of ${goal}; ${shoppers.orders} orders, ${violations.list.length} violations`);
    }
    const { orders, answers, repeated } = shoppers;
    const note = `${orders} orders acknowledged; ${answers} answers, ${repeated} of them by a retry`;
    return { tried: goal, unit: 'kill -9', violations: violations.list, note };
  } finally {
    await shoppers?.rest();
    await Promise.all([victim.end('SIGKILL'), heir.end('SIGKILL')]);
  }
}

/** The server when it is ready, however long that takes while others are busy. Throws when it ends before. */
async function up(server: ServerProcess): Promise<ServerProcess> {
  while (server.running) if (await server.ready()) return server;
  throw new Error(`A server did not start: ${server.errors}`);
}
