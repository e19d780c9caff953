import { afterAll, expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';
import { openStripe, type StripeShop } from '../../test/stripe/shop.ts';

const stripe = await openStripe();
const { standIn } = stripe;
afterAll(() => stripe.close());

type OpenShop = Pick<Awaited<ReturnType<typeof openShop>>, 'dashboard' | 'owner' | 'site_id'>;

const PATH = '/api/dashboard/reports/sales';
const at = (order_id: string) => ({ params: { path: { order_id } } });

async function report(shop: OpenShop, query: { from?: string; to?: string } = {}) {
  const { data, error } = await shop.dashboard.GET(PATH, { params: { query } });
  if (!data) throw new Error(`The report failed: ${JSON.stringify(error)}`);
  return data;
}

const move = ({ owner, site_id }: OpenShop, order_id: string, created_at: string) =>
  owner.query('update commerce.orders set created_at = $3 where site_id = $1 and id = $2', [
    site_id,
    order_id,
    created_at,
  ]);
const markPaid = ({ dashboard }: OpenShop, order_id: string) =>
  dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', at(order_id));
const refund = ({ dashboard }: OpenShop, order_id: string, amount: string) =>
  dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { ...at(order_id), body: { amount, reason: 'damaged' } });

/** Sends the shop all events of its account about refunds and disputes. */
async function sendEvents(shop: StripeShop): Promise<void> {
  const events = shop.events().filter(({ type }) => /^(refund|charge\.dispute)\./.test(type));
  for (const event of events) await shop.send(event);
}

function intentOf(shop: StripeShop, earlier: string[]): string {
  const intents = [...standIn.ledger.intents.values()].filter(({ account }) => account === shop.account);
  const intent = intents.find(({ id }) => !earlier.includes(id));
  if (!intent) throw new Error('The shop has no new payment.');
  return intent.id;
}

test('net sales are payments minus refunds and lost disputes, not minus failed refunds and open or won disputes', async () => {
  const shop = await stripe.givenShop();
  const intents: string[] = [];
  // Each order costs 10.00 and 4.90 for delivery.
  const givenPaid = async () => {
    const { id } = await shop.givenPaidOrder();
    intents.push(intentOf(shop, intents));
    return { id, intent: intents.at(-1) ?? '' };
  };
  const partlyRefunded = await givenPaid();
  await refund(shop, partlyRefunded.id, '5.00');
  await shop.finishMoves();

  const failed = await givenPaid();
  standIn.ledger.refundsBegin = 'pending';
  await refund(shop, failed.id, '14.90');
  await shop.finishMoves();
  const pending = [...standIn.ledger.refunds.values()].find(
    ({ account, status }) => account === shop.account && status === 'pending',
  );
  if (!pending) throw new Error('There is no pending refund.');
  expect((await report(shop)).current).toMatchObject({ paid: '29.80', refunded: '19.90', sales: '9.90' });
  standIn.ledger.changeRefund(pending, 'failed');
  standIn.ledger.refundsBegin = 'succeeded';
  await sendEvents(shop);
  expect((await report(shop)).current).toMatchObject({ paid: '29.80', refunded: '5.00', sales: '24.80' });

  const lost = await givenPaid();
  const lostDispute = standIn.dispute(lost.intent, 1_000);
  const won = await givenPaid();
  const wonDispute = standIn.dispute(won.intent);
  await sendEvents(shop);
  expect((await report(shop)).current).toMatchObject({ paid: '59.60', refunded: '5.00', sales: '54.60' });
  standIn.ledger.changeDispute(lostDispute, 'lost');
  standIn.ledger.changeDispute(wonDispute, 'won');
  await sendEvents(shop);

  // 4 × 14.90 = 59.60 were paid. 5.00 were refunded, and 10.00 were lost in a dispute. 59.60 / 4 = 14.90.
  const { current, days, previous } = await report(shop);
  expect(current).toMatchObject({
    orders_count: 4,
    paid_orders_count: 4,
    paid: '59.60',
    refunded: '15.00',
    sales: '44.60',
    average_order_value: '14.90',
  });
  expect(days.at(-1)).toMatchObject({ orders_count: 4, paid: '59.60', refunded: '15.00', sales: '44.60' });
  expect(previous).toMatchObject({ orders_count: 0, sales: '0.00', average_order_value: null });
  const { data: overview } = await shop.dashboard.GET('/api/dashboard/overview');
  expect(overview).toMatchObject({ orders_count: 4, sales: '44.60' });
});

