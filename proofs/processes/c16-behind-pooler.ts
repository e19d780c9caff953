import { setTimeout as sleep } from 'node:timers/promises';
import { PGBOUNCER } from '../../server/test/pgbouncer.ts';
import { openReceiver } from '../../server/test/receiver.ts';
import { findTool } from '../../server/test/tools.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../frame.ts';
import { notRunWithout } from '../missing-tool.ts';
import type { EventShop } from './event-shop.ts';
import { Fleet } from './fleet.ts';
import { withEmptyDatabase } from './own-database.ts';
import { type RetriedCall, sendUntilAnswered } from './retrying-client.ts';
import { withDirectory } from './server-process.ts';

const PER_SECOND = 20;
const KEPT_WAITING = 6;
/** Includes the 15 seconds after which a dead process is noticed. */
const DELIVERED_WITHIN_MS = 90_000;
/** How much slower webhooks may be than without a pooler. */
const GOAL = 1.5;

/**
 * Runs two servers and two workers behind PgBouncer. One process is killed during a migration, and one while it delivers
 * webhooks.
 */
export const C16: Proof = {
  id: 'C16',
  promise:
    'Behind a pooler in transaction mode nothing hangs, no job is lost or duplicated, and tenants stay separate.',
  run: async (trial) => {
    const pgbouncer = findTool(PGBOUNCER);
    if (!pgbouncer) return notRunWithout('C16', PGBOUNCER);
    return withDirectory((directory) => attack(trial, directory, pgbouncer));
  },
};

async function attack({ size, databaseUrl, progress }: Trial, directory: string, pgbouncer: string): Promise<Figures> {
  const violations = new Violations();
  const rounds = pick(size, 1, 5);
  const counts = { commands: 0, events: 0, reads: 0 };
  for (let round = 0; round < rounds; round += 1) {
    await withEmptyDatabase(databaseUrl, async (url) => {
      const fleet = await Fleet.open(url, directory, pgbouncer);
      try {
        await startUp(fleet, violations, counts);
        await work(fleet, pick(size, 60, 300), violations, counts);
      } finally {
        await fleet.close();
      }
    });
    progress(`${round + 1} of ${rounds} rounds; ${counts.events} events, ${counts.reads} reads`);
  }
  const delays = size === 'full' ? await compare(databaseUrl, directory, pgbouncer, violations) : '';
  const note = `${rounds} killed in a migration and ${rounds} in a job; ${counts.events} events; ${counts.reads} reads of two tenants${delays}`;
  return { tried: counts.commands, unit: 'starts and commands', violations: violations.list, note };
}

type Counts = { commands: number; events: number; reads: number };

/** Starts all processes at once and kills the one that migrates. Operators' commands must end too. */
async function startUp(fleet: Fleet, violations: Violations, counts: Counts): Promise<void> {
  const { killed, failed } = await fleet.startAndKillMigrating();
  counts.commands += fleet.members.length + 1;
  if (!killed) violations.add('Nobody was killed in a migration: the proof proves nothing');
  for (const failure of failed) violations.add(`Did not start: ${failure}`);
  for (const args of [
    ['migrate'],
    ['site', 'create', '--name', 'Kiosk', '--currency', 'EUR'],
    ['doctor'],
    ['migrate'],
  ]) {
    const { code, output } = await fleet.run(...args);
    counts.commands += 1;
    if (code === undefined) violations.add(`Hung: ${args.join(' ')} ${output}`);
    // Only the doctor's lines about connections matter: the database server of the proofs is configured for speed, about which
    // it complains.
    else if (args[0] === 'doctor' ? !/ok +pooler.*\n.*ok +direct/.test(output) : code !== 0)
      violations.add(`${args.join(' ')} ended with ${code}: ${output}`);
  }
}

/** Two tenants write and read, while a worker is killed during a delivery. */
async function work(fleet: Fleet, events: number, violations: Violations, counts: Counts): Promise<void> {
  const told = new Map<string, number>();
  // The first requests get no response, so that a worker is busy with them; they do not count as delivered.
  const receiver = await openReceiver(({ headers }, count) => {
    if (count <= KEPT_WAITING) return undefined;
    const id = String(headers['webhook-id']);
    told.set(id, (told.get(id) ?? 0) + 1);
    return 204;
  });
  try {
    const shops = [await fleet.openShop(), await fleet.openShop()];
    for (const shop of shops) await shop.addWebhook(receiver.url, ['product.created']);
    const reading = { going: true };
    const readers = shops.map((shop) => readOn(fleet, shop, reading, violations, counts));
    const making = make(shops, events);
    const inFlight = await fleet.killDelivering();
    if (inFlight.size === 0) violations.add('No worker was killed in a job: the proof proves nothing');
    for (const failure of await fleet.start()) violations.add(`Did not start again: ${failure}`);
    await making;
    reading.going = false;
    await Promise.all(readers);
    await judge(fleet, { told, inFlight, events }, violations);
    counts.events += events;
  } finally {
    await receiver.close();
  }
}

