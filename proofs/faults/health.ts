import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { prepareSchema } from '../../server/src/commands/schema.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { findTool } from '../../server/test/tools.ts';
import { notRunWithout } from '../testing/missing-tool.ts';
import { type Figures, type Proof, pick, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { Callers } from './callers.ts';
import { HealthProbe } from './health-probe.ts';
import { type IsolatedTrial, isolated } from './isolated.ts';
import { Ballast, mountSmallDisk, Partition, unmount } from './local-faults.ts';

const REDIS = { names: ['redis-server'], debianPackage: 'redis-server' };
const DISK_MB = 400;
/**
 * The maximum delay of a change of `/readyz`: the server checks the database every 2 s, and waits 1 s for a response.
 */
const LAG_MS = 3_500;
/**
 * How long responses are checked after that delay; four times as long in the full form. A response can take 1 s, and only
 * responses that begin and end within this time count.
 */
const COUNTED_MS = 2_500;
/** The size of the log is limited so that the small disk is not full too early. */
const WAL_MB = 64;

/** Causes the faults of C5 to C9, one after another, while the health endpoints are polled. */
export const J5: Proof = {
  id: 'J5',
  promise:
    'Whichever dependency fails, the server keeps running, and reports that it is ready if and only if it can serve.',
  run: async (trial) => (findTool(REDIS) ? isolated('J5', trial) : notRunWithout('J5', REDIS)),
};

/** A fault, and the expected status of `/readyz` while it lasts. */
interface Fault {
  name: string;
  ready: 200 | 503 | 'either';
  begin(): unknown;
  heal(): unknown;
}

export function attackHealth({ size, progress }: IsolatedTrial): Promise<Figures> {
  return withDirectory(async (directory) => {
    const violations = new Violations();
    const disk = join(directory, 'disk');
    mountSmallDisk(disk, DISK_MB);
    const database = await startEmbedded({ dataDir: disk });
    await prepareSchema(database.url);
    await boundLog(database.superuserUrl);
    const own = join(directory, 'server');
    await mkdir(own);
    const redisPort = await freePort();
    const redis = spawn(findTool(REDIS) ?? '', ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', ''], {
      cwd: own,
      stdio: 'ignore',
    });
    const server = new ServerProcess(await freePort(), {
      ...{ DATABASE_URL: database.url, DATA_DIR: own, REDIS_URL: `redis://127.0.0.1:${redisPort}`, ROLE: 'all' },
      ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'warn', DEMO_SHOP: 'off' },
    });
    const tenant = await openTenant(database.superuserUrl);
    const [callers, writers] = [new Callers(server.baseUrl, tenant), new Callers(server.baseUrl, tenant)];
    const probe = new HealthProbe(server.baseUrl);
    let asked = 0;
    let begun = 0;
    try {
      await server.readyAtLast();
      callers.begin(4, ['product', 'list', 'cart', 'orders']);
      probe.begin();
      await probe.firstQuickResponse();
      const faults = faultsOf(database.superuserUrl, disk, redis, writers);
      for (let round = 0; round < pick(size, 1, 2); round += 1) {
        for (const fault of faults) {
          asked += await suffer(fault, pick(size, COUNTED_MS, 4 * COUNTED_MS), probe, violations);
          begun += 1;
          progress(`${begun} faults, the last: ${fault.name}; asked ${asked} times`);
          if (!server.running) throw new Error(`The server ended (${fault.name}): ${server.errors}`);
        }
      }
      const note = `${faults.map(({ name, ready }) => `${name}: ${ready}`).join(', ')}; restarts 0`;
      return { tried: asked, unit: 'times asked', violations: violations.list, note: `${begun} faults. ${note}` };
    } finally {
      probe.end();
      await Promise.all([callers.rest(), writers.rest()]);
      await server.end('SIGTERM');
      redis.kill('SIGKILL');
      await database.stop();
      unmount(disk);
    }
  });
}

