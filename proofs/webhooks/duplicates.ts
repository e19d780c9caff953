import { setTimeout as sleep } from 'node:timers/promises';
import { openReceiver, type Received, waitFor } from '../../server/test/receiver.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import type { EventShop } from '../testing/webhook-shop.ts';
import { onWorkingPremises, type WorkingPremises } from './server-with-jobs.ts';

const AT_A_TIME = 4;
const GREATEST_RATE = 0.001;
/** One in this many events is rejected or sent again. */
const SHARE = 5;

/**
 * Several workers deliver concurrently: without faults, to receivers that reject some events at first, and with
 * replays.
 */
export const G6: Proof = {
  id: 'G6',
  promise: 'Duplicate deliveries have the same id and body, and are very rare without faults.',
  run: (trial) => onWorkingPremises(trial, { workers: 2 }, (premises) => attack(premises, trial)),
};

async function attack(premises: WorkingPremises, { size }: Trial): Promise<Figures> {
  const events = pick(size, 40, 5_000);
  const { violations } = premises;
  const shop = await premises.openShop();
  const calm = await openReceiver();
  const refusals = new Set<string>();
  const fussy = await openReceiver(({ headers }, count) => {
    const id = String(headers['webhook-id']);
    if (count % SHARE !== 0 || refusals.has(id)) return 204;
    refusals.add(id);
    return 500;
  });
  try {
    await shop.addWebhook(calm.url, ['product.created']);
    const { id: webhook_id } = await shop.addWebhook(fussy.url, ['product.created']);
    await makeProducts(shop, events);
    await waitFor(() => calm.received.length >= events && fussy.received.length >= events).catch(() => {});
    const rate = (calm.received.length - ids(calm.received).size) / events;
    if (ids(calm.received).size !== events) violations.add(`${ids(calm.received).size} of ${events} events arrived`);
    if (rate >= GREATEST_RATE) violations.add(`${rate * 100} % of the events arrived twice without a fault`);
    await drain(premises, shop);
    const replayed = await replay(shop, webhook_id, Math.min(100, Math.ceil(events / SHARE)));
    await drain(premises, shop);
    for (const { received } of [calm, fussy]) judgeSame(received, violations);
    const again = fussy.received.length - ids(fussy.received).size;
    if (again < refusals.size + replayed)
      violations.add(`${refusals.size} deliveries were rejected and ${replayed} replayed, but ${again} arrived again`);
    const note = `${again} arrived again, after ${refusals.size} refusals and ${replayed} replays`;
    return { tried: events * 2, unit: 'deliveries', note, violations: violations.list };
  } finally {
    await Promise.all([calm.close(), fussy.close()]);
  }
}

async function makeProducts(shop: EventShop, count: number): Promise<void> {
  let made = 0;
  const make = async () => {
    while (made < count) {
      made += 1;
      await shop.call('POST', '/api/dashboard/products', { name: `Mug ${made}`, price: '1.00', status: 'active' });
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, make));
}

/** Skips the waits between attempts until everything is delivered. */
async function drain(premises: WorkingPremises, shop: EventShop): Promise<void> {
  for (let tries = 0; (await premises.countPending(shop)) > 0; tries += 1) {
    if (tries > 200) throw new Error(`${await premises.countPending(shop)} deliveries stay pending.`);
    await premises.hurry();
    await sleep(100);
  }
}

/** Replays the latest deliveries. Returns their number. */
async function replay(shop: EventShop, webhook_id: string, count: number): Promise<number> {
  const path = `/api/dashboard/webhook-deliveries?webhook_id=${webhook_id}&limit=${count}`;
  const { deliveries } = await shop.call<{ deliveries: { id: string }[] }>('GET', path);
  for (const { id } of deliveries) await shop.call('POST', `/api/dashboard/webhook-deliveries/${id}/replay`);
  return deliveries.length;
}

function ids(received: Received[]): Set<string> {
  return new Set(received.map(({ headers }) => String(headers['webhook-id'])));
}

/**
 * Expects one event per object, because each object is created once. All deliveries about an object must have the same
 * id and body.
 */
function judgeSame(received: Received[], violations: WorkingPremises['violations']): void {
  const firstSeen = new Map<unknown, string>();
  for (const { headers, body, event } of received) {
    const what = `${headers['webhook-id']} ${body}`;
    const before = firstSeen.get(event.data.id) ?? what;
    firstSeen.set(event.data.id, before);
    if (before !== what) violations.add(`One event was sent with two contents: ${before} and ${what}`);
  }
}
