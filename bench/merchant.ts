/**
 * Measures how long a merchant's tasks take: `node bench/merchant.ts --port 8080 --dir /tmp/trial [--pace 1] [--width
 * 375] [--only panel]`. A script acts as the merchant, starting in an empty directory: it answers the questions of
 * `site create`, presses the panel's buttons and types the commands. With `--pace 1` it reads, points and types as
 * slowly as people do (merchant/person.ts). The time of a task goes from its first press to its confirmation.
 * docs/merchant.md has the figures.
 */

import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  createAgentClient,
  createClient,
  createDashboardClient,
  createStorefrontClient,
  unwrap,
} from '@commerce-backend/sdk';
import { findChromium, openChromium, type Page } from '../server/test/chromium.ts';
import { Person, Screen } from './merchant/person.ts';
import { Terminal } from './merchant/terminal.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    dir: { type: 'string' },
    pace: { type: 'string', default: '0' },
    width: { type: 'string', default: '1280' },
    only: { type: 'string' },
  },
});
const port = Number(values.port ?? 8080);
const dir = values.dir ?? '/tmp/commerce-trial';
const pace = Number(values.pace);
const width = Number(values.width);
const baseUrl = `http://localhost:${port}`;
const SERVER = `${process.execPath} ${join(import.meta.dirname, '../server/bin/commerce-server.js')}`;
const CLI = `${process.execPath} ${join(import.meta.dirname, '../cli/bin/commerce.js')}`;
const EMAIL = 'hello@mira.example';
const PASSWORD = 'a meadow of blue thistles';

const ANSWERS: [string, string][] = [
  ['Name of the shop', 'Mira Ceramics'],
  ['Country', 'Germany'],
  ['Currency', ''],
  ['Language', 'en'],
  ['Time zone', ''],
  ['Delivery', ''],
  ['Price of a parcel', '4.90'],
  ['Take this', ''],
  ['IBAN', 'DE89370400440532013000'],
  ['Account holder', ''],
  ['E-mail address for shoppers', EMAIL],
  ['Your e-mail address', ''],
  ['Your name', 'Mira Holt'],
  ['Password', PASSWORD],
  ['Repeat the password', PASSWORD],
];

interface Keys {
  site_id: string;
  storefrontToken: string;
  apiKey: string;
}

/** Sets the counts to zero, does a task, and prints its counts and duration. */
async function task(name: string, person: Person, work: () => Promise<unknown>, terminal?: Terminal): Promise<void> {
  Object.assign(person, { clicks: 0, fields: 0, keys: 0 });
  if (terminal) terminal.commands = 0;
  const begun = Date.now();
  await work();
  const seconds = ((Date.now() - begun) / 1_000).toFixed(1);
  const { clicks, fields, keys } = person;
  const commands = terminal ? `${terminal.commands} commands, ` : '';
  process.stdout.write(
    `| ${name} | ${commands}${clicks} clicks, ${fields} fields, ${keys} keystrokes, ${seconds} s |\n`,
  );
}

async function openShop(terminal: Terminal): Promise<{ keys: Keys; server: ChildProcess }> {
  const said = await terminal.run('npx commerce-server site create', `${SERVER} site create`, ANSWERS);
  const of = (pattern: RegExp) => pattern.exec(said)?.[0] ?? '';
  const keys = {
    site_id: /Site id\s+(\S+)/.exec(said)?.[1] ?? '',
    storefrontToken: of(/stk_\w+/),
    apiKey: of(/key_\w+/),
  };
  return { keys, server: await terminal.start('npx commerce-server start', `${SERVER} start`, 'Ctrl-C') };
}

function clientsOf({ site_id, storefrontToken, apiKey }: Keys) {
  return {
    storefront: createStorefrontClient({ baseUrl, siteId: site_id, storefrontToken }),
    dashboard: createDashboardClient({ baseUrl, apiKey }),
  };
}

type Clients = ReturnType<typeof clientsOf>;

/** Opens a checkout of the newest product, as a storefront does. */
async function openCheckout({ storefront }: Clients) {
  const { products } = await unwrap(storefront.GET('/api/storefront/products', { params: { query: { limit: 1 } } }));
  const { id: cart_id } = await unwrap(storefront.POST('/api/storefront/cart'));
  const line = { variant_id: products[0]?.variants[0]?.id ?? '', quantity: 1 };
  await unwrap(storefront.POST('/api/storefront/cart/{cart_id}/items', { params: { path: { cart_id } }, body: line }));
  return unwrap(storefront.POST('/api/storefront/checkout', { body: { cart_id } }));
}

