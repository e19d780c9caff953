import { settlePayments } from '../../server/src/shop/checkout/settle-all.ts';
import type { StripeStandIn } from '../../server/test/stripe/stand-in.ts';
import { sendEvent } from '../../server/test/stripe/webhooks.ts';
import { onlyVariantOf, putInCarts, putOnSale } from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import type { Premises } from '../testing/test-server.ts';
import { actAtStripe, faultIn, letTimePass, type StripeBooks, succeedLate } from './stripe-payments.ts';
import { onStripePremises, openStripeShop, RETURN_URL, type StripeShop } from './stripe-shops.ts';

/**
 * Shoppers confirm payments late or never, or change their minds, while prices change and stock runs out. Uses Stripe's
 * official client with a stand-in for Stripe.
 */
export const K4: Proof = {
  id: 'K4',
  promise:
    'A late payment creates the order that was shown, or is refunded: nothing else is charged, and no money is kept.',
  run: (trial) => onStripePremises(trial, (premises, standIn) => attack(trial, premises, standIn)),
};

const PLAYS = [afterCancelling, afterRelease, abandoned, whilePricesChange, atTheDeadline, paidAnew];

async function attack(trial: Trial, premises: Premises, standIn: StripeStandIn): Promise<Figures> {
  const { violations } = premises;
  const chance = chanceOf(trial.seed);
  const shops = [
    await openStripeShop(premises, standIn, 'automatic'),
    await openStripeShop(premises, standIn, 'manual'),
  ] as const;
  const rounds = pick(trial.size, 4, 400);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [i, play] of PLAYS.entries()) {
      const scene = await givenPayment(shops[(round + i) % 2 === 0 ? 0 : 1], { premises, standIn, chance });
      await play(scene);
      for (const fault of await judge(scene)) violations.add(`round ${round}, ${play.name}: ${fault}`);
    }
  }
  const note = `${standIn.calls.length} calls of Stripe's client`;
  return { tried: rounds * PLAYS.length, unit: 'payments', violations: violations.list, note };
}

interface Scene {
  of: StripeShop;
  books: StripeBooks;
  chance: Chance;
  product_id: string;
  variant_id: string;
  checkout_id: string;
  /** The total that the shopper saw when the payment began. */
  shown: string;
  /** The number of events that Stripe had sent before. */
  begun: number;
}

const STOCK = 3;

/** Starts a payment that waits for the shopper at Stripe or at the bank. Webhooks arrive immediately or late. */
async function givenPayment(
  of: StripeShop,
  { premises, standIn, chance }: { premises: Premises; standIn: StripeStandIn; chance: Chance },
): Promise<Scene> {
  const { shop } = of;
  const product = await putOnSale(shop, { inventory_quantity: STOCK });
  const variant_id = onlyVariantOf(product);
  const [cart_id = ''] = await putInCarts(shop, [[{ variant_id, quantity: 1 + Math.floor(chance.next() * STOCK) }]]);
  const { id: checkout_id } = await shop.must('storefront.createCheckout', { body: { cart_id } });
  const path = { checkout_id };
  const body = { email: 'june@example.com', payment_method: 'card' } as const;
  const { total } = await shop.must('storefront.updateCheckout', { path, body });
  standIn.endpoints = chance.next() < 0.5 ? [of.endpoint] : [];
  const begun = standIn.ledger.events.length;
  const payment =
    chance.next() < 0.5
      ? { return_url: RETURN_URL }
      : { confirmation_token: standIn.confirmationToken('three_d_secure') };
  const { refusal } = await shop.ask('storefront.completeCheckout', { path, body: { payment } });
  if (refusal?.error !== 'payment_action_required') throw new Error(`The payment did not begin: ${refusal?.error}`);
  const books = { owner: premises.owner, standIn, site_id: shop.site_id };
  return { of, books, chance, product_id: product.id, variant_id, checkout_id, shown: total, begun };
}

function decide({ books, checkout_id }: Scene): Promise<void> {
  return actAtStripe(books, checkout_id, true);
}

function cancel({ of: { shop }, checkout_id }: Scene) {
  return shop.ask('storefront.cancelCheckoutPayment', { path: { checkout_id } });
}

function goOn({ of: { shop }, checkout_id }: Scene) {
  return shop.ask('storefront.completeCheckout', { path: { checkout_id }, body: {} });
}

