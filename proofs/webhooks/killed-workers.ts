import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { openReceiver } from '../../server/test/receiver.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { type EventShop, openEventShop } from '../testing/webhook-shop.ts';

const SENDERS = 4;
const LONGEST_WAIT_MS = 50;
/**
 * If nothing arrives for this long, pending deliveries count as lost. Other workers notice a dead process within 15
 * seconds.
 */
const LOST_AFTER_MS = 60_000;

/** Kills processes that serve and deliver, one after the other, at any moment of their work, while events are due. */
export const G1: Proof = {
  id: 'G1',
  promise: 'However processes are killed, each committed change is delivered, and no uncommitted one is.',
  run: (trial) =>
    withDirectory((directory) => withOwnDatabase(trial.databaseUrl, (url) => attack(trial, directory, url))),
};

async function attack({ size, seed }: Trial, directory: string, databaseUrl: string) {
  const events = pick(size, 60, 10_000);
  const kills = pick(size, 1, 50);
  const violations = new Violations();
  const chance = chanceOf(seed);
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: directory,
    SECRET_KEY: `${randomUUID()}${randomUUID()}`,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    DEMO_SHOP: 'off',
  };
  const start = async () => new ServerProcess(await freePort(), env);
  const receiver = await openReceiver();
  const owner = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl, max: 2 }));
  const processes = [await start(), await start()];
  try {
    await Promise.all(processes.map(up));
    const shop = await openEventShop(databaseUrl, () => processes.map(({ baseUrl }) => baseUrl));
    await shop.addWebhook(receiver.url, ['product.created', 'product.updated']);
    const load = startLoad(shop, owner, events);
    for (let kill = 0; kill < kills; kill += 1) {
      const goal = Math.floor((events * (kill + chance.next())) / kills);
      load.allowed = Math.ceil((events * (kill + 1)) / kills);
      while (load.begun < goal) await sleep(1);
      await sleep(chance.next() * LONGEST_WAIT_MS);
      const victim = kill % processes.length;
      const { code } = await (processes[victim] as ServerProcess).end('SIGKILL');
      if (code !== null) violations.add(`A process exited on its own with ${code}: ${processes[victim]?.errors}`);
      processes[victim] = await up(await start());
    }
    await load.done;
    await allDelivered(owner, size === 'short');
    await judge(owner, shop.site_id, receiver.received, violations);
    if (load.acknowledged !== events) violations.add(`${load.acknowledged} of ${events} changes were acknowledged`);
    const note = `${kills} kill -9; ${load.acknowledged} changes acknowledged, ${load.undone} rolled back`;
    return { tried: events, unit: 'events', violations: violations.list, note };
  } finally {
    await Promise.all(processes.map((one) => one.end('SIGKILL')));
    await owner.end();
    await receiver.close();
  }
}

/**
 * Resolves when the process is ready, even if that takes minutes on a busy machine. Throws if the process ends first.
 */
async function up(server: ServerProcess): Promise<ServerProcess> {
  while (server.running) if (await server.ready()) return server;
  throw new Error(`A process did not start: ${server.errors}`);
}

/**
 * Creates products through the API. After every tenth, also changes the product in a transaction that is rolled back
 * after its event was written.
 */
function startLoad(shop: EventShop, owner: pg.Pool, events: number) {
  // The number of changes allowed before the next kill. Without this limit, all changes would be made while a process
  // starts.
  const load = { allowed: 0, begun: 0, acknowledged: 0, undone: 0, done: Promise.resolve() as Promise<unknown> };
  const send = async () => {
    while (load.begun < events) {
      if (load.begun >= load.allowed) {
        await sleep(5);
        continue;
      }
      load.begun += 1;
      const number = load.begun;
      const { id } = await shop.call<{ id: string }>('POST', '/api/dashboard/products', {
        name: `Product ${number}`,
        price: '1.00',
        status: 'active',
      });
      load.acknowledged += 1;
      if (number % 10 === 0) {
        await takeBack(owner, shop.site_id, id);
        load.undone += 1;
      }
    }
  };
  load.done = Promise.all(Array.from({ length: SENDERS }, send));
  return load;
}

async function takeBack(owner: pg.Pool, site_id: string, product_id: string): Promise<void> {
  const client = await owner.connect();
  try {
    await client.query('begin; set local search_path = commerce, public');
    await client.query('update commerce.products set name = name || $3 where site_id = $1 and id = $2', [
      site_id,
      product_id,
      ', taken back',
    ]);
    await client.query('set constraints all immediate');
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/**
 * Waits until no delivery is pending, or until no delivery has ended for a minute. `hurried` skips the time until the
 * other workers notice a dead process.
 */
async function allDelivered(owner: pg.Pool, hurried: boolean): Promise<void> {
  let left = Number.POSITIVE_INFINITY;
  for (let since = Date.now(); Date.now() - since < LOST_AFTER_MS; await sleep(500)) {
    const { rows } = await owner.query<{ pending: number }>(
      `select count(*)::int as pending from commerce.webhook_deliveries where status = 'pending'`,
    );
    const pending = rows[0]?.pending ?? 0;
    if (pending === 0) return;
    if (pending < left) since = Date.now();
    left = pending;
    if (!hurried) continue;
    await owner.query(`update graphile_worker._private_jobs set locked_at = locked_at - interval '10 seconds'
      where locked_at > now() - interval '10 seconds'`);
    await owner.query(`notify "jobs:insert", '{"count":10}'`);
  }
}

/** Compares the received events with the committed changes. */
async function judge(
  owner: pg.Pool,
  site_id: string,
  received: Awaited<ReturnType<typeof openReceiver>>['received'],
  violations: Violations,
): Promise<void> {
  const { rows: products } = await owner.query<{ id: string }>('select id from commerce.products where site_id = $1', [
    site_id,
  ]);
  const { rows: events } = await owner.query<{ id: string; subject_id: string }>(
    'select id, subject_id from commerce.events where site_id = $1',
    [site_id],
  );
  // The payload is built at the first attempt and stored with the delivery; the event stores only the id of its object.
  const { rows: sent } = await owner.query<{ event_id: string; payload: string | null }>(
    'select event_id, payload from commerce.webhook_deliveries where site_id = $1',
    [site_id],
  );
  const written = new Set(sent.map(({ event_id, payload }) => `${event_id} ${payload}`));
  const arrived = new Set<string>();
  for (const { headers, body } of received) {
    const id = String(headers['webhook-id']);
    arrived.add(id);
    if (!written.has(`${id} ${body}`)) violations.add(`Delivered without a committed change: ${id} ${body}`);
  }
  const eventsOf = new Map<string, string[]>();
  for (const { id, subject_id } of events) eventsOf.set(subject_id, [...(eventsOf.get(subject_id) ?? []), id]);
  for (const { id } of products) {
    const [event, second] = eventsOf.get(id) ?? [];
    if (!event || !arrived.has(event))
      violations.add(`Never delivered: product ${id}, event ${event ?? 'not written'}`);
    if (second) violations.add(`Two events of one change: product ${id}`);
  }
  if (events.length !== products.length) violations.add(`${events.length} events of ${products.length} changes`);
}
