import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { prepareSchema } from '../../server/src/commands/schema.ts';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { openReceiver } from '../../server/test/receiver.ts';
import { type Figures, type Proof, pick, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { eventShopOf } from '../testing/webhook-shop.ts';
import { Callers, type CallResult } from './callers.ts';
import { type IsolatedTrial, isolated } from './isolated.ts';
import { Partition } from './local-faults.ts';

const CALLERS = 16;
const CONNECTIONS = 10;
const ANSWERED_WITHIN_MS = 8_000;
/** TCP doubles the delay between retransmissions, so recovery may take long. */
const DELIVERED_WITHIN_MS = 60_000;

/** The network between the server and PostgreSQL silently drops every packet for a while. */
export const C7: Proof = {
  id: 'C7',
  promise:
    'While the database is cut off, every call gets a response within 8 s, and afterwards everything works as before.',
  run: (trial) => isolated('C7', trial),
};

export function attackByPartition({ size, progress }: IsolatedTrial): Promise<Figures> {
  return withDirectory(async (directory) => {
    const violations = new Violations();
    const { url, superuserUrl, stop } = await startEmbedded({ dataDir: directory, durable: false });
    const owner = ignoreLostConnections(new pg.Pool({ connectionString: superuserUrl, max: 2 }));
    await prepareSchema(url);
    const server = new ServerProcess(await freePort(), {
      ...{ DATABASE_URL: url, DATA_DIR: directory, DATABASE_POOL_MAX: String(CONNECTIONS), ROLE: 'all' },
      ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'warn', DEMO_SHOP: 'off' },
    });
    const receiver = await openReceiver();
    try {
      await server.readyAtLast();
      const partition = new Partition(Number(new URL(url).port));
      const tenant = await openTenant(superuserUrl);
      await eventShopOf(tenant, () => [server.baseUrl]).addWebhook(receiver.url, ['product.created']);
      const callers = new Callers(server.baseUrl, tenant);
      const [rounds, seconds] = [pick(size, 1, 5), pick(size, 10, 30)];
      const sum = { tried: 0, slowest: 0, healed: 0 };
      for (let round = 1; round <= rounds; round += 1) {
        callers.begin(CALLERS);
        await callers.servedAgain(performance.now());
        const begun = performance.now();
        partition.begin();
        await sleep(seconds * 1_000);
        const healed = performance.now();
        partition.heal();
        const served = await callers.servedAgain(healed);
        await callers.rest();
        if (!server.running) throw new Error(`The server ended: ${server.errors}${server.output.slice(-2_000)}`);
        if (!served) violations.add('Nothing was served within a minute of the end of the partition');
        sum.healed = Math.max(sum.healed, (served?.ended ?? healed) - healed);
        sum.slowest = Math.max(sum.slowest, judge(callers.results, begun, healed, violations));
        sum.tried += callers.results.filter((one) => one.ended > begun && one.begun < healed).length;
        await countSlots(callers, owner, violations);
        await deliverAgain(callers, owner, violations);
        progress(`${round} of ${rounds} partitions; ${sum.tried} calls`);
      }
      const note = `slowest answer ${(sum.slowest / 1_000).toFixed(1)} s; served again after ${(sum.healed / 1_000).toFixed(1)} s`;
      return { tried: sum.tried, unit: 'calls while cut off', violations: violations.list, note };
    } finally {
      await receiver.close();
      await server.end('SIGTERM');
      await owner.end();
      await stop();
    }
  });
}

/** Judges the calls around a partition. Returns the longest time that one of them waited, in milliseconds. */
function judge(results: CallResult[], begun: number, healed: number, violations: Violations): number {
  let slowest = 0;
  for (const { what, status, error, ...one } of results) {
    // For responses other than 503, only the time during the outage counts, because afterwards hashing a password may
    // take seconds on a busy machine.
    const until = status === 0 || status === 503 ? one.ended : Math.min(one.ended, healed);
    const waited = until - Math.max(one.begun, begun);
    slowest = Math.max(slowest, waited);
    if (status === 0) violations.add(`${what} got no response: ${error}`);
    else if (waited > ANSWERED_WITHIN_MS)
      violations.add(`${what} was kept waiting for ${Math.round(waited)} ms, and answered by ${status}`);
    // A login that failed because of the database counts as a failed attempt, so later ones may be throttled.
    if (what === 'login' && status === 429) continue;
    const inside = one.begun > begun && one.ended < healed;
    if (status > 0 && (inside ? status !== 503 : status >= 300 && status !== 503))
      violations.add(`${what} was answered by ${status} ${error}`);
  }
  if (!results.some(({ status, ended }) => status === 503 && ended > begun))
    violations.add('No call was cut off, so the proof shows nothing');
  return slowest;
}

/**
 * Counts the usable connections: locks a table, makes more calls than there are connections, and counts the
 * connections that wait for the lock.
 */
async function countSlots(callers: Callers, owner: pg.Pool, violations: Violations): Promise<void> {
  const holder = await owner.connect();
  let usable = 0;
  try {
    await holder.query('begin; lock table commerce.products in access exclusive mode');
    const calls = Array.from({ length: 2 * CONNECTIONS }, () => callers.call('product'));
    for (let tries = 0; tries < 150 && usable < CONNECTIONS; tries += 1) {
      const { rows } = await owner.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
          where application_name = 'commerce' and wait_event_type = 'Lock'`,
      );
      usable = Math.max(usable, rows[0]?.count ?? 0);
      await sleep(10);
    }
    await holder.query('rollback');
    await Promise.all(calls);
  } finally {
    holder.release(true);
  }
  if (usable < CONNECTIONS) violations.add(`${CONNECTIONS - usable} of ${CONNECTIONS} connections were lost`);
}

/** Expects that all webhooks are delivered, for new changes and for earlier ones. */
async function deliverAgain(callers: Callers, owner: pg.Pool, violations: Violations): Promise<void> {
  const left = async () =>
    (await owner.query(`select from commerce.webhook_deliveries where status = 'pending'`)).rowCount ?? 0;
  await callers.call('product');
  for (const end = Date.now() + DELIVERED_WITHIN_MS; Date.now() < end && (await left()) > 0; ) await sleep(100);
  const missing = await left();
  if (missing > 0) violations.add(`${missing} events were not sent within a minute after the partition ended`);
}
