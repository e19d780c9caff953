import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { connect } from '../../test/mcp-client.ts';
import { startServer, stopServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

function ask(address: string, headers: Record<string, string> = {}) {
  return fetch(address, {
    method: 'POST',
    body: JSON.stringify(list),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-11-25',
      ...headers,
    },
  });
}

/** The JSON-RPC message of a response, which may be a stream with one event. */
async function messageOf(response: Response) {
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return JSON.parse(data) as {
    result?: { tools: unknown[] };
    error?: { message: string; data: Record<string, unknown> };
  };
}

test('listing tools has a separate rate limit (120 a minute), which does not affect tool calls', async () => {
  const shop = await openShop();
  const { access_token } = await givenAgent(shop, await shop.givenCustomer(), { scopes: ['catalog:read'] });
  const limited = await startServer(databaseUrl(), { rateLimits: true });
  const address = `${limited.baseUrl}/sites/${shop.site_id}/mcp`;
  const { client, use } = await connect(address, access_token, '2025-11-25');
  const bearer = { Authorization: `Bearer ${access_token}` };

  const answers = [];
  for (let i = 0; i < 13; i += 1)
    answers.push(...(await Promise.all(Array.from({ length: 10 }, () => ask(address, bearer).then(messageOf)))));

  expect(answers.filter(({ result }) => result).length).toBeLessThanOrEqual(120);
  expect(answers.at(-1)?.error?.data).toMatchObject({
    error: 'rate_limited',
    retry_after_seconds: expect.any(Number),
  });
  expect(await use('search_catalog', { limit: 1 })).toMatchObject({ products: [] });
  await client.close();
  await stopServer(limited);
});

test('without a token, tools can be listed 120 times a minute (rate_limited)', async () => {
  const shop = await openShop();
  const limited = await startServer(databaseUrl(), { rateLimits: true });
  const address = `${limited.baseUrl}/sites/${shop.site_id}/ucp/mcp`;

  const answers = [];
  for (let i = 0; i < 13; i += 1)
    answers.push(...(await Promise.all(Array.from({ length: 10 }, () => ask(address).then(messageOf)))));

  expect(answers.filter(({ result }) => result)).toHaveLength(120);
  expect(answers.at(-1)?.error?.data).toMatchObject({ error: 'rate_limited' });
  await stopServer(limited);
});
