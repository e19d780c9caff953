import { expect, test } from 'vitest';
import { mailsTo } from '../../../test/mail.ts';
import { PaperBrowser, unescaped } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';

const CODE = '10115';

function textOf(html: string): string {
  return unescaped(html.replaceAll(/<[^>]*>/g, '')).replaceAll(/[\u00a0\u202f]/g, ' ');
}

/** A guest's shipped order of two pieces, and its page by the link in the mail about the parcel. */
async function givenShippedGuestOrder() {
  const shop = await openShop();
  const email = `june-${crypto.randomUUID()}@example.com`;
  const variant_id = (await shop.givenProduct()).variants[0]?.id ?? '';
  const order = await shop.givenOrder({ email, content: [{ variant_id, quantity: 2 }] });
  const at = { params: { path: { order_id: order.id } } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', at);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { ...at, body: {} });
  const { html = '' } = (await mailsTo(shop, email)).at(-1) ?? {};
  const [, link = ''] = /href="([^"]*\/orders\/ord_[0-9A-Za-z]{38})"/.exec(html) ?? [];
  const returns = async () => (await shop.dashboard.GET('/api/dashboard/returns')).data?.returns ?? [];
  const field = `quantity-${order.line_items[0]?.id}`;
  return { shop, order, email, link, returns, field, browser: new PaperBrowser(shop.baseUrl) };
}

test('a guest who enters the postal code requests and cancels a return with the link', async () => {
  const { order, email, shop, link, returns, field, browser } = await givenShippedGuestOrder();

  const shown = await browser.open(link);
  expect(shown.html).not.toContain('request_return');
  const known = await browser.press(shown, 'show_address', { proof: CODE });
  const empty = await browser.press(known, 'request_return', {});
  const sent = await browser.press(known, 'request_return', { [field]: '1', reason: 'damaged' });

  // Reloading the response sends the form again.
  await browser.press(known, 'request_return', { [field]: '1', reason: 'damaged' });

  expect([empty.response.status, textOf(empty.html)]).toEqual([422, expect.stringContaining('Choose a reason')]);
  expect(textOf(sent.html)).toContain(`Return ${order.order_number}-R1: we are checking your request.`);
  expect(await returns()).toMatchObject([{ status: 'requested', created_by: 'guest', lines: [{ quantity: 1 }] }]);
  expect((await mailsTo(shop, email)).at(-1)?.subject).toContain(`${order.order_number}-R1`);
  const cancelled = await browser.press(sent, 'cancel_return');
  expect(textOf(cancelled.html)).toContain(`Return ${order.order_number}-R1: cancelled.`);
});

test('without the postal code or e-mail, the link cannot request a return (422)', async () => {
  const { link, returns, field, browser } = await givenShippedGuestOrder();
  const shown = await browser.open(link);
  const known = await browser.press(shown, 'show_address', { proof: CODE });

  for (const proof of ['', '10116']) {
    const refused = await browser.press(known, 'request_return', { [field]: '1', reason: 'damaged', proof });
    expect(refused.response.status).toBe(422);
  }
  expect(await returns()).toEqual([]);
});

test('the link of one order cannot cancel a return of another', async () => {
  const one = await givenShippedGuestOrder();
  const { shop, browser } = one;
  const variant_id = (await shop.givenProduct()).variants[0]?.id ?? '';
  const other = await shop.givenOrder({ content: [{ variant_id, quantity: 1 }] });
  const at = { params: { path: { order_id: other.id } } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', at);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { ...at, body: {} });
  const line_item_id = other.line_items[0]?.id ?? '';
  const { data } = await shop.dashboard.POST('/api/dashboard/returns', {
    body: { order_id: other.id, lines: [{ line_item_id, quantity: 1, reason: 'other' }] },
  });
  const known = await browser.press(await browser.open(one.link), 'show_address', { proof: CODE });
  const sent = await browser.press(known, 'request_return', { [one.field]: '1', reason: 'damaged' });

  await browser.press(sent, 'cancel_return', { return: data?.id ?? '' });

  const states = (await one.returns()).map(({ order_number, status }) => `${order_number} ${status}`);
  expect(states.toSorted()).toEqual(
    [`${one.order.order_number} requested`, `${other.order_number} approved`].toSorted(),
  );
});