/** Buys on the hosted pages as a shopper does. */
async function shop(page: Page, clients: Clients): Promise<void> {
  const { checkout_url } = await openCheckout(clients);
  await page.goto(checkout_url ?? '');
  const shopper = new Screen(page, new Person(0));
  const address = { email: 'ada@mail.example', first_name: 'Ada', last_name: 'Lovelace', address1: 'Lindenallee 7' };
  for (const [name, value] of Object.entries({ ...address, postal_code: '10115', city: 'Berlin' })) {
    await page.locator(`[name="${name}"], [name$="${name}"]`).fill(value);
  }
  for (const choice of ['[name="shipping_option_id"]', '[name="payment_method"][value="bank_transfer"]']) {
    if (await page.$(choice)) await page.click(choice);
  }
  const go = async (action: string) => Promise.all([page.waitForNavigation(), page.click(`button[value="${action}"]`)]);
  while (!(await page.$('button[value="place_order"]'))) {
    await go('save');
    const transfer = await page.$('[name="payment_method"][value="bank_transfer"]');
    await transfer?.click();
    const option = await page.$('[name="shipping_option_id"]');
    await option?.click();
  }
  await go('place_order');
  await shopper.read();
}

/** Places an order by bank transfer through the API. */
async function order(clients: Clients): Promise<{ order_number: string; total: string }> {
  const { id: checkout_id } = await openCheckout(clients);
  const { shipping_options } = await unwrap(clients.dashboard.GET('/api/dashboard/shipping-options'));
  const params = { path: { checkout_id } };
  const shipping_address = { first_name: 'Ada', last_name: 'Lovelace', address1: 'Lindenallee 7', city: 'Berlin' };
  const body = {
    email: 'ada@mail.example',
    shipping_address: { ...shipping_address, postal_code: '10115', country: 'DE' },
    shipping_option_id: shipping_options[0]?.id ?? null,
    payment_method: 'bank_transfer' as const,
  };
  await unwrap(clients.storefront.PATCH('/api/storefront/checkout/{checkout_id}', { params, body }));
  const complete = clients.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} });
  return (await unwrap(complete)).order;
}

/** Places thirty orders. Returns a bank statement with a transfer for each, and one unrelated transfer. */
async function statementOf(clients: Clients): Promise<string> {
  const lines = ['Name,Reference,Amount,Currency'];
  for (let i = 0; i < 30; i += 1) {
    const { order_number, total } = await order(clients);
    lines.push(`Ada Lovelace,Order ${order_number},${total},EUR`);
  }
  return [...lines, 'Somebody,Rent,1.00,EUR', ''].join('\n');
}

/** Waits for the mail that asks a new customer to confirm the e-mail address. Returns the secret in its link. */
async function verificationIn(outbox: string): Promise<string> {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(200)) {
    const mail = readdirSync(outbox).find((name) => name.endsWith('registration.html'));
    const [token] = /vrf_\w+/.exec(mail ? readFileSync(join(outbox, mail), 'utf8') : '') ?? [];
    if (token) return token;
  }
  throw new Error('The mail to verify an address did not arrive.');
}

/**
 * Runs an assistant that its customer has allowed to shop. The assistant searches and prepares a purchase within its
 * budget, and the customer confirms the purchase.
 */
async function sendAgent(clients: Clients, site_id: string, name: string, outbox: string): Promise<string> {
  const customer = { email: `${name.toLowerCase()}@mail.example`, password: 'a river of green glass' };
  await unwrap(
    clients.storefront.POST('/api/storefront/customer/register', { body: { ...customer, first_name: name } }),
  );
  const token = await verificationIn(outbox);
  await unwrap(clients.storefront.POST('/api/storefront/customer/verify-email', { body: { token } }));
  const { access_token } = await unwrap(clients.storefront.POST('/api/storefront/customer/login', { body: customer }));
  const mine = clients.storefront.withCustomer(access_token);
  const anyone = createClient({ baseUrl });
  const scopes = ['catalog:read' as const, 'cart:write' as const, 'checkout:create' as const, 'customer:self' as const];
  const wish = { agent_name: name, scopes, budget_cents: 10_000 };
  const asked = await unwrap(anyone.POST('/api/agent/consent/request', { params: { query: { site_id } }, body: wish }));
  const { user_code, device_code } = asked;
  const approve = '/api/storefront/customer/me/agent-consent/{user_code}/approve' as const;
  await unwrap(mine.POST(approve, { params: { path: { user_code } }, body: {} }));
  const allowed = await unwrap(anyone.POST('/api/agent/consent/poll', { body: { device_code } }));
  const agent = createAgentClient({ baseUrl, agentToken: allowed.access_token });
  const found = await unwrap(agent.GET('/api/agent/catalog/search', { params: { query: { q: 'mug' } } }));
  const shipping_address = { first_name: name, last_name: 'Vale', address1: 'Lindenallee 7', city: 'Berlin' };
  const body = {
    variant_id: found.products[0]?.variant_id ?? '',
    shipping_address: { ...shipping_address, postal_code: '10115', country: 'DE' },
  };
  const { checkout } = await unwrap(agent.POST('/api/agent/intent/find-and-buy', { body }));
  const params = { path: { checkout_id: checkout?.id ?? '' } };
  const paid = { payment_method: 'bank_transfer' as const };
  await unwrap(mine.PATCH('/api/storefront/checkout/{checkout_id}', { params, body: paid }));
  const { order } = await unwrap(mine.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} }));
  return order.order_number;
}

