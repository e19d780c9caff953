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
      let [sold, refused, abandoned] = [0, 0, 0];
      for (let round = 1; round <= rounds; round += 1) {
        const rush = await rushFor(shop, chance, shoppers);
        for (const fault of rush.faults) violations.add(`round ${round}: ${fault}`);
        sold += rush.sold;
        refused += shoppers - rush.sold - rush.abandoned;
        abandoned += rush.abandoned;
        trial.progress(`round ${round}: ${rush.sold} sold, ${shop.requests} requests`);
      }
      return {
        tried: rounds * shoppers,
        unit: `checkouts of the last ${UNITS} pieces`,
        violations: violations.list,
        note: `${rounds} rounds; sold ${sold}, refused ${refused}, abandoned ${abandoned}; ${shop.requests} requests`,
      } satisfies Figures;
    }),
};

const UNITS = 50;

/** All shoppers of one new product, and their results. */
interface Rush {
  variant_id: string;
  sold: number;
  abandoned: number;
  /** The number of times that a reserved unit has become available again. */
  released: number;
  /** Rejected shoppers, each waiting for a signal to try again or to give up. */
  waiting: ((again: boolean) => void)[];
  /** The number of shoppers who are neither served nor waiting. */
  busy: number;
  faults: string[];
}

async function rushFor(shop: OpenShop, chance: Chance, shoppers: number): Promise<Rush> {
  const variant_id = onlyVariantOf(await putOnSale(shop, { inventory_quantity: UNITS }));
  const rush: Rush = { variant_id, sold: 0, abandoned: 0, released: 0, waiting: [], busy: shoppers, faults: [] };
  const contents = Array.from({ length: shoppers }, () => [{ variant_id, quantity: 1 }]);
  const carts = await putInCarts(shop, contents);
  await Promise.all(
    carts.map(async (cart_id) => {
      await visit(shop, rush, cart_id, chance.next() < 0.1);
      retire(rush);
    }),
  );
  await judge(shop, rush);
  return rush;
}

/**
 * Tries until the shopper buys a unit or all units are sold, because units that others reserved may become available.
 */
async function visit(shop: OpenShop, rush: Rush, cart_id: string, changesMind: boolean): Promise<void> {
  for (let first = true; ; first = false) {
    const { released } = rush;
    const request = { body: { cart_id }, key: randomUUID() };
    const begun = await shop.ask('storefront.createCheckout', request);
    if (begun.data) return changesMind ? leave(shop, rush, begun.data.id) : buy(shop, rush, begun.data.id);
    if (begun.refusal?.error !== 'insufficient_stock') {
      rush.faults.push(
        `createCheckout: expected insufficient_stock, got ${begun.status} ${JSON.stringify(begun.refusal)}`,
      );
      return;
    }
    // If only a database constraint rejected the checkout, the error would not name the line.
    const [short] = (begun.refusal.lines ?? []) as { variant_id: string; requested: number; available: number }[];
    if (short?.variant_id !== rush.variant_id || short.requested !== 1 || short.available !== 0) {
      rush.faults.push(`The rejection does not name the line that is out of stock: ${JSON.stringify(begun.refusal)}`);
    }
    const again = first ? await shop.ask('storefront.createCheckout', request) : undefined;
    if (again && !(again.replayed && again.status === begun.status)) {
      rush.faults.push(`A repeated request returned ${again.status} instead of its first rejection.`);
    }
    if (rush.sold === UNITS) return;
    if (rush.released === released && !(await hope(rush))) return;
  }
}

/**
 * Waits until a unit becomes available (returns true), or until no unit can become available any more (returns false).
 */
function hope(rush: Rush): Promise<boolean> {
  const decision = new Promise<boolean>((decide) => rush.waiting.push(decide));
  retire(rush);
  return decision;
}

/** When no shopper is active any more, no reserved unit can become available, so those who wait give up. */
function retire(rush: Rush): void {
  rush.busy -= 1;
  if (rush.busy === 0) wake(rush, rush.waiting.length, false);
}

function wake(rush: Rush, count: number, again: boolean): void {
  for (const decide of rush.waiting.splice(0, count)) {
    rush.busy += 1;
    decide(again);
  }
}

async function leave(shop: OpenShop, rush: Rush, checkout_id: string): Promise<void> {
  rush.abandoned += 1;
  const { status } = await shop.ask('storefront.cancelCheckout', { path: { checkout_id } });
  if (status !== 200) rush.faults.push(`cancelCheckout: expected 200, got ${status}`);
  rush.released += 1;
  wake(rush, 20, true);
}

async function buy(shop: OpenShop, rush: Rush, checkout_id: string): Promise<void> {
  const path = { checkout_id };
  const filled = await shop.ask('storefront.updateCheckout', { path, body: answersOf() });
  const bought = filled.data && (await shop.ask('storefront.completeCheckout', { path, body: {} }));
  if (bought?.data) rush.sold += 1;
  else
    rush.faults.push(
      `A checkout with a reserved unit could not be completed: ${JSON.stringify(bought?.refusal ?? filled.refusal)}`,
    );
  if (rush.sold === UNITS) wake(rush, rush.waiting.length, false);
}

async function judge(shop: OpenShop, { variant_id, sold, faults }: Rush): Promise<void> {
  const [stock] = await stockOf(shop, [variant_id]);
  const { rows } = await shop.premises.owner.query<{ sold: string }>(
    'select coalesce(sum(quantity), 0) as sold from commerce.order_lines where site_id = $1 and variant_id = $2',
    [shop.site_id, variant_id],
  );
  const ordered = Number(rows[0]?.sold);
  const exact = sold === UNITS && ordered === UNITS && stock?.on_hand === 0 && stock.reserved === 0;
  if (!exact)
    faults.push(
      `expected ${UNITS} units sold and none left: ${sold} confirmed, ${ordered} ordered, stock ${JSON.stringify(stock)}`,
    );
}