async function suffer(fault: Fault, countedMs: number, probe: HealthProbe, violations: Violations): Promise<number> {
  // If the server must stay ready, its responses are checked from the start of the fault.
  const lag = fault.ready === 200 ? 0 : LAG_MS;
  await fault.begin();
  const begun = performance.now();
  await sleep(lag + countedMs);
  const healing = performance.now();
  await fault.heal();
  const healed = performance.now();
  await sleep(lag + countedMs);
  const during = probe.judge(fault.name, [begun + lag, healing], fault.ready, violations);
  const after = probe.judge(`after ${fault.name}`, [healed + lag, performance.now()], 200, violations);
  probe.seen.length = 0;
  return during + after;
}

function faultsOf(superuserUrl: string, disk: string, redis: ChildProcess, writers: Callers): Fault[] {
  const port = Number(new URL(superuserUrl).port);
  const [refusing, silent] = [new Partition(port, 'REJECT'), new Partition(port, 'DROP')];
  const ballast = new Ballast(disk);
  const ending = new Ending(superuserUrl);
  const nothing = () => undefined;
  return [
    { name: 'nothing fails', ready: 200, begin: nothing, heal: nothing },
    { name: 'connections ended', ready: 200, begin: () => ending.begin(), heal: () => ending.end() },
    {
      name: 'PostgreSQL restarted',
      ready: 'either',
      begin: () => process.kill(postmasterIn(disk), 'SIGQUIT'),
      heal: () => connectable(superuserUrl),
    },
    { name: 'PostgreSQL refuses', ready: 503, begin: () => refusing.begin(), heal: () => refusing.heal() },
    { name: 'PostgreSQL cut off', ready: 503, begin: () => silent.begin(), heal: () => silent.heal() },
    { name: 'Redis stopped', ready: 200, begin: () => redis.kill('SIGSTOP'), heal: () => redis.kill('SIGCONT') },
    {
      name: 'disk full',
      ready: 503,
      begin: async () => {
        ballast.fill();
        writers.begin(2, ['large']);
        await refusal(writers);
      },
      heal: async () => {
        await writers.rest();
        ballast.remove();
      },
    },
    { name: 'Redis killed', ready: 200, begin: () => end(redis), heal: nothing },
  ];
}

async function end(child: ChildProcess): Promise<void> {
  if (child.signalCode !== null || !child.kill('SIGKILL')) return;
  await once(child, 'exit');
}

async function boundLog(superuserUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  await client.query(`alter system set max_wal_size = '${WAL_MB}MB'`);
  await client.query('select pg_reload_conf()');
  await client.end();
}

function postmasterIn(disk: string): number {
  const [pid = ''] = readFileSync(join(disk, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  if (!(Number(pid) > 1)) throw new Error(`postmaster.pid begins with "${pid}".`);
  return Number(pid);
}

/** Waits until PostgreSQL accepts connections. */
async function connectable(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (connected) return;
    await sleep(100);
  }
  throw new Error('PostgreSQL did not come back.');
}

/** Waits until the server has rejected a call because the disk is full. */
async function refusal(writers: Callers): Promise<void> {
  writers.results.length = 0;
  for (let tries = 0; tries < 3_000; tries += 1) {
    if (writers.results.some(({ error }) => error === 'storage_full')) return;
    await sleep(20);
  }
  throw new Error('No call was refused by storage_full.');
}

/** Ends all connections of the server repeatedly. */
class Ending {
  readonly #url: string;
  #going = false;
  #work = Promise.resolve();

  constructor(url: string) {
    this.#url = url;
  }

  begin(): void {
    this.#going = true;
    this.#work = this.#endOn();
  }

  async end(): Promise<void> {
    this.#going = false;
    await this.#work;
  }

  async #endOn(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url });
    client.on('error', () => undefined);
    await client.connect();
    while (this.#going) {
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'commerce'`);
      await sleep(1_000);
    }
    await client.end();
  }
}
