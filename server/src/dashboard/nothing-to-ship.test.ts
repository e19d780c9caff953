import { expect, test } from 'vitest';
import { givenVariant } from '../../test/buying.ts';
import { mailsTo } from '../../test/mail.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';
import { matched, moveToEu, withdraw } from '../../test/withdrawals.ts';

const ORDER = '/api/dashboard/orders/{order_id}';
const STREET = 'Lindenallee 7';

type OpenShop = Awaited<ReturnType<typeof openShop>>;
type Given = Parameters<OpenShop['givenOrder']>[0];

/** Places an order for two vouchers at 10.00 that are not shipped, and optionally for mugs. */
async function givenOrder({
  shop: given,
  mugs = 0,
  price = '10.00',
  ...patch
}: Given & { shop?: OpenShop; mugs?: number; price?: string; card_token?: string } = {}) {
  const shop = given ?? (await openShop());
  const email = `jo-${crypto.randomUUID()}@example.com`;
  const voucher = await givenVariant(shop, { name: 'Voucher', price, requires_shipping: false });
  const mug = await givenVariant(shop, { name: 'Mug', price: '7.00' });
  const content = [{ variant_id: voucher.variant_id, quantity: 2 }];
  if (mugs > 0) content.push({ variant_id: mug.variant_id, quantity: mugs });
  const order = await shop.givenOrder({ email, content, ...(mugs === 0 && { shipping_option_id: null }), ...patch });
  const at = { params: { path: { order_id: order.id } } };
  const details = async () => (await shop.dashboard.GET(ORDER, at)).data;
  const markPaid = () => shop.dashboard.POST(`${ORDER}/mark-paid`, at);
  return { shop, email, order, at, details, markPaid, mug, voucher };
}

const FULFILLED = { status: 'processing', payment_status: 'paid', fulfillment_status: 'fulfilled' };

test('an order with nothing to ship is fulfilled when its transfer arrives, and its mails mention no parcel', async () => {
  const { shop, email, details, markPaid, at } = await givenOrder();
  expect(await details()).toMatchObject({ payment_status: 'awaiting_payment', fulfillment_status: 'unfulfilled' });

  const { data } = await markPaid();

  expect(data).toMatchObject(FULFILLED);
  const order = await details();
  expect(order).toMatchObject({ ...FULFILLED, line_states: [{ fulfilled: 2, to_fulfill: 0 }] });
  expect(order?.fulfillments).toMatchObject([{ carrier: null, tracking_number: null, items: [{ quantity: 2 }] }]);
  const timeline = await shop.dashboard.GET(`${ORDER}/timeline`, at);
  const types = timeline.data?.entries.map(({ type }) => type);
  expect(types?.toSorted()).toEqual(['created', 'fulfilled', 'payment_confirmed']);
  const mails = await mailsTo(shop, email);
  expect(mails).toHaveLength(2);
  for (const { html } of mails) {
    expect(html).not.toMatch(/parcel|on its way|send the goods|Delivery address/);
    expect(html).not.toContain(STREET);
  }
});

test('card and free orders with nothing to ship are fulfilled in the response to the checkout completion', async () => {
  const shop = await openShop();
  const byCard = await givenOrder({ shop, payment_method: 'card', card_token: 'tok_success' });
  const free = await givenOrder({ shop, price: '0.00' });

  expect(byCard.order).toMatchObject(FULFILLED);
  expect(free.order).toMatchObject(FULFILLED);
  expect(await free.details()).toMatchObject({ ...FULFILLED, total: '0.00', line_states: [{ to_fulfill: 0 }] });
});

test('a paid order of vouchers and goods is not fulfilled until an edit removes the goods', async () => {
  const { shop, email, details, markPaid, at, order } = await givenOrder({ mugs: 1 });
  await markPaid();
  expect(await details()).toMatchObject({ status: 'confirmed', fulfillment_status: 'unfulfilled' });
  expect((await mailsTo(shop, email))[0]?.html).toContain(STREET);

  const change = [{ line_item_id: order.line_items[1]?.id ?? '', quantity: 0 }];
  const edited = await shop.dashboard.POST(`${ORDER}/edit`, { ...at, body: { change, expected_total: '24.90' } });

  expect(edited.data?.order).toMatchObject({ ...FULFILLED, total: '24.90', refund_due: '7.00' });
});

