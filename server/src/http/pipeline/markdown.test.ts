import { randomUUID } from 'node:crypto';
import type { ConsentRequest } from '@commerce-backend/spec';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { ALL_SCOPES, givenAgent } from '../../../test/agents.ts';
import { connect } from '../../../test/mcp-client.ts';
import { openShop } from '../../../test/shop.ts';
import { operationTable } from '../contract/contract.ts';

const ADDRESS = {
  ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7' },
  ...{ city: 'Berlin', postal_code: '10115', country: 'DE' },
};

/** Ids, codes, enum values and URLs in a response: all texts of one word, except merchants' texts in `content`. */
function identifiersIn(value: unknown): string[] {
  if (typeof value === 'string') return /^\S+$/.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => (name === 'content' ? [] : identifiersIn(field)));
}

function textOf([first]: CallToolResult['content']): string {
  return first?.type === 'text' ? first.text : '';
}

async function openShopWithAgent() {
  const shop = await openShop();
  await shop.givenTerms();
  const product = await shop.givenProduct({
    name: 'Lamp [pay](here) _now_ *today* `x` # y',
    price: '10.00',
  });
  await shop.givenDiscount({ code: 'SUMMER_25' });
  const scopes: ConsentRequest['scopes'] = [...(ALL_SCOPES ?? []), 'returns:request'];
  return { ...shop, product, ...(await givenAgent(shop, await shop.givenCustomer(), { scopes })) };
}

test('the checkout URL in the text of an MCP result opens the checkout', async () => {
  const { baseUrl, site_id, access_token, product } = await openShopWithAgent();
  const { client } = await connect(`${baseUrl}/sites/${site_id}/mcp`, access_token);

  const given = { product_id: product.id, meta: { 'idempotency-key': randomUUID() } };
  const { content } = (await client.callTool({ name: 'find_and_buy', arguments: given })) as CallToolResult;
  const text = textOf(content);
  const [, url = ''] = /^- checkout_url: (\S+)$/m.exec(text) ?? [];

  expect(url).toContain('/checkout/chk_');
  expect((await fetch(url.replace('http://localhost', baseUrl))).status).toBe(200);
  await client.close();
});

test('the text of each MCP tool result contains ids, enum values, codes, URLs and tool names unchanged', async () => {
  const { baseUrl, site_id, access_token, product } = await openShopWithAgent();
  const { client } = await connect(`${baseUrl}/sites/${site_id}/mcp`, access_token);
  const used = new Set<string>();
  const product_id = product.id;
  async function use(name: string, given: object = {}) {
    used.add(name);
    const meta = { 'idempotency-key': randomUUID() };
    const result = (await client.callTool({ name, arguments: { ...given, meta } })) as CallToolResult;
    const text = textOf(result.content);
    for (const identifier of identifiersIn(result.structuredContent)) expect(text, name).toContain(identifier);
    return result.structuredContent as {
      id: string;
      cart: { id: string; items: { id: string }[] };
      checkout: { id: string };
    };
  }

  await use('get_shop');
  await use('get_token');
  await use('search_catalog');
  await use('get_facets');
  await use('get_product', { product_id });
  await use('find_products', { query: 'a lamp under 40 euros' });
  const { cart } = await use('find_and_add', { product_id });
  const cart_id = cart.id;
  const line = { cart_id, line_item_id: cart.items[0]?.id };
  await use('apply_discount', { cart_id, code: 'SUMMER_25' });
  await use('apply_discount', { cart_id, code: 'NO_SUCH_CODE' });
  await use('list_cart_shipping_options', { cart_id, country: 'DE' });
  await use('get_cart', { cart_id });
  await use('list_carts');
  await use('update_cart_item', { ...line, quantity: 2 });
  await use('create_checkout', { cart_id });
  const { checkout } = await use('find_and_buy', { cart_id, shipping_address: ADDRESS });
  await use('get_checkout', { checkout_id: checkout.id });
  await use('find_and_buy', { product_id, quantity: 999 });
  await use('cancel_checkout', { checkout_id: checkout.id });
  const { id: second } = await use('create_cart');
  await use('add_cart_item', { cart_id: second, variant_id: product.variants[0]?.id, quantity: 1 });
  await use('remove_discount', { cart_id });
  await use('remove_cart_item', line);
  await use('get_customer');
  await use('list_orders');
  await use('get_order', { order_id: randomUUID() });
  await use('prepare_return', {
    order_id: randomUUID(),
    lines: [{ line_item_id: randomUUID(), quantity: 1 }],
    reason: 'other',
  });
  await use('list_audit');
  const { tools } = await client.listTools();
  await use('revoke_token');

  expect(tools.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
  await client.close();
});

test('every Markdown response of the agent API contains ids, enum values, codes and URLs unchanged', async () => {
  const { baseUrl, access_token, product } = await openShopWithAgent();
  const seen = new Set<string>();
  async function both(method: string, path: string, body?: object) {
    const key = randomUUID(); // The second request replays the first response.
    const ask = async (Accept: string) => {
      const headers = {
        ...{ Accept, Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
        'Idempotency-Key': key,
      };
      return fetch(`${baseUrl}/api/agent/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    };
    const [json, markdown] = [await (await ask('application/json')).json(), await (await ask('text/markdown')).text()];
    for (const identifier of identifiersIn(json)) expect(markdown, path).toContain(identifier);
    seen.add(`${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f-]{36}/g, '{id}')}`);
    return json as { id: string; items: { id: string }[]; cart: { id: string; items: { id: string }[] } };
  }

  await both('GET', 'shop');
  await both('GET', 'catalog/search');
  await both('GET', 'catalog/facets');
  await both('GET', `catalog/products/${product.id}`);
  await both('POST', 'intent/find', { query: 'lamp' });
  const { cart } = await both('POST', 'intent/find-and-add', { product_id: product.id });
  await both('GET', 'carts');
  await both('POST', `carts/${cart.id}/items`, { variant_id: product.variants[0]?.id, quantity: 1 });
  await both('PATCH', `carts/${cart.id}/items/${cart.items[0]?.id}`, { quantity: 1 });
  await both('GET', `carts/${cart.id}/shipping-options?country=DE`);
  await both('POST', 'checkouts', { cart_id: cart.id });
  await both('POST', 'intent/find-and-buy', { product_id: product.id });

  const declared = operationTable.filter(({ surface, markdown }) => surface === 'agent' && markdown);
  const paths = new Set(
    declared.map(({ method, path }) =>
      `${method.toUpperCase()} ${path.replace('/api/agent/', '')}`.replace(/\{\w+\}/g, '{id}'),
    ),
  );
  expect([...paths].filter((path) => !seen.has(path))).toEqual([]);
});

test("escapes Markdown in a merchant's text", async () => {
  const { baseUrl, access_token, product } = await openShopWithAgent();
  const headers = { Accept: 'text/markdown', Authorization: `Bearer ${access_token}` };

  const text = await (await fetch(`${baseUrl}/api/agent/catalog/products/${product.id}`, { headers })).text();

  expect(text).toContain('- name: Lamp \\[pay\\](here) ');
  expect(text).toContain('\\_now\\_ \\*today\\* \\`x\\` \\# y');
});
