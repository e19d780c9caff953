import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';

async function openScene(wish: Parameters<typeof givenAgent>[2] = {}) {
  const shop = await openShop();
  await shop.givenShippingOption({ name: 'Standard', price: '4.90', countries: ['DE'] });
  await shop.givenShippingOption({ name: 'Express', price: '9.90', countries: ['DE'] });
  const customer = await shop.givenCustomer();
  const token = await givenAgent(shop, customer, wish);
  return { shop, customer, ...token };
}

const IN_BERLIN = { last_name: 'Weber', address1: 'Torstr. 1', city: 'Berlin', postal_code: '10119', country: 'DE' };

test('an agent can fill and change a cart, apply a discount code, choose a shipping option and cancel the checkout', async () => {
  const { shop, agent } = await openScene();
  await shop.givenDiscount({ code: 'TENOFF', kind: 'percentage', value: '10' });
  const mug = await shop.givenProduct({ name: 'Oak mug', price: '10.00', inventory_quantity: 20 });
  const tray = await shop.givenProduct({ name: 'Oak tray', price: '30.00', inventory_quantity: 20 });
  const created = await agent.POST('/api/agent/carts', { body: {} });
  expect([created.response.status, created.data]).toMatchObject([201, { cart: { items: [], total: '0.00' } }]);
  const cart_id = created.data?.cart.id ?? '';
  const path = { cart_id };
  const add = (variant_id = '', quantity = 1) =>
    agent.POST('/api/agent/carts/{cart_id}/items', { params: { path }, body: { variant_id, quantity } });

  await add(mug.variants[0]?.id, 3);
  const { data: filled } = await add(tray.variants[0]?.id);
  const [first, second] = filled?.cart.items ?? [];
  expect(filled).toMatchObject({ cart: { total: '60.00' }, budget: { budget_remaining_cents: 10_000 } });
  const ofLine = (line_item_id = '') => ({ params: { path: { cart_id, line_item_id } } });
  const line = '/api/agent/carts/{cart_id}/items/{line_item_id}';
  const { data: fewer } = await agent.PATCH(line, { ...ofLine(first?.id), body: { quantity: 2 } });
  const { data: without } = await agent.DELETE(line, ofLine(second?.id));
  expect([fewer?.cart.total, without?.cart.total, without?.cart.items.length]).toEqual(['50.00', '20.00', 1]);
  const discounts = '/api/agent/carts/{cart_id}/discounts';
  const { data: cheaper } = await agent.POST(discounts, { params: { path }, body: { code: ' tenoff ' } });
  const { data: dearer } = await agent.DELETE(discounts, { params: { path } });
  expect([cheaper?.cart.discount, dearer?.cart.discount]).toEqual(['2.00', '0.00']);
  const { error: unknownCode } = await agent.POST(discounts, { params: { path }, body: { code: 'NOPE' } });
  expect(unknownCode).toMatchObject({ error: 'discount_not_found', next_operation: 'agent.applyDiscount' });

  const ways = '/api/agent/carts/{cart_id}/shipping-options';
  const { error: nowhere } = await agent.GET(ways, { params: { path } });
  const { data: options } = await agent.GET(ways, { params: { path, query: { country: 'DE' } } });
  const { data: none } = await agent.GET(ways, { params: { path, query: { country: 'FR' } } });
  expect(nowhere).toMatchObject({ detail: [{ loc: ['query', 'country'], type: 'missing' }], next: expect.any(String) });
  expect(options?.shipping_options.map(({ price, content }) => [content.name, price])).toEqual([
    ['Standard', '4.90'],
    ['Express', '9.90'],
  ]);
  expect(none).toMatchObject({ shipping_options: [], warnings: [{ code: 'address_undeliverable' }] });

  const prepare = (body = {}) => agent.POST('/api/agent/checkouts', { body: { cart_id, ...body } });
  const { data: cheapest } = await prepare({ shipping_address: IN_BERLIN });
  const { data: express } = await prepare({ shipping_option_id: options?.shipping_options[1]?.id });
  const { data: kept } = await prepare();
  expect([cheapest, express, kept].map((one) => one?.checkout.totals.total)).toEqual(['24.90', '29.90', '29.90']);
  expect(kept).toMatchObject({
    checkout: { id: cheapest?.checkout.id, status: 'requires_escalation' },
    checkout_url: expect.stringContaining('/checkout/chk_'),
    budget: { budget_pending_cents: 2990 },
  });
  const { data: listed } = await agent.GET('/api/agent/carts');
  expect(listed).toMatchObject({ carts: [{ id: cart_id, total: '20.00' }], total: 1, pages: 1 });
  const checkout_id = kept?.checkout.id ?? '';
  const cancel = () => agent.POST('/api/agent/checkouts/{checkout_id}/cancel', { params: { path: { checkout_id } } });
  const { data: cancelled } = await cancel();
  expect(cancelled).toMatchObject({ checkout: { status: 'cancelled' }, checkout_url: null });
  expect([cancelled?.budget.budget_pending_cents, (await cancel()).response.status]).toEqual([0, 200]);
  const { data: audit } = await agent.GET('/api/agent/audit/me', { params: { query: { limit: 100 } } });
  expect(audit?.audit_events.filter(({ action }) => action === 'agent.cancelCheckout')).toHaveLength(2);
});

