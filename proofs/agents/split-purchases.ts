import { takeParcels, takeTransfers } from '../testing/products-and-checkouts.ts';
import { type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type OpenShop, onPremises, type Premises } from '../testing/test-server.ts';
import { AgentPurchases, type Confirmation } from './agent-purchases.ts';

/**
 * Plays purchases that are split, changed or undone between their preparation and the order. Only the final orders
 * count against the budget.
 */
export const E3: Proof = {
  id: 'E3',
  promise: 'A budget limits the final orders, however purchases are split, changed or undone on the way.',
  run: (trial) =>
    onPremises(trial, async (premises) => {
      const chance = chanceOf(trial.seed);
      const rounds = pick(trial.size, 1, 60);
      const count = { confirmations: 0, orders: 0, over: 0 };
      for (let round = 0; round < rounds; round += 1) {
        const shop = await openShop(premises, CURRENCIES[round % CURRENCIES.length] ?? 'EUR');
        for (const [name, play] of Object.entries(SCRIPTS)) {
          // The price is random, because a budget of exactly one price must allow exactly one purchase at any price.
          const price = 500 + Math.floor(chance.next() * 100_000);
          const report = (fault: string) =>
            premises.violations.add(`${name}, ${shop.tenant.currency}, price ${price}: ${fault}`);
          const open = (times: number, ofOneOrder?: number) =>
            AgentPurchases.open(shop, Math.floor(price * times), [], {
              max_per_order_cents: ofOneOrder === undefined ? null : Math.floor(price * ofOneOrder),
            });
          const agents = await play({ shop, price, chance, open }, report);
          for (const agent of agents) await judge(agent, count, report);
        }
      }
      const { confirmations, orders, over } = count;
      const note = `${rounds * Object.keys(SCRIPTS).length} scripts played, ${orders} orders, cents over a cap: ${over}`;
      return { tried: confirmations, unit: 'confirmations', violations: premises.violations.list, note };
    }),
};

/** Currencies with two, no and three decimals. */
const CURRENCIES = ['EUR', 'JPY', 'KWD'];
const CODE = 'HALF';

async function openShop(premises: Premises, currency: string): Promise<OpenShop> {
  const shop = await premises.openShop({ currency });
  await takeTransfers(shop);
  await shop.must('dashboard.createDiscount', { body: { code: CODE, kind: 'percentage', value: '50' } });
  return shop;
}

interface Scene {
  shop: OpenShop;
  /** The price of one unit, in minor units. */
  price: number;
  chance: Chance;
  /**
   * Creates a customer and an agent whose budget, and optionally the limit per order, is this multiple of the price.
   */
  open(times: number, ofOneOrder?: number): Promise<AgentPurchases>;
}

type Say = (fault: string) => void;

type Script = (scene: Scene, say: Say) => Promise<AgentPurchases[]>;

