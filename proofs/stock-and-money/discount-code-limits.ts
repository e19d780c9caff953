import { randomUUID } from 'node:crypto';
import { expireDue } from '../../server/src/shop/carts/expiry.ts';
import { inShop } from '../../server/src/shop/in-shop.ts';
import { SYSTEM } from '../../server/src/shop/shop.ts';
import { checkOut, onlyVariantOf, putInCarts, putOnSale, takeTransfers } from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type OpenShop, onPremises } from '../testing/test-server.ts';

/** Many carts concurrently apply discount codes that can be used ten times in total, or once per e-mail address. */
export const D3: Proof = {
  id: 'D3',
  promise: 'A discount code is used exactly as often as its limit allows, however many shoppers apply it at once.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const shop = await openShop();
      await takeTransfers(shop);
      const variant_id = onlyVariantOf(await putOnSale(shop, { track_inventory: false }));
      const chance = chanceOf(trial.seed);
      const rounds = pick(trial.size, 1, 10);
      const callers = trial.size === 'short' ? 60 : 500;
      for (let round = 1; round <= rounds; round += 1) {
        for (const attack of [inAll, oncePerGuest]) {
          const faults = await attack({ shop, chance, variant_id, callers });
          for (const fault of faults) violations.add(`round ${round}, ${attack.name}: ${fault}`);
        }
      }
      const note = `${rounds} rounds; ${shop.requests} requests`;
      return { tried: rounds * callers, unit: 'carts', violations: violations.list, note } satisfies Figures;
    }),
};

const LIMIT = 10;

interface Scene {
  shop: OpenShop;
  chance: Chance;
  variant_id: string;
  callers: number;
}

/**
 * All carts apply the code concurrently. Carts that got it are ordered, or remove it, or are abandoned until the use
 * expires. Then the rejected carts apply it again.
 */
async function inAll({ shop, chance, variant_id, callers }: Scene): Promise<string[]> {
  const code = await publish(shop, { usage_limit: LIMIT });
  const carts = await putInCarts(
    shop,
    Array.from({ length: callers }, () => [{ variant_id, quantity: 1 }]),
  );
  const faults: string[] = [];
  const got = await wave(shop, code, carts, faults);
  if (got.length !== LIMIT) faults.push(`${got.length} of ${callers} got a code that may be used ${LIMIT} times`);
  faults.push(...(await overuse(shop, code, LIMIT)));

  const again = carts.filter((cart) => !got.includes(cart));
  const fates = got.map((cart_id, i) => ({ cart_id, fate: FATES[i % FATES.length] ?? complete }));
  const second = chance.some(again, 40);
  const [, gotAgain] = await Promise.all([
    Promise.all(fates.map(({ cart_id, fate }) => fate(shop, cart_id, code, faults))),
    wave(shop, code, second, faults),
  ]);
  // Takes the released uses that the second wave missed, because some were released after it. All other carts must be
  // rejected.
  const third = await wave(shop, code, again.filter((cart) => !gotAgain.includes(cart)).slice(0, 40), faults);
  const ordered = fates.filter(({ fate }) => fate === complete).length;
  if (ordered + gotAgain.length + third.length !== LIMIT) {
    faults.push(
      `${ordered} carts were ordered, and ${gotAgain.length} + ${third.length} got the released uses: expected ${LIMIT} in all`,
    );
  }
  faults.push(...(await overuse(shop, code, LIMIT)));
  return faults;
}

async function publish(shop: OpenShop, limits: { usage_limit?: number; usage_limit_per_customer?: number }) {
  const code = `CODE-${randomUUID().slice(0, 8)}`;
  const body = { code, kind: 'fixed_amount', value: '2.00', ...limits } as const;
  await shop.must('dashboard.createDiscount', { body });
  return code;
}

/** Applies the code to all carts concurrently. Returns the carts that got it. */
async function wave(shop: OpenShop, code: string, carts: string[], faults: string[]): Promise<string[]> {
  const answers = await Promise.all(
    carts.map((cart_id) => shop.ask('storefront.applyDiscount', { path: { cart_id }, body: { code } })),
  );
  for (const { status, refusal } of answers) {
    const isExpected = status === 200 || refusal?.error === 'discount_usage_limit_reached';
    if (!isExpected)
      faults.push(
        `applyDiscount: expected 200 or discount_usage_limit_reached, got ${status} ${JSON.stringify(refusal)}`,
      );
  }
  return carts.filter((_, i) => answers[i]?.status === 200);
}