test('an agent gets 404 for the carts and checkouts of another agent of the same customer', async () => {
  const { shop, customer, agent } = await openScene();
  const { variants } = await shop.givenProduct({ inventory_quantity: 5 });
  const { agent: other } = await givenAgent(shop, customer);
  const { data } = await other.POST('/api/agent/carts', { body: {} });
  const cart_id = data?.cart.id ?? '';
  const body = { variant_id: variants[0]?.id ?? '', quantity: 1 };
  await other.POST('/api/agent/carts/{cart_id}/items', { params: { path: { cart_id } }, body });
  const { data: prepared } = await other.POST('/api/agent/checkouts', { body: { cart_id } });
  const checkout_id = prepared?.checkout.id ?? '';

  const answers = [
    await agent.POST('/api/agent/carts/{cart_id}/items', { params: { path: { cart_id } }, body }),
    await agent.POST('/api/agent/carts/{cart_id}/discounts', { params: { path: { cart_id } }, body: { code: 'A' } }),
    await agent.POST('/api/agent/checkouts', { body: { cart_id } }),
    await agent.POST('/api/agent/checkouts/{checkout_id}/cancel', { params: { path: { checkout_id } } }),
  ];

  expect(answers.map(({ response }) => response.status)).toEqual([404, 404, 404, 404]);
  expect((await agent.GET('/api/agent/carts')).data).toMatchObject({ carts: [], total: 0 });
});

test('the shop profile for agents contains categories, delivery countries and legal texts', async () => {
  const { shop, agent } = await openScene({ categories: ['Kitchen'] });
  await shop.givenProduct({ product_type: 'Kitchen' });
  await shop.givenProduct({ product_type: 'Kitchen' });
  await shop.givenProduct({ product_type: 'Lamps' });
  await shop.givenProduct({ product_type: 'Hidden', status: 'draft' });
  const { data, error } = await agent.GET('/api/agent/shop');

  expect(error).toBeUndefined();
  expect(data).toMatchObject({
    site_id: shop.site_id,
    currency: 'EUR',
    allowed_categories: ['Kitchen'],
    delivery: { everywhere: false, countries: ['DE'], pickup: false },
    agents: { enabled: true },
    content: {
      content_trust: 'merchant',
      policies: { terms_url: null },
      categories: [
        { kind: 'product_type', value: 'Kitchen', products: 2 },
        { kind: 'product_type', value: 'Lamps', products: 1 },
      ],
      more_categories: false,
    },
  });
});

test("alternatives contain only products within the agent's remaining budget and categories", async () => {
  const { shop, agent } = await openScene({ budget_cents: 5000, max_per_order_cents: 3000, categories: ['Kitchen'] });
  const options = [{ name: 'Size', values: ['S', 'M', 'L'] }];
  const jug = (name: string, product_type: string) =>
    shop.givenProduct({
      ...{ name, product_type, options },
      variants: [
        { option1: 'S', price: '9.00', inventory_quantity: 9 },
        { option1: 'M', price: '10.00', inventory_quantity: 2 },
        { option1: 'L', price: '31.00', inventory_quantity: 9 },
      ],
    });
  const inside = await jug('Enamel jug', 'Kitchen');
  const outside = await jug('Enamel jug', 'Garden');
  const dear = { product_type: 'Kitchen', inventory_quantity: 9 };
  await shop.givenProduct({ ...dear, name: 'Enamel jug, gilded', price: '45.00' });
  const spoon = await shop.givenProduct({ ...dear, name: 'Ladle', price: '15.00' });
  const cart_id = (await agent.POST('/api/agent/carts', { body: {} })).data?.cart.id ?? '';
  const alternativesTo = async (variant_id = '', quantity = 1) => {
    const params = { path: { cart_id } };
    const { error } = await agent.POST('/api/agent/carts/{cart_id}/items', { params, body: { variant_id, quantity } });
    const { error: code, alternatives = [] } = error as { error: string; alternatives?: { variant_id: string }[] };
    return [code, alternatives.map((one) => one.variant_id)];
  };
  const [small, medium] = inside.variants;

  expect(await alternativesTo(medium?.id, 3)).toEqual(['insufficient_stock', [medium?.id, small?.id]]);
  const [outsideSmall, outsideMedium] = outside.variants;
  expect(await alternativesTo(outsideMedium?.id, 3)).toEqual(['insufficient_stock', []]);
  const [code, offered = []] = await alternativesTo(outsideSmall?.id);
  expect(code).toBe('category_not_allowed');
  expect(offered).toEqual([small?.id]);
  // With one other line in the cart, the limit of 30.00 per order allows one more item; with two other lines it allows
  // none.
  const body = { variant_id: spoon.variants[0]?.id ?? '', quantity: 1 };
  await agent.POST('/api/agent/carts/{cart_id}/items', { params: { path: { cart_id } }, body });
  const { error } = await agent.POST('/api/agent/carts/{cart_id}/items', {
    params: { path: { cart_id } },
    body: { variant_id: medium?.id ?? '', quantity: 3 },
  });
  expect(error).toMatchObject({
    alternatives: [{ variant_id: medium?.id, quantity: 1 }, { variant_id: small?.id }],
  });
  await agent.POST('/api/agent/carts/{cart_id}/items', {
    params: { path: { cart_id } },
    body: { variant_id: small?.id ?? '', quantity: 1 },
  });
  expect(await alternativesTo(medium?.id, 3)).toEqual(['insufficient_stock', []]);
});

