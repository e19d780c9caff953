import { randomUUID } from 'node:crypto';
import { StripeStandIn } from '../server/test/stripe/stand-in.ts';
import { type Figures, type Proof, pick, type Trial } from './frame.ts';
import { onlyVariantOf, putInCarts, putOnSale } from './goods.ts';
import { type Chance, chanceOf } from './random.ts';
import { onPremises, type Premises } from './shop.ts';
import { openStripeTill, openTestTill, type Till } from './tills.ts';

/**
 * Shoppers confirm payments late, never, or after changing their mind, while prices change and stock runs out. Uses the test
 * provider, and Stripe's official client with a stand-in for Stripe.
 */
export const K4: Proof = {
  id: 'K4',
  promise:
    'A late payment creates the order that was shown, or is refunded: nothing else is charged, and no money is kept.',
  async run(trial) {
    const standIn = await new StripeStandIn().listen();
    try {
      return await onPremises(trial, (premises) => attack(trial, premises, standIn), { stripeApiUrl: standIn.url });
    } finally {
      await standIn.down();
    }
  },
};

const PLAYS = [afterCancelling, afterRelease, abandoned, whilePricesChange, atTheDeadline, paidAnew];

async function attack(trial: Trial, premises: Premises, standIn: StripeStandIn): Promise<Figures> {
  const { violations } = premises;
  const chance = chanceOf(trial.seed);
  const tills = [
    await openTestTill(premises),
    await openStripeTill(premises, standIn, chance, 'automatic'),
    await openStripeTill(premises, standIn, chance, 'manual'),
  ];
  const rounds = pick(trial.size, 4, 400);
  const ends: Record<string, number> = {};
  for (let round = 1; round <= rounds; round += 1) {
    for (const [i, play] of PLAYS.entries()) {
      const scene = await givenPayment(tills[(round + i) % tills.length] as Till, chance);
      await play(scene);
      const { end, faults } = await judge(scene);
      ends[`${play.name}: ${end}`] = (ends[`${play.name}: ${end}`] ?? 0) + 1;
      const what = `seed ${trial.seed}, round ${round}, ${play.name} by ${scene.till.name}`;
      for (const fault of faults) violations.add(`${what}: ${fault}`);
    }
    if (round % 20 === 0) trial.progress(`round ${round}, ${standIn.calls.length} calls of Stripe`);
  }
  const note = Object.entries(ends).map(([end, count]) => `${end} ${count}`);
  const calls = `two of three through Stripe's client, ${standIn.calls.length} calls of it`;
  const told = `${calls}; ${note.sort().join(', ')}`;
  return { tried: rounds * PLAYS.length, unit: 'payments', violations: violations.list, note: told };
}

interface Scene {
  till: Till;
  chance: Chance;
  product_id: string;
  variant_id: string;
  checkout_id: string;
  cart_id: string;
  /** The total that the shopper saw when the payment began. */
  shown: string;
}

const STOCK = 3;

/** Starts a payment that waits for the shopper. */
async function givenPayment(till: Till, chance: Chance): Promise<Scene> {
  const { shop } = till;
  const product = await putOnSale(shop, { inventory_quantity: STOCK });
  const variant_id = onlyVariantOf(product);
  const [cart_id = ''] = await putInCarts(shop, [[{ variant_id, quantity: 1 + Math.floor(chance.next() * STOCK) }]]);
  const { id: checkout_id } = await shop.must('storefront.createCheckout', { body: { cart_id } });
  const body = { email: 'june@example.com', payment_method: 'card' } as const;
  const { total } = await shop.must('storefront.updateCheckout', { path: { checkout_id }, body });
  const scene = { till, chance, product_id: product.id, variant_id, checkout_id, cart_id, shown: total };
  await begin(scene);
  return scene;
}

async function begin({ till: { shop, waiting }, checkout_id }: Scene): Promise<void> {
  const body = { payment: waiting() };
  const { refusal } = await shop.ask('storefront.completeCheckout', { path: { checkout_id }, body });
  if (refusal?.error !== 'payment_action_required') throw new Error(`The payment did not begin: ${refusal?.error}`);
}

function cancel({ till: { shop }, checkout_id }: Scene) {
  return shop.ask('storefront.cancelCheckoutPayment', { path: { checkout_id } });
}