async function make(shops: EventShop[], events: number): Promise<void> {
  for (let count = 0; count < events; count += 1) {
    const shop = shops[count % shops.length] as EventShop;
    await shop.call('POST', '/api/dashboard/products', { name: `Of ${shop.site_id}`, price: '1.00', status: 'active' });
    await sleep(1_000 / PER_SECOND);
  }
}

/** Reads a tenant's data with each kind of credential, and searches them for the other tenant's. */
async function readOn(
  fleet: Fleet,
  { site_id, credentials }: EventShop,
  reading: { going: boolean },
  violations: Violations,
  counts: Counts,
): Promise<void> {
  const { storefront_token, api_key, staff } = credentials;
  const site = { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token };
  const calls: RetriedCall[] = [
    { method: 'GET', path: '/api/storefront/products?limit=50', headers: site },
    { method: 'GET', path: '/api/dashboard/products?limit=50', headers: { 'X-API-Key': api_key } },
    { method: 'POST', path: '/api/dashboard/auth/login', headers: {}, body: staff },
  ];
  for (let turn = 0; reading.going; turn += 1) {
    // Customers log in less often, because hashing a password takes longer than everything else.
    const call = calls[turn % 20 === 0 ? 2 : turn % 2];
    if (!call) continue;
    const { status, body } = await sendUntilAnswered(() => fleet.addresses, call, 60_000);
    counts.reads += 1;
    if (status >= 300) violations.add(`${call.path}: ${status} ${body}`);
    for (const [, owner] of body.matchAll(/"Of ([0-9a-f-]{36})"/g)) {
      if (owner !== site_id) violations.add(`A foreign row: ${owner} shown to ${site_id} by ${call.path}`);
    }
  }
}

/** Each event must arrive. It may arrive twice only if it was being sent when its worker was killed. */
async function judge(
  { owner }: Fleet,
  { told, inFlight, events }: { told: Map<string, number>; inFlight: Set<string>; events: number },
  violations: Violations,
): Promise<void> {
  const left = `select e.id from commerce.events e join commerce.webhook_deliveries d on d.event_id = e.id
    where d.status <> 'succeeded'`;
  for (const end = Date.now() + DELIVERED_WITHIN_MS; Date.now() < end; await sleep(250)) {
    if ((await owner.query(left)).rowCount === 0) break;
  }
  const { rows } = await owner.query<{ id: string; jobs: number }>(
    `select e.id, count(d.id)::int as jobs from commerce.events e left join commerce.webhook_deliveries d on d.event_id = e.id
      where e.type = 'product.created' group by e.id`,
  );
  if (rows.length !== events) violations.add(`${rows.length} events of ${events} changes`);
  for (const { id, jobs } of rows) {
    const times = told.get(id) ?? 0;
    if (jobs !== 1) violations.add(`Event ${id} has ${jobs} deliveries`);
    if (times === 0) violations.add(`A job was lost: event ${id} was not told`);
    if (times > 1 && !inFlight.has(id)) violations.add(`A job was doubled: event ${id} was sent ${times} times`);
  }
}

/** Measures the delays of webhooks with and without a pooler in turns, so that other load on the machine affects both. */
async function compare(databaseUrl: string, directory: string, pgbouncer: string, violations: Violations) {
  return withEmptyDatabase(databaseUrl, (pooledUrl) =>
    withEmptyDatabase(databaseUrl, async (directUrl) => {
      const fleets = [
        await Fleet.open(pooledUrl, directory, pgbouncer),
        await Fleet.open(directUrl, directory),
      ] as const;
      try {
        for (const fleet of fleets) for (const failure of await fleet.start()) violations.add(failure);
        const delays: [number[], number[]] = [[], []];
        for (let leg = 0; leg < 10; leg += 1)
          delays[(leg % 2) as 0 | 1].push(...(await delaysOf(fleets[(leg % 2) as 0 | 1], 100)));
        const [pooled, direct] = delays.map((all) => all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.99)] ?? 0);
        const ratio = (pooled ?? 0) / (direct ?? 1);
        if (!(ratio <= GOAL)) violations.add(`Webhooks come ${ratio.toFixed(2)} times as late behind a pooler`);
        return `; webhooks p99 ${pooled?.toFixed()} ms, without pooler ${direct?.toFixed()} ms`;
      } finally {
        for (const fleet of fleets) await fleet.close();
      }
    }),
  );
}

/** The times in milliseconds from each changing call until its webhook arrives. */
async function delaysOf(fleet: Fleet, events: number): Promise<number[]> {
  const [begun, arrived] = [new Map<string, number>(), new Map<string, number>()];
  const receiver = await openReceiver(({ event }) => {
    arrived.set(String(event.data.id), performance.now());
    return 204;
  });
  try {
    const shop = await fleet.openShop();
    await shop.addWebhook(receiver.url, ['product.created']);
    for (let count = 0; count < events; count += 1) {
      const start = performance.now();
      const goods = { name: 'Mug', price: '1.00', status: 'active' };
      const { id } = await shop.call<{ id: string }>('POST', '/api/dashboard/products', goods);
      begun.set(id, start);
      await sleep(1_000 / PER_SECOND);
    }
    await receiver.until(events);
    return [...begun].map(([id, start]) => (arrived.get(id) ?? Number.POSITIVE_INFINITY) - start);
  } finally {
    await receiver.close();
  }
}