const SCRIPTS: Record<string, Script> = {
  'many small carts, one after the other': async ({ price, open }, say) => {
    const agent = await open(3.5);
    const ready = await prepareMany(agent, price, 6);
    const answers: Confirmation[] = [];
    for (const { id } of ready) answers.push(await agent.confirm(id));
    expect(answers, [200, 200, 200, 402, 402, 402], say);
    return [agent];
  },

  'many small carts, all at once': async ({ price, open }, say) => {
    const agent = await open(2.5);
    const ready = await prepareMany(agent, price, 8);
    expect(await Promise.all(ready.map(({ id }) => agent.confirm(id))), [200, 200, 402, 402, 402, 402, 402, 402], say);
    return [agent];
  },

  'two checkouts of one cart': async ({ shop, price, open }, say) => {
    const agent = await open(1.5);
    const first = await agent.prepare(await agent.sell(price));
    const second = await agent.prepare({ cart_id: first.cart_id });
    const body = { cart_id: first.cart_id };
    const third = await shop.must('storefront.createCheckout', { ...agent.as, body });
    const ids = [first.id, second.id, third.id, first.id];
    const answers = await Promise.all(ids.map((id) => agent.confirm(id)));
    const orders = new Set(answers.flatMap(({ data }) => data?.order.id ?? []));
    if (orders.size !== 1) say(`one cart became ${orders.size} orders`);
    return [agent];
  },

  'a cart whose checkout was cancelled, checked out by its customer': async ({ shop, price, open }, say) => {
    const agent = await open(1.5);
    const goods = await agent.sell(price);
    const [one, other] = [await agent.prepare(goods), await agent.prepare(goods)];
    await shop.must('storefront.cancelCheckout', { ...agent.as, path: { checkout_id: one.id } });
    const again = await shop.must('storefront.createCheckout', { ...agent.as, body: { cart_id: one.cart_id } });
    await agent.payBy(again.id);
    expect([await agent.confirm(again.id), await agent.confirm(other.id)], [200, 402], say);
    return [agent];
  },

  'a code that its customer takes back': async (scene, say) => {
    const { agent, checkout } = await halved(scene);
    const path = { cart_id: checkout.cart_id };
    await scene.shop.must('storefront.removeDiscount', { ...agent.as, path });
    expect([await agent.confirmWhatever(checkout.id)], [402], say);
    return [agent];
  },

  'a code that the merchant ends': async (scene, say) => {
    const { shop } = scene;
    const { agent, checkout } = await halved(scene);
    const { discounts } = await shop.must('dashboard.listDiscounts');
    const path = { discount_id: discounts[0]?.id ?? '' };
    await shop.must('dashboard.updateDiscount', { path, body: { active: false } });
    expect([await agent.confirmWhatever(checkout.id)], [402], say);
    await shop.must('dashboard.updateDiscount', { path, body: { active: true } });
    return [agent];
  },

  'a price that is raised': async ({ shop, price, open }, say) => {
    const agent = await open(1);
    const goods = await agent.sell(price);
    const { id } = await agent.prepare(goods);
    const body = { price: agent.amount(price + 1) };
    await shop.must('dashboard.updateProduct', { path: { product_id: goods.product_id }, body });
    expect([await agent.confirmWhatever(id)], [402], say);
    return [agent];
  },

  'pieces that its customer adds': async ({ shop, price, open }, say) => {
    const agent = await open(1.5);
    const goods = await agent.sell(price);
    const { id, cart_id } = await agent.prepare(goods);
    const body = { variant_id: goods.variant_id, quantity: 1 };
    await shop.must('storefront.addCartItem', { ...agent.as, path: { cart_id }, body });
    expect([await agent.confirmWhatever(id)], [402], say);
    return [agent];
  },

  'pieces that the agent adds one by one': async ({ price, open }, say) => {
    const agent = await open(2.5);
    const goods = await agent.sell(price);
    const { id, cart_id } = await agent.prepare(goods);
    expect([await agent.add({ ...goods, cart_id }), await agent.add({ ...goods, cart_id })], [200, 402], say);
    expect([await agent.confirmWhatever(id)], [200], say);
    return [agent];
  },

  'a parcel that its customer chooses, and one that becomes dearer': async ({ shop, price, open }, say) => {
    const [chosen, raised] = [await open(1), await open(1)];
    const option = (name: string, cents: number) =>
      shop.must('dashboard.createShippingOption', { body: { name, price: chosen.amount(cents) } });
    const [free, dear] = [await option('Free', 0), await option('Dear', 1)];
    const wish = { ...(await chosen.sell(price, { requires_shipping: true })), shipping_address: ADDRESS };
    const [one, other] = [await chosen.prepare(wish), await raised.prepare(wish)];
    await chosen.payBy(one.id, { shipping_option_id: dear.id });
    await shop.must('dashboard.updateShippingOption', {
      path: { shipping_option_id: free.id },
      body: { price: chosen.amount(1) },
    });
    expect([await chosen.confirmWhatever(one.id), await raised.confirmWhatever(other.id)], [402, 402], say);
    return [chosen, raised];
  },

  'a tax that is raised': async ({ shop, price, open }, say) => {
    const agent = await open(1);
    const { id } = await agent.prepare(await agent.sell(price));
    await shop.must('dashboard.updateSettings', { body: { prices_include_tax: false, default_tax_rate: '0.19' } });
    expect([await agent.confirmWhatever(id)], [402], say);
    await shop.must('dashboard.updateSettings', { body: { default_tax_rate: '0' } });
    return [agent];
  },

  'a limit for one order': async ({ shop, price, open }, say) => {
    const agent = await open(10, 1.5);
    const goods = await agent.sell(price);
    const { id, cart_id } = await agent.prepare(goods);
    const tooMuch = [
      await agent.buy({ ...goods, quantity: 2 }),
      await agent.buy({ ...goods, quantity: 2, dry_run: true }),
      await agent.add({ ...goods, quantity: 2 }),
      await agent.add({ ...goods, cart_id }),
    ];
    expect(tooMuch, [402, 402, 402, 402], say);
    if (tooMuch.some(({ refusal }) => refusal?.limit !== 'per_order')) say('another limit than per_order is reported');
    const body = { variant_id: goods.variant_id, quantity: 1 };
    await shop.must('storefront.addCartItem', { ...agent.as, path: { cart_id }, body });
    expect([await agent.confirmWhatever(id)], [402], say);
    const ready = await prepareMany(agent, price, 3);
    expect(await Promise.all(ready.map((one) => agent.confirm(one.id))), [200, 200, 200], say);
    return [agent];
  },

  'a payment that waits for its customer': async ({ price, open }, say) => {
    const agent = await open(1.5);
    const [waiting, other] = await prepareMany(agent, price, 2);
    const begun = await agent.beginPayment(waiting?.id ?? '');
    if (begun.refusal?.error !== 'payment_action_required') say(`it does not wait: ${JSON.stringify(begun.refusal)}`);
    expect([await agent.confirm(other?.id ?? '')], [409], say);
    return [agent];
  },

  'an order that is cancelled twice': async ({ shop, price, open }, say) => {
    const agent = await open(1.5);
    const goods = await agent.sell(price);
    const ready = await prepareMany(agent, price, 3);
    const first = await agent.confirm(ready[0]?.id ?? '');
    const path = { order_id: first.data?.order.id ?? '' };
    const cancel = () => shop.ask('dashboard.cancelOrder', { path, body: { reason: 'customer' } });
    await Promise.all([cancel(), cancel(), cancel()]);
    const [second, third] = [await agent.confirm(ready[1]?.id ?? ''), await agent.confirm(ready[2]?.id ?? '')];
    expect([first, second, third, await agent.buy(goods)], [200, 200, 402, 402], say);
    return [agent];
  },

  'an order that is cancelled after it was paid': async ({ shop, price, open }, say) => {
    const agent = await open(1.5);
    // A paid order can be cancelled only if it contains something to ship.
    const goods = await agent.sell(price, { requires_shipping: true });
    const parcel = await takeParcels(shop);
    const [one, other] = [await agent.prepare(goods), await agent.prepare(goods)];
    for (const { id } of [one, other]) await agent.payBy(id, parcel);
    const first = await agent.confirm(one.id);
    const path = { order_id: first.data?.order.id ?? '' };
    await shop.must('dashboard.markOrderPaid', { path });
    await shop.must('dashboard.cancelOrder', { path, body: { reason: 'customer' } });
    expect([first, await agent.confirm(other.id)], [200, 402], say);
    return [agent];
  },

  'the cart of another agent': async ({ price, open }, say) => {
    const [rich, poor] = [await open(1.5), await open(0)];
    const { id, cart_id } = await rich.prepare(await rich.sell(price));
    expect([await poor.buy({ cart_id }), await poor.confirm(id), await rich.confirm(id)], [404, 404, 200], say);
    return [rich, poor];
  },

  'everything at once': async ({ shop, price, chance, open }, say) => {
    const agent = await open(1 + chance.next() * 3);
    const goods = await agent.sell(price);
    const ready: Awaited<ReturnType<typeof agent.prepare>>[] = [];
    for (let i = 0; i < 5; i += 1) ready.push(await agent.prepare(goods));
    const body = { price: agent.amount(price + Math.floor(chance.next() * price)) };
    const more = { variant_id: goods.variant_id, quantity: 1 };
    const answers = await Promise.all([
      ...ready.flatMap(({ id }) => [agent.confirmWhatever(id), agent.confirmWhatever(id)]),
      shop.ask('dashboard.updateProduct', { path: { product_id: goods.product_id }, body }),
      ...ready.flatMap(({ cart_id }) => [
        agent.buy({ ...goods, cart_id }),
        shop.ask('storefront.addCartItem', { ...agent.as, path: { cart_id }, body: more }),
        shop.ask('storefront.applyDiscount', { ...agent.as, path: { cart_id }, body: { code: CODE } }),
      ]),
    ]);
    const odd = answers.filter(({ status }) => ![200, 201, 400, 402, 409].includes(status));
    for (const { status, refusal } of odd) say(`a call got ${status} ${JSON.stringify(refusal)}`);
    return [agent];
  },
};