async function inPanel(keys: Keys, person: Person): Promise<void> {
  const clients = clientsOf(keys);
  const browser = await openChromium(findChromium() ?? '');
  const context = await browser.createBrowserContext();
  const tab = await context.newPage();
  await tab.setViewport({ width, height: width < 600 ? 780 : 900 });
  const screen = new Screen(tab, person);
  /** Opens a screen from the menu, which is closed on a phone. */
  const go = async (name: string) => {
    if (width < 896) await screen.press('☰ Menu');
    await screen.press(name, 'link');
    await screen.read();
  };
  try {
    await task('log in', person, async () => {
      await screen.open(`${baseUrl}/panel`);
      await screen.fill('E-mail', EMAIL);
      await screen.fill('Password', PASSWORD);
      await screen.press('Log in');
      await screen.sees('Today');
    });
    await task('publish the first product', person, async () => {
      await go('Products');
      await screen.press('Add product', 'link');
      await screen.read();
      await screen.fill('Name', 'Stoneware Mug');
      await screen.fill('Price', '14.00');
      await screen.fill('Available', '200');
      await screen.press('Save and publish');
      await screen.sees('Saved and published.');
    });
    await task('try an order', person, async () => {
      await go('Today');
      await screen.press('Try an order');
      await screen.sees('A test order');
      await screen.press('Close');
    });
    const shopper = await (await browser.createBrowserContext()).newPage();
    await task('(the shopper buys)', person, () => shop(shopper, clients));
    await task('mark it as paid', person, async () => {
      await go('Orders');
      await screen.press('1001', 'link');
      await screen.sees('Timeline');
      await screen.press('Mark as paid');
      await screen.read();
      await tab.waitForSelector('.dialog[data-open]');
      await person.point();
      await tab.locator('.dialog footer .button.primary').click();
      await screen.sees('Order 1001 is paid.');
    });
    await task('ship it', person, async () => {
      await screen.press('Ship');
      await screen.read();
      await screen.fill('Carrier', 'DHL');
      await screen.fill('Tracking number', '00340434161094042557');
      await person.point();
      await tab.locator('.dialog footer button[type="submit"]').click();
      await screen.sees('Shipped. The customer receives an e-mail.');
    });
    process.stdout.write(`| **to the first order paid and shipped** | ${elapsed()} s |\n`);
    const statement = await statementOf(clients);
    await task('30 transfers of a bank statement', person, async () => {
      await go('Orders');
      await screen.press('Match a bank statement', 'link');
      await screen.read();
      const file = join(dir, 'statement.csv');
      writeFileSync(file, statement);
      await person.point();
      const input = await tab.waitForSelector('#statement-file');
      await (input as Awaited<ReturnType<typeof tab.$<'input'>>>)?.uploadFile(file);
      await screen.sees('30 match');
      await screen.press('Mark 30 as paid');
      await screen.sees('30 orders marked as paid.');
    });
    await task('publish a product with 12 variants and 2 pictures', person, () => publishCoat(screen, go));
    const bought = await sendAgent(clients, keys.site_id, 'Pip', join(dir, 'panel', 'outbox'));
    await task(
      'see on Today that an agent bought, its order, what it may spend and did, and end it',
      person,
      async () => {
        await go('Today');
        await screen.sees('Their orders in 30 days');
        await screen.sees('€18.90 of €100.00 used');
        await go('Orders');
        await screen.press('By agents', 'link');
        await screen.press(bought, 'link');
        await screen.sees('Prepared by an AI agent, confirmed by the customer.');
        await screen.press('The agent', 'link');
        await screen.sees('Looked for: mug');
        await screen.sees('€81.10');
        await screen.press('Revoke access');
        await screen.read();
        await person.point();
        await tab.locator('.dialog footer .button.danger').click();
        await screen.sees('Pip no longer has access.');
      },
    );
    await task('switch agents off', person, async () => {
      await go('Agents');
      await screen.press('Switch agents off');
      await screen.read();
      await screen.press('Switch off');
      await screen.sees('No customer can allow an agent.');
    });
  } finally {
    await browser.close();
  }
}

