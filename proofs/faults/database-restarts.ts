import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { prepareSchema } from '../../server/src/commands/schema.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { spreadOf } from '../testing/spread.ts';
import { Shoppers } from './shoppers.ts';

const SERVERS = 2;
/** The highest number of responses to shoppers before PostgreSQL is ended at a random moment. */
const MOST_ANSWERS_BETWEEN = 200;
const LONGEST_WAIT_MS = 20;
const CONNECT_EVERY_MS = 10;
const CONNECTABLE_WITHIN_MS = 60_000;

/** The limit for the median time from when PostgreSQL accepts connections to the first 2xx. Checked in the full form only. */
const GOAL_MS = 1_000;

/** Ends PostgreSQL immediately, as `pg_ctl stop -m immediate` does, so that it recovers from its log. */
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
  const outages: Outage[] = [];
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
      outages.push(await restart(directory, superuserUrl, shoppers));
      await shoppers.rest();
      await shoppers.judge(violations);
      for (const server of servers) {
        if (!server.running)
          throw new Error(`A server ended with its database: ${server.errors}${fatalLine(server.output)}`);
      }
      progress(`${done} of ${goal}; served again after ${outages.at(-1)?.served} ms; ${shoppers.orders} orders`);
    }
    const served = spreadOf(outages.map((outage) => outage.served));
    const after = spreadOf(outages.map((outage) => outage.served - outage.accepted));
    if (size === 'full' && after.median >= GOAL_MS) {
      violations.add(
        `The first 2xx came ${after.median} ms after PostgreSQL accepted connections again (median), expected below ${GOAL_MS} ms`,
      );
    }
    const note = `first 2xx after ${served.median} ms, at most ${served.most} ms, of which ${after.median} ms, at most ${after.most} ms, after PostgreSQL took connections again; ${shoppers.orders} orders acknowledged; ${shoppers.answers} answers, ${shoppers.repeated} of them by a retry`;
    return { tried: goal, unit: 'restarts', violations: violations.list, note };
  } finally {
    await Promise.all(servers.map((server) => server.running && server.end('SIGTERM')));
    await stop();
  }
}

/** Times in milliseconds since PostgreSQL ended. */
interface Outage {
  /** Time until PostgreSQL accepted connections again. */
  accepted: number;
  /** Time until a server made the first change. */
  served: number;
}

/** Ends PostgreSQL, whose parent process restarts it, and measures the outage. */
async function restart(directory: string, databaseUrl: string, shoppers: Shoppers): Promise<Outage> {
  const [line = ''] = readFileSync(join(directory, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  const pid = Number(line);
  if (!(pid > 1)) throw new Error(`postmaster.pid begins with "${line}".`);
  const started = performance.now();
  const sinceThen = () => Math.round(performance.now() - started);
  process.kill(pid, 'SIGQUIT');
  while (isAlive(pid)) await sleep(1);
  const [accepted, served] = await Promise.all([
    connectable(databaseUrl).then(sinceThen),
    shoppers.served().then(sinceThen),
  ]);
  // The server may have reconnected before this process did.
  return { accepted: Math.min(accepted, served), served };
}

/**
 * Resolves when PostgreSQL accepts a connection, or at the deadline. After the deadline, `served` reports the failure.
 */
async function connectable(databaseUrl: string): Promise<void> {
  const deadline = Date.now() + CONNECTABLE_WITHIN_MS;
  while (Date.now() < deadline) {
    const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 1_000 });
    client.on('error', () => {});
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => {});
    if (connected) return;
    await sleep(CONNECT_EVERY_MS);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The line in a server's output that shows why it exited on its own. */
function fatalLine(output: string): string {
  return output.split('\n').find((line) => line.includes('an error was not caught')) ?? '';
}
