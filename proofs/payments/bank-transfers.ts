import { randomUUID } from 'node:crypto';
import { expireUnpaid } from '../../server/src/shop/orders/expiry.ts';
import {
  type Delivery,
  onlyVariantOf,
  order as placeOrder,
  putOnSale,
  takeParcels,
  takeTransfers,
} from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Answer, type OpenShop, onPremises } from '../testing/test-server.ts';
import { matchCurrencies } from './bank-statements.ts';

/**
 * Calls mark-paid in every payment status with every payment method, with 64 concurrent calls, and while orders expire
 * or are cancelled.
 */
export const D9: Proof = {
  id: 'D9',
  promise: 'A bank transfer is recorded once, for an order that awaits it in its currency, and for no other.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const shop = await openShop();
      await takeTransfers(shop);
      const chance = chanceOf(trial.seed);
      const variant_id = onlyVariantOf(await putOnSale(shop, { track_inventory: false }));
      const parcel_id = onlyVariantOf(await putOnSale(shop, { track_inventory: false, requires_shipping: true }));
      const scene: Scene = { shop, chance, variant_id, parcel_id, delivery: await takeParcels(shop) };
      const rounds = pick(trial.size, 3, 200);
      for (const fault of await matrix(shop)) violations.add(fault);
      const newOrder = (currency: string) => writeOrder(shop, 'awaiting_payment', 'pending', 'bank_transfer', currency);
      for (const fault of await matchCurrencies(shop, newOrder)) violations.add(fault);
      for (let round = 1; round <= rounds; round += 1) {
        for (const race of [alone, againstExpiry, againstCancelling]) {
          for (const fault of await race(scene)) violations.add(`round ${round}, ${race.name}: ${fault}`);
        }
      }
      const note = `${STATES.length} states × ${METHODS.length} methods; ${rounds} rounds`;
      return { tried: shop.requests, unit: 'requests', violations: violations.list, note } satisfies Figures;
    }),
};

interface Scene {
  shop: OpenShop;
  chance: Chance;
  variant_id: string;
  /** A variant with shipping, so that a paid order of it can be cancelled. */
  parcel_id: string;
  delivery: Delivery;
}

type Marked = Answer<'dashboard.markOrderPaid'>;

const METHODS = ['bank_transfer', 'card', 'manual', 'free', null] as const;

/** Each payment status with a possible order status. `overdue`: an order whose transfer deadline has passed. */
const STATES = `
  pending/pending awaiting_payment/pending authorized/confirmed paid/confirmed paid/cancelled paid/completed
  partially_refunded/confirmed refunded/completed failed/cancelled expired/cancelled voided/cancelled overdue/pending
`
  .trim()
  .split(/\s+/)
  .map((pair) => pair.split('/') as [string, string]);

async function matrix(shop: OpenShop): Promise<string[]> {
  const faults: string[] = [];
  for (const [state, status] of STATES) {
    for (const method of METHODS) {
      const order_id = await writeOrder(shop, state, status, method);
      const before = await rowOf(shop, order_id);
      const first = await shop.ask('dashboard.markOrderPaid', { path: { order_id } });
      const between = await rowOf(shop, order_id);
      const second = await shop.ask('dashboard.markOrderPaid', { path: { order_id } });
      const after = await rowOf(shop, order_id);
      const awaits = method === 'bank_transfer' && state === 'awaiting_payment';
      const paid = method === 'bank_transfer' && (awaits || state === 'paid');
      const actual = [first, second].map((answer) => wordOf(answer)).join(', ');
      const right = Array.from({ length: 2 }, () => (paid ? 'paid' : rejectionOf(state, method))).join(', ');
      const where = `${method}, ${state}, ${status}`;
      if (actual !== right) faults.push(`${where}: two calls returned ${actual} instead of ${right}`);
      if (awaits && (before.confirmed !== null || between.confirmed === null))
        faults.push(`${where}: the order has no payment date after the first call`);
      if (!awaits && state !== 'overdue' && before.version !== between.version)
        faults.push(`${where}: a rejected call changed the order`);
      if (!paid && after.confirmed !== before.confirmed) faults.push(`${where}: a rejected call set the payment date`);
      if (between.version !== after.version) faults.push(`${where}: the second call changed the order again`);
    }
  }
  return faults;
}

function rejectionOf(state: string, method: string | null): string {
  if (method !== 'bank_transfer') return `400 not_bank_transfer ${method}`;
  if (state === 'overdue' || state === 'expired') return '400 payment_not_awaiting expired cancel_or_refund';
  return `400 payment_not_awaiting ${state}`;
}

function wordOf({ status, data, refusal }: Marked): string {
  if (status === 200) return String(data?.payment_status);
  const { error, payment_status, payment_method, next } = (refusal ?? {}) as Record<string, unknown>;
  const context = error === 'not_bank_transfer' ? payment_method : payment_status;
  return [status, error, String(context), ...(next === undefined ? [] : [next])].join(' ');
}

async function writeOrder(
  { premises, site_id }: OpenShop,
  state: string,
  status: string,
  method: string | null,
  currency = 'EUR',
): Promise<string> {
  const order_id = randomUUID();
  await premises.owner.query(
    `insert into commerce.orders (site_id, id, order_number, subtotal, total, currency, status, payment_status,
       fulfillment_status, payment_method, source, payment_due_at, payment_confirmed_at)
     values ($1, $2::uuid, $2::text, 15.00, 15.00, $6, $3, case $4::text when 'overdue' then 'awaiting_payment' else $4 end, 'unfulfilled',
       $5, 'storefront', now() + case $4 when 'overdue' then -1 else 1 end * interval '1 hour',
       case when $4 in ('paid', 'partially_refunded', 'refunded') then now() - interval '1 day' end)`,
    [site_id, order_id, status, state, method, currency],
  );
  return order_id;
}

