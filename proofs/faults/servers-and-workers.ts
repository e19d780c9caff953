import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import pg from 'pg';
import { ADVISORY_LOCKS } from '../../server/src/db/advisory-locks.ts';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { blocksOf } from '../../server/test/pasted/blocks.ts';
import { type Pooler, startPgBouncer } from '../../server/test/pgbouncer.ts';
import { type Ended, runCommand, ServerProcess } from '../testing/server-process.ts';
import { type EventShop, openEventShop } from '../testing/webhook-shop.ts';

const ROLES = ['api', 'api', 'worker', 'worker'] as const;
/** A process that is not ready after this time counts as hung. A start takes much less, even on a busy machine. */
const HUNG_AFTER_MS = 90_000;
/** The migrating process is killed after this many migrations. There are more migrations than that. */
const MIGRATIONS_BEFORE_THE_KILL = 3;

/** Two servers and two workers on a new database behind a pooler in transaction mode. */
export class Deployment {
  readonly members: ServerProcess[] = [];
  /** Connections without row-level security and without the pooler. */
  readonly owner: pg.Pool;
  readonly #url: string;
  readonly #pooler: Pooler;
  readonly #env: Record<string, string>;

  private constructor(url: string, directory: string, pooler: Pooler) {
    this.#url = url;
    this.#pooler = pooler;
    this.owner = ignoreLostConnections(new pg.Pool({ connectionString: url, max: 3 }));
    this.#env = {
      ...documentedSettings(pooler.url, url),
      ...{ DATA_DIR: directory, SECRET_KEY: `${randomUUID()}${randomUUID()}` },
      ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'warn', DEMO_SHOP: 'off', CATALOG_CACHE: 'off' },
    };
  }

  /** `url` is the URL of an empty database. `pgbouncer` is the path of the pooler's program. */
  static async open(url: string, directory: string, pgbouncer: string): Promise<Deployment> {
    const own = join(directory, randomUUID());
    await mkdir(own);
    return new Deployment(url, own, await startPgBouncer(pgbouncer, url));
  }

  get addresses(): string[] {
    return this.members.slice(0, 2).map(({ baseUrl }) => baseUrl);
  }

  /** Starts the processes that are not running. Returns those that do not become ready in time, with their output. */
  async start(): Promise<string[]> {
    for (const [i, role] of ROLES.entries()) {
      if (!this.members[i]?.running)
        this.members[i] = new ServerProcess(await freePort(), { ...this.#env, ROLE: role });
    }
    const ready = await Promise.all(this.members.map((member) => isReady(member)));
    return this.members.flatMap(({ errors, output }, i) =>
      ready[i] ? [] : [`${ROLES[i]}: ${errors} ${output.slice(-1_000)}`],
    );
  }

  /** Starts all processes on the empty database, and kills the one that migrates in the middle. */
  async startAndKillMigrating(): Promise<{ killed: boolean; failed: string[] }> {
    const started = this.start();
    const killed = await this.#killMigrating();
    const failed = await started;
    // Starts the killed process again. The first start reports it as failed, as expected.
    return killed ? { killed, failed: await this.start() } : { killed, failed };
  }

  async #killMigrating(): Promise<boolean> {
    for (const end = Date.now() + HUNG_AFTER_MS; Date.now() < end; await sleep(5)) {
      const pid = await this.#migrating().catch(() => undefined);
      const victim = this.members.find((member) => member.pid === pid);
      if (!victim) continue;
      await victim.end('SIGKILL');
      return true;
    }
    return false;
  }

  /** Returns the id of the process that migrates, once it has applied some migrations. */
  async #migrating(): Promise<number | undefined> {
    const { rows } = await this.owner.query<{ name: string; done: number }>(
      `select a.application_name as name, (select count(*)::int from public.commerce_migrations) as done
        from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'advisory' and l.objid = $1 and l.objsubid = 1 and l.granted and a.datname = current_database()`,
      [ADVISORY_LOCKS.migration],
    );
    const [holder] = rows;
    if (!holder || holder.done < MIGRATIONS_BEFORE_THE_KILL) return undefined;
    return Number(/process (\d+)/.exec(holder.name)?.[1]);
  }

  run(...args: string[]): Promise<Ended> {
    return runCommand(args, this.#env, HUNG_AFTER_MS);
  }

  openShop(): Promise<EventShop> {
    return openEventShop(this.#url, () => this.addresses);
  }

  /**
   * Kills a worker while it delivers webhooks. Returns the ids of the events that it was about to deliver; none if no
   * worker was delivering.
   */
  async killDelivering(): Promise<Set<string>> {
    for (const end = Date.now() + 10_000; Date.now() < end; await sleep(5)) {
      const held = await this.#deliveries();
      const victim = this.members.find(({ pid, running }) => running && held.some((one) => one.pid === pid));
      if (!victim) continue;
      await victim.end('SIGKILL');
      const names = new Set(held.filter(({ pid }) => pid === victim.pid).map(({ holder }) => holder));
      // Includes deliveries that the worker took after the query and before it was killed: they are still locked under
      // its name.
      const all = [...held, ...(await this.#deliveries())];
      return new Set(all.filter(({ holder }) => names.has(holder)).map(({ event_id }) => event_id));
    }
    return new Set();
  }

  async #deliveries(): Promise<{ holder: string; event_id: string; pid: number | null }[]> {
    const { rows } = await this.owner.query<{ holder: string; event_id: string; name: string | null }>(
      `select j.locked_by as holder, d.event_id, a.application_name as name
        from graphile_worker._private_jobs j
        join commerce.webhook_deliveries d on d.id = (j.payload ->> 'delivery_id')::uuid
        left join pg_locks l on l.locktype = 'advisory' and l.classid = $1 and l.objsubid = 2 and l.granted
          and l.objid::bigint = hashtext(j.locked_by)::bigint & 4294967295
        left join pg_stat_activity a on a.pid = l.pid and a.datname = current_database()
        where j.locked_by is not null`,
      [ADVISORY_LOCKS.jobRunner],
    );
    return rows.map(({ holder, event_id, name }) => ({
      holder,
      event_id,
      pid: name ? Number(/process (\d+)/.exec(name)?.[1]) : null,
    }));
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.running && member.end('SIGKILL')));
    await this.owner.end();
    await this.#pooler.stop();
  }
}

/** Returns the settings in the block of docs/scaling.md that begins with `DATABASE_URL=`, with these URLs. */
function documentedSettings(pooled: string, direct: string): Record<string, string> {
  const block = blocksOf('docs/scaling.md').find(({ text }) => text.startsWith('DATABASE_URL='));
  if (!block) throw new Error('docs/scaling.md has no block that begins with DATABASE_URL=');
  const { DATABASE_URL, DATABASE_DIRECT_URL, ...others } = parseEnv(block.text);
  if (!DATABASE_URL?.includes('@pgbouncer') || !DATABASE_DIRECT_URL?.includes('@postgres')) {
    throw new Error(`${block.file}:${block.line} has other addresses than that of the pooler and that of PostgreSQL`);
  }
  return { ...(others as Record<string, string>), DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct };
}

async function isReady(member: ServerProcess): Promise<boolean> {
  for (const end = Date.now() + HUNG_AFTER_MS; member.running && Date.now() < end; ) {
    if (await member.ready()) return true;
  }
  return false;
}
