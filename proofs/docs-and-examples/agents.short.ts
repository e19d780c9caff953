import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { approve } from '../../server/test/agents.ts';
import { openShop } from '../../server/test/shop.ts';
import { runProgram } from './programs.ts';

/** The tests run concurrently, because the example waits seconds between polls, as agents should. */
const PLAYED = { timeout: 120_000, concurrent: true };

const PICTURE = 'https://cdn.shop.example/mug.jpg';
/** Each of these mugs fails one filter of the example: the attribute, the price or the exclusion. */
const OTHER_MUGS = [
  ['Glass mug', '9.00', 'Glass'],
  ['Large mug', '31.00', 'Stoneware'],
  ['Mug with a plastic lid', '8.00', 'Stoneware'],
] as const;

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agent-example-'));
});

afterAll(() => rm(directory, { recursive: true }));

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
  const { site_id, credentials, baseUrl: base_url } = shop;
  const { storefront_token } = credentials;
  const customers = [{ email: customer.email, password: customer.password }];
  const demo = join(directory, `${site_id}.json`);
  await writeFile(demo, JSON.stringify({ base_url, site_id, storefront_token, customers }));
  const revoke = async () => {
    const { data } = await customer.client.GET('/api/storefront/customer/me/agents');
    const path = { agent_token_id: data?.agent_tokens[0]?.id ?? '' };
    await customer.client.DELETE('/api/storefront/customer/me/agents/{agent_token_id}', { params: { path } });
  };
  return { shop, customer, demo, revoke };
}

type Demo = Awaited<ReturnType<typeof givenDemo>>;

test('an AI SDK agent finds a product and prepares a purchase that the customer confirms', PLAYED, async () => {
  const { shop, demo } = await givenDemo();
  const wish = 'a stoneware mug under 30 euros without plastic';
  const args = ['examples/ai-sdk-agent.ts', wish, '--demo', demo, '--auto-approve'];

  const { text, errors, code } = await runProgram(args, async () => undefined);

  expect([code, errors]).toEqual([0, '']);
  expect(text).toContain(
    '> find_products {"query":"a stoneware mug","price_max":"30","exclude_text":["plastic"],"limit":3}',
  );
  expect(text).toContain('> find_and_buy {"variant_id":');
  expect(text).toMatch(/Stoneware mug is ready\. Please confirm it at \S+\/checkout\/chk_/);
  expect(text).toMatch(/page: http:\/\/\S+\/buy\/\S+\n +picture: https:\/\/cdn\.shop\.example\/mug\.jpg/);
  expect(text).toContain('Confirmed: order 1001.');
  const { data } = await shop.dashboard.GET('/api/dashboard/orders');
  expect(data?.orders).toMatchObject([{ order_number: '1001', source: 'agent' }]);
});

const approveConsent = ({ customer }: Demo, user_code: string): Promise<unknown> => approve(customer, user_code);
const REVOKED_AT_THE_END = /The next call is refused: 401 invalid_token\./;

/** The actions of the customer when the example asks for consent and when it waits, and the expected output. */
const CASES: {
  title: string;
  onConsent: (demo: Demo, user_code: string) => Promise<unknown>;
  onWaiting?: (demo: Demo) => Promise<unknown>;
  printed: RegExp[];
}[] = [
  {
    title: 'if the budget is too small, the agent example shows the rejection and continues',
    onConsent: ({ customer }, user_code) => approve(customer, user_code, { budget_cents: 1_000 }),
    printed: [
      /3\. It prepares.*\n +Refused, 402 budget_exceeded: This costs 18\.00 EUR, but only 10\.00/,
      REVOKED_AT_THE_END,
    ],
  },
  {
    title: 'if the customer refuses consent, the agent example ends without a stack trace',
    onConsent: ({ customer }, user_code) =>
      customer.client.POST('/api/storefront/customer/me/agent-consent/{user_code}/deny', {
        params: { path: { user_code } },
      }),
    printed: [/access_denied: The customer has denied the request\./, /^(?![\s\S]*2\. The agent looks)/],
  },
  {
    title: 'if the customer revokes the agent instead of confirming, the agent example ends',
    onConsent: approveConsent,
    onWaiting: ({ revoke }) => revoke(),
    printed: [/The customer has already revoked it: 401 invalid_token\./],
  },
  {
    title: 'if nobody confirms a purchase, the agent example stops waiting and continues',
    onConsent: approveConsent,
    onWaiting: ({ shop }) =>
      shop.owner.query('update commerce.checkouts set expires_at = now() where site_id = $1', [shop.site_id]),
    printed: [/410 checkout_expired/, REVOKED_AT_THE_END],
  },
];

for (const { title, onConsent, onWaiting, printed } of CASES) {
  test(title, PLAYED, async () => {
    const demo = await givenDemo();

    const { text, errors, code } = await runProgram(['examples/agent.ts', '--demo', demo.demo], async (line) => {
      const [, user_code] = /compare the code: (\S{9})/.exec(line) ?? [];
      if (user_code) await onConsent(demo, user_code);
      if (line.includes('Waiting for the customer to confirm')) await onWaiting?.(demo);
      const [, account] = /Open (\S+\/account\?site_id=\S+) and revoke "Example agent"/.exec(line) ?? [];
      if (!account) return;
      expect((await fetch(account)).status).toBe(200);
      await demo.revoke();
    });

    expect([code, errors]).toEqual([0, '']);
    for (const pattern of printed) expect(text).toMatch(pattern);
  });
}
