import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashSecret, mintSecret, seal } from '../../server/src/shop/webhooks/secrets.ts';
import { openReceiver, waitFor } from '../../server/test/receiver.ts';
import { SECRET_KEY } from '../../server/test/server.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import type { EventShop } from '../testing/webhook-shop.ts';
import { onWorkingPremises, type WorkingPremises } from './server-with-jobs.ts';

const TENANTS = 5;
const EVENTS_PER_DEAD = 3;
const GOAL_MS = 2_000;

/**
 * One tenant has many webhooks with dead receivers, and many events for them. The receivers of the other tenants work.
 */
export const G5: Proof = {
  id: 'G5',
  promise: 'Dead receivers of one tenant, however many, do not delay the events of others.',
  run: (trial) =>
    onWorkingPremises(trial, { workers: 1 }, async (premises) => {
      // A receiver that accepts connections and never responds.
      const mute = createServer((socket) => socket.on('error', () => {}).resume());
      await new Promise<void>((listening) => mute.listen(0, '127.0.0.1', listening));
      const { port } = mute.address() as AddressInfo;
      try {
        return await attack(premises, trial, [`http://127.0.0.1:${port}/`, 'http://127.0.0.1:9/']);
      } finally {
        mute.close();
        mute.unref();
      }
    }),
};

async function attack(premises: WorkingPremises, { size }: Trial, addresses: string[]): Promise<Figures> {
  const endpoints = pick(size, 40, 1_000);
  const events = pick(size, 50, 3_000);
  const perSecond = pick(size, 20, 50);
  const { violations } = premises;
  const dead = await premises.openShop();
  await addDead(premises, dead, addresses, endpoints);
  const arrivals = new Map<string, number>();
  const receiver = await openReceiver(({ event }) => {
    arrivals.set(String(event.data.id), arrivals.get(String(event.data.id)) ?? performance.now());
    return 204;
  });
  try {
    const others = await Promise.all(Array.from({ length: TENANTS }, () => premises.openShop()));
    for (const shop of others) await shop.addWebhook(receiver.url, ['product.created']);
    for (let count = 0; count < EVENTS_PER_DEAD; count += 1) await makeProduct(dead);
    const begun = new Map<string, number>();
    for (let count = 0; count < events; count += 1) {
      begun.set(await makeProduct(others[count % TENANTS] as EventShop), performance.now());
      await sleep(1_000 / perSecond);
    }
    await waitFor(() => arrivals.size >= events).catch(() =>
      violations.add(`only ${arrivals.size} of ${events} events arrived at working receivers`),
    );
    const pending = await premises.countPending(dead);
    if (pending === 0) violations.add('No delivery was pending for the dead receivers, so the proof shows nothing');
    const delays = [...begun].map(([id, from]) => Math.max(0, (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - from));
    const most = delays.toSorted((a, b) => a - b)[Math.floor((delays.length - 1) * 0.99)] ?? Number.NaN;
    // Only the full form checks the delay, because on a busy machine all deliveries are slow.
    if (size === 'full' && most >= GOAL_MS)
      violations.add(`p99 of the delay at working receivers: ${Math.round(most)} ms, expected below ${GOAL_MS} ms`);
    const note = `${endpoints} dead endpoints with ${pending} deliveries pending; p99 of the delay of the others ${Math.round(most)} ms`;
    return { tried: events, unit: 'events of others', note, violations: violations.list };
  } finally {
    await receiver.close();
    await premises.owner.query('delete from commerce.webhooks where site_id = $1', [dead.site_id]);
  }
}

async function makeProduct(shop: EventShop): Promise<string> {
  const body = { name: 'Mug', price: '1.00', status: 'active' };
  return (await shop.call<{ id: string }>('POST', '/api/dashboard/products', body)).id;
}

/** Inserts webhooks directly into the database, in the form in which registration stores them. */
async function addDead(
  { owner }: WorkingPremises,
  { site_id }: EventShop,
  addresses: string[],
  count: number,
): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const id = crypto.randomUUID();
    const secret = mintSecret();
    await owner.query(
      `insert into commerce.webhooks (site_id, id, url, events, secret, secret_hash) values ($1, $2, $3, $4, $5, $6)`,
      [
        ...[site_id, id, `${addresses[made % addresses.length]}${made}`, ['product.created']],
        ...[seal(SECRET_KEY, id, secret), hashSecret(secret)],
      ],
    );
  }
}
