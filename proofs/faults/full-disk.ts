import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { prepareSchema } from '../../server/src/commands/schema.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Figures, type Proof, pick, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { Callers, type CallResult } from './callers.ts';
import { HealthProbe } from './health-probe.ts';
import { type IsolatedTrial, isolated } from './isolated.ts';
import { Ballast, mountSmallDisk, unmount } from './local-faults.ts';
import { Shoppers } from './shoppers.ts';

const DISK_MB = 400;
/**
 * The time for which the disk stays full after the first error. The longer time uses up the log space that PostgreSQL
 * has reserved.
 */
const FULL_FOR_MS = [8_000, 20_000];
const REFUSED_WITHIN_MS = 60_000;
/** A little less than the server's shortest time limit, the lock timeout of 2 s. */
const SHORTEST_LIMIT_MS = 1_900;
const SERVED_WITHIN_MS = 60_000;
/**
 * The maximum delay of a change of `/readyz`: the server checks the database every 2 s, and waits 1 s for a response.
 */
const READY_LAG_MS = 3_500;

/** The disk with PostgreSQL's data and log becomes full while people buy, and later gets free space. */
export const C9: Proof = {
  id: 'C9',
  promise: 'A full disk under PostgreSQL is reported as such, loses nothing, and needs no restart afterwards.',
  run: (trial) => isolated('C9', trial),
};

export function attackByFullDisk({ size, seed, progress }: IsolatedTrial): Promise<Figures> {
  return withDirectory(async (directory) => {
    const violations = new Violations();
    const disk = join(directory, 'disk');
    mountSmallDisk(disk, DISK_MB);
    const database = await startEmbedded({ dataDir: disk });
    await prepareSchema(database.url);
    const own = join(directory, 'server');
    await mkdir(own);
    const env = { DATABASE_URL: database.url, DATA_DIR: own, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'all' };
    const server = new ServerProcess(await freePort(), { ...env, DEMO_SHOP: 'off' });
    const rounds = pick(size, 1, 6);
    try {
      await server.readyAtLast();
      const { superuserUrl } = database;
      const scene = await Scene.open(server, superuserUrl, new Ballast(disk), seed, violations);
      for (let round = 0; round < rounds; round += 1) {
        await scene.fill(FULL_FOR_MS[round % 2] ?? 0);
        progress(`${round + 1} of ${rounds} times full; ${scene.summary()}`);
      }
      await findCorruption(superuserUrl, violations);
      if (!server.running) violations.add(`The server ended: ${server.errors}`);
      return { tried: rounds, unit: 'times the disk was full', violations: violations.list, note: scene.summary() };
    } finally {
      await server.end('SIGTERM');
      await database.stop();
      unmount(disk);
    }
  });
}

/** The shoppers, callers that write much data, and a probe of `/readyz`. */
class Scene {
  readonly #ballast: Ballast;
  readonly #shoppers: Shoppers;
  readonly #callers: Callers;
  readonly #probe: HealthProbe;
  readonly #watch: DatabaseWatch;
  readonly #violations: Violations;
  #refused = 0;
  #unavailable = 0;
  #asked = 0;
  #served = 0;

  private constructor(
    server: ServerProcess,
    superuserUrl: string,
    ballast: Ballast,
    shoppers: Shoppers,
    callers: Callers,
    violations: Violations,
  ) {
    this.#ballast = ballast;
    this.#shoppers = shoppers;
    this.#callers = callers;
    this.#probe = new HealthProbe(server.baseUrl);
    this.#watch = new DatabaseWatch(superuserUrl);
    this.#violations = violations;
  }

  static async open(server: ServerProcess, superuserUrl: string, ballast: Ballast, seed: number, found: Violations) {
    const market = { databaseUrl: superuserUrl, servers: () => [server.baseUrl], shoppers: 8, seed };
    const callers = new Callers(server.baseUrl, await openTenant(superuserUrl));
    return new Scene(server, superuserUrl, ballast, await Shoppers.open(market), callers, found);
  }

  summary(): string {
    return `${this.#refused} calls refused by storage_full, ${this.#unavailable} while PostgreSQL was down; ${this.#asked} times asked for readiness; served again after ${Math.round(this.#served)} ms at most; ${this.#shoppers.summary()}`;
  }

