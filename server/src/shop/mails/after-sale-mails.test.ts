import { expect, test } from 'vitest';
import { givenVariant } from '../../../test/buying.ts';
import { mailsTo } from '../../../test/mail.ts';
import { givenShippedOrder } from '../../../test/returns.ts';
import { openShop } from '../../../test/shop.ts';

const draftsPath = '/api/dashboard/draft-orders';
const orderPath = '/api/dashboard/orders/{order_id}';

const HOME = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };

const plain = (html: string) => html.replaceAll(/\s|&nbsp;/gu, ' ');

type Shop = Awaited<ReturnType<typeof openShop>>;

async function newestTo(shop: Shop, email: string) {
  const mail = (await mailsTo(shop, email)).at(-1);
  if (!mail) throw new Error(`There is no mail to ${email}.`);
  return mail;
}

/** A shop in English with a product for 10.00 and a parcel for 4.90, and a customer. */
async function givenShop() {
  const shop = await openShop();
  const option = await shop.givenShippingOption({ name: 'Parcel', price: '4.90' });
  await shop.givenTerms({ prices_include_tax: false, tax_rates: [{ country: 'DE', rate: '0.19' }] });
  const { variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 50 });
  const customer = await shop.givenCustomer();
  return { shop, option, variant_id, customer };
}

async function send(shop: Shop, body: object): Promise<void> {
  const { data, error } = await shop.dashboard.POST(draftsPath, { body: body as never });
  if (!data) throw new Error(`The draft was refused: ${JSON.stringify(error)}`);
  const sent = await shop.dashboard.POST(`${draftsPath}/{draft_order_id}/send`, {
    params: { path: { draft_order_id: data.id } },
  });
  expect(sent.error).toBeUndefined();
}

test('the mail of an offer lists subtotal, discount, delivery and tax above the total', async () => {
  const { shop, option, variant_id } = await givenShop();
  const email = `offer-${crypto.randomUUID()}@example.com`;
  await send(shop, {
    ...{ email, lines: [{ variant_id, quantity: 4 }], discount: { type: 'percentage', value: '25' } },
    ...{ shipping_address: HOME, shipping_option_id: option.id },
  });
  const { html } = await newestTo(shop, email);
  // Four pieces cost 40.00. 40.00 − 10.00 discount + 4.90 for the parcel, plus 19 % tax on 30.00 and on 4.90: 5.70 and
  // 0.93.
  const rows = [...plain(html).matchAll(/<tr><th[^>]*>([^<]*)<\/th><td[^>]*>([^<]*)<\/td><\/tr>/g)].map(
    ([, name, amount]) => [name, amount],
  );
  expect(rows).toEqual([
    ['Subtotal', '€40.00'],
    ['Discount', '−€10.00'],
    ['Delivery', '€4.90'],
    ['Tax', '€6.63'],
    ['Total', '€41.53'],
  ]);
});

test("an offer uses the requested language, otherwise the customer's, otherwise the last order's, otherwise the shop's", async () => {
  const { shop, variant_id, customer } = await givenShop();
  const lines = [{ variant_id, quantity: 1 }];
  const subject = async () => (await newestTo(shop, customer.email)).subject;
  await send(shop, { customer_id: customer.id, email: customer.email, lines });
  expect(await subject()).toMatch(/^Your quote from /);
  const { client, email } = customer;
  const order = await shop.givenOrder({ client, email, content: [{ variant_id, quantity: 1 }] });
  await shop.owner.query(`update commerce.orders set locale = 'fr' where id = $1`, [order.id]);
  await send(shop, { customer_id: customer.id, email, lines });
  expect(await subject()).toMatch(/^Votre devis de /);
  await shop.owner.query(`update commerce.customers set locale = 'de' where id = $1`, [customer.id]);
  await send(shop, { customer_id: customer.id, email, lines });
  expect(await subject()).toMatch(/^Ihr Angebot von /);
  await send(shop, { customer_id: customer.id, email, lines, locale: 'en' });
  expect(await subject()).toMatch(/^Your quote from /);
});

test('the mail about a partial payment states the remaining amount, and the one about the last payment confirms full payment', async () => {
  const { shop, customer, variant_id } = await givenShop();
  const params = { path: { customer_id: customer.id } };
  await shop.dashboard.PATCH('/api/dashboard/customers/{customer_id}', { params, body: { payment_terms_days: 14 } });
  const { client, email } = customer;
  const content = [{ variant_id, quantity: 2 }];
  const order = await shop.givenOrder({ client, email, content, payment_method: 'invoice' });
  const total = Number(order.total);
  const pay = (amount: string) =>
    shop.dashboard.POST(`${orderPath}/payments`, { params: { path: { order_id: order.id } }, body: { amount } });
  const before = (await mailsTo(shop, email)).length;

  await pay('7.00');
  const part = await newestTo(shop, email);
  expect(part.subject).toBe(`We have received a part of your payment for order ${order.order_number}`);
  expect(plain(part.html)).toContain('We have received €7.00 for your order');
  expect(plain(part.html)).toContain(`€${(total - 7).toFixed(2)}`);

  // The mail about the second part is obsolete if the third part covers the rest.
  await pay('1.00');
  await pay((total - 8).toFixed(2));
  const whole = await newestTo(shop, email);
  expect(whole.subject).toBe(`We have received your payment for order ${order.order_number}`);
  expect(await mailsTo(shop, email)).toHaveLength(before + 2);
});