test('the sales report counts unpaid orders without an amount, even after shipping, and does not count cancelled orders', async () => {
  const shop = await openShop();
  const cod = await shop.givenShippingOption({ price: '4.90', cash_on_delivery_fee: '3.50' });
  const unpaid = await shop.givenOrder();
  const onDelivery = await shop.givenOrder({ payment_method: 'manual', shipping_option_id: cod.id });
  const cancelled = await shop.givenOrder();
  await markPaid(shop, cancelled.id);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    ...at(cancelled.id),
    body: { reason: 'customer' },
  });
  expect((await report(shop)).current).toMatchObject({ orders_count: 2, paid_orders_count: 0, paid: '0.00' });

  // 10.00 for the mug, 4.90 for the parcel and 3.50 for payment on delivery.
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { ...at(onDelivery.id), body: {} });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', at(onDelivery.id));
  expect((await report(shop)).current).toMatchObject({ paid_orders_count: 1, paid: '18.40', sales: '18.40' });

  // 5.00 of the 14.90 arrived.
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/payments', {
    ...at(unpaid.id),
    body: { amount: '5.00' },
  });
  const { current, top_products } = await report(shop);
  expect(current).toMatchObject({ orders_count: 2, paid_orders_count: 2, paid: '23.40', average_order_value: '11.70' });
  expect(top_products).toMatchObject([
    { quantity: 1, revenue: '10.00' },
    { quantity: 1, revenue: '10.00' },
  ]);
});

test("the days of the sales report begin at midnight in the shop's time zone, even when the clocks change", async () => {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { time_zone: 'Europe/Berlin' } });
  // In Berlin the clocks were put forward on 2026-03-29 and back on 2026-10-25: days of 23 and 25 hours.
  const moments = [
    ['2026-03-28T22:59:59.999Z', '2026-03-28'],
    ['2026-03-28T23:00:00.000Z', '2026-03-29'],
    ['2026-03-29T21:59:59.999Z', '2026-03-29'],
    ['2026-03-29T22:00:00.000Z', '2026-03-30'],
    ['2026-10-24T22:00:00.000Z', '2026-10-25'],
    ['2026-10-25T22:59:59.999Z', '2026-10-25'],
    ['2026-10-25T23:00:00.000Z', '2026-10-26'],
  ] as const;
  for (const [created_at] of moments) {
    const { id } = await shop.givenOrder();
    await markPaid(shop, id);
    await move(shop, id, created_at);
  }
  const counts = async (from: string, to: string) => {
    const { days, current } = await report(shop, { from, to });
    return [current.orders_count, ...days.map(({ date, orders_count, sales }) => `${date} ${orders_count} ${sales}`)];
  };
  expect(await counts('2026-03-28', '2026-03-30')).toEqual([
    4,
    '2026-03-28 1 14.90',
    '2026-03-29 2 29.80',
    '2026-03-30 1 14.90',
  ]);
  expect(await counts('2026-10-25', '2026-10-25')).toEqual([2, '2026-10-25 2 29.80']);
  const { previous, previous_days } = await report(shop, { from: '2026-10-26', to: '2026-10-27' });
  expect(previous).toMatchObject({ from: '2026-10-24', to: '2026-10-25', orders_count: 2, sales: '29.80' });
  expect(previous_days.map(({ date }) => date)).toEqual(['2026-10-24', '2026-10-25']);
});

test('the sales report compares a period that ends today with the same part of the previous period', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder();
  const hour = 3_600_000;
  const ago = async (ms: number) => {
    await move(shop, id, new Date(Date.now() - ms).toISOString());
    const today = new Date().toISOString().slice(0, 10);
    return (await report(shop, { from: today, to: today })).previous.orders_count;
  };
  // 23 h 59 min ago was yesterday, later in the day than now. In the last minute of a day it was today.
  expect([await ago(24 * hour - 60_000), await ago(24 * hour + 60_000)]).toEqual([
    0,
    new Date(Date.now() - 60_000).getUTCDate() === new Date().getUTCDate() ? 1 : 0,
  ]);
});

test('the days of the sales report add up to the total for random orders, payments, refunds and cancellations', async () => {
  const shop = await openShop();
  let seed = 20_261_130;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const expected = new Map<string, { orders: number; paid: number; refunded: number }>();
  for (let i = 0; i < 25; i += 1) {
    const price = 500 + random(5_000);
    const { id } = await shop.givenOrder({ content: (price / 100).toFixed(2) });
    const date = `2026-05-0${1 + random(6)}`;
    await move(shop, id, `${date}T${String(random(24)).padStart(2, '0')}:30:00Z`);
    const fate = random(4);
    if (fate > 0) await markPaid(shop, id);
    const back = 1 + random(price);
    if (fate === 2) await refund(shop, id, (back / 100).toFixed(2));
    if (fate === 3) {
      const body = { reason: 'customer' } as const;
      await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', { ...at(id), body });
      continue;
    }
    const day = expected.get(date) ?? { orders: 0, paid: 0, refunded: 0 };
    day.orders += 1;
    if (fate > 0) day.paid += price + 490;
    if (fate === 2) day.refunded += back;
    expected.set(date, day);
  }
  const { current, days } = await report(shop, { from: '2026-05-01', to: '2026-05-06' });
  const money = (cents: number) => (cents / 100).toFixed(2);
  expect(days).toEqual(
    days.map(({ date }) => {
      const { orders, paid, refunded } = expected.get(date) ?? { orders: 0, paid: 0, refunded: 0 };
      return {
        date,
        orders_count: orders,
        paid: money(paid),
        refunded: money(refunded),
        sales: money(paid - refunded),
      };
    }),
  );
  const all = [...expected.values()];
  const sum = (of: (day: (typeof all)[number]) => number) => all.reduce((total, day) => total + of(day), 0);
  expect(current).toMatchObject({
    orders_count: sum(({ orders }) => orders),
    paid: money(sum(({ paid }) => paid)),
    refunded: money(sum(({ refunded }) => refunded)),
    sales: money(sum(({ paid, refunded }) => paid - refunded)),
  });
});

