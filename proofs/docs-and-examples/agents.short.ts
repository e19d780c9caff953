import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { approve } from '../../server/test/agents.ts';
import { openShop } from '../../server/test/shop.ts';

const EXAMPLE = new URL('../../examples/agent.ts', import.meta.url).pathname;
const AI_SDK = new URL('../../examples/ai-sdk-agent.ts', import.meta.url).pathname;
/** The tests run concurrently, because the example waits seconds between polls, as agents should. */
const PLAYED = { timeout: 120_000, concurrent: true };

const PICTURE = 'https://cdn.shop.example/mug.jpg';
/** Each of these mugs fails one filter of the example: the attribute, the price or the exclusion. */
const OTHER_MUGS = [
  ['Glass mug', '9.00', 'Glass'],
  ['Large mug', '31.00', 'Stoneware'],
  ['Mug with a plastic lid', '8.00', 'Stoneware'],
] as const;

const directories: string[] = [];

afterAll(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
});

/** Opens a shop with mugs, a lamp and a customer, and writes the credentials file that the example reads. */
async function givenDemo() {
  const shop = await openShop();
  await shop.givenTerms();
  await shop.givenProduct({
    ...{ name: 'Stoneware mug', price: '18.00', product_type: 'Tableware', inventory_quantity: 50 },
    ...{ metadata: { material: 'Stoneware' }, images: [{ url: PICTURE, alt: 'A mug' }] },
  });
  for (const [name, price, material] of OTHER_MUGS) {
    await shop.givenProduct({ name, price, product_type: 'Tableware', metadata: { material } });
  }
  await shop.givenProduct({ name: 'Oak table lamp', price: '30.00', product_type: 'Lighting' });
  const customer = await shop.givenCustomer();
  const directory = await mkdtemp(join(tmpdir(), 'agent-example-'));
  directories.push(directory);
  const demo = join(directory, 'demo.json');
  const { site_id, credentials, baseUrl: base_url } = shop;
  const { storefront_token } = credentials;
  const customers = [{ email: customer.email, password: customer.password }];
  await writeFile(demo, JSON.stringify({ base_url, site_id, storefront_token, customers }));
  return { shop, customer, demo };
}

/**
 * Runs the example. `onLine` gets each printed line and acts as the person who reads it. Returns its output, its errors
 * and its exit code.
 */
async function play(args: string[], onLine: (line: string) => Promise<void>) {
  const example = spawn(process.execPath, [EXAMPLE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => example.once('exit', resolve));
  const errors: string[] = [];
  example.stderr.on('data', (chunk: Buffer) => errors.push(String(chunk)));
  const lines: string[] = [];
  for await (const line of createInterface(example.stdout)) {
    lines.push(line);
    await onLine(line);
  }
  return { text: lines.join('\n'), errors: errors.join(''), code: await ended };
}

const codeIn = (line: string) => /compare the code: (\S{9})/.exec(line)?.[1];

test('an AI SDK agent finds a product and prepares a purchase that the customer confirms', PLAYED, async () => {
  const { shop, demo } = await givenDemo();
  const wish = 'a stoneware mug under 30 euros without plastic';

  const { stdout } = await promisify(execFile)(process.execPath, [AI_SDK, wish, '--demo', demo, '--auto-approve']);

  expect(stdout).toContain(
    '> find_products {"query":"a stoneware mug","price_max":"30","exclude_text":["plastic"],"limit":3}',
  );
  expect(stdout).toContain('> find_and_buy {"variant_id":');
  expect(stdout).toMatch(/Stoneware mug is ready\. Please confirm it at \S+\/checkout\/chk_/);
  expect(stdout).toMatch(/page: http:\/\/\S+\/buy\/\S+\n +picture: https:\/\/cdn\.shop\.example\/mug\.jpg/);
  expect(stdout).toContain('Confirmed: order 1001.');
  const { data } = await shop.dashboard.GET('/api/dashboard/orders');
  expect(data?.orders).toMatchObject([{ order_number: '1001', source: 'agent' }]);
});

test(
  'if the budget is too small, the agent example shows the rejection, continues, and links to the page for revoking the agent',
  PLAYED,
  async () => {
    const { shop, customer, demo } = await givenDemo();
    const pages: number[] = [];

    const { text, errors, code } = await play(['--demo', demo], async (line) => {
      const user_code = codeIn(line);
      if (user_code) await approve(customer, user_code, { budget_cents: 1_000 });
      const [, account] = /Open (\S+) and revoke/.exec(line) ?? [];
      if (!account) return;
      pages.push((await fetch(account)).status);
      const { data } = await customer.client.GET('/api/storefront/customer/me/agents');
      const path = { agent_token_id: data?.agent_tokens[0]?.id ?? '' };
      await customer.client.DELETE('/api/storefront/customer/me/agents/{agent_token_id}', { params: { path } });
    });

    expect([code, errors]).toEqual([0, '']);
    expect(text).toMatch(/3\. It prepares.*\n +Refused, 402 budget_exceeded: This costs 18\.00 EUR, but only 10\.00/);
    expect(pages).toEqual([200]);
    expect(text).toContain(`/account?site_id=${shop.site_id} and revoke`);
    expect(text).toContain('The next call is refused: 401 invalid_token.');
  },
);

test('if the customer refuses consent, the agent example ends without a stack trace', PLAYED, async () => {
  const { customer, demo } = await givenDemo();

  const { text, errors, code } = await play(['--demo', demo], async (line) => {
    const user_code = codeIn(line);
    if (!user_code) return;
    const params = { path: { user_code } };
    await customer.client.POST('/api/storefront/customer/me/agent-consent/{user_code}/deny', { params });
  });

  expect([code, errors]).toEqual([0, '']);
  expect(text).toContain('access_denied: The customer has denied the request.');
  expect(text).not.toContain('2. The agent looks');
});

test('if the customer revokes the agent instead of confirming, the agent example ends', PLAYED, async () => {
  const { customer, demo } = await givenDemo();

  const { text, errors, code } = await play(['--demo', demo], async (line) => {
    const user_code = codeIn(line);
    if (user_code) await approve(customer, user_code);
    if (!line.includes('Waiting for the customer to confirm')) return;
    const { data } = await customer.client.GET('/api/storefront/customer/me/agents');
    const path = { agent_token_id: data?.agent_tokens[0]?.id ?? '' };
    await customer.client.DELETE('/api/storefront/customer/me/agents/{agent_token_id}', { params: { path } });
  });

  expect([code, errors]).toEqual([0, '']);
  expect(text).toContain('The customer has already revoked it: 401 invalid_token.');
});

test('if nobody confirms a purchase, the agent example stops waiting and continues', PLAYED, async () => {
  const { shop, demo, customer } = await givenDemo();

  const { text, errors, code } = await play(['--demo', demo], async (line) => {
    const user_code = codeIn(line);
    if (user_code) await approve(customer, user_code);
    if (line.includes('Waiting for the customer to confirm')) {
      await shop.owner.query('update commerce.checkouts set expires_at = now() where site_id = $1', [shop.site_id]);
    }
    if (!line.includes('and revoke "Example agent"')) return;
    const { data } = await customer.client.GET('/api/storefront/customer/me/agents');
    const path = { agent_token_id: data?.agent_tokens[0]?.id ?? '' };
    await customer.client.DELETE('/api/storefront/customer/me/agents/{agent_token_id}', { params: { path } });
  });

  expect([code, errors]).toEqual([0, '']);
  expect(text).toContain('410 checkout_expired');
  expect(text).toContain('The next call is refused: 401 invalid_token.');
});