interface Row {
  payment_status: string;
  confirmed: string | null;
  /** A value that changes with each write to the order. */
  version: string;
  events: string[];
}

async function rowOf({ premises, site_id }: OpenShop, order_id: string): Promise<Row> {
  const { rows } = await premises.owner.query<Row>(
    `select o.payment_status, o.payment_confirmed_at::text as confirmed, o.xmin::text as version, (
       select coalesce(json_agg(e.type order by e.id), '[]') from commerce.order_events e
       where e.site_id = o.site_id and e.order_id = o.id) as events
     from commerce.orders o where o.site_id = $1 and o.id = $2`,
    [site_id, order_id],
  );
  return rows[0] as Row;
}

const COPIES = 64;

function mark(shop: OpenShop, order_id: string, key?: string): Promise<Marked> {
  return shop.ask('dashboard.markOrderPaid', { path: { order_id }, ...(key && { key }) });
}

/** Marks one order as paid concurrently, without other events. Half of the calls share one idempotency key. */
async function alone({ shop, variant_id }: Scene): Promise<string[]> {
  const { id } = await placeOrder(shop, [{ variant_id, quantity: 1 }]);
  const key = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: COPIES }, (_, i) => mark(shop, id, i % 2 === 0 ? key : undefined)),
  );
  const row = await rowOf(shop, id);
  const late = await mark(shop, id);
  const faults = faultsIn(await rowOf(shop, id), [...answers, late]);
  if (row.version !== (await rowOf(shop, id)).version) faults.push('a repeated call changed the paid order');
  if (new Set(answers.map(({ data }) => data?.updated_at)).size !== 1)
    faults.push('the order was written more than once');
  return faults;
}

/** The payment deadline passes during the calls. */
async function againstExpiry({ shop, chance, variant_id }: Scene): Promise<string[]> {
  const { id } = await placeOrder(shop, [{ variant_id, quantity: 1 }]);
  const { owner, db } = shop.premises;
  const wait = chance.of([0, 0, 5, 20, 80]);
  await owner.query(
    `update commerce.orders set payment_due_at = now() + $3 * interval '1 millisecond' where site_id = $1 and id = $2`,
    [shop.site_id, id, wait],
  );
  const expiry = async () => {
    for (let i = 0; i < 4; i += 1) await expireUnpaid(db, shop.tenant);
  };
  const [, , ...answers] = await Promise.all([expiry(), expiry(), ...Array.from({ length: 8 }, () => mark(shop, id))]);
  await owner.query(
    `update commerce.orders set payment_due_at = now() where site_id = $1 and id = $2 and payment_status = 'awaiting_payment'`,
    [shop.site_id, id],
  );
  await expireUnpaid(db, shop.tenant);
  return faultsIn(await rowOf(shop, id), answers);
}

async function againstCancelling({ shop, chance, parcel_id, delivery }: Scene): Promise<string[]> {
  const { id } = await placeOrder(shop, [{ variant_id: parcel_id, quantity: 1 }], delivery);
  const path = { order_id: id };
  const cancel = () => shop.ask('dashboard.cancelOrder', { path, body: { reason: 'customer' } });
  const before = Math.floor(chance.next() * 4);
  const early = Array.from({ length: before }, () => mark(shop, id));
  const cancelled = [cancel(), cancel()];
  const late = Array.from({ length: 6 - before }, () => mark(shop, id));
  const answers = await Promise.all([...early, ...late]);
  const outcomes = (await Promise.all(cancelled)).map(({ status }) => status).sort();
  const row = await rowOf(shop, id);
  const faults = faultsIn(row, answers);
  if (outcomes.join() !== '200,409') faults.push(`two cancellations returned ${outcomes} instead of 200,409`);
  if (row.payment_status === 'paid' && answers.some(({ status }) => status !== 200))
    faults.push('the order is paid, but a call to mark it as paid was rejected');
  return faults;
}

/**
 * Either the order is paid, with one confirmation time and one event; or it is unpaid, and every call got a 400 with
 * the reason.
 */
function faultsIn({ payment_status, confirmed, events }: Row, answers: Marked[]): string[] {
  const confirmations = events.filter((type) => type === 'payment_confirmed').length;
  const words = [...new Set(answers.map(wordOf))].sort();
  const taken = answers.filter(({ status }) => status === 200).length;
  const isPaid = payment_status === 'paid' && confirmed !== null && confirmations === 1 && taken > 0;
  const isNot =
    ['expired', 'voided'].includes(payment_status) && confirmed === null && confirmations === 0 && taken === 0;
  const refusals = ['400 payment_not_awaiting expired cancel_or_refund', '400 payment_not_awaiting voided'];
  const odd = words.filter((word) => word !== 'paid' && !refusals.includes(word));
  const faults =
    isPaid || isNot ? [] : [`${payment_status}, stamped ${confirmed}, told ${confirmations} times, answered ${words}`];
  return odd.length === 0 ? faults : [...faults, `answered ${odd}`];
}
