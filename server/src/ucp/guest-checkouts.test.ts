import { afterAll, expect, test } from 'vitest';
import { ordersOf } from '../../test/buying.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';
import { publishProfile, type UcpBody, ucpClient } from '../../test/ucp.ts';

const [agent, stranger] = [await publishProfile(), await publishProfile()];
afterAll(() => Promise.all([agent.close(), stranger.close()]));

const HOME = {
  ...{ first_name: 'June', last_name: 'Okafor', street_address: 'Lindenallee 7', address_locality: 'Berlin' },
  ...{ postal_code: '10115', address_country: 'DE' },
};
const ELSEWHERE = { ...HOME, street_address: 'Hafenstr. 1', address_locality: 'Hamburg', postal_code: '20095' };

/** Opens a shop and a checkout that a guest agent has filled in, except for the payment method. */
async function openGuest() {
  const shop = await openShop();
  const { id: selected_option_id } = await shop.givenTerms({ default_tax_rate: '0' });
  const product = await shop.givenProduct({ price: '14.00' });
  const issuer = `${shop.baseUrl}/sites/${shop.site_id}`;
  const mine = ucpClient({ issuer, profile: agent.url });
  const other = ucpClient({ issuer, profile: stranger.url });
  const wish = (quantity: number, destination = HOME, email = 'june@example.com') => ({
    line_items: [{ item: { id: product.variants[0]?.id ?? '' }, quantity }],
    buyer: { email },
    fulfillment: {
      methods: [{ type: 'shipping', destinations: [destination], groups: [{ id: 'all', selected_option_id }] }],
    },
  });
  const made = await mine.call('create_checkout', '', { body: wish(1) });
  const browser = new PaperBrowser(shop.baseUrl);
  const params = { path: { checkout_id: made.id } };
  return { shop, mine, other, wish, made, browser, url: made.continue_url ?? '', params };
}

function codesIn({ messages = [] }: UcpBody) {
  return messages.map(({ code, path }) => [code, path]);
}

test('a guest agent cannot read or change the buyer data after the buyer has submitted the page', async () => {
  const { shop, mine, wish, made, browser, url } = await openGuest();
  expect(made).toMatchObject({ buyer: { email: 'june@example.com' } });
  const form = await browser.open(url);
  const review = await browser.press(form, 'save', { email: 'ada@example.com', payment_method: 'bank_transfer' });
  expect(review.html).toContain('value="place_order"');

  const read = await mine.call('get_checkout', made.id);
  expect(JSON.stringify(read)).not.toMatch(/ada@example|june@example|Lindenallee/);
  const changed = await mine.call('update_checkout', made.id, { body: wish(2, ELSEWHERE, 'mallory@example.com') });
  expect(changed).toMatchObject({ status: 'requires_escalation', line_items: [{ quantity: 2 }] });
  expect(codesIn(changed)).toEqual(
    expect.arrayContaining([
      ['buyer_data_locked', '$.buyer'],
      ['buyer_data_locked', '$.fulfillment.methods[0].destinations[0]'],
    ]),
  );
  expect(JSON.stringify(changed)).not.toMatch(/ada@example|Lindenallee/);
  const kept = await mine.call('cancel_checkout', made.id);
  expect(kept).toMatchObject({ status: 'requires_escalation' });
  expect(codesIn(kept)).toContainEqual(['buyer_data_locked', undefined]);
  const cart = await mine.call('cancel_cart', await cartOf(shop, made.id));
  expect(cart).toMatchObject({ ucp: { status: 'error' }, messages: [{ code: 'buyer_data_locked' }] });

  // The buyer has reviewed a quantity of one.
  const again = await browser.press(review, 'place_order');
  expect(again.response.status).toBe(409);
  expect((await browser.press(again, 'place_order')).html).toContain('Order number');
  expect(await ordersOf(shop)).toMatchObject([
    { email: 'ada@example.com', shipping_address: { address1: 'Lindenallee 7' }, source: 'agent' },
  ]);
});

test('if a guest agent changes the address while the review is open, the page shows the change and places no order', async () => {
  const { shop, mine, wish, made, browser, url, params } = await openGuest();
  await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
    params,
    body: { payment_method: 'bank_transfer' },
  });
  const review = await browser.open(url);
  await mine.call('update_checkout', made.id, { body: wish(1, ELSEWHERE) });
  const again = await browser.press(review, 'place_order');
  expect(again.html).toContain('Changed: Deliver to.');
  expect(await ordersOf(shop)).toEqual([]);
});

test("a guest agent's checkout can only be completed on its page, and the order has the source `agent`", async () => {
  const { shop, browser, url, params } = await openGuest();
  const { data: ready } = await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
    params,
    body: { payment_method: 'bank_transfer' },
  });
  expect(ready).toMatchObject({ status: 'requires_escalation', missing: [] });
  const customer = await shop.givenCustomer();
  for (const client of [shop.storefront, customer.client]) {
    const { error } = await client.POST('/api/storefront/checkout/{checkout_id}/complete', {
      params,
      body: { ...(ready?.review_token && { expected: ready.review_token }) },
    });
    expect(error).toMatchObject({ error: 'human_confirmation_required' });
  }
  expect(await ordersOf(shop)).toEqual([]);
  expect((await browser.press(await browser.open(url), 'place_order')).html).toContain('Order number');
  expect(await ordersOf(shop)).toMatchObject([{ source: 'agent' }]);
});

test("a guest agent cannot access carts and checkouts of other agents' profiles or carts of people", async () => {
  const { shop, mine, other, wish, made } = await openGuest();
  const cart = await cartOf(shop, made.id);
  const { id: theirs } = await shop.givenCart();
  const notFound = { ucp: { status: 'error' }, messages: [{ code: 'not_found' }] };
  for (const answer of [
    await other.call('get_checkout', made.id),
    await other.call('update_checkout', made.id, { body: wish(1, ELSEWHERE) }),
    await other.call('cancel_checkout', made.id),
    await other.call('get_cart', cart),
    await other.call('update_cart', cart, { body: { line_items: wish(3).line_items } }),
    await other.call('cancel_cart', cart),
    await other.call('create_checkout', '', { body: { cart_id: cart } }),
    await mine.call('get_cart', theirs),
  ]) {
    expect(answer).toMatchObject(notFound);
  }
  expect(await mine.call('get_checkout', made.id)).toMatchObject({ line_items: [{ quantity: 1 }] });
});

async function cartOf({ owner }: Awaited<ReturnType<typeof openShop>>, checkout_id: string): Promise<string> {
  const { rows } = await owner.query<{ cart_id: string }>('select cart_id from commerce.checkouts where id = $1', [
    checkout_id,
  ]);
  return rows[0]?.cart_id ?? '';
}