test('the sales report lists the ten products of paid orders with the highest revenue after discounts, including deleted products', async () => {
  const shop = await openShop();
  await shop.givenDiscount({ code: 'HALF', kind: 'percentage', value: '50' });
  const sell = async (name: string, price: string, quantity: number) => {
    const product = await shop.givenProduct({ name, price, inventory_quantity: 50 });
    const { id } = await shop.givenOrder({ content: [{ variant_id: product.variants[0]?.id ?? '', quantity }] });
    return { product, order_id: id };
  };
  const cup = await sell('Cup', '3.00', 7);
  const bowl = await sell('Bowl', '20.00', 1);
  const jug = await sell('Jug', '90.00', 1);
  for (const { order_id } of [cup, bowl]) await markPaid(shop, order_id);
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: bowl.product.id } },
    body: { name: 'Basin', price: '0.50' },
  });
  const again = await shop.givenOrder({ content: [{ variant_id: bowl.product.variants[0]?.id ?? '', quantity: 1 }] });
  await markPaid(shop, again.id);
  await shop.dashboard.DELETE('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: bowl.product.id } },
  });
  const other = await openShop();
  const { id } = await other.givenOrder();
  await markPaid(other, id);

  expect((await report(shop)).top_products).toMatchObject([
    { product_id: cup.product.id, name: 'Cup', quantity: 7, revenue: '21.00' },
    { product_id: null, name: 'Basin', quantity: 2, revenue: '20.50' },
  ]);
  await markPaid(shop, jug.order_id);
  expect((await report(shop)).top_products.map(({ name }) => name)).toEqual(['Jug', 'Cup', 'Basin']);
  for (let i = 0; i < 9; i += 1) await markPaid(shop, (await sell(`Plate ${i}`, '1.00', 1)).order_id);
  expect((await report(shop)).top_products).toHaveLength(10);
});

test('the sales report counts carts, carts with a checkout and carts with an order, but none for periods whose carts may be deleted', async () => {
  const shop = await openShop();
  await shop.givenCart();
  await shop.givenCart();
  await shop.givenCheckout();
  await shop.givenOrder();
  const { cart_id } = await shop.owner
    .query('select id as cart_id from commerce.carts where site_id = $1 limit 1', [shop.site_id])
    .then(({ rows }) => rows[0]);
  const { conversion } = await report(shop);
  expect(conversion).toEqual({ carts_count: 4, checkouts_count: 2, orders_count: 1 });
  await shop.owner.query('update commerce.carts set is_draft = true where site_id = $1 and id = $2', [
    shop.site_id,
    cart_id,
  ]);
  expect((await report(shop)).conversion).toMatchObject({ carts_count: 3 });

  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  expect((await report(shop, { from: day(35) })).conversion).toMatchObject({ carts_count: 3 });
  expect((await report(shop, { from: day(36) })).conversion).toBeNull();
  expect((await report(shop, { from: day(3), to: day(1) })).conversion).toMatchObject({ carts_count: 0 });
});

test('the sales report rejects invalid dates, a period that ends before it begins, and more than 366 days (422)', async () => {
  const shop = await openShop();
  const mistake = async (query: { from?: string; to?: string }) => {
    const { error, response } = await shop.dashboard.GET(PATH, { params: { query } });
    const [{ loc, msg } = { loc: [], msg: '' }] =
      (error as { detail?: { loc: unknown[]; msg: string }[] }).detail ?? [];
    return [response.status, loc.join('.'), msg];
  };
  expect(await mistake({ to: '2026-02-30' })).toEqual([422, 'query.to', 'No such day.']);
  expect(await mistake({ from: '30.11.2026' })).toEqual([422, 'query.from', 'Should be a day such as 2026-05-04.']);
  expect(await mistake({ from: '2026-05-02', to: '2026-05-01' })).toEqual([
    422,
    'query.from',
    'The first day must not be after the last day.',
  ]);
  expect(await mistake({ from: '2025-01-01', to: '2026-01-02' })).toEqual([422, 'query.from', 'At most 366 days.']);
  expect((await report(shop, { from: '2024-01-01', to: '2024-12-31' })).days).toHaveLength(366);
  const { days, current } = await report(shop, { to: '2026-05-30' });
  expect([days.length, current.from, current.to]).toEqual([30, '2026-05-01', '2026-05-30']);
});