test('the mail about a completed return names its exchange order', async () => {
  const { shop, customer, given, receive } = await givenShippedOrder(2);
  const made = await given(1);
  await receive(made.id, made.lines[0]?.id ?? '', 1);
  const { variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 5 });
  const { data } = await shop.dashboard.POST('/api/dashboard/returns/{return_id}/exchange', {
    params: { path: { return_id: made.id } },
    body: { lines: [{ variant_id, quantity: 1 }] },
  });
  const mails = await mailsTo(shop, customer.email);
  const closed = mails.find(({ subject }) => subject === `Your return ${made.number} is complete`);
  expect(closed?.html).toContain(`about the exchange, order ${data?.order.order_number}.`);
});

test("the mail about a new order to the shop has no links to the shop's legal pages, and the mail to the customer has them", async () => {
  const { shop, variant_id } = await givenShop();
  const support_email = `shop-${crypto.randomUUID()}@example.com`;
  const legal = { terms_url: 'https://shop.example/terms', imprint_url: 'https://shop.example/imprint' };
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: { brand: { support_email }, legal, mail_new_orders: true },
  });
  const email = `buyer-${crypto.randomUUID()}@example.com`;
  await shop.givenOrder({ email, content: [{ variant_id, quantity: 1 }] });
  const toCustomer = await newestTo(shop, email);
  const toShop = await newestTo(shop, support_email);
  expect(toCustomer.html).toContain('https://shop.example/terms');
  expect(toCustomer.html).toContain('https://shop.example/imprint');
  expect(toShop.html).toContain(email);
  expect(toShop.html).not.toContain('https://shop.example/');
  expect(toShop.html).not.toContain('/withdraw');
});

test.each([
  ['de-AT', 'https://www.dhl.de/de/privatkunden/pakete-empfangen/verfolgen.html?piececode=00340'],
  ['fr', 'https://www.dhl.de/en/privatkunden/pakete-empfangen/verfolgen.html?piececode=00340'],
])(
  'the DHL tracking URL is in German for an order in German, and otherwise in English: %s',
  async (locale, tracking_url) => {
    const { shop, variant_id } = await givenShop();
    const order = await shop.givenOrder({ content: [{ variant_id, quantity: 1 }] });
    await shop.owner.query('update commerce.orders set locale = $2 where id = $1', [order.id, locale]);
    const at = { params: { path: { order_id: order.id } } };
    await shop.dashboard.POST(`${orderPath}/mark-paid`, at);
    const body = { carrier: 'DHL', tracking_number: '00340' };
    const { data } = await shop.dashboard.POST(`${orderPath}/fulfillments`, { ...at, body });
    expect(data?.fulfillment).toMatchObject({ tracking_url });
  },
);

test('the mail about a refund lists the refunded items and delivery costs, and the amount paid after refunds', async () => {
  const { shop, customer, order, line_item_id } = await givenShippedOrder(3);
  const params = { path: { order_id: order.id } };
  const refund = (body: object) =>
    shop.dashboard.POST(`${orderPath}/refunds`, { params, body: { reason: 'damaged', ...body } as never });
  await refund({ amount: '3.00' });
  const { error } = await refund({
    ...{ amount: '12.00', shipping: '2.00' },
    line_items: [{ line_item_id, quantity: 1, shipped: true }],
  });
  expect(error).toBeUndefined();

  const { html, subject } = await newestTo(shop, customer.email);

  // Three pieces for 10.00 and the parcel for 4.90 were paid: 34.90.
  expect(plain(subject)).toBe(`We have refunded €12.00 for order ${order.order_number}`);
  const mine = plain(html).slice(plain(html).indexOf('Your refund'));
  const rows = [...mine.matchAll(/<tr><th[^>]*>([^<]*)<\/th><td[^>]*>([^<]*)<\/td><\/tr>/g)].map((row) => row.slice(1));
  expect(rows.slice(0, 5)).toEqual([
    ['Paid', '€34.90'],
    ['Other refunds', '−€3.00'],
    ['This refund', '−€12.00'],
    ['Paid after refunds', '€19.90'],
    ['This refund contains delivery costs of', '€2.00'],
  ]);
  expect(mine.slice(0, mine.indexOf('Paid'))).toMatch(/>1 × /);
});
