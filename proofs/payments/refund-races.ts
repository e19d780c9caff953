import { finishMoves } from '../../server/src/shop/checkout/moving.ts';
import type { FaultKind } from '../../server/test/stripe/faults.ts';
import type { StripeStandIn } from '../../server/test/stripe/stand-in.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Premises, untilConnected } from '../testing/test-server.ts';
import { cardOrder, onStripePremises, openStripeShop, type StripeShop } from './stripe-shops.ts';

/** Refunds and captures an order 64 times concurrently, while the provider's responses are lost or are errors. */
export const K3: Proof = {
  id: 'K3',
  promise: "No more is refunded than was captured, and the records match the provider's.",
  run: (trial) =>
    onStripePremises(trial, async (premises, standIn) => {
      const shops = [
        await openStripeShop(premises, standIn),
        await openStripeShop(premises, standIn, 'manual'),
      ] as const;
      const scene: Scene = { premises, standIn, chance: chanceOf(trial.seed) };
      const rounds = pick(trial.size, 4, 150);
      for (let round = 1; round <= rounds; round += 1) await play(scene, shops[round % 2 === 0 ? 1 : 0], round);
      const tried = shops[0].shop.requests + shops[1].shop.requests;
      return { tried, unit: 'requests', violations: premises.violations.list } satisfies Figures;
    }),
};

interface Scene {
  premises: Premises;
  standIn: StripeStandIn;
  chance: Chance;
}

const AT_ONCE = 64;
const FAULTS: FaultKind[] = ['cut_before', 'cut_after', 'error_500', 'error_429'];
const AMOUNTS = ['0.01', '1.00', '2.50', '3.33', '9.99', '10.00', '10.01'];

async function play(scene: Scene, of: StripeShop, round: number): Promise<void> {
  const { standIn, chance, premises } = scene;
  const order_id = await cardOrder(of, standIn);
  const path = { order_id };
  for (let i = 0; i < 6; i += 1)
    standIn.faults.add(chance.of(FAULTS), /POST \/v1\/(refunds|payment_intents\/.*\/capture)/);
  const capture = () => of.shop.ask('dashboard.captureOrder', { path, body: { amount: chance.of(['8.00', '10.00']) } });
  const refund = () =>
    of.shop.ask('dashboard.createRefund', { path, body: { amount: chance.of(AMOUNTS), reason: 'damaged' } });
  await Promise.all(Array.from({ length: 4 }, capture));
  await Promise.all([settle(of, premises), settle(of, premises)]);
  await Promise.all([
    ...Array.from({ length: AT_ONCE }, refund),
    ...Array.from({ length: 4 }, capture),
    settle(of, premises),
    settle(of, premises),
  ]);
  standIn.faults.clear();
  // Stripe forgets idempotency keys after a day; a retry after that must not refund or capture a second time.
  if (round % 3 === 0) standIn.keys.forget();
  for (let i = 0; i < 20 && (await pending(of, premises, order_id)) > 0; i += 1) {
    if (i === 10) standIn.keys.forget();
    await settle(of, premises);
  }
  for (const fault of await faultsOf(scene, of, order_id)) premises.violations.add(`round ${round}: ${fault}`);
}

/** Runs the job. A run that meets another run or a fault may fail, because the job will run again. */
async function settle(of: StripeShop, { db }: Premises): Promise<void> {
  await untilConnected(() => finishMoves(db, of.shop.tenant, of.deps)).catch((error: unknown) => {
    if (!(error instanceof AggregateError)) throw error;
  });
}

async function pending({ shop }: StripeShop, { owner }: Premises, order_id: string): Promise<number> {
  const { rows } = await owner.query<{ count: number }>(
    `select count(*)::int as count from commerce.payment_moves where site_id = $1 and order_id = $2 and status = 'pending'`,
    [shop.site_id, order_id],
  );
  return rows[0]?.count ?? 0;
}

async function faultsOf({ premises, standIn }: Scene, { shop }: StripeShop, order_id: string): Promise<string[]> {
  const { rows } = await premises.owner.query<{ id: string; kind: string; status: string; cents: number }>(
    `select id, kind, status, (amount * 100)::int as cents from commerce.payment_moves where site_id = $1 and order_id = $2`,
    [shop.site_id, order_id],
  );
  const { data: order } = await shop.ask('dashboard.getOrder', { path: { order_id } });
  const { rows: payments } = await premises.owner.query<{ id: string }>(
    'select id from commerce.payments where site_id = $1 and order_id = $2',
    [shop.site_id, order_id],
  );
  const { ledger } = standIn;
  const intent = [...ledger.intents.values()].find(({ metadata }) => metadata.payment_id === payments[0]?.id);
  const made = [...ledger.refunds.values()].filter(({ payment_intent }) => payment_intent === intent?.id);
  const taken = intent?.amount_received ?? 0;
  const returned = made.reduce((sum, { amount }) => sum + amount, 0);
  const faults: string[] = [];
  if (returned > taken) faults.push(`${returned} cents were refunded, but only ${taken} captured`);
  const captured = rows.find(({ kind, status }) => kind === 'capture' && status === 'succeeded')?.cents ?? taken;
  if (captured !== taken) faults.push(`the database has ${captured} cents captured, the provider ${taken}`);
  for (const { id, status, cents } of rows.filter(({ kind }) => kind === 'refund')) {
    const there = made.filter(({ metadata }) => metadata.refund_id === id);
    const sum = there.reduce((total, { amount }) => total + amount, 0);
    if (status === 'pending') faults.push(`refund ${id} is still pending`);
    else if (sum !== (status === 'succeeded' ? cents : 0))
      faults.push(`refund ${id} of ${cents} cents is ${status}, but the provider refunded ${sum}`);
  }
  if (Math.round(Number(order?.refunded) * 100) !== returned)
    faults.push(`the order has ${order?.refunded} refunded, the provider ${returned} cents`);
  const wanted = returned === 0 ? 'paid' : returned === taken ? 'refunded' : 'partially_refunded';
  if (order?.payment_status !== wanted) faults.push(`the order is ${order?.payment_status} instead of ${wanted}`);
  return faults;
}
