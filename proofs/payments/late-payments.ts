import { randomUUID } from 'node:crypto';
import { StripeStandIn } from '../../server/test/stripe/stand-in.ts';
import { onlyVariantOf, putInCarts, putOnSale } from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { onPremises, type Premises } from '../testing/test-server.ts';
import { type CardShop, openStripeCardShop, openTestShop } from './payment-sessions.ts';

/**
 * Shoppers confirm payments late or never, or change their minds, while prices change and stock runs out. Uses the test
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
    await openTestShop(premises),
    await openStripeCardShop(premises, standIn, chance, 'automatic'),
    await openStripeCardShop(premises, standIn, chance, 'manual'),
  ];
  const rounds = pick(trial.size, 4, 400);
  const ends: Record<string, number> = {};
  for (let round = 1; round <= rounds; round += 1) {
    for (const [i, play] of PLAYS.entries()) {
      const scene = await givenPayment(tills[(round + i) % tills.length] as CardShop, chance);
      await play(scene);
      const { end, faults } = await judge(scene);
      ends[`${play.name}: ${end}`] = (ends[`${play.name}: ${end}`] ?? 0) + 1;
      const what = `seed ${trial.seed}, round ${round}, ${play.name} by ${scene.cardShop.name}`;
      for (const fault of faults) violations.add(`${what}: ${fault}`);
    }
    if (round % 20 === 0) trial.progress(`round ${round}, ${standIn.calls.length} calls of Stripe`);
  }
  const note = Object.entries(ends).map(([end, count]) => `${end} ${count}`);
  const calls = `two of three through Stripe's client, ${standIn.calls.length} calls of it`;
  const summary = `${calls}; ${note.sort().join(', ')}`;
  return { tried: rounds * PLAYS.length, unit: 'payments', violations: violations.list, note: summary };
}

interface Scene {
  cardShop: CardShop;
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
async function givenPayment(cardShop: CardShop, chance: Chance): Promise<Scene> {
  const { shop } = cardShop;
  const product = await putOnSale(shop, { inventory_quantity: STOCK });
  const variant_id = onlyVariantOf(product);
  const [cart_id = ''] = await putInCarts(shop, [[{ variant_id, quantity: 1 + Math.floor(chance.next() * STOCK) }]]);
  const { id: checkout_id } = await shop.must('storefront.createCheckout', { body: { cart_id } });
  const body = { email: 'june@example.com', payment_method: 'card' } as const;
  const { total } = await shop.must('storefront.updateCheckout', { path: { checkout_id }, body });
  const scene = { cardShop, chance, product_id: product.id, variant_id, checkout_id, cart_id, shown: total };
  await begin(scene);
  return scene;
}

async function begin({ cardShop: { shop, waiting }, checkout_id }: Scene): Promise<void> {
  const body = { payment: waiting() };
  const { refusal } = await shop.ask('storefront.completeCheckout', { path: { checkout_id }, body });
  if (refusal?.error !== 'payment_action_required') throw new Error(`The payment did not begin: ${refusal?.error}`);
}

function cancel({ cardShop: { shop }, checkout_id }: Scene) {
  return shop.ask('storefront.cancelCheckoutPayment', { path: { checkout_id } });
}

function goOn({ cardShop: { shop }, checkout_id }: Scene) {
  return shop.ask('storefront.completeCheckout', { path: { checkout_id }, body: {}, key: randomUUID() });
}

/** The shop cancels the payment, but the provider still captures the money. The provider's event arrives at the end. */
async function afterCancelling(scene: Scene): Promise<void> {
  const before = scene.chance.next() < 0.5;
  if (before) await scene.cardShop.decide(scene.checkout_id, true);
  await cancel(scene);
  await scene.cardShop.succeedLate(scene.checkout_id);
}