type Fate = (shop: OpenShop, cart_id: string, code: string, faults: string[]) => Promise<void>;

const complete: Fate = async (shop, cart_id, code, faults) => {
  const { id: checkout_id, discount } = await checkOut(shop, cart_id);
  const { data, refusal } = await shop.ask('storefront.completeCheckout', { path: { checkout_id }, body: {} });
  if (discount !== '2.00' || data?.order.discount !== '2.00') {
    faults.push(
      `${code}: expected a discount of 2.00, got ${discount} at checkout and in the order ${data?.order.discount ?? JSON.stringify(refusal)}`,
    );
  }
};

const giveBack: Fate = async (shop, cart_id, _, faults) => {
  const { status } = await shop.ask('storefront.removeDiscount', { path: { cart_id } });
  if (status !== 200) faults.push(`removeDiscount: expected 200, got ${status}`);
};

/** The cart is abandoned until its use of the code expires, and then ordered without the discount. */
const lapse: Fate = async (shop, cart_id, code, faults) => {
  const { owner, db } = shop.premises;
  await owner.query(
    `update commerce.discount_redemptions set expires_at = now() - interval '1 hour' where site_id = $1 and cart_id = $2`,
    [shop.site_id, cart_id],
  );
  await inShop(db, shop.tenant, SYSTEM, (inside) => expireDue(inside));
  const { id: checkout_id, discount } = await checkOut(shop, cart_id);
  const { data } = await shop.ask('storefront.completeCheckout', { path: { checkout_id }, body: {} });
  if (discount !== '0.00' || data?.order.discount !== '0.00') {
    faults.push(
      `${code} was no longer reserved: expected no discount, got ${discount} at checkout and in the order ${data?.order.discount}`,
    );
  }
};

const FATES: Fate[] = [complete, giveBack, lapse];

/**
 * A guest is identified by the e-mail address, which is known only when the order is placed. Many carts with one
 * address are completed concurrently.
 */
async function oncePerGuest({ shop, variant_id, callers }: Scene): Promise<string[]> {
  const faults: string[] = [];
  const code = await publish(shop, { usage_limit_per_customer: 1 });
  const count = Math.ceil(callers / 10);
  const carts = await putInCarts(
    shop,
    Array.from({ length: count }, () => [{ variant_id, quantity: 1 }]),
  );
  await wave(shop, code, carts, faults);
  const email = `${randomUUID()}@example.com`;
  const written = [email, email.toUpperCase(), email.replace('example', 'Example')];
  const checkouts = await Promise.all(carts.map((cart, i) => checkOut(shop, cart, written[i % written.length])));
  const answers = await Promise.all(
    checkouts.map(({ id }) => shop.ask('storefront.completeCheckout', { path: { checkout_id: id }, body: {} })),
  );
  const ordered = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ refusal }) => refusal?.error === 'discount_customer_limit_reached');
  if (ordered.length !== 1 || refused.length !== count - 1) {
    faults.push(`${ordered.length} ordered and ${refused.length} refused, of ${count} carts of one guest`);
  }
  faults.push(...(await overuse(shop, code, count)));
  return faults;
}

/**
 * Reports a fault if the code has more uses than allowed, several uses in one cart, or a number of uses that differs
 * from usage_count.
 */
async function overuse({ premises, site_id }: OpenShop, code: string, limit: number): Promise<string[]> {
  const { rows } = await premises.owner.query<{ uses: number; carts: number; counted: number }>(
    `select count(r.id)::int as uses, count(distinct r.cart_id)::int as carts, d.usage_count as counted
     from commerce.discounts d
     left join commerce.discount_redemptions r on r.site_id = d.site_id and r.discount_id = d.id and r.status <> 'released'
     where d.site_id = $1 and d.code = $2 group by d.usage_count`,
    [site_id, code],
  );
  const [found] = rows;
  const isFine = found && found.uses <= limit && found.uses === found.carts && found.uses === found.counted;
  return isFine ? [] : [`uses: ${JSON.stringify(found)}`];
}
