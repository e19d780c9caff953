import { setTimeout as sleep } from 'node:timers/promises';
import { PGBOUNCER } from '../../server/test/pgbouncer.ts';
import { openReceiver } from '../../server/test/receiver.ts';
import { findTool } from '../../server/test/tools.ts';
import { notRunWithout } from '../testing/missing-tool.ts';
import { withEmptyDatabase } from '../testing/own-database.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { type RetriedCall, sendUntilAnswered } from '../testing/retrying-client.ts';
import { withDirectory } from '../testing/server-process.ts';
import type { EventShop } from '../testing/webhook-shop.ts';
import { Deployment } from './servers-and-workers.ts';

const PER_SECOND = 20;
const KEPT_WAITING = 6;
/** Includes the 15 seconds within which the workers notice that a process has died. */
const DELIVERED_WITHIN_MS = 90_000;

/**
 * Runs two servers and two workers behind PgBouncer. One process is killed during a migration, and one while it
 * delivers webhooks.
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
      const deployment = await Deployment.open(url, directory, pgbouncer);
      try {
        await startUp(deployment, violations, counts);
        await work(deployment, pick(size, 60, 300), violations, counts);
      } finally {
        await deployment.close();
      }
    });
    progress(`${round + 1} of ${rounds} rounds; ${counts.events} events, ${counts.reads} reads`);
  }
  const note = `${rounds} killed in a migration and ${rounds} in a job; ${counts.events} events; ${counts.reads} reads of two tenants`;
  return { tried: counts.commands, unit: 'starts and commands', violations: violations.list, note };
}

type Counts = { commands: number; events: number; reads: number };

/** Starts all processes at the same time, and kills the one that migrates. Operators' commands must end too. */
async function startUp(deployment: Deployment, violations: Violations, counts: Counts): Promise<void> {
  const { killed, failed } = await deployment.startAndKillMigrating();
  counts.commands += deployment.members.length + 1;
  if (!killed) violations.add('No process was killed during a migration, so the proof shows nothing');
  for (const failure of failed) violations.add(`Did not start: ${failure}`);
  for (const args of [
    ['migrate'],
    ['site', 'create', '--name', 'Kiosk', '--currency', 'EUR'],
    ['doctor'],
    ['migrate'],
  ]) {
    const { code, output } = await deployment.run(...args);
    counts.commands += 1;
    if (code === undefined) violations.add(`Hung: ${args.join(' ')} ${output}`);
    // Of `doctor`, only the lines about connections are checked: `doctor` also warns that the proofs' database is
    // configured for speed, not durability.
    else if (args[0] === 'doctor' ? !/ok +pooler.*\n.*ok +direct/.test(output) : code !== 0)
      violations.add(`${args.join(' ')} ended with ${code}: ${output}`);
  }
}

/** Two tenants write and read, while a worker is killed during a delivery of webhooks. */
async function work(deployment: Deployment, events: number, violations: Violations, counts: Counts): Promise<void> {
  const arrivals = new Map<string, number>();
  // The first requests get no response, so that a worker is busy with them; they do not count as delivered.
  const receiver = await openReceiver(({ headers }, count) => {
    if (count <= KEPT_WAITING) return undefined;
    const id = String(headers['webhook-id']);
    arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
    return 204;
  });
  try {
    const shops = [await deployment.openShop(), await deployment.openShop()];
    for (const shop of shops) await shop.addWebhook(receiver.url, ['product.created']);
    const reading = { going: true };
    const readers = shops.map((shop) => readOn(deployment, shop, reading, violations, counts));
    const making = make(shops, events);
    const inFlight = await deployment.killDelivering();
    if (inFlight.size === 0) violations.add('No worker was killed during a job, so the proof shows nothing');
    for (const failure of await deployment.start()) violations.add(`Did not start again: ${failure}`);
    await making;
    reading.going = false;
    await Promise.all(readers);
    await judge(deployment, { arrivals, inFlight, events }, violations);
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

/**
 * Reads a tenant's data with a storefront token, an API key and staff logins, and checks that the responses do not
 * contain the other tenant's data.
 */
async function readOn(
  deployment: Deployment,
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
    // Only one call in 20 is a staff login, because hashing a password takes longer than everything else.
    const call = calls[turn % 20 === 0 ? 2 : turn % 2];
    if (!call) continue;
    const { status, body } = await sendUntilAnswered(() => deployment.addresses, call, 60_000);
    counts.reads += 1;
    if (status >= 300) violations.add(`${call.path}: expected 2xx, got ${status} ${body}`);
    for (const [, owner] of body.matchAll(/"Of ([0-9a-f-]{36})"/g)) {
      if (owner !== site_id) violations.add(`A foreign row: ${owner} shown to ${site_id} by ${call.path}`);
    }
  }
}

/** Each event must arrive. It may arrive twice only if it was being sent when its worker was killed. */
async function judge(
  { owner }: Deployment,
  { arrivals, inFlight, events }: { arrivals: Map<string, number>; inFlight: Set<string>; events: number },
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
  if (rows.length !== events) violations.add(`${events} changes wrote ${rows.length} events`);
  for (const { id, jobs } of rows) {
    const times = arrivals.get(id) ?? 0;
    if (jobs !== 1) violations.add(`Event ${id} has ${jobs} deliveries instead of 1`);
    if (times === 0) violations.add(`A job was lost: event ${id} was not sent`);
    if (times > 1 && !inFlight.has(id)) violations.add(`A job was doubled: event ${id} was sent ${times} times`);
  }
}