async function publishCoat(screen: Screen, go: (name: string) => Promise<void>): Promise<void> {
  const { tab, person } = screen;
  const pictures = [1, 2].map((n) => join(dir, `coat-${n}.png`) as `${string}.png`);
  for (const path of pictures) await tab.screenshot({ path, clip: { x: 0, y: 0, width: 300, height: 200 } });
  await go('Products');
  await screen.press('Add product', 'link');
  await screen.read();
  await screen.fill('Name', 'Walking coat');
  await screen.fill('Description', 'Keeps the rain out.');
  await person.point();
  const input = await tab.waitForSelector('input[type="file"][aria-label="Pictures to upload"]');
  await (input as Awaited<ReturnType<typeof tab.$<'input'>>>)?.uploadFile(...pictures);
  for (const [option, word, options] of [
    ['Option 1', 'Size', 'S, M, L'],
    ['Option 2', 'Colour', 'Red, Blue, Green, Black'],
  ] as const) {
    await screen.press('Add an option');
    await screen.fill(option, word);
    await screen.fill(`Values of ${word}`, options);
    await screen.enter();
  }
  await screen.sees('3 × 4 = 12 variants.');
  await screen.press('Create all 12 variants');
  for (const [field, value] of [
    ['price', '89.90'],
    ['quantity', '5'],
  ] as const) {
    await screen.fill('For all variants', field);
    await screen.fill('Value', value);
    await screen.press('Apply to all');
  }
  await tab.waitForSelector('.images li:nth-child(2) img', { timeout: 60_000 });
  await screen.press('Save and publish');
  await screen.sees('Saved and published.');
}

async function inTerminal(terminal: Terminal, keys: Keys, person: Person): Promise<void> {
  const clients = clientsOf(keys);
  const type = (words: string, answers: [string, string][] = []) =>
    terminal.run(`npx commerce ${words}`, `${CLI} ${words}`, answers);
  const step = (name: string, work: () => Promise<unknown>) => task(name, person, work, terminal);
  await step('log in', () =>
    type(`login --url ${baseUrl}`, [
      ['E-mail', EMAIL],
      ['Password', PASSWORD],
    ]),
  );
  await step('see what is missing', () => type('setup'));
  await step('publish the first product', () =>
    type('products create "Stoneware Mug" --price 14.00 --stock 200 --status active'),
  );
  await step('try an order', () => type('setup test-order'));
  await order(clients);
  await step('mark it as paid', async () => {
    await type('orders list');
    await type('orders mark-paid 1001 --yes');
  });
  await step('ship it', () => type('orders ship 1001 --carrier DHL --tracking 00340434161094042557'));
  process.stdout.write(`| **to the first order paid and shipped** | ${elapsed()} s |\n`);
  writeFileSync(join(dir, 'statement.csv'), await statementOf(clients));
  await step('30 transfers of a bank statement', () => type(`orders match ${join(dir, 'statement.csv')} --yes`));
  const bought = await sendAgent(clients, keys.site_id, 'Pip', join(dir, 'terminal', 'outbox'));
  const { agent_tokens } = await unwrap(clients.dashboard.GET('/api/dashboard/agent-tokens'));
  const id = agent_tokens[0]?.id ?? '';
  await step('see on the overview that an agent bought, its order, what it may spend and did, and end it', async () => {
    await type('overview');
    await type(`orders get ${bought}`);
    await type('agents list');
    await type(`agents audit ${id}`);
    await type(`agents revoke ${id} --yes`);
  });
  await step('switch agents off', () => type('settings set agent_policy.enabled no'));
}

let started = 0;
const elapsed = () => ((Date.now() - started) / 1_000).toFixed(0);

for (const where of ['panel', 'terminal'].filter((each) => !values.only || values.only === each)) {
  const data = join(dir, where);
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true, mode: 0o711 });
  const person = new Person(pace);
  const env = { PORT: String(port), DATA_DIR: data, COMMERCE_CONFIG: join(data, 'config.json'), RATE_LIMITS: 'off' };
  const terminal = new Terminal(person, env);
  process.stdout.write(`\nIn the ${where}, at a pace of ${pace}${where === 'panel' ? `, ${width} px` : ''}:\n\n`);
  started = Date.now();
  let opened: Awaited<ReturnType<typeof openShop>> | undefined;
  await task(
    'make a shop by answering questions, start the server',
    person,
    async () => {
      opened = await openShop(terminal);
    },
    terminal,
  );
  if (!opened) throw new Error('The shop is not open.');
  try {
    if (where === 'panel') await inPanel(opened.keys, person);
    else await inTerminal(terminal, opened.keys, person);
  } finally {
    // Types Ctrl-C as a person does, because a signal would reach only `script` and not the server that it runs.
    opened.server.stdin?.write('\u0003');
    await new Promise((ended) => opened?.server.once('close', ended));
  }
}
