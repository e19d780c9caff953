import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { PaperBrowser, unescaped } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';

const find = '/api/agent/intent/find';
const add = '/api/agent/intent/find-and-add';
const buy = '/api/agent/intent/find-and-buy';

test("the audit log describes an agent's searches, additions, purchases and rejections in fields and sentences", async () => {
  const shop = await openShop();
  await shop.givenTerms({ default_locale: 'de' });
  const mug = await shop.givenProduct({ name: 'Rowan Stoneware Mug <b>bold</b>', price: '18.00' });
  const customer = await shop.givenCustomer();
  const { agent, token_id, access_token } = await givenAgent(shop, customer, { budget_cents: 4_500 });

  const query = `rowan mug for june@example.com ${access_token} 4111 1111 1111 1111`;
  await agent.POST(find, { body: { query } });
  await agent.POST(find, { body: { query: 'zeppelin' } });
  const variant_id = mug.variants[0]?.id ?? '';
  await agent.POST(add, { body: { variant_id, quantity: 2 } });
  await agent.POST(buy, { body: { variant_id, quantity: 2 } });
  await agent.POST(buy, { body: { query: 'rowan mug', quantity: 3 } });
  await agent.POST(buy, { body: { variant_id, quantity: 3 } });
  await agent.GET('/api/agent/catalog/products/{product_id}', { params: { path: { product_id: mug.id } } });
  await fetch(`${shop.baseUrl}/api/storefront/cart`, {
    method: 'POST',
    headers: {
      ...{ 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.credentials.storefront_token },
      ...{ Authorization: `Bearer ${access_token}`, 'Idempotency-Key': crypto.randomUUID() },
    },
  });

  const params = { path: { agent_token_id: token_id } };
  const { data } = await shop.dashboard.GET('/api/dashboard/agent-tokens/{agent_token_id}/audit', { params });
  const told = data?.audit_events.toReversed() ?? [];
  expect(told.map(({ summary }) => summary)).toEqual([
    'Looked for: rowan mug for … … …',
    'Looked for: zeppelin (nothing found)',
    'Added 2 × Rowan Stoneware Mug bold to a cart',
    'Prepared a purchase of €36.00: 2 × Rowan Stoneware Mug bold',
    'Refused: over the budget – rowan mug',
    'Refused: over the budget – a purchase of €54.00',
    'Viewed Rowan Stoneware Mug bold',
    'Created a cart',
  ]);
  expect(told[2]?.details).toEqual({
    ...{ outcome: 'done', query: null, found: 1, code: null, amount: '36.00', currency: 'EUR', order_number: null },
    products: [{ id: mug.id, quantity: 2, content: { content_trust: 'merchant', name: 'Rowan Stoneware Mug bold' } }],
    ids: { variant_id, cart_id: expect.any(String) },
    assistant: null,
  });
  expect(told[4]?.details).toMatchObject({ outcome: 'budget_exceeded', query: 'rowan mug', products: [] });
  expect(told[5]?.details).toMatchObject({ outcome: 'budget_exceeded', amount: '54.00', currency: 'EUR' });
  expect(JSON.stringify(told.map(({ details, summary }) => [details, summary]))).not.toMatch(/june@|agt_|4111/);
  const { data: own } = await agent.GET('/api/agent/audit/me', { params: { query: { limit: 1 } } });
  expect(own?.audit_events).toMatchObject([{ details: told.at(-1)?.details, summary: null }]);

  const browser = new PaperBrowser(shop.baseUrl, { 'Accept-Language': 'de' });
  const start = await browser.open(`/account?site_id=${shop.site_id}`);
  await browser.press(start, 'log_in', { email: customer.email, password: customer.password });
  const { html } = await browser.open(`/account?site_id=${shop.site_id}&agent=${token_id}`);
  const page = unescaped(html).replaceAll(/[\u00a0\u202f]/g, ' ');
  expect(page).toContain('Hat 2 × Rowan Stoneware Mug bold in einen Warenkorb gelegt');
  expect(page).toContain('Hat einen Kauf über 36,00 € vorbereitet: 2 × Rowan Stoneware Mug bold');
  expect(page).toContain('Abgelehnt: über dem Budget – rowan mug');
});

test('the audit log describes a purchase of several products, and a call with a revoked token', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  const customer = await shop.givenCustomer();
  const { agent, token_id, access_token } = await givenAgent(shop, customer);
  const [mug, bowl] = [await shop.givenProduct({ name: 'Mug' }), await shop.givenProduct({ name: 'Bowl' })];
  const { data: made } = await agent.POST('/api/agent/carts', { body: {} });
  const cart_id = made?.cart.id ?? '';
  for (const { variants } of [mug, bowl]) {
    const body = { variant_id: variants[0]?.id ?? '', quantity: 1 };
    await agent.POST('/api/agent/carts/{cart_id}/items', { params: { path: { cart_id } }, body });
  }
  await agent.POST('/api/agent/checkouts', { body: { cart_id } });
  await agent.DELETE('/api/agent/token');
  await fetch(`${shop.baseUrl}/sites/${shop.site_id}/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });

  const params = { path: { agent_token_id: token_id } };
  const { data } = await shop.dashboard.GET('/api/dashboard/agent-tokens/{agent_token_id}/audit', { params });
  expect(data?.audit_events.slice(0, 3).map(({ summary }) => summary)).toEqual([
    'Refused: it no longer has access – Sent a request to the shop',
    'Ended its access',
    expect.stringMatching(/^Prepared a purchase of €\d+\.\d\d: 1 × (Mug|Bowl) and other items$/),
  ]);
});
