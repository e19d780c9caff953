import { setTimeout as sleep } from 'node:timers/promises';
import { prepareSchema } from '../../server/src/commands/schema.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { isAlive } from '../../server/src/db/embedded-postmaster.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { spreadOf } from '../testing/spread.ts';
import { postmasterOf } from './embedded-postgres.ts';
import { Shoppers } from './shoppers.ts';

const SERVERS = 2;
const SHOPPERS = 16;
/** The highest number of responses to shoppers before PostgreSQL is ended at a random moment. */
const MOST_ANSWERS_BETWEEN = 200;
const LONGEST_WAIT_MS = 20;

/** Ends PostgreSQL as `pg_ctl stop -m immediate` does, or kills its main process, so that it recovers from its log. */
export const C6: Proof = {
  id: 'C6',
  promise: 'When PostgreSQL restarts under load, servers stay up, and everything acknowledged is correct.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, seed, progress }: Trial, directory: string) {
  const goal = pick(size, 2, 50);
  const violations = new Violations();
  const chance = chanceOf(seed);
  const { url, superuserUrl, stop } = await startEmbedded({ dataDir: directory });
  const servers: ServerProcess[] = [];
  const outages: number[] = [];
  try {
    await prepareSchema(url);
    const env = { DATABASE_URL: url, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'all' };
    while (servers.length < SERVERS) servers.push(new ServerProcess(await freePort(), env));
    for (const server of servers) await server.readyAtLast();
    const urls = servers.map(({ baseUrl }) => baseUrl);
    const shoppers = await Shoppers.open({ databaseUrl: superuserUrl, servers: () => urls, shoppers: SHOPPERS, seed });
    for (let done = 1; done <= goal; done += 1) {
      shoppers.begin();
      await shoppers.moreAnswers(Math.ceil(chance.next() * MOST_ANSWERS_BETWEEN));
      await sleep(chance.next() * LONGEST_WAIT_MS);
      outages.push(await restart(directory, shoppers, done % 2 === 1 ? 'SIGQUIT' : 'SIGKILL'));
      await shoppers.rest();
      await shoppers.judge(violations);
      for (const server of servers) {
        if (!server.running)
          throw new Error(`A server ended with its database: ${server.errors}${fatalLine(server.output)}`);
      }
      progress(`${done} of ${goal}; served again after ${outages.at(-1)} ms; ${shoppers.orders} orders`);
    }
    const { median, most } = spreadOf(outages);
    const note = `served again after ${median} ms, at most ${most} ms; ${shoppers.summary()}`;
    return { tried: goal, unit: 'restarts', violations: violations.list, note };
  } finally {
    await Promise.all(servers.map((server) => server.running && server.end('SIGTERM')));
    await stop();
  }
}

/**
 * Ends PostgreSQL, whose parent process restarts it. Returns the time in milliseconds until at least one shopper got a
 * response to a call that was sent after the end.
 */
async function restart(directory: string, shoppers: Shoppers, signal: NodeJS.Signals): Promise<number> {
  const pid = postmasterOf(directory);
  const started = performance.now();
  process.kill(pid, signal);
  while (isAlive(pid)) await sleep(1);
  await shoppers.moreAnswers(SHOPPERS + 1);
  return Math.round(performance.now() - started);
}

/** The line in a server's output that shows why it exited on its own. */
function fatalLine(output: string): string {
  return output.split('\n').find((line) => line.includes('an error was not caught')) ?? '';
}
