import { join } from 'node:path';
import type { Schemas } from '@commerce-backend/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentTools } from '../server/src/mcp/tools.ts';
import { givenAgent } from '../server/test/agents.ts';
import { openShop } from '../server/test/shop.ts';
import { emptyFolder, install, ran } from './outside.ts';

/**
 * The MCP Inspector's command line, as in docs/agents.md. It needs Node 22.19, which may be newer than the installed
 * one, and takes 110 MB, so only this test installs it.
 */
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';

let folder: string;
let remove: () => Promise<void>;

beforeAll(async () => {
  ({ folder, remove } = await emptyFolder());
  await install(folder, INSPECTOR);
}, 300_000);

afterAll(() => remove?.());

test('the MCP Inspector lists the tools of a shop, calls one, and shows the remedy of an error', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Stoneware mug', price: '18.00' });
  const { access_token } = await givenAgent(shop, await shop.givenCustomer());
  const address = `${shop.baseUrl}/sites/${shop.site_id}/mcp`;
  const inspect = (...args: string[]) =>
    ran(folder, [
      process.execPath,
      join(folder, 'node_modules/.bin/mcp-inspector'),
      ...['--cli', address, '--transport', 'http', '--header', `Authorization: Bearer ${access_token}`, ...args],
    ]);

  const listed = await inspect('--method', 'tools/list');
  const call = ['--method', 'tools/call', '--tool-name'];
  const found = await inspect(...call, 'find_products', '--tool-arg', 'query=a mug under 20 euros');
  const refused = await inspect(...call, 'get_product');

  const names = (JSON.parse(listed.out) as { tools: { name: string }[] }).tools.map(({ name }) => name);
  expect(names).toEqual([...agentTools().keys()]);
  const answer = JSON.parse(found.out) as { structuredContent: Schemas['FindOutcome'] };
  expect(answer.structuredContent.candidates).toMatchObject([{ price: '18.00', content: { name: 'Stoneware mug' } }]);
  const told = JSON.parse(refused.out) as { isError: boolean; structuredContent: { error: string; next: string } };
  expect(told).toMatchObject({
    isError: true,
    structuredContent: { error: 'validation_error', next: expect.any(String) },
  });
});
