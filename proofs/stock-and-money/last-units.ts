import { randomUUID } from 'node:crypto';
import {
  answersOf,
  onlyVariantOf,
  putInCarts,
  putOnSale,
  stockOf,
  takeTransfers,
} from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type OpenShop, onPremises } from '../testing/test-server.ts';

/** Far more shoppers than there are units check out concurrently. Some abandon the checkout after reserving a unit. */
export const D1: Proof = {
  id: 'D1',
  promise: 'However many shoppers check out at once, exactly the available stock is sold.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const shop = await openShop();
      await takeTransfers(shop);
      const chance = chanceOf(trial.seed);
      const rounds = pick(trial.size, 1, 20);
      // The tenth form runs a tenth of the rounds, but each round has as many shoppers as in the full form.
      const shoppers = trial.size === 'short' ? 80 : 1_000;
      for (let round = 1; round <= rounds; round += 1) {
        for (const fault of await rush(shop, chance, shoppers)) violations.add(`round ${round}: ${fault}`);
      }
      return {
        tried: rounds * shoppers,
        unit: `checkouts of the last ${UNITS} pieces`,
        violations: violations.list,
        note: `${rounds} rounds; ${shop.requests} requests`,
      } satisfies Figures;
    }),
};

const UNITS = 50;

interface Visit {
  end: 'bought' | 'abandoned' | 'sold out';
  fault?: string;
}

/**
 * Sells a new product to all shoppers. Those who find it sold out try again until nobody else abandons a checkout.
 * Returns the faults.
 */
async function rush(shop: OpenShop, chance: Chance, shoppers: number): Promise<string[]> {
  const variant_id = onlyVariantOf(await putOnSale(shop, { inventory_quantity: UNITS }));
  const contents = Array.from({ length: shoppers }, () => [{ variant_id, quantity: 1 }]);
  let waiting = await putInCarts(shop, contents);
  const faults: string[] = [];
  let [sold, isOver] = [0, false];
  while (!isOver) {
    const visits = await Promise.all(waiting.map((cart_id) => visit(shop, cart_id, variant_id, chance.next() < 0.1)));
    faults.push(...visits.flatMap(({ fault }) => fault ?? []));
    sold += visits.filter(({ end }) => end === 'bought').length;
    waiting = waiting.filter((_, i) => visits[i]?.end === 'sold out');
    isOver = !visits.some(({ end }) => end === 'abandoned');
  }
  const [stock] = await stockOf(shop, [variant_id]);
  const { rows } = await shop.premises.owner.query<{ ordered: number }>(
    'select sum(quantity)::int as ordered from commerce.order_lines where site_id = $1 and variant_id = $2',
    [shop.site_id, variant_id],
  );
  const isExact = sold === UNITS && rows[0]?.ordered === UNITS && stock?.on_hand === 0 && stock.reserved === 0;
  if (!isExact)
    faults.push(`${sold} of ${UNITS} units sold, ${rows[0]?.ordered} ordered, ${JSON.stringify(stock)} left`);
  return faults;
}

async function visit(shop: OpenShop, cart_id: string, variant_id: string, changesMind: boolean): Promise<Visit> {
  const request = { body: { cart_id }, key: randomUUID() };
  const begun = await shop.ask('storefront.createCheckout', request);
  if (begun.data) {
    const path = { checkout_id: begun.data.id };
    if (changesMind) {
      await shop.must('storefront.cancelCheckout', { path });
      return { end: 'abandoned' };
    }
    const filled = await shop.ask('storefront.updateCheckout', { path, body: answersOf() });
    const { data, refusal } = filled.data ? await shop.ask('storefront.completeCheckout', { path, body: {} }) : filled;
    if (data) return { end: 'bought' };
    return { end: 'sold out', fault: `a reserved unit could not be bought: ${JSON.stringify(refusal)}` };
  }
  // If only a database constraint rejected the checkout, the error would not name the line.
  const [short] = (begun.refusal?.lines ?? []) as { variant_id: string; requested: number; available: number }[];
  const isShort = short?.variant_id === variant_id && short.requested === 1 && short.available === 0;
  if (begun.refusal?.error !== 'insufficient_stock' || !isShort)
    return { end: 'sold out', fault: `expected insufficient_stock of the line, got ${JSON.stringify(begun.refusal)}` };
  const again = await shop.ask('storefront.createCheckout', request);
  const isReplay = again.replayed && again.status === begun.status;
  return { end: 'sold out', ...(!isReplay && { fault: `a repeated request returned ${again.status}` }) };
}