  async fill(forMs: number): Promise<void> {
    this.#callers.results.length = 0;
    this.#probe.begin();
    this.#watch.begin();
    this.#shoppers.begin();
    this.#callers.begin(2, ['large']);
    await this.#shoppers.moreAnswers(50);
    this.#ballast.fill();
    const refused = await this.#refusal();
    await sleep(forMs);
    const freed = performance.now();
    this.#ballast.remove();
    const served = await this.#serveAgain(freed);
    await Promise.all([this.#shoppers.rest(), this.#callers.rest()]);
    await sleep(READY_LAG_MS + 4_000);
    this.#probe.end();
    await this.#watch.end();
    this.#judge(refused, freed, served);
    await this.#shoppers.judge(this.#violations);
  }

  /** Returns the time when the first call was rejected with `storage_full`; the current time if no call was. */
  async #refusal(): Promise<number> {
    for (const end = Date.now() + REFUSED_WITHIN_MS; Date.now() < end; await sleep(20)) {
      const first = this.#callers.results.find(({ error }) => error === 'storage_full');
      if (first) return first.ended;
    }
    this.#violations.add('No call was rejected with 503 storage_full, so the proof shows nothing');
    return performance.now();
  }

  async #serveAgain(freed: number): Promise<number> {
    for (const end = freed + SERVED_WITHIN_MS; performance.now() < end; await sleep(20)) {
      const done = this.#callers.results.findLast(({ status, begun }) => status === 201 && begun > freed);
      if (!done) continue;
      this.#served = Math.max(this.#served, done.ended - freed);
      return done.ended;
    }
    this.#violations.add(`Nothing was served within ${SERVED_WITHIN_MS / 1_000} s of the disk having space again`);
    return performance.now();
  }

  #judge(refused: number, freed: number, served: number): void {
    const failed = this.#callers.results.filter(({ status }) => status !== 201);
    const named = (code: string) => failed.filter(({ error }) => error === code);
    this.#refused += named('storage_full').length;
    this.#unavailable += named('unavailable').length;
    for (const one of failed)
      if (one.status !== 503) this.#violations.add(`A call on the full disk: expected 201 or 503, got ${toText(one)}`);
    // A call that took as long as a time limit failed for another reason, because a full disk is reported immediately.
    const wrong = named('unavailable').find(({ begun, ended }) => ended - begun < SHORTEST_LIMIT_MS);
    if (wrong && !this.#watch.sawDown)
      this.#violations.add(`PostgreSQL was reachable, but the response was ${toText(wrong)}`);
    this.#asked += this.#probe.judge('disk full', [refused + READY_LAG_MS, freed], 503, this.#violations);
    const after = [served + READY_LAG_MS, performance.now()] as [number, number];
    this.#asked += this.#probe.judge('space again', after, 200, this.#violations);
    this.#probe.seen.length = 0;
  }
}

function toText({ what, status, error }: CallResult): string {
  return `${status} ${error} to ${what}`;
}

/** Records whether PostgreSQL was down at any time. */
class DatabaseWatch {
  sawDown = false;
  readonly #url: string;
  #going = false;
  #work = Promise.resolve();

  constructor(url: string) {
    this.#url = url;
  }

  begin(): void {
    this.sawDown = false;
    this.#going = true;
    this.#work = this.#look();
  }

  async end(): Promise<void> {
    this.#going = false;
    await this.#work;
  }

  async #look(): Promise<void> {
    while (this.#going) {
      const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: 3_000 });
      client.on('error', () => {
        this.sawDown = true;
      });
      try {
        await client.connect();
        while (this.#going) {
          await client.query('select 1');
          await sleep(50);
        }
      } catch {
        this.sawDown = true;
        await sleep(50);
      }
      await client.end().catch(() => undefined);
    }
  }
}

/** Makes PostgreSQL check every page of every table and B-tree. */
async function findCorruption(superuserUrl: string, violations: Violations): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query('create extension if not exists amcheck');
    const { rows: heaps } = await client.query<{ name: string; msg: string }>(
      `select c.oid::regclass::text as name, v.msg from pg_class c, lateral verify_heapam(c.oid) v
        where c.relkind in ('r', 't') and c.relpersistence = 'p'`,
    );
    for (const { name, msg } of heaps) violations.add(`Corrupt: ${name} ${msg}`);
    const { rows: trees } = await client.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_index i on i.indexrelid = c.oid join pg_am a on a.oid = c.relam
        where a.amname = 'btree' and i.indisvalid and c.relpersistence = 'p'`,
    );
    for (const { name } of trees) {
      await client.query('select bt_index_check($1::regclass, true)', [name]).catch((error: Error) => {
        violations.add(`Corrupt: ${name} ${error.message}`);
      });
    }
  } finally {
    await client.end();
  }
}
