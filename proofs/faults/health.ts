import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareSchema } from '../../server/src/commands/schema.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { findTool } from '../../server/test/tools.ts';
import { notRunWithout } from '../testing/missing-tool.ts';
import { type Figures, type Proof, pick, Violations } from '../testing/proof.ts';
import { REDIS, Redis } from '../testing/redis.ts';
import { asOwner, ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { Callers } from './callers.ts';
import { postmasterOf } from './embedded-postgres.ts';
import { type IsolatedTrial, isolated } from './isolated.ts';
import { Ballast, mountSmallDisk, Partition, unmount } from './local-faults.ts';

const DISK_MB = 400;
/** The size of the log is limited so that the small disk is not full too early. */
const WAL_MB = 64;
const EVERY_MS = 200;
/** Later responses count as missing, because an orchestrator would not wait for them. */
const RESPONSE_WITHIN_MS = 5_000;
const QUICK_MS = 500;
const QUICK_WITHIN_MS = 60_000;
/**
 * The maximum delay of a change of `/readyz`: the server checks the database every 2 s, and waits 1 s for a response.
 */
const LAG_MS = 3_500;
/** The number of checked responses. If the status must not change, they span more than the server's interval of 2 s. */
const CHECKED = { changed: 5, unchanged: 13 };

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
    const { url, superuserUrl, stop } = await startEmbedded({ dataDir: disk });
    await prepareSchema(url);
    await asOwner(superuserUrl, `alter system set max_wal_size = '${WAL_MB}MB'`);
    await asOwner(superuserUrl, 'select pg_reload_conf()');
    const own = join(directory, 'server');
    await mkdir(own);
    const redis = await Redis.start(findTool(REDIS) ?? '', own);
    const server = new ServerProcess(await freePort(), {
      ...{ DATABASE_URL: url, DATA_DIR: own, REDIS_URL: redis.url, ROLE: 'all' },
      ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'warn', DEMO_SHOP: 'off' },
    });
    const tenant = await openTenant(superuserUrl);
    const [callers, writers] = [new Callers(server.baseUrl, tenant), new Callers(server.baseUrl, tenant)];
    const health = new Health(server.baseUrl, violations);
    const [rounds, factor] = [pick(size, 1, 2), pick(size, 1, 4)];
    const faults = faultsOf(superuserUrl, disk, redis, writers);
    try {
      await server.readyAtLast();
      callers.begin(4, ['product', 'list', 'cart', 'orders']);
      await health.firstQuickResponse();
      for (let round = 0; round < rounds; round += 1) {
        for (const { name, ready, begin, heal } of faults) {
          await begin();
          if (ready === 503) await health.change(name, ready);
          await health.check(name, ready, factor * (ready === 503 ? CHECKED.changed : CHECKED.unchanged));
          await heal();
          await health.change(`after ${name}`, 200);
          await health.check(`after ${name}`, 200, factor * CHECKED.changed);
          progress(`after ${name}; asked ${health.asked} times`);
          if (!server.running) throw new Error(`The server ended (${name}): ${server.errors}`);
        }
      }
      const note = `${rounds * faults.length} faults. ${faults.map(({ name, ready }) => `${name}: ${ready}`).join(', ')}`;
      return { tried: health.asked, unit: 'times asked', violations: violations.list, note };
    } finally {
      await Promise.all([callers.rest(), writers.rest()]);
      await server.end('SIGTERM');
      await redis.end();
      await stop();
      unmount(disk);
    }
  });
}

/** Asks five times a second whether a server is alive and ready; an orchestrator asks less often. */
class Health {
  asked = 0;
  readonly #baseUrl: string;
  readonly #violations: Violations;

  constructor(baseUrl: string, violations: Violations) {
    this.#baseUrl = baseUrl;
    this.#violations = violations;
  }

