import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareSchema } from '../../server/src/commands/schema.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { type Proof, pick, type Trial, Violations } from '../frame.ts';
import { chanceOf } from '../random.ts';
import { freePort, ServerProcess, withDirectory } from './server-process.ts';
import { Shoppers } from './shoppers.ts';

const SERVERS = 2;
/** PostgreSQL goes when the shoppers have had so many more answers, at most, and then at any moment. */
const MOST_ANSWERS_BETWEEN = 200;
const LONGEST_WAIT_MS = 20;

/** PostgreSQL ends without a word to anyone, as by `pg_ctl stop -m immediate`, and recovers from its log. */
export const C6: Proof = {
  id: 'C6',
  promise: 'PostgreSQL may be restarted under load: servers stay up, and nothing that was acknowledged is wrong.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, seed, progress }: Trial, directory: string) {
  const goal = pick(size, 2, 50);
  const violations = new Violations();
  const chance = chanceOf(seed);
  const { url, superuserUrl, stop } = await startEmbedded({ dataDir: directory });
  const servers: ServerProcess[] = [];
  const waits: number[] = [];
  try {
    await prepareSchema(url);
    const env = { DATABASE_URL: url, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'all' };
    while (servers.length < SERVERS) servers.push(new ServerProcess(await freePort(), env));
    for (const server of servers) await server.mustBeReady();
    const urls = servers.map(({ baseUrl }) => baseUrl);
    const shoppers = await Shoppers.open({ databaseUrl: superuserUrl, servers: () => urls, shoppers: 16, seed });
    for (let done = 1; done <= goal; done += 1) {
      shoppers.begin();
      await shoppers.moreAnswers(Math.ceil(chance.next() * MOST_ANSWERS_BETWEEN));
      await sleep(chance.next() * LONGEST_WAIT_MS);
      waits.push(await restart(directory, shoppers));
      await shoppers.rest();
      await shoppers.judge(violations);
      for (const server of servers) {
        if (!server.running)
          throw new Error(`A server ended with its database: ${server.errors}${fatalLine(server.output)}`);
      }
      progress(`${done} of ${goal}; served again after ${waits.at(-1)} ms; ${shoppers.orders} orders`);
    }
    waits.sort((a, b) => a - b);
    const median = waits[Math.floor(waits.length / 2)];
    const note = `first 2xx after ${median} ms, at most ${waits.at(-1)} ms; ${shoppers.orders} orders acknowledged; ${shoppers.answers} answers, ${shoppers.repeated} of them by a retry`;
    return { tried: goal, unit: 'restarts', violations: violations.list, note };
  } finally {
    await Promise.all(servers.map((server) => server.running && server.end('SIGTERM')));
    await stop();
  }
}

/** Ends PostgreSQL, which the one that started it starts again; answers after how many milliseconds it serves. */
async function restart(directory: string, shoppers: Shoppers): Promise<number> {
  const [line = ''] = readFileSync(join(directory, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  const pid = Number(line);
  if (!(pid > 1)) throw new Error(`postmaster.pid begins with "${line}".`);
  const started = performance.now();
  process.kill(pid, 'SIGQUIT');
  while (isAlive(pid)) await sleep(1);
  await shoppers.served();
  return Math.round(performance.now() - started);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What it wrote when it ended by itself. */
function fatalLine(output: string): string {
  return output.split('\n').find((line) => line.includes('an error was not caught')) ?? '';
}