function goOn({ till: { shop }, checkout_id }: Scene) {
  return shop.ask('storefront.completeCheckout', { path: { checkout_id }, body: {}, key: randomUUID() });
}

/** The payment is cancelled, but the provider takes the money nevertheless; its event arrives at the end. */
async function afterCancelling(scene: Scene): Promise<void> {
  const before = scene.chance.next() < 0.5;
  if (before) await scene.till.decide(scene.checkout_id, true);
  await cancel(scene);
  await scene.till.succeedLate(scene.checkout_id);
}

/** The provider is unreachable for an hour, others buy the goods, and then the shopper confirms. */
async function afterRelease(scene: Scene): Promise<void> {
  const { till, variant_id, checkout_id } = scene;
  const { shop } = till;
  await till.letTimePass();
  await till.settleWhileDown();
  await shop.premises.owner.query(
    `update commerce.payments set unreachable_since = now() - interval '61 minutes' where site_id = $1 and checkout_id = $2`,
    [shop.site_id, checkout_id],
  );
  await till.settleWhileDown();
  const [cart_id = ''] = await putInCarts(shop, [[{ variant_id, quantity: STOCK }]]);
  await shop.must('storefront.createCheckout', { body: { cart_id } });
  await till.decide(checkout_id, true);
}

/** Nobody acts until the deadline has passed. */
async function abandoned({ till }: Scene): Promise<void> {
  await till.letTimePass();
  await till.settle();
}

async function whilePricesChange(scene: Scene): Promise<void> {
  const { till, chance, product_id, checkout_id } = scene;
  const path = { product_id };
  const status = chance.of(['draft', 'archived', 'active'] as const);
  await till.shop.must('dashboard.updateProduct', {
    path,
    body: { price: String(5 + Math.floor(chance.next() * 20)), status },
  });
  await till.decide(checkout_id, true);
  await Promise.all(
    chance
      .some<() => Promise<unknown>>([() => goOn(scene), () => till.settle(), () => cancel(scene)], 2)
      .map((one) => one()),
  );
}

/** The shopper confirms while the payment is being cancelled because its deadline has passed. */
async function atTheDeadline(scene: Scene): Promise<void> {
  const { till, checkout_id } = scene;
  await till.letTimePass();
  const acts: (() => Promise<unknown>)[] = [
    () => till.decide(checkout_id, true),
    () => till.settle(),
    () => goOn(scene),
    () => cancel(scene),
  ];
  await Promise.all(scene.chance.some(acts, acts.length).map((one) => one()));
  await till.succeedLate(checkout_id);
}

/** The first payment is cancelled, the cart changes, and a second payment succeeds; in the end the first one succeeds too. */
async function paidAnew(scene: Scene): Promise<void> {
  const { till, checkout_id } = scene;
  const { shop } = till;
  await cancel(scene);
  const body = { note: 'Ring twice' };
  const { total } = await shop.must('storefront.updateCheckout', { path: { checkout_id }, body });
  scene.shown = total;
  const payment = till.working();
  await shop.ask('storefront.completeCheckout', { path: { checkout_id }, body: { payment } });
  await till.succeedLate(checkout_id);
}

async function judge({ till, checkout_id, shown, variant_id }: Scene): Promise<{ end: string; faults: string[] }> {
  for (let minute = 0; minute < 4; minute += 1) {
    await till.tellAgain();
    await till.letTimePass();
    await till.settle();
  }
  const { owner } = till.shop.premises;
  const { site_id } = till.shop;
  const faults: string[] = [];
  const fault = await till.faultIn(checkout_id);
  if (fault) faults.push(fault);
  const { rows } = await owner.query<{ total: string; payment_status: string }>(
    'select total::text, payment_status from commerce.orders where site_id = $1 and checkout_id = $2',
    [site_id, checkout_id],
  );
  const [order] = rows;
  if (order && order.total !== shown) faults.push(`shown ${shown}, ordered at ${order.total}`);
  const stock = await owner.query<{ on_hand: number; reserved: number }>(
    'select on_hand, reserved from commerce.variants where site_id = $1 and id = $2',
    [site_id, variant_id],
  );
  const { on_hand = 0, reserved = 0 } = stock.rows[0] ?? {};
  if (on_hand < reserved || reserved < 0) faults.push(`on hand ${on_hand}, reserved ${reserved}`);
  return { end: order?.payment_status ?? 'no order', faults };
}