/** Does the work of the payment job, which runs each minute and tries again after an error. */
async function settle({ of: { shop, deps } }: Scene): Promise<void> {
  await settlePayments(shop.premises.db, shop.tenant, deps).catch(() => undefined);
}

async function settleWhileDown(scene: Scene): Promise<void> {
  await scene.books.standIn.down();
  await settle(scene);
  await scene.books.standIn.up();
}

/** The shop cancels the payment, but the provider still captures the money. The provider's event arrives at the end. */
async function afterCancelling(scene: Scene): Promise<void> {
  if (scene.chance.next() < 0.5) await decide(scene);
  await cancel(scene);
  await succeedLate(scene.books, scene.checkout_id);
}

/** The provider is unreachable for an hour. Others reserve the goods, and then the shopper confirms. */
async function afterRelease(scene: Scene): Promise<void> {
  const { books, variant_id, checkout_id } = scene;
  const { shop } = scene.of;
  await letTimePass(books);
  await settleWhileDown(scene);
  await books.owner.query(
    `update commerce.payments set unreachable_since = now() - interval '61 minutes' where site_id = $1 and checkout_id = $2`,
    [shop.site_id, checkout_id],
  );
  await settleWhileDown(scene);
  const [cart_id = ''] = await putInCarts(shop, [[{ variant_id, quantity: STOCK }]]);
  await shop.must('storefront.createCheckout', { body: { cart_id } });
  await decide(scene);
}

/** The shopper does nothing until the payment deadline has passed. */
async function abandoned(scene: Scene): Promise<void> {
  await letTimePass(scene.books);
  await settle(scene);
}

async function whilePricesChange(scene: Scene): Promise<void> {
  const { chance, product_id } = scene;
  const status = chance.of(['draft', 'archived', 'active'] as const);
  const price = String(5 + Math.floor(chance.next() * 20));
  await scene.of.shop.must('dashboard.updateProduct', { path: { product_id }, body: { price, status } });
  await decide(scene);
  await together(scene, [goOn, settle, cancel], 2);
}

/** The shopper confirms while the payment is being cancelled because its deadline has passed. */
async function atTheDeadline(scene: Scene): Promise<void> {
  await letTimePass(scene.books);
  await together(scene, [decide, settle, goOn, cancel], 4);
  await succeedLate(scene.books, scene.checkout_id);
}

function together(scene: Scene, acts: ((scene: Scene) => Promise<unknown>)[], count: number): Promise<unknown> {
  return Promise.all(scene.chance.some(acts, count).map((act) => act(scene)));
}

/**
 * The first payment is cancelled, the checkout changes, and a second payment succeeds. In the end the first one
 * succeeds too.
 */
async function paidAnew(scene: Scene): Promise<void> {
  const { books, checkout_id } = scene;
  const { shop } = scene.of;
  const path = { checkout_id };
  await cancel(scene);
  const { total } = await shop.must('storefront.updateCheckout', { path, body: { note: 'Ring twice' } });
  scene.shown = total;
  const payment = { confirmation_token: books.standIn.confirmationToken() };
  await shop.ask('storefront.completeCheckout', { path, body: { payment } });
  await succeedLate(books, checkout_id);
}

async function judge(scene: Scene): Promise<string[]> {
  const { of, books, chance, begun, checkout_id, shown, variant_id } = scene;
  const { standIn, owner, site_id } = books;
  for (let minute = 0; minute < 4; minute += 1) {
    await standIn.sent();
    const past = standIn.ledger.events.slice(begun).filter((event) => event.owner === of.endpoint.account);
    for (const event of chance.some(past, past.length)) await sendEvent(event, of.endpoint);
    await letTimePass(books);
    await settle(scene);
  }
  const fault = await faultIn(books, checkout_id);
  const { rows } = await owner.query<{ total: string }>(
    'select total from commerce.orders where site_id = $1 and checkout_id = $2 and total <> $3',
    [site_id, checkout_id, shown],
  );
  const stock = await owner.query(
    'select on_hand, reserved from commerce.variants where site_id = $1 and id = $2 and (on_hand < reserved or reserved < 0)',
    [site_id, variant_id],
  );
  return [
    ...(fault ? [fault] : []),
    ...rows.map(({ total }) => `the page showed a total of ${shown}, but the order has ${total}`),
    ...stock.rows.map((row) => `stock is inconsistent: ${JSON.stringify(row)}`),
  ];
}