test('a paid order of vouchers is not fulfilled if an edit has added goods', async () => {
  const { shop, details, markPaid, at, mug } = await givenOrder();
  const add = [{ variant_id: mug.variant_id, quantity: 1 }];
  await shop.dashboard.POST(`${ORDER}/edit`, { ...at, body: { add, expected_total: '27.00' } });

  await markPaid();

  expect(await details()).toMatchObject({ payment_status: 'paid', fulfillment_status: 'unfulfilled' });
});

test('changing a product after the purchase does not change whether the order needs shipping', async () => {
  const { shop, markPaid, voucher } = await givenOrder();
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: voucher.product.id } },
    body: { requires_shipping: true },
  });

  expect((await markPaid()).data).toMatchObject(FULFILLED);
});

test('eight parallel payment confirmations fulfil an order once', async () => {
  const { details, markPaid } = await givenOrder();

  const all = await Promise.all(Array.from({ length: 8 }, markPaid));

  expect(all.map(({ response }) => response.status)).toEqual(Array(8).fill(200));
  expect((await details())?.fulfillments).toHaveLength(1);
});

test('reinstating a late-paid order with nothing to ship fulfils the order once', async () => {
  const { shop, details, at } = await givenOrder();
  await shop.owner.query(
    `update commerce.orders set payment_due_at = now() - interval '1 day' where site_id = '${shop.site_id}'`,
  );
  await shop.dashboard.POST(`${ORDER}/payments`, { ...at, body: { amount: '20.00' } });

  const { data } = await shop.dashboard.POST(`${ORDER}/reinstate`, { ...at, body: {} });

  expect(data).toMatchObject(FULFILLED);
  expect((await details())?.fulfillments).toHaveLength(1);
});

test('the mail about vouchers that are fulfilled before payment mentions no parcel', async () => {
  const { shop, email, at } = await givenOrder({ payment_method: 'card', card_token: 'tok_authorized' });
  const { data } = await shop.dashboard.POST(`${ORDER}/fulfillments`, { ...at, body: {} });
  expect(data?.order.fulfillment_status).toBe('fulfilled');

  const { subject, html = '' } = (await mailsTo(shop, email)).at(-1) ?? {};

  expect(subject).toMatch(/^Your order \d+ is complete$/);
  expect(html).toContain('2 of 2');
  expect(html).not.toMatch(/parcel|on its way/);
});

test('the page of an order of vouchers shows no parcel and no delivery address', async () => {
  const { shop, email, markPaid } = await givenOrder();
  await markPaid();
  const { html: mail = '' } = (await mailsTo(shop, email)).at(-1) ?? {};
  const [, link = ''] = /href="([^"]*\/orders\/ord_[0-9A-Za-z]{38})"/.exec(mail) ?? [];

  const { html } = await new PaperBrowser(shop.baseUrl).open(link);

  expect(html).toContain('Voucher');
  expect(html).not.toMatch(/Parcel|Delivery address|not sent yet/);
});

test('a withdrawal from an order of vouchers needs no return shipment, and can be refunded immediately', async () => {
  const shop = await openShop();
  await moveToEu(shop);
  const { email, order, markPaid } = await givenOrder({ shop });
  await markPaid();

  await withdraw(shop, { email, contract: order.order_number });
  const [withdrawal] = await matched(shop);

  const of = { params: { path: { return_id: withdrawal?.return_id ?? '' } } };
  const { data } = await shop.dashboard.GET('/api/dashboard/returns/{return_id}', of);
  expect(data).toMatchObject({ kind: 'withdrawal', status: 'approved', keep_goods: true });
  const refunded = await shop.dashboard.POST('/api/dashboard/returns/{return_id}/refund', { ...of, body: {} });
  expect(refunded.data?.refund).toMatchObject({ amount: '20.00', status: 'succeeded' });
});
