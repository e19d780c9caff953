import { randomUUID } from 'node:crypto';
import type { PaymentProvider } from '../server/src/shop/payments/provider.ts';
import { createTestProvider } from '../server/src/shop/payments/test-provider.ts';
import { type Figures, type Proof, pick } from './frame.ts';
import { onlyVariantOf, putInCarts, putOnSale } from './goods.ts';
import { type Books, decide, faultIn, letTimePass, settle, succeedLate } from './payments.ts';
import { type Chance, chanceOf } from './random.ts';
import { type OpenShop, onPremises } from './shop.ts';

/** Payments whose human is late, absent, or changes their mind, while prices change and stock runs out. */
export const K4: Proof = {
  id: 'K4',
  promise:
    'A success that comes late makes the order of what was shown, or is given back: nothing else is charged, and nothing is kept.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const shop = await openShop();
      const chance = chanceOf(trial.seed);
      const rounds = pick(trial.size, 4, 400);
      const ends: Record<string, number> = {};
      for (let round = 1; round <= rounds; round += 1) {
        for (const play of [afterCancelling, afterRelease, abandoned, whilePricesChange, atTheDeadline, paidAnew]) {
          const scene = await givenPayment(shop, chance);
          await play(scene);
          const { end, faults } = await judge(scene);
          ends[`${play.name}: ${end}`] = (ends[`${play.name}: ${end}`] ?? 0) + 1;
          for (const fault of faults) violations.add(`seed ${trial.seed}, round ${round}, ${play.name}: ${fault}`);
        }
        if (round % 20 === 0) trial.progress(`round ${round}, ${shop.requests} requests`);
      }
      const note = Object.entries(ends).map(([end, count]) => `${end} ${count}`);
      return {
        tried: rounds * 6,
        unit: 'payments',
        violations: violations.list,
        note: note.sort().join(', '),
      } satisfies Figures;
    }),
};

interface Scene {
  shop: OpenShop;
  chance: Chance;
  books: Books;
  product_id: string;
  variant_id: string;
  checkout_id: string;
  cart_id: string;
  /** What the human saw when the payment began. */
  shown: string;
}

const STOCK = 3;

/** A payment that waits for its human. */
async function givenPayment(shop: OpenShop, chance: Chance): Promise<Scene> {
  const product = await putOnSale(shop, { inventory_quantity: STOCK });
  const variant_id = onlyVariantOf(product);
  const [cart_id = ''] = await putInCarts(shop, [[{ variant_id, quantity: 1 + Math.floor(chance.next() * STOCK) }]]);
  const { id: checkout_id } = await shop.must('storefront.createCheckout', { body: { cart_id } });
  const body = { email: 'june@example.com', payment_method: 'card' } as const;
  const { total } = await shop.must('storefront.updateCheckout', { path: { checkout_id }, body });
  const { db, owner } = shop.premises;
  const books = { db, owner, tenant: shop.tenant };
  const scene = { shop, chance, books, product_id: product.id, variant_id, checkout_id, cart_id, shown: total };
  await begin(scene);
  return scene;
}

async function begin({ shop, checkout_id }: Scene): Promise<void> {
  const body = { payment: { card_token: 'tok_3ds' } };
  const { refusal } = await shop.ask('storefront.completeCheckout', { path: { checkout_id }, body });
  if (refusal?.error !== 'payment_action_required') throw new Error(`The payment did not begin: ${refusal?.error}`);
}

function cancel({ shop, checkout_id }: Scene) {
  return shop.ask('storefront.cancelCheckoutPayment', { path: { checkout_id } });
}

function goOn({ shop, checkout_id }: Scene) {
  return shop.ask('storefront.completeCheckout', { path: { checkout_id }, body: {}, key: randomUUID() });
}

/** The provider said that the payment is cancelled, and takes the money all the same; its event comes at the end. */
async function afterCancelling(scene: Scene): Promise<void> {
  const before = scene.chance.next() < 0.5;
  if (before) await decide(scene.books, scene.checkout_id, true);
  await cancel(scene);
  await succeedLate(scene.books, scene.checkout_id);
}