  /** Waits for a quick response, because a server that has just become ready still loads modules. */
  async firstQuickResponse(): Promise<void> {
    for (const until = performance.now() + QUICK_WITHIN_MS; performance.now() < until; ) {
      const begun = performance.now();
      await this.#fetch('/readyz');
      if (performance.now() - begun < QUICK_MS) return;
    }
  }

  /** Waits until `/readyz` has this status, at most LAG_MS. */
  async change(when: string, ready: number): Promise<void> {
    const until = performance.now() + LAG_MS;
    while ((await this.#ask(when)).status !== ready && performance.now() < until) await sleep(EVERY_MS);
  }

  /** Expects this status of `/readyz` this number of times. */
  async check(when: string, ready: Fault['ready'], times: number): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      const { status, body } = await this.#ask(when);
      const isRight = ready === 'either' ? status !== 0 : status === ready;
      if (!isRight) this.#violations.add(`${when}: /readyz: expected ${ready}, got ${status} ${body}`);
      await sleep(EVERY_MS);
    }
  }

  /** Returns the response of `/readyz`. `/healthz` must always return 200. */
  async #ask(when: string): Promise<{ status: number; body: string }> {
    this.asked += 1;
    const [live, ready] = await Promise.all([this.#fetch('/healthz'), this.#fetch('/readyz')]);
    if (live.status !== 200) this.#violations.add(`${when}: /healthz: expected 200, got ${live.status}`);
    return ready;
  }

  /** Returns a response. Its status is 0 if there was none. */
  async #fetch(path: string): Promise<{ status: number; body: string }> {
    const signal = AbortSignal.timeout(RESPONSE_WITHIN_MS);
    const answer = await fetch(this.#baseUrl + path, { signal }).catch(() => undefined);
    const body = await answer?.text().catch(() => undefined);
    return { status: answer?.status ?? 0, body: body ?? 'nothing' };
  }
}

function faultsOf(superuserUrl: string, disk: string, redis: Redis, writers: Callers): Fault[] {
  const port = Number(new URL(superuserUrl).port);
  const [refusing, silent] = [new Partition(port, 'REJECT'), new Partition(port, 'DROP')];
  const ballast = new Ballast(disk);
  let stopEnding = async () => {};
  return [
    {
      name: 'connections ended',
      ready: 200,
      begin: () => {
        stopEnding = endConnections(superuserUrl);
      },
      heal: () => stopEnding(),
    },
    {
      name: 'PostgreSQL restarted',
      ready: 'either',
      begin: () => process.kill(postmasterOf(disk), 'SIGQUIT'),
      heal: () => connectable(superuserUrl),
    },
    { name: 'PostgreSQL refuses', ready: 503, begin: () => refusing.begin(), heal: () => refusing.heal() },
    { name: 'PostgreSQL cut off', ready: 503, begin: () => silent.begin(), heal: () => silent.heal() },
    { name: 'Redis stopped', ready: 200, begin: () => redis.signal('SIGSTOP'), heal: () => redis.heal() },
    {
      name: 'disk full',
      ready: 503,
      begin: async () => {
        ballast.fill();
        writers.begin(2, ['large']);
        await writers.seeFullDisk();
      },
      heal: async () => {
        await writers.rest();
        ballast.remove();
      },
    },
    { name: 'Redis killed', ready: 200, begin: () => redis.kill(), heal: () => redis.heal() },
  ];
}

/** Waits until PostgreSQL accepts connections. */
async function connectable(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await asOwner(url, 'select').catch(() => undefined)) return;
    await sleep(100);
  }
  throw new Error('PostgreSQL did not come back.');
}

/** Ends all connections of the server every second, until the returned function is called. */
function endConnections(url: string): () => Promise<void> {
  let going = true;
  const end = async () => {
    while (going) {
      await asOwner(url, `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'commerce'`);
      await sleep(1_000);
    }
  };
  const work = end();
  return () => {
    going = false;
    return work;
  };
}
