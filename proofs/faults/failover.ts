import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findTool } from '../../server/test/tools.ts';
import { notRunWithout } from '../testing/missing-tool.ts';
import { type Figures, keepingViolations, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { spreadOf } from '../testing/spread.ts';
import { HaCluster } from './ha-cluster.ts';
import { HaServers } from './ha-servers.ts';
import { Shoppers } from './ha-shoppers.ts';

const TOOLS = [
  { names: ['patroni'], debianPackage: 'patroni' },
  { names: ['etcd'], debianPackage: 'etcd-server' },
  { names: ['haproxy'], debianPackage: 'haproxy' },
  { names: ['pgbouncer'], debianPackage: 'pgbouncer' },
  { names: ['redis-server'], debianPackage: 'redis-server' },
  { names: ['postgres'], debianPackage: 'postgresql-15', folders: ['/usr/lib/postgresql/15/bin'] },
];
const SHOPPERS = 3;
const SERVES_WITHIN_MS = 120_000;
/** Long enough to notice that a member does not start, and to copy it again. */
const MEMBERS_RETURN_WITHIN_MS = 240_000;

/**
 * Shoppers place orders at deploy/ha while its primary fails in one way after another: it becomes read-only, is cut off
 * from the network, or is killed (with synchronous replication, with no standby answering, or with asynchronous
 * replication).
 */
export const C17: Proof = {
  id: 'C17',
  promise:
    'A failover loses and duplicates no confirmed order if replication is synchronous; otherwise lost orders are listed, and no order number is assigned twice.',
  async run(trial) {
    for (const tool of TOOLS) if (!findTool(tool)) return notRunWithout('C17', tool);
    const cluster = new HaCluster();
    try {
      await cluster.script('up');
      return await attack(trial, cluster);
    } finally {
      await cluster.close();
    }
  },
};

/** The faults of the short form. The others take minutes, because Patroni waits for its leases to expire. */
const SHORT_FAULTS = [readOnly, synchronous, asynchronous];
const ALL_FAULTS = [readOnly, synchronous, standbysGone, partition, asynchronous];

interface Arena {
  cluster: HaCluster;
  servers: HaServers;
  shop: Awaited<ReturnType<HaServers['openShop']>>;
  shoppers: Shoppers;
  violations: Violations;
  /** The members that were copied again after a fault, and why. */
  copied: string[];
}

async function attack({ size, progress }: Trial, cluster: HaCluster): Promise<Figures> {
  const violations = new Violations();
  const servers = new HaServers(cluster, await cluster.environment());
  const outcomes: Outcome[] = [];
  const copied: string[] = [];
  await keepingViolations({ violations }, async () => {
    try {
      const shop = await servers.openShop();
      await servers.start();
      const rounds = pick(size, 1, 20);
      for (let round = 0; round < rounds; round += 1) {
        for (const play of pick(size, SHORT_FAULTS, ALL_FAULTS)) {
          const known = { violations: violations.list.length, copied: copied.length };
          const shoppers = new Shoppers(servers.baseUrl, shop, { mayLose: play === asynchronous });
          const arena = { cluster, servers, shop, shoppers, violations, copied };
          await membersReturn(arena, `before ${play.name}`);
          const found = await play(arena).finally(() => shoppers.stop());
          outcomes.push({ fault: play.name, confirmed: shoppers.confirmed.length, ...found });
          await jobsRun(cluster, violations, play.name);
          for (const text of shoppers.unexpected) violations.add(`${play.name}: ${text}`);
          if (servers.ended > 0) violations.add(`${play.name}: ${servers.ended} server processes have ended`);
          progress(`round ${round + 1}, ${JSON.stringify(outcomes.at(-1))}`);
          for (const text of copied.slice(known.copied)) progress(`copied again: ${text}`);
          for (const text of violations.list.slice(known.violations)) progress(`VIOLATION ${text}`);
        }
      }
    } finally {
      await servers.stop();
    }
  });
  const tried = outcomes.reduce((sum, { confirmed }) => sum + confirmed, 0);
  const note = `${summary(outcomes)}; ${copied.length} members copied again`;
  return { tried, unit: 'confirmed orders', violations: violations.list, note };
}

/**
 * Waits until both standbys stream from the primary. Ends the proof if one does not, because the next fault needs both.
 */
async function membersReturn({ cluster, copied, violations }: Arena, moment: string): Promise<void> {
  const found = await cluster.complete(MEMBERS_RETURN_WITHIN_MS);
  copied.push(...found.copied.map((text) => `${moment}: ${text}`));
  if (found.missing.length === 0) return;
  for (const text of found.missing)
    violations.add(`${moment}: ${text}, ${MEMBERS_RETURN_WITHIN_MS / 1000} s after its start`);
  throw new Error('A member of the cluster does not return.');
}

/** The figures of one fault. */
interface Outcome {
  fault: string;
  /** The longest time without a confirmed order, in seconds. */
  pause: number;
  confirmed: number;
  lost: number;
  doubled: number;
}

/** Returns a sentence for each kind of fault: how often it occurred, the pauses, and the orders. */
function summary(outcomes: Outcome[]): string {
  return Object.entries(Object.groupBy(outcomes, ({ fault }) => fault))
    .map(([fault, those = []]) => {
      const { median, most } = spreadOf(those.map(({ pause }) => pause));
      const sum = (field: 'confirmed' | 'lost' | 'doubled') => those.reduce((total, one) => total + one[field], 0);
      const seconds = `${median.toFixed(1)} s without orders (most ${most.toFixed(1)} s)`;
      return `${those.length} × ${fault}: ${seconds}, ${sum('confirmed')} confirmed, ${sum('lost')} lost, ${sum('doubled')} doubled`;
    })
    .join('; ');
}

type Found = Omit<Outcome, 'fault' | 'confirmed'>;

/** The primary rejects writes for a while, as after a demotion. */
async function readOnly({ cluster, shoppers, violations }: Arena): Promise<Found> {
  shoppers.start(SHOPPERS);
  await sleep(3_000);
  await cluster.sql('alter system set default_transaction_read_only = on');
  await cluster.sql('select pg_reload_conf()');
  const begun = Date.now();
  await sleep(4_000);
  const write = await shoppers.fetch('/api/storefront/cart', {
    method: 'POST',
    headers: { 'Idempotency-Key': crypto.randomUUID() },
  });
  // HAProxy routes to no server by then, so this asks a server process directly.
  const direct = (path: string) => fetch(`http://${cluster.net}.21:8080${path}`).then(({ status }) => status);
  const statuses = [
    write.status,
    await direct('/api/storefront/products'),
    await direct('/readyz'),
    await direct('/healthz'),
  ];
  if (statuses.join() !== '503,503,503,200')
    violations.add(`read-only: write, read, readyz, healthz answered ${statuses}`);
  await resetReadOnly(cluster);
  await orderingAgain(shoppers, violations, 'read-only');
  const pause = shoppers.pauseSince(begun);
  await shoppers.stop();
  return { pause, ...(await nothingLost({ cluster, shoppers, violations }, 'read-only')) };
}

async function resetReadOnly(cluster: HaCluster): Promise<void> {
  await cluster.sql('alter system reset default_transaction_read_only');
  await cluster.sql('select pg_reload_conf()');
}

async function synchronous(arena: Arena): Promise<Found> {
  return withoutLoss(arena, 'synchronous', async (old) => {
    await arena.cluster.script('kill-primary');
    return () => arena.cluster.script('start', old);
  });
}

/**
 * Longer than the time that a server waits for an answer of PostgreSQL, so that shoppers retry while their COMMIT waits
 * for a standby.
 */
const WITHOUT_STANDBYS_MS = 9_000;

/** The primary is killed while COMMITs wait, because no standby answers. */
async function standbysGone(arena: Arena): Promise<Found> {
  const { cluster, servers, violations } = arena;
  return withoutLoss(arena, 'standbys gone', async (old) => {
    freeze(await senders(cluster));
    await sleep(WITHOUT_STANDBYS_MS);
    const { output } = await servers.command('doctor');
    if (!/COMMITs wait/.test(output) || /pg_terminate_backend/.test(output))
      violations.add(`standbys gone: doctor reports ${output}`);
    await cluster.script('kill-primary');
    return () => cluster.script('start', old);
  });
}

/**
 * The primary accepts connections but reaches no standby, and its Patroni reaches no other node, so another node
 * becomes the primary.
 */
async function partition(arena: Arena): Promise<Found> {
  const { cluster, violations } = arena;
  return withoutLoss(arena, 'partition', async (old) => {
    const stopped = [...(await senders(cluster)), await cluster.patroni(old)];
    const direct = new pg.Client(await cluster.superuserUrl('commerce', old));
    direct.on('error', () => undefined);
    await direct.connect();
    freeze(stopped);
    let written = false;
    direct.query('create table public.written_by_former_primary ()').then(
      () => {
        written = true;
      },
      () => undefined,
    );
    return async () => {
      if (written) violations.add('partition: the former primary has confirmed a write');
      // Kills the old node, as the watchdog would have. If it resumed instead, Patroni 3.0 might make it the primary
      // again, which loses orders.
      await cluster.script('kill', old);
      await direct.end().catch(() => undefined);
      await cluster.script('start', old);
    };
  });
}

async function senders(cluster: HaCluster): Promise<number[]> {
  const rows = await cluster.sql<{ pid: number }>('select pid from pg_stat_replication');
  return rows.map(({ pid }) => pid);
}

function freeze(pids: number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
}

/**
 * Causes a fault of the primary while shoppers order; `fault` returns the repair. The primary must return as a standby
 * while the shoppers continue, and no order may be lost.
 */
async function withoutLoss(
  arena: Arena,
  round: string,
  fault: (old: string) => Promise<() => Promise<unknown>>,
): Promise<Found> {
  const { cluster, shoppers, violations } = arena;
  shoppers.start(SHOPPERS);
  await sleep(5_000);
  const old = await cluster.script('primary');
  const begun = Date.now();
  const mend = await fault(old);
  await orderingAgain(shoppers, violations, round);
  await mend();
  await membersReturn(arena, round);
  await shoppers.stop();
  const pause = shoppers.pauseSince(begun);
  return { pause, ...(await nothingLost(arena, round)) };
}

/** Kills the primary while it sends nothing to its standbys, so that the transactions of some seconds are lost. */
async function asynchronous(arena: Arena): Promise<Found> {
  const { cluster, servers, shop, shoppers, violations } = arena;
  await synchronousMode(cluster, false);
  const name = async (path: string) => ((await (await shoppers.fetch(path)).json()) as { name: string }).name;
  const product = '/api/storefront/products/mug';
  const cursor = async (from = '') => {
    const headers = { 'X-Site-ID': shop.site_id, 'X-Sync-Secret': shop.sync_secret };
    const answer = await fetch(`${servers.baseUrl}/api/sync/products${from}`, { headers });
    return { status: answer.status, ...((await answer.json()) as { resume_cursor?: string; error?: string }) };
  };
  shoppers.start(SHOPPERS);
  await sleep(4_000);
  freeze(await senders(cluster));
  await cluster.sql("update commerce.products set name = 'Lost mug' where slug = 'mug' and site_id = $1", [
    shop.site_id,
  ]);
  const lostName = await name(product);
  await name(product);
  const { resume_cursor } = await cursor();
  await ordersToLose(shoppers);
  const old = await cluster.script('primary');
  const killed = Date.now();
  await cluster.script('kill-primary');
  await orderingAgain(shoppers, violations, 'asynchronous');
  await sleep(5_000);
  await shoppers.stop();
  const pause = shoppers.pauseSince(killed);

  const { lost, doubled } = await compare(arena, 'asynchronous');
  if (lostName !== 'Lost mug' || lost.length === 0)
    violations.add('asynchronous: no order was lost in the failover, so the proof shows nothing');
  const [stored] = await cluster.sql<{ name: string }>('select name from commerce.products where site_id = $1', [
    shop.site_id,
  ]);
  for (let read = 0; read < 6; read += 1) {
    const shown = await name(product);
    if (shown !== stored?.name)
      violations.add(`asynchronous: the cache shows "${shown}", the database has "${stored?.name}"`);
  }
  const resumed = await cursor(`?cursor=${resume_cursor}`);
  if (resumed.error !== 'cursor_expired')
    violations.add(`asynchronous: the earlier cursor answered ${JSON.stringify(resumed)}`);
  const { output, code } = await servers.command('lost', '--log', servers.log);
  const listed = lost.filter(({ checkout_id }) => output.includes(checkout_id)).length;
  if (code !== 2 || listed !== lost.length)
    violations.add(`asynchronous: lost lists ${listed} of ${lost.length} orders: ${output}`);

  await cluster.script('start', old);
  await membersReturn(arena, 'asynchronous');
  await synchronousMode(cluster, true);
  return { pause, lost: lost.length, doubled };
}

/** Waits until the shop has confirmed orders that no standby has received. */
async function ordersToLose(shoppers: Shoppers): Promise<void> {
  const before = shoppers.confirmed.length;
  const until = Date.now() + SERVES_WITHIN_MS;
  while (shoppers.confirmed.length < before + 2 * SHOPPERS && Date.now() < until) await sleep(100);
}

async function synchronousMode(cluster: HaCluster, on: boolean): Promise<void> {
  const settings = [`synchronous_mode=${on}`, `synchronous_mode_strict=${on}`, 'maximum_lag_on_failover=67108864'];
  await cluster.script('patronictl', 'edit-config', '--force', ...settings.flatMap((one) => ['--set', one]));
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const [row] = await cluster.sql<{ names: string }>("select current_setting('synchronous_standby_names') as names");
    if ((row?.names !== '') === on) return;
    await sleep(1_000);
  }
  throw new Error(`synchronous_mode did not become ${on}.`);
}

