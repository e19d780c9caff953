import { randomUUID } from 'node:crypto';
import { checkOut, onlyVariantOf, putInCarts, putOnSale, takeTransfers } from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Answer, type OpenShop, onPremises } from '../testing/test-server.ts';

/** Applies two discount codes to a cart in turn and changes prices, while the cart is checked out. */
export const D4: Proof = {
  id: 'D4',
  promise: 'An order always has the discount of its own code, whichever code was applied last.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const shop = await openShop();
      await takeTransfers(shop);
      const product = await putOnSale(shop, { track_inventory: false });
      const variant_id = onlyVariantOf(product);
      const codes = await Promise.all([publish(shop, 'percentage', '10'), publish(shop, 'fixed_amount', '3.33')]);
      const chance = chanceOf(trial.seed);
      const tried = pick(trial.size, 40, 2_000);
      for (let done = 0; done < tried; done += AT_ONCE) {
        const contents = Array.from({ length: AT_ONCE }, () => [
          { variant_id, quantity: 1 + Math.floor(chance.next() * 5) },
        ]);
        const carts = await putInCarts(shop, contents);
        const [faults] = await Promise.all([
          Promise.all(carts.map((cart_id) => race(shop, chance, cart_id, codes))),
          reprice(shop, product.id),
        ]);
        for (const fault of faults) if (fault) violations.add(fault);
      }
      return { tried, unit: 'orders', violations: violations.list } satisfies Figures;
    }),
};

const AT_ONCE = 20;

async function publish(shop: OpenShop, kind: 'percentage' | 'fixed_amount', value: string): Promise<string> {
  const code = `CODE-${randomUUID().slice(0, 8)}`;
  await shop.must('dashboard.createDiscount', { body: { code, kind, value } });
  return code;
}

async function reprice(shop: OpenShop, product_id: string): Promise<void> {
  for (const price of ['12.34', '7.77', '10.00']) {
    await shop.must('dashboard.updateProduct', { path: { product_id }, body: { price } });
  }
}

/** Orders a cart while codes are applied and removed. Returns the fault, if any. */
async function race(shop: OpenShop, chance: Chance, cart_id: string, codes: string[]): Promise<string | undefined> {
  const [early, takesOff] = [chance.of([undefined, ...codes]), chance.next() < 0.3];
  const apply = (code: string) => shop.ask('storefront.applyDiscount', { path: { cart_id }, body: { code } });
  if (early) await apply(early);
  const { id } = await checkOut(shop, cart_id);
  const [ordered, ...applied] = await Promise.all([
    insist(shop, id),
    ...[...codes, ...codes].map(apply),
    ...(takesOff ? [shop.ask('storefront.removeDiscount', { path: { cart_id } })] : []),
  ]);
  const odd = applied.find(({ status, refusal }) => status !== 200 && refusal?.error !== 'cart_not_active');
  if (odd) return `a code was refused: ${odd.status} ${JSON.stringify(odd.refusal)}`;
  if (!ordered.data) return `the order was refused: ${ordered.status} ${JSON.stringify(ordered.refusal)}`;
  return judge(shop, cart_id, ordered.data.order);
}

/** Completes the checkout. After each changed price, tries again with the total from the error, at most 20 times. */
async function insist(shop: OpenShop, checkout_id: string): Promise<Answer<'storefront.completeCheckout'>> {
  let body: { expected_total?: string } = {};
  for (let attempt = 0; ; attempt += 1) {
    const answer = await shop.ask('storefront.completeCheckout', { path: { checkout_id }, body });
    if (answer.refusal?.error !== 'price_changed' || attempt === 20) return answer;
    body = { expected_total: String(answer.refusal.total) };
  }
}

async function judge(
  { premises, site_id }: OpenShop,
  cart_id: string,
  order: { id: string; subtotal: string; discount: string },
): Promise<string | undefined> {
  const { rows } = await premises.owner.query(
    `select o.discount_code, o.discount::text as discount, coalesce(json_agg(json_build_object('status', r.status, 'code', r.code,
       'amount_off', r.amount_off::text, 'order_id', r.order_id)) filter (where r.id is not null), '[]') as living
     from commerce.orders o
     left join commerce.discount_redemptions r on r.site_id = o.site_id and r.cart_id = $3 and r.status <> 'released'
     where o.site_id = $1 and o.id = $2 group by o.discount_code, o.discount`,
    [site_id, order.id, cart_id],
  );
  const { discount_code, discount, living } = rows[0];
  const [redemption] = living;
  const fits =
    discount_code === null
      ? living.length === 0 && discount === '0.00'
      : living.length === 1 &&
        redemption.status === 'redeemed' &&
        redemption.code === discount_code &&
        redemption.amount_off === discount &&
        redemption.order_id === order.id;
  const isRight = fits && order.discount === discount;
  return isRight ? undefined : `order ${JSON.stringify(rows)} was shown as ${order.discount}`;
}
