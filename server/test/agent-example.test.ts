import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openShop } from './shop.ts';

const EXAMPLE = new URL('../../examples/agent.ts', import.meta.url).pathname;

test('the example of an agent plays its whole story, from consent to revocation', { timeout: 60_000 }, async () => {
  const shop = await openShop();
  await shop.givenTerms();
  await shop.givenProduct({ name: 'Stoneware mug', price: '18.00', inventory_quantity: 50 });
  const { email, password } = await shop.givenCustomer();
  const directory = await mkdtemp(join(tmpdir(), 'agent-example-'));
  const demo = join(directory, 'demo.json');
  const { site_id, credentials } = shop;
  const { storefront_token } = credentials;
  const customers = [{ email, password }];
  await writeFile(demo, JSON.stringify({ base_url: shop.baseUrl, site_id, storefront_token, customers }));

  const { stdout } = await promisify(execFile)(process.execPath, [EXAMPLE, '--demo', demo, '--auto-approve']);

  expect(stdout).toMatch(/user_code=[A-Z]{4}-[A-Z]{4}/);
  expect(stdout).toContain('Stoneware mug, one kind: 18.00 EUR, in_stock');
  expect(stdout).toContain('Confirmed: order 1001.');
  expect(stdout).toContain('Refused, 402 budget_exceeded');
  expect(stdout).toContain('The next call is refused: 401 invalid_token.');
  await rm(directory, { recursive: true });
});