/** The provider is unreachable for an hour. Others reserve the goods, and then the shopper confirms. */
async function afterRelease(scene: Scene): Promise<void> {
  const { cardShop, variant_id, checkout_id } = scene;
  const { shop } = cardShop;
  await cardShop.letTimePass();
  await cardShop.settleWhileDown();
  await shop.premises.owner.query(
    `update commerce.payments set unreachable_since = now() - interval '61 minutes' where site_id = $1 and checkout_id = $2`,
    [shop.site_id, checkout_id],
  );
  await cardShop.settleWhileDown();
  const [cart_id = ''] = await putInCarts(shop, [[{ variant_id, quantity: STOCK }]]);
  await shop.must('storefront.createCheckout', { body: { cart_id } });
  await cardShop.decide(checkout_id, true);
}

/** The shopper does nothing until the payment deadline has passed. */
async function abandoned({ cardShop }: Scene): Promise<void> {
  await cardShop.letTimePass();
  await cardShop.settle();
}

async function whilePricesChange(scene: Scene): Promise<void> {
  const { cardShop, chance, product_id, checkout_id } = scene;
  const path = { product_id };
  const status = chance.of(['draft', 'archived', 'active'] as const);
  await cardShop.shop.must('dashboard.updateProduct', {
    path,
    body: { price: String(5 + Math.floor(chance.next() * 20)), status },
  });
  await cardShop.decide(checkout_id, true);
  await Promise.all(
    chance
      .some<() => Promise<unknown>>([() => goOn(scene), () => cardShop.settle(), () => cancel(scene)], 2)
      .map((one) => one()),
  );
}

/** The shopper confirms while the payment is being cancelled because its deadline has passed. */
async function atTheDeadline(scene: Scene): Promise<void> {
  const { cardShop, checkout_id } = scene;
  await cardShop.letTimePass();
  const acts: (() => Promise<unknown>)[] = [
    () => cardShop.decide(checkout_id, true),
    () => cardShop.settle(),
    () => goOn(scene),
    () => cancel(scene),
  ];
  await Promise.all(scene.chance.some(acts, acts.length).map((one) => one()));
  await cardShop.succeedLate(checkout_id);
}

/**
 * The first payment is cancelled, the checkout changes, and a second payment succeeds. In the end the first one
 * succeeds too.
 */
async function paidAnew(scene: Scene): Promise<void> {
  const { cardShop, checkout_id } = scene;
  const { shop } = cardShop;
  await cancel(scene);
  const body = { note: 'Ring twice' };
  const { total } = await shop.must('storefront.updateCheckout', { path: { checkout_id }, body });
  scene.shown = total;
  const payment = cardShop.working();
  await shop.ask('storefront.completeCheckout', { path: { checkout_id }, body: { payment } });
  await cardShop.succeedLate(checkout_id);
}

async function judge({ cardShop, checkout_id, shown, variant_id }: Scene): Promise<{ end: string; faults: string[] }> {
  for (let minute = 0; minute < 4; minute += 1) {
    await cardShop.resendEvents();
    await cardShop.letTimePass();
    await cardShop.settle();
  }
  const { owner } = cardShop.shop.premises;
  const { site_id } = cardShop.shop;
  const faults: string[] = [];
  const fault = await cardShop.faultIn(checkout_id);
  if (fault) faults.push(fault);
  const { rows } = await owner.query<{ total: string; payment_status: string }>(
    'select total::text, payment_status from commerce.orders where site_id = $1 and checkout_id = $2',
    [site_id, checkout_id],
  );
  const [order] = rows;
  if (order && order.total !== shown)
    faults.push(`the page showed a total of ${shown}, but the order has ${order.total}`);
  const stock = await owner.query<{ on_hand: number; reserved: number }>(
    'select on_hand, reserved from commerce.variants where site_id = $1 and id = $2',
    [site_id, variant_id],
  );
  const { on_hand = 0, reserved = 0 } = stock.rows[0] ?? {};
  if (on_hand < reserved || reserved < 0)
    faults.push(`stock is inconsistent: ${on_hand} on hand, ${reserved} reserved`);
  return { end: order?.payment_status ?? 'no order', faults };
}