const ADDRESS = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };

/** Prepares checkouts of one unit each. Each of them fits the budget if no other is confirmed. */
async function prepareMany(agent: AgentPurchases, price: number, count: number) {
  const goods = await agent.sell(price);
  const ready: { id: string; cart_id: string }[] = [];
  for (let i = 0; i < count; i += 1) ready.push(await agent.prepare(goods));
  return ready;
}

/** Prepares a checkout of two units that fits the budget only because of a discount of half the price. */
async function halved({ shop, price, open }: Scene) {
  const agent = await open(1.25);
  const goods = await agent.sell(price);
  const { cart } = await shop.must('agent.findAndAdd', { ...agent.by, body: goods });
  const cart_id = cart?.id ?? '';
  await shop.must('storefront.applyDiscount', { ...agent.as, path: { cart_id }, body: { code: CODE } });
  return { agent, checkout: await agent.prepare({ ...goods, cart_id }) };
}

function expect(answers: { status: number; refusal: unknown }[], statuses: number[], say: Say): void {
  const received = answers.map(({ status }) => status);
  const [got, wanted] = [received.toSorted().join(' '), statuses.toSorted().join(' ')];
  const refusals = answers.flatMap(({ refusal }) => (refusal ? [JSON.stringify(refusal)] : []));
  if (got !== wanted) say(`got ${received.join(' ')} instead of ${statuses.join(' ')}: ${refusals.join(' ')}`);
}

/** Expects that the recorded spending equals the orders and does not exceed the budget. */
async function judge(
  agent: AgentPurchases,
  count: { confirmations: number; orders: number; over: number },
  say: Say,
): Promise<void> {
  const { budget, used, ordered, orders } = await agent.spending();
  count.confirmations += agent.confirmations;
  count.orders += orders;
  count.over += Math.max(0, ordered - budget);
  if (ordered > budget || used !== ordered) say(`ordered ${ordered}, recorded ${used}, allowed ${budget}`);
}
