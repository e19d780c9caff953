import { randomUUID } from 'node:crypto';
import { createDashboardClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { givenPaidOrder } from '../../test/buying.ts';
import { mailsTo } from '../../test/mail.ts';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';

const orderPath = '/api/dashboard/orders/{order_id}';
const shipPath = '/api/dashboard/orders/{order_id}/fulfillments';
const parcelPath = '/api/dashboard/orders/{order_id}/fulfillments/{fulfillment_id}';
const cancelPath = '/api/dashboard/orders/{order_id}/cancel';
const timelinePath = '/api/dashboard/orders/{order_id}/timeline';
const unknown = '0192f3a0-5555-7000-8000-00000000dead';
const AMSTERDAM = {
  first_name: 'June',
  last_name: 'Okafor',
  address1: 'Prinsengracht 263',
  city: 'Amsterdam',
  postal_code: '1016 GV',
  country: 'NL' as const,
};

type OpenShop = Awaited<ReturnType<typeof openShop>>;

function at(order_id: string) {
  return { params: { path: { order_id } } };
}

async function givenParcel(shop: OpenShop, order_id: string, body = {}) {
  const { data } = await shop.dashboard.POST(shipPath, { ...at(order_id), body });
  if (!data) throw new Error('The order was not shipped.');
  return data.fulfillment;
}

function correct({ dashboard }: OpenShop, order_id: string, fulfillment_id: string, body: object) {
  return dashboard.PATCH(parcelPath, { params: { path: { order_id, fulfillment_id } }, body });
}

test('a correction changes the e-mail address, phone number and addresses of an order, but no amount', async () => {
  const shop = await openShop();
  const order = await givenPaidOrder(shop);
  const email = `${randomUUID()}@example.com`;
  const change = {
    email,
    phone: '+31201234567',
    shipping_address: AMSTERDAM,
    billing_address: { ...AMSTERDAM, company: 'Okafor BV' },
  };

  const { data } = await shop.dashboard.PATCH(orderPath, { ...at(order.id), body: change });

  expect(data).toMatchObject({ ...change, total: order.total, tax: order.tax, line_items: order.line_items });
  const { data: timeline } = await shop.dashboard.GET(timelinePath, at(order.id));
  expect(timeline?.entries[0]).toMatchObject({
    type: 'updated',
    message: 'Changed: email, phone, shipping address, billing address.',
  });
  await givenParcel(shop, order.id);
  const [shipped] = (await mailsTo(shop, email)).filter(({ subject }) => subject.includes('on its way'));
  expect(shipped).toBeDefined();
});

test('null removes the billing address of an order, and omitted fields stay unchanged', async () => {
  const shop = await openShop();
  const order = await givenPaidOrder(shop);
  await shop.dashboard.PATCH(orderPath, {
    ...at(order.id),
    body: { billing_address: AMSTERDAM, phone: '+31201234567' },
  });

  const { data } = await shop.dashboard.PATCH(orderPath, { ...at(order.id), body: { billing_address: null } });

  expect(data).toMatchObject({
    billing_address: null,
    phone: '+31201234567',
    email: order.email,
    shipping_address: order.shipping_address,
  });
});

test('rejects an incomplete delivery address with each missing field (422), and changes nothing', async () => {
  const shop = await openShop();
  const order = await givenPaidOrder(shop);
  const shipping_address = { first_name: 'June', address1: 'Prinsengracht 263', country: 'NL' as const };

  const { error, response } = await shop.dashboard.PATCH(orderPath, {
    ...at(order.id),
    body: { shipping_address, staff_note: 'Moved' },
  });

  expect(response.status).toBe(422);
  expect(error).toMatchObject({
    detail: [
      { loc: ['body', 'shipping_address', 'last_name'], msg: 'Delivery needs a valid last name.' },
      { loc: ['body', 'shipping_address', 'city'] },
      { loc: ['body', 'shipping_address', 'postal_code'] },
    ],
  });
  const { data } = await shop.dashboard.GET(orderPath, at(order.id));
  expect(data).toMatchObject({ staff_note: null, shipping_address: order.shipping_address });
});

test('the delivery address can change until everything is shipped, but not in a cancelled order (409)', async () => {
  const shop = await openShop();
  const { id, line_items } = await givenPaidOrder(shop, {
    content: [{ variant_id: await variantOf(shop), quantity: 2 }],
  });
  const cancelled = await shop.givenOrder();
  await shop.dashboard.POST(cancelPath, { ...at(cancelled.id), body: { reason: 'customer' } });
  const body = { shipping_address: AMSTERDAM };
  await givenParcel(shop, id, { items: [{ line_item_id: line_items[0]?.id ?? '', quantity: 1 }] });

  const between = await shop.dashboard.PATCH(orderPath, { ...at(id), body });
  await givenParcel(shop, id);
  const after = await shop.dashboard.PATCH(orderPath, { ...at(id), body });
  const ended = await shop.dashboard.PATCH(orderPath, { ...at(cancelled.id), body });

  expect(between.data?.shipping_address).toMatchObject(AMSTERDAM);
  expect([after.response.status, after.error?.message]).toEqual([
    409,
    'Everything has been shipped. The delivery address cannot be changed any more.',
  ]);
  expect([ended.response.status, ended.error?.message]).toEqual([
    409,
    'The order is cancelled. The delivery address cannot be changed any more.',
  ]);
});

async function variantOf(shop: OpenShop): Promise<string> {
  const { variants } = await shop.givenProduct();
  return variants[0]?.id ?? '';
}

test('a tracking number without a URL links to the tracking page of a known carrier', async () => {
  const shop = await openShop();
  const { id } = await givenPaidOrder(shop);
  const known = await givenParcel(shop, id, { carrier: 'Royal Mail', tracking_number: 'RM 12/3' });

  expect(known.tracking_url).toBe('https://www.royalmail.com/track-your-item#/tracking-results/RM12%2F3');
  for (const carrier of ['Bicycle courier', 'constructor', '']) {
    const { data } = await correct(shop, id, known.id, { carrier });
    expect(data?.fulfillment).toMatchObject({ carrier, tracking_number: 'RM 12/3', tracking_url: null });
  }
});

test('correcting the tracking of a parcel mails the customer again only with `notify`', async () => {
  const shop = await openShop();
  const email = `${randomUUID()}@example.com`;
  const { id } = await givenPaidOrder(shop, { email });
  const { id: parcel } = await givenParcel(shop, id, { carrier: 'DHL', tracking_number: 'WRONG-1' });
  const shippedMails = async () =>
    (await mailsTo(shop, email)).filter(({ subject }) => subject.includes('on its way')).map(({ html }) => html);
  const [first] = await shippedMails();

  const quiet = await correct(shop, id, parcel, { tracking_number: 'RIGHT-2' });
  const afterQuiet = await shippedMails();
  await correct(shop, id, parcel, { carrier: 'UPS', notify: true });
  const [, second] = await shippedMails();

  expect(quiet.data?.fulfillment).toMatchObject({
    carrier: 'DHL',
    tracking_number: 'RIGHT-2',
    tracking_url: 'https://www.dhl.de/en/privatkunden/pakete-empfangen/verfolgen.html?piececode=RIGHT-2',
  });
  const { data: order } = await shop.dashboard.GET(orderPath, at(id));
  const tracking_url = 'https://www.ups.com/track?tracknum=RIGHT-2';
  expect(order).toMatchObject({
    tracking_number: 'RIGHT-2',
    tracking_url,
    fulfillments: [{ carrier: 'UPS', tracking_url }],
  });
  const { data: timeline } = await shop.dashboard.GET(timelinePath, at(id));
  expect(timeline?.entries.slice(0, 2)).toMatchObject([
    { type: 'updated', message: 'The tracking was changed.', context: { carrier: 'UPS', tracking_number: 'RIGHT-2' } },
    { type: 'updated', context: { carrier: 'DHL', tracking_number: 'RIGHT-2' } },
  ]);
  expect(first).toContain('WRONG-1');
  expect(afterQuiet).toHaveLength(1);
  expect(second).toContain(tracking_url);
});

test('after an earlier parcel is corrected, the order still shows the tracking of its last tracked parcel', async () => {
  const shop = await openShop();
  const { id, line_items } = await givenPaidOrder(shop, {
    content: [{ variant_id: await variantOf(shop), quantity: 2 }],
  });
  const items = [{ line_item_id: line_items[0]?.id ?? '', quantity: 1 }];
  const first = await givenParcel(shop, id, { items, tracking_number: 'FIRST' });
  const second = await givenParcel(shop, id, { items, tracking_number: 'SECOND' });

  const early = await correct(shop, id, first.id, { tracking_number: 'FIRST-B' });
  const removed = await correct(shop, id, second.id, { tracking_number: null });

  expect(early.data?.order.tracking_number).toBe('SECOND');
  expect(removed.data?.order.tracking_number).toBe('FIRST-B');
});

test('returns 404 for a parcel of another order or shop', async () => {
  const shop = await openShop();
  const stranger = await openShop();
  const { id } = await givenPaidOrder(shop);
  const other = await givenPaidOrder(shop);
  const parcel = await givenParcel(shop, id, { tracking_number: 'MINE' });

  const answers = await Promise.all([
    correct(shop, other.id, parcel.id, { tracking_number: 'THEIRS' }),
    correct(shop, id, unknown, { tracking_number: 'THEIRS' }),
    correct(stranger, id, parcel.id, { tracking_number: 'THEIRS' }),
  ]);

  expect(answers.map(({ response }) => response.status)).toEqual([404, 404, 404]);
  const { data } = await shop.dashboard.GET(orderPath, at(id));
  expect(data?.fulfillments[0]?.tracking_number).toBe('MINE');
});

test('sending unchanged tracking data records no change', async () => {
  const shop = await openShop();
  const { id } = await givenPaidOrder(shop);
  const parcel = await givenParcel(shop, id, { carrier: 'DHL', tracking_number: '0034' });
  const { data: before } = await shop.dashboard.GET(timelinePath, at(id));

  const { response } = await correct(shop, id, parcel.id, { carrier: 'DHL', tracking_number: '0034' });

  expect(response.status).toBe(200);
  const { data: after } = await shop.dashboard.GET(timelinePath, at(id));
  expect(after).toEqual(before);
});

test('rejects a delivery address for an order without delivery (409)', async () => {
  const shop = await openShop();
  const { id } = await givenPaidOrder(shop);
  await shop.owner.query('update commerce.orders set shipping_address = null where id = $1', [id]);

  const { response, error } = await shop.dashboard.PATCH(orderPath, {
    ...at(id),
    body: { shipping_address: AMSTERDAM },
  });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({
    error: 'conflict',
    message: expect.stringContaining('Nothing of this order is delivered'),
  });
});

test('rejects notifying the customer of an order without an e-mail address (409), and changes nothing', async () => {
  const shop = await openShop();
  const { id } = await givenPaidOrder(shop);
  const parcel = await givenParcel(shop, id, { tracking_number: 'BEFORE' });
  await shop.owner.query('update commerce.orders set email = null where id = $1', [id]);

  const { response } = await correct(shop, id, parcel.id, { tracking_number: 'AFTER', notify: true });

  expect(response.status).toBe(409);
  const { data } = await shop.dashboard.GET(orderPath, at(id));
  expect(data?.fulfillments[0]?.tracking_number).toBe('BEFORE');
});

test.each([
  ['an invalid phone number of an order', 'order', { phone: '12' }],
  ['an e-mail address without a domain', 'order', { email: 'june' }],
  ['an empty tracking correction', 'parcel', {}],
  ['a tracking URL that is not http or https', 'parcel', { tracking_url: 'javascript:alert(1)' }],
] as const)('rejects %s (422), and changes nothing', async (_what, kind, body) => {
  const shop = await openShop();
  const { id } = await givenPaidOrder(shop);
  const parcel = await givenParcel(shop, id, { tracking_number: 'BEFORE' });
  const { data: before } = await shop.dashboard.GET(orderPath, at(id));

  const { response } =
    kind === 'order'
      ? await shop.dashboard.PATCH(orderPath, { ...at(id), body })
      : await correct(shop, id, parcel.id, body);

  expect(response.status).toBe(422);
  expect((await shop.dashboard.GET(orderPath, at(id))).data).toEqual(before);
});

test('a correction needs the scope orders:write (403) and the current version (412)', async () => {
  const shop = await openShop();
  const { id } = await givenPaidOrder(shop);
  const parcel = await givenParcel(shop, id, { tracking_number: 'BEFORE' });
  const { staff } = await logIn(shop);
  const { data: key } = await staff.POST('/api/dashboard/api-keys', {
    body: { description: 'Reader', scopes: ['read'] },
  });
  const reader = createDashboardClient({ baseUrl: shop.baseUrl, apiKey: key?.secret ?? '', maxAttempts: 1 });
  const path = { order_id: id, fulfillment_id: parcel.id };
  const body = { tracking_number: 'AFTER' };
  const old = { 'If-Match': '"0192f3a0-5555-7000-8000-00000000dead"' };

  const statuses = await Promise.all([
    reader.PATCH(orderPath, { ...at(id), body: { phone: null } }),
    reader.PATCH(parcelPath, { params: { path }, body }),
    shop.dashboard.PATCH(orderPath, { params: { path: { order_id: id }, header: old }, body: { phone: null } }),
    shop.dashboard.PATCH(parcelPath, { params: { path, header: old }, body }),
  ]).then((answers) => answers.map(({ response }) => response.status));

  expect(statuses).toEqual([403, 403, 412, 412]);
});