/** Waits until the shop confirms orders again. */
async function orderingAgain(shoppers: Shoppers, violations: Violations, round: string): Promise<void> {
  const before = shoppers.confirmed.length + SHOPPERS;
  const until = Date.now() + SERVES_WITHIN_MS;
  while (shoppers.confirmed.length <= before && Date.now() < until) await sleep(100);
  if (shoppers.confirmed.length <= before) violations.add(`${round}: no order within ${SERVES_WITHIN_MS / 1000} s`);
}

async function nothingLost(arena: Pick<Arena, 'cluster' | 'shoppers' | 'violations'>, round: string) {
  const { lost, doubled } = await compare(arena, round);
  for (const { order_number, checkout_id } of lost) {
    arena.violations.add(`${round}: the confirmed order ${order_number} of checkout ${checkout_id} is lost`);
  }
  return { lost: lost.length, doubled };
}

// Excludes jobs that were replaced while they ran: they remain with all attempts used.
const DUE = `select task_identifier, attempts, locked_by, locked_at, last_error from graphile_worker.jobs
  where run_at < now() and attempts < max_attempts limit 3`;

/** Waits until the worker has run all due jobs. */
async function jobsRun(cluster: HaCluster, violations: Violations, round: string): Promise<void> {
  const until = Date.now() + SERVES_WITHIN_MS;
  for (let due = await cluster.sql(DUE); due.length > 0; due = await cluster.sql(DUE)) {
    if (Date.now() > until) return violations.add(`${round}: jobs are due and do not run: ${JSON.stringify(due)}`);
    await sleep(1_000);
  }
}

/** Compares the confirmed orders with the database. */
async function compare(
  { cluster, shoppers, violations }: Pick<Arena, 'cluster' | 'shoppers' | 'violations'>,
  round: string,
) {
  const { confirmed } = shoppers;
  const stored = await cluster.sql<{ checkout_id: string; order_number: string }>(
    'select checkout_id, order_number from commerce.orders where checkout_id is not null',
  );
  const known = new Map(stored.map((order) => [order.checkout_id, order]));
  const lost = confirmed.filter(({ checkout_id }) => !known.has(checkout_id));
  for (const { checkout_id, order_number } of confirmed) {
    const stored_as = known.get(checkout_id)?.order_number ?? order_number;
    if (stored_as !== order_number)
      violations.add(`${round}: the order ${order_number} of checkout ${checkout_id} is stored as ${stored_as}`);
  }
  const given = new Map<string, string>();
  let doubled = 0;
  for (const { checkout_id, order_number } of [...confirmed, ...stored]) {
    const other = given.get(order_number);
    given.set(order_number, checkout_id);
    if (other === undefined || other === checkout_id) continue;
    doubled += 1;
    violations.add(`${round}: the number ${order_number} was given to the checkouts ${other} and ${checkout_id}`);
  }
  return { lost, doubled };
}
