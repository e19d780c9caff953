import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ConsentRequest, components } from '@commerce-backend/spec';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { expect, test } from 'vitest';
import { run } from '../../cli/src/main.ts';
import { givenAgent } from './agents.ts';
import { openShop } from './shop.ts';

/** Starts `commerce mcp` as a local assistant does. */
function begin(address: string, token: string) {
  return start(['mcp', address], token);
}

function start(words: string[], token: string) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const env = { COMMERCE_AGENT_TOKEN: token, COMMERCE_CONFIG: '/nowhere/config.json' };
  const ended = run(words, Object.assign(new EventEmitter(), { env, cwd: process.cwd, stdin, stdout, stderr }));
  return { stdin, stdout, stderr, ended };
}

test('over stdio an assistant can use the tools of the shop until it disconnects, and an invalid token or address is an error', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Oak table lamp', price: '30.00' });
  const scopes: ConsentRequest['scopes'] = ['catalog:read'];
  const { access_token } = await givenAgent(shop, await shop.givenCustomer(), { scopes });
  const address = `${shop.baseUrl}/sites/${shop.site_id}/mcp`;

  for (const mode of ['auto', 'legacy'] as const) {
    const { stdin, stdout, ended } = begin(address, access_token);
    const client = new Client({ name: 'desktop', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(new StdioServerTransport(stdout, stdin));
    const { tools } = await client.listTools();
    const found = (await client.callTool({ name: 'find_products', arguments: { query: 'a lamp' } })) as CallToolResult;
    const refused = (await client.callTool({ name: 'get_product', arguments: {} })) as CallToolResult;
    const lacking = (await client.callTool({ name: 'list_orders', arguments: {} })) as CallToolResult;
    await expect(client.callTool({ name: 'pay', arguments: {} })).rejects.toThrow('no such tool');
    stdin.end();

    expect(client.getInstructions()).toContain('content_trust: merchant');
    expect(tools.map(({ name }) => name)).toContain('find_and_buy');
    expect((found.structuredContent as components['schemas']['FindOutcome']).candidates).toHaveLength(1);
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: 'validation_error' } });
    expect(lacking).toMatchObject({ isError: true, structuredContent: { error: 'insufficient_scope' } });
    expect(JSON.stringify(lacking.content)).toContain('lacks the scope orders:read');
    expect(await ended).toBe(0);
  }
  const none = begin(address, '');
  expect(await none.ended).toBe(3);
  expect(String(none.stderr.read())).toContain(`commerce mcp login ${address}`);
  for (const words of [
    ['mcp', 'shop.example'],
    ['mcp', 'login', 'shop.example'],
    ['mcp', 'login', 'ftp://shop.example'],
  ]) {
    const unclear = start(words, '');
    expect(await unclear.ended).toBe(2);
    expect(String(unclear.stderr.read())).toContain('Give a full URL: https://shop.example/mcp');
  }
  const unknown = start(['mcp', 'logout', address], '');
  expect(await unknown.ended).toBe(3);
  expect(String(unknown.stderr.read())).toContain('There is no token for this address.');
  const wrong = begin(address, 'agt_wrong');
  expect(await wrong.ended).toBe(3);
  expect(String(wrong.stderr.read())).toContain('COMMERCE_AGENT_TOKEN');
});

test('over stdio an assistant can read the public catalogue without a token', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Oak table lamp', price: '30.00' });
  const { stdin, stdout, ended } = begin(`${shop.baseUrl}/sites/${shop.site_id}/mcp/public`, '');
  const client = new Client({ name: 'desktop', version: '1.0.0' });
  await client.connect(new StdioServerTransport(stdout, stdin));

  const found = (await client.callTool({ name: 'search_catalog', arguments: { q: 'lamp' } })) as CallToolResult;
  await expect(client.callTool({ name: 'find_and_buy', arguments: {} })).rejects.toThrow('no such tool');
  stdin.end();

  expect((found.structuredContent as { products: unknown[] }).products).toHaveLength(1);
  expect(await ended).toBe(0);
});