/** The provider was unreachable for an hour, and others have bought the goods since. */
async function afterRelease(scene: Scene): Promise<void> {
  const { books, shop, variant_id, checkout_id } = scene;
  await letTimePass(books);
  await settle(books, unreachable(scene));
  await books.owner.query(
    `update commerce.payments set unreachable_since = now() - interval '61 minutes' where site_id = $1 and checkout_id = $2`,
    [books.tenant.site_id, checkout_id],
  );
  await settle(books, unreachable(scene));
  const [cart_id = ''] = await putInCarts(shop, [[{ variant_id, quantity: STOCK }]]);
  await shop.must('storefront.createCheckout', { body: { cart_id } });
  await decide(books, checkout_id, true);
}

function unreachable({ books: { db } }: Scene): PaymentProvider {
  const down = async () => {
    throw new Error('The provider cannot be reached.');
  };
  return { ...createTestProvider({ db, baseUrl: 'http://localhost' }), outcomeOf: down, cancel: down };
}

/** Nobody acts, and the time passes. */
async function abandoned({ books }: Scene): Promise<void> {
  await letTimePass(books);
  await settle(books);
}

async function whilePricesChange(scene: Scene): Promise<void> {
  const { shop, chance, product_id, books, checkout_id } = scene;
  const path = { product_id };
  const status = chance.of(['draft', 'archived', 'active'] as const);
  await shop.must('dashboard.updateProduct', {
    path,
    body: { price: String(5 + Math.floor(chance.next() * 20)), status },
  });
  await decide(books, checkout_id, true);
  await Promise.all(chance.some([() => goOn(scene), () => settle(books), () => cancel(scene)], 2).map((one) => one()));
}

/** The human approves while the payment is being cancelled because it is too old. */
async function atTheDeadline(scene: Scene): Promise<void> {
  await letTimePass(scene.books);
  const acts = [
    () => decide(scene.books, scene.checkout_id, true),
    () => settle(scene.books),
    () => goOn(scene),
    () => cancel(scene),
  ];
  await Promise.all(scene.chance.some(acts, acts.length).map((one) => one()));
  await succeedLate(scene.books, scene.checkout_id);
}

/** The first payment is cancelled, the cart changes, and another one pays; in the end the first succeeds as well. */
async function paidAnew(scene: Scene): Promise<void> {
  const { shop, checkout_id, books } = scene;
  await cancel(scene);
  const body = { note: 'Ring twice' };
  const { total } = await shop.must('storefront.updateCheckout', { path: { checkout_id }, body });
  scene.shown = total;
  const payment = { card_token: 'tok_success' };
  await shop.ask('storefront.completeCheckout', { path: { checkout_id }, body: { payment } });
  await succeedLate(books, checkout_id);
}

async function judge({ books, checkout_id, shown, variant_id }: Scene): Promise<{ end: string; faults: string[] }> {
  for (let minute = 0; minute < 4; minute += 1) {
    await letTimePass(books);
    await settle(books);
  }
  const faults: string[] = [];
  const fault = await faultIn(books, checkout_id);
  if (fault) faults.push(fault);
  const { rows } = await books.owner.query<{ total: string; payment_status: string }>(
    'select total::text, payment_status from commerce.orders where site_id = $1 and checkout_id = $2',
    [books.tenant.site_id, checkout_id],
  );
  const [order] = rows;
  if (order && order.total !== shown) faults.push(`shown ${shown}, ordered at ${order.total}`);
  const stock = await books.owner.query<{ on_hand: number; reserved: number }>(
    'select on_hand, reserved from commerce.variants where site_id = $1 and id = $2',
    [books.tenant.site_id, variant_id],
  );
  const { on_hand = 0, reserved = 0 } = stock.rows[0] ?? {};
  if (on_hand < reserved || reserved < 0) faults.push(`on hand ${on_hand}, reserved ${reserved}`);
  return { end: order?.payment_status ?? 'no order', faults };
}
