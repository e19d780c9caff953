import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';
import { FUNCTION_NAMES, faultsInAnswer, publishProfile, type UcpBody } from '../../test/ucp.ts';
import type { FunctionName } from './functions.ts';

const agent = await publishProfile();
afterAll(agent.close);

async function connected(address: string, token?: string, mode: 'auto' | 'legacy' = 'auto') {
  const client = new Client({ name: 'assistant', version: '1.0.0' }, { versionNegotiation: { mode } });
  const headers = token ? { Authorization: `Bearer ${token}` } : undefined;
  await client.connect(
    new StreamableHTTPClientTransport(new URL(address), headers ? { requestInit: { headers } } : {}),
  );
  async function call(name: FunctionName, given: object = {}, meta: object = {}): Promise<UcpBody> {
    const all = { meta: { 'ucp-agent': { profile: agent.url }, 'idempotency-key': randomUUID(), ...meta }, ...given };
    const { structuredContent, content } = await client.callTool({ name, arguments: all });
    expect(faultsInAnswer(name, structuredContent)).toEqual([]);
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
    return structuredContent as UcpBody;
  }
  return { client, call };
}

test('over MCP, agents with a token and guest agents can check out, and a failed call returns its UCP error code', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  const address = `${shop.baseUrl}/sites/${shop.site_id}/ucp/mcp`;
  const { access_token } = await givenAgent(shop, await shop.givenCustomer());
  const { variants } = await shop.givenProduct({ name: 'Oak lamp', price: '30.00' });
  const line_items = [{ item: { id: variants[0]?.id }, quantity: 2 }];

  for (const token of [access_token, undefined]) {
    const { client, call } = await connected(address, token);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(FUNCTION_NAMES);
    expect(await call('search_catalog', { catalog: { query: 'lamp' } })).toMatchObject({
      products: [{ title: 'Oak lamp' }],
    });
    const cart = await call('create_cart', { cart: { line_items } });
    const checkout = await call('create_checkout', { checkout: { cart_id: cart.id } });
    const done = await call('complete_checkout', { id: checkout.id, checkout: { payment: {} } });
    expect(done).toMatchObject({ status: 'requires_escalation', continue_url: expect.stringContaining('chk_') });
    // `call` compares the text of a result with its structured content, so both have the same URL.
    expect((await fetch(String(done.continue_url).replace('http://localhost', shop.baseUrl))).status).toBe(200);
    await client.close();
  }

  const { client, call } = await connected(address, undefined, 'legacy');
  const key = randomUUID();
  await call('create_cart', { cart: { line_items } }, { 'idempotency-key': key });
  const failures: [object, number | undefined, string][] = [
    [{ name: 'create_cart', arguments: { cart: { line_items } } }, -32_001, 'invalid_profile_url'],
    [
      {
        name: 'create_cart',
        arguments: { meta: { 'ucp-agent': { profile: 'http://127.0.0.1:9/' } }, cart: { line_items } },
      },
      -32_001,
      'profile_unreachable',
    ],
    [
      { name: 'create_cart', arguments: { meta: { 'ucp-agent': { profile: agent.url } }, cart: {} } },
      -32_602,
      'invalid_request',
    ],
  ];
  for (const [params, code, named] of failures) {
    const failure = await client.callTool(params as { name: string }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, data: { code: named } });
  }
  const other = { meta: { 'ucp-agent': { profile: agent.url }, 'idempotency-key': key }, cart: { line_items: [] } };
  const reused = await client.callTool({ name: 'create_cart', arguments: other }).catch((error: unknown) => error);
  expect(String(reused)).toContain('used for another request');
  await client.close();
});