test('rejections of an agent contain alternatives or the next step, and those of a shopper contain neither', async () => {
  const { shop, agent, access_token } = await openScene({ budget_cents: 5000, categories: ['Kitchen'] });
  const kitchen = { product_type: 'Kitchen', inventory_quantity: 4 };
  const options = [{ name: 'Colour', values: ['Oat', 'Slate'] }];
  const mug = await shop.givenProduct({
    ...{ name: 'Stoneware mug', product_type: 'Kitchen', options },
    variants: [
      { option1: 'Oat', price: '14.00', inventory_quantity: 4 },
      { option1: 'Slate', price: '14.00', inventory_quantity: 60 },
    ],
  });
  await shop.givenProduct({ ...kitchen, name: 'Cast iron casserole', description: 'From the oven to the table.' });
  const lamp = await shop.givenProduct({ name: 'Stoneware mug lamp', product_type: 'Lamps', inventory_quantity: 9 });
  await shop.givenProduct({ name: 'Table lamp', product_type: 'Lamps', inventory_quantity: 9 });
  const cart_id = (await agent.POST('/api/agent/carts', { body: {} })).data?.cart.id ?? '';
  const add = (variant_id = '', quantity = 1, headers = {}) =>
    agent.POST('/api/agent/carts/{cart_id}/items', {
      params: { path: { cart_id } },
      body: { variant_id, quantity },
      headers,
    });
  const [oat, slate] = mug.variants;

  const key = { 'Idempotency-Key': randomUUID() };
  const { error: short } = await add(oat?.id, 50, key);
  const { error: dear } = await add(slate?.id, 5);
  const { error: outside } = await add(lamp.variants[0]?.id);
  const { error: confused } = await add(mug.id);
  const { error: noCart } = await agent.GET('/api/agent/carts/{cart_id}', {
    params: { path: { cart_id: randomUUID() } },
  });

  expect(short).toMatchObject({
    error: 'insufficient_stock',
    message: 'Not enough stock: 4 available, 50 requested. The field lines lists the items.',
    next: expect.stringContaining('alternatives'),
    alternatives: [
      // Four units are in stock, and the budget of 50.00 covers three of them.
      { why: 'About this many are within the budget.', variant_id: oat?.id, quantity: 3 },
      { variant_id: slate?.id, price: '14.00' },
    ],
  });
  expect((await add(oat?.id, 50, key)).error).toEqual(short);
  expect(dear).toMatchObject({
    error: 'budget_exceeded',
    next_operation: 'agent.updateCartItem',
    alternatives: [{ why: 'About this many are within the budget.', variant_id: slate?.id, quantity: 3 }],
  });
  expect(outside).toMatchObject({
    error: 'category_not_allowed',
    categories: ['Kitchen'],
    alternatives: [{ product_id: mug.id }],
  });
  expect(confused).toMatchObject({
    error: 'not_found',
    alternatives: [{ variant_id: oat?.id }, { variant_id: slate?.id }],
  });
  expect(noCart).toMatchObject({ error: 'not_found', alternatives: [{ cart_id }] });
  const { data: bought } = await agent.POST('/api/agent/intent/find-and-buy', { body: { query: 'table lamp' } });
  expect(bought).toMatchObject({
    status: 'not_found',
    candidates: [],
    excluded: [{ reason: 'category_not_allowed' }],
  });

  const beside = await fetch(`${shop.baseUrl}/api/storefront/cart/${randomUUID()}`, {
    headers: {
      'X-Site-ID': shop.site_id,
      'X-Service-Token': shop.credentials.storefront_token,
      Authorization: `Bearer ${access_token}`,
    },
  });
  expect(await beside.json()).toMatchObject({
    error: 'not_found',
    next: expect.any(String),
    alternatives: [{ cart_id }],
  });
  await agent.DELETE('/api/agent/token');
  expect((await agent.GET('/api/agent/shop')).error).toMatchObject({
    error: 'invalid_token',
    next: expect.any(String),
  });
  const { error: people } = await shop.storefront.GET('/api/storefront/cart/{cart_id}', {
    params: { path: { cart_id: randomUUID() } },
  });
  expect(Object.keys(people ?? {})).toEqual(['error', 'message', 'request_id', 'retryable']);
});
