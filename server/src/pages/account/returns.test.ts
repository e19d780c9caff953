import { expect, test } from 'vitest';
import { PaperBrowser, unescaped } from '../../../test/paper-browser.ts';
import { givenShippedOrder, POLICY } from '../../../test/returns.ts';

function textOf(html: string): string {
  return unescaped(html.replaceAll(/<[^>]*>/g, '')).replaceAll(/[\u00a0\u202f]/g, ' ');
}

type Given = Awaited<ReturnType<typeof givenShippedOrder>>;

/** The customer of a shipped order, logged in on the order's page in the account. */
async function givenVisitor({ shop, customer, order }: Given) {
  const browser = new PaperBrowser(shop.baseUrl);
  const path = `/account?site_id=${shop.site_id}&order=${order.id}`;
  const login = await browser.open(path);
  await browser.press(login, 'log_in', { email: customer.email, password: customer.password });
  return { browser, open: () => browser.open(path) };
}

test('a customer requests a return on the page of an order, sees its state, and cancels it', async () => {
  const given = await givenShippedOrder(3);
  const { shop, order, line_item_id, line, approve } = given;
  const { browser, open } = await givenVisitor(given);

  const page = await open();
  expect(textOf(page.html)).toContain('Return items');
  const sent = await browser.press(page, 'request_return', {
    [`quantity-${line_item_id}`]: '2',
    reason: 'does_not_fit',
    note: 'Too small.',
  });
  expect(textOf(sent.html)).toContain(`Return ${order.order_number}-R1: we are checking your request.`);
  const { data } = await shop.dashboard.GET('/api/dashboard/returns');
  expect(data?.returns).toMatchObject([
    { status: 'requested', created_by: 'customer', customer_note: 'Too small.', lines: [{ quantity: 2 }] },
  ]);
  await approve(data?.returns[0]?.id ?? '');
  const approved = await open();
  expect(textOf(approved.html)).toContain('The e-mail says where to send the items.');

  const cancelled = await browser.press(approved, 'cancel_return');
  expect(textOf(cancelled.html)).toContain(`Return ${order.order_number}-R1: cancelled.`);
  expect(await line()).toMatchObject({ returnable: 3 });
});

test('a return request without items or without a reason shows the missing field (422)', async () => {
  const given = await givenShippedOrder(2);
  const { line_item_id, shop } = given;
  const { browser, open } = await givenVisitor(given);

  const page = await open();
  const empty = await browser.press(page, 'request_return', {});
  expect([empty.response.status, textOf(empty.html)]).toEqual([
    422,
    expect.stringContaining('Choose at least one item.'),
  ]);
  const half = await browser.press(page, 'request_return', { [`quantity-${line_item_id}`]: '1' });
  expect([half.response.status, textOf(half.html)]).toEqual([422, expect.stringContaining('Choose a reason')]);
  expect((await shop.dashboard.GET('/api/dashboard/returns')).data?.total).toBe(0);
});

test('the order page offers no return after the period, for products that are not returnable, or without a return policy', async () => {
  const late = await givenShippedOrder(1);
  await late.shippedDaysAgo(15);
  const excluded = await givenShippedOrder(1, { returnable: false });
  const off = await givenShippedOrder(1);
  await off.shop.dashboard.PATCH('/api/dashboard/settings', {
    body: { return_policy: { enabled: false, window_days: 14 } },
  });

  for (const given of [late, excluded, off]) {
    const { open } = await givenVisitor(given);
    expect((await open()).html).not.toContain('request_return');
  }
});

test('a return request from an outdated page shows the order, and creates no return', async () => {
  const given = await givenShippedOrder(1);
  const { line_item_id, create, shop } = given;
  const { browser, open } = await givenVisitor(given);
  const page = await open();
  await create(1);

  const answer = await browser.press(page, 'request_return', { [`quantity-${line_item_id}`]: '1', reason: 'other' });

  expect(answer.response.status).toBe(200);
  expect(textOf(answer.html)).toContain('Your returns');
  expect((await shop.dashboard.GET('/api/dashboard/returns')).data?.total).toBe(1);
});

test('submitting a return form twice creates one return', async () => {
  const given = await givenShippedOrder(3);
  const { line_item_id, shop } = given;
  const { browser, open } = await givenVisitor(given);
  const page = await open();

  const entries = { [`quantity-${line_item_id}`]: '1', reason: 'other' };
  const answers = await Promise.all([1, 2].map(() => browser.press(page, 'request_return', entries)));

  expect(answers.map(({ response }) => response.status)).toEqual([200, 200]);
  expect((await shop.dashboard.GET('/api/dashboard/returns')).data?.total).toBe(1);
  await browser.press(await open(), 'request_return', entries);
  expect((await shop.dashboard.GET('/api/dashboard/returns')).data?.total).toBe(2);
});

test('rejects a return form that names no line of the order (422)', async () => {
  const given = await givenShippedOrder(1);
  const { browser, open } = await givenVisitor(given);

  const answer = await browser.press(await open(), 'request_return', {
    [`quantity-${'-'.repeat(36)}`]: '1',
    reason: 'other',
  });

  expect(answer.response.status).toBe(422);
});

test("the return form shows the shop's fee before a return is requested", async () => {
  const given = await givenShippedOrder(1);
  const { open } = await givenVisitor(given);
  expect(textOf((await open()).html)).not.toContain('We deduct');

  await given.shop.dashboard.PATCH('/api/dashboard/settings', { body: { return_policy: { ...POLICY, fee: '4.90' } } });

  expect(textOf((await open()).html)).toContain('We deduct €4.90 from the refund.');
});
