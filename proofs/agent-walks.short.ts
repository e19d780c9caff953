import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, findChromium, NO_CHROMIUM, openChromium } from '../server/test/chromium.ts';
import { follow } from '../server/test/customer-tab.ts';
import { type DemoShop, openDemoShop } from '../server/test/demo-shop.ts';
import { openTab } from '../server/test/tab.ts';

/**
 * Runs the walks of docs/agents.md in the demo shop, one for each protocol: the assistants of examples/ run as processes, and
 * their customer follows the printed lines in a browser. Each assistant buys with the customer's confirmation, reads the order,
 * reaches its budget and category limits, reads its own audit, and is revoked.
 */
const ROOT = join(import.meta.dirname, '..');
const PLAYED = 240_000;

const chromium = findChromium();
if (!chromium) console.warn(NO_CHROMIUM);
const played = test.skipIf(!chromium);

let browser: Browser;
let shop: DemoShop;
let folder: string;
let demo: string;

beforeAll(async () => {
  if (!chromium) return;
  browser = await openChromium(chromium);
  shop = await openDemoShop();
  folder = await mkdtemp(join(tmpdir(), 'commerce-walks-'));
  demo = join(folder, 'demo.json');
  await writeFile(demo, JSON.stringify(shop.demo));
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await shop?.close();
  if (folder) await rm(folder, { recursive: true });
});

/**
 * Returns a reader of printed lines, which follows each link in a browser as the demo shop's customer, and the orders placed.
 */
async function openCustomer() {
  const { page } = await openTab(browser, 375);
  const [login] = shop.demo.customers;
  if (!login) throw new Error('The demo shop has no customer.');
  const orders: string[] = [];
  const read = async (line: string) => {
    const [, link] = /Open (http\S+)/.exec(line) ?? [];
    const ordered = link && (await follow(page, login, link));
    if (ordered) orders.push(ordered);
  };
  return { read, orders };
}

/** Starts a program; its customer follows each line as it is printed. Returns all lines. */
async function walk(args: string[], read: (line: string) => Promise<void>): Promise<string> {
  const env = { ...process.env, COMMERCE_CONFIG: join(folder, 'config.json') };
  const program = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(program, 'exit');
  const lines: string[] = [];
  const hear = async (output: NodeJS.ReadableStream) => {
    for await (const line of createInterface(output)) {
      lines.push(line);
      await read(line);
    }
  };
  await Promise.all([hear(program.stdout), hear(program.stderr)]);
  expect([await ended, lines.join('\n')]).toEqual([[0, null], expect.any(String)]);
  return lines.join('\n');
}

const REFUSED = 'The next call is refused: ';

played(
  'by the plain API, with a consent for devices',
  async () => {
    const { read, orders } = await openCustomer();

    const told = await walk(['examples/agent.ts', '--demo', demo], read);

    expect(orders).toEqual(['Place order and pay €22.90']);
    expect(told).toMatch(/Confirmed: order \d+, 22\.90 EUR, awaiting_payment\./);
    expect(told).toMatch(/Refused, 402 budget_exceeded: .*\n +What to do: \S+/);
    expect(told).toMatch(/Refused, 403 category_not_allowed: .*\n +What to do: \S+/);
    expect(told).toContain('agent.findProducts 200: "a stoneware mug under 30 euros"');
    expect(told).toContain('agent.findAndBuy 402: 360.00 EUR, budget_exceeded');
    expect(told).toContain('agent.findAndBuy 403: category_not_allowed');
    expect(told).toContain(`${REFUSED}401 invalid_token`);
  },
  PLAYED,
);

/** Checks the output of the assistant, which both variants of MCP must print. */
function judgeMcp(told: string, orders: string[]): void {
  expect(told).toContain('may spend 60 EUR on Tableware');
  expect(orders).toEqual(['Place order and pay €22.90']);
  expect(told).toMatch(/Confirmed: order \d+, 22\.90 EUR\./);
  expect(told).toMatch(/Refused, budget_exceeded: .*\n +What to do: \S+/);
  expect(told).toMatch(/Refused, category_not_allowed: .*\n +What to do: \S+/);
  expect(told).toContain('agent.getOrder 200');
  expect(told).toContain('agent.findAndBuy 403: category_not_allowed');
  expect(told).toContain(REFUSED);
}

played(
  'over MCP as a hosted assistant, with a code that the browser brings back',
  async () => {
    const { read, orders } = await openCustomer();

    const told = await walk(['examples/mcp-client.ts', '--demo', demo], read);

    judgeMcp(told, orders);
  },
  PLAYED,
);

played(
  'over MCP on the same machine, by commerce mcp',
  async () => {
    const { read, orders } = await openCustomer();
    const terms = ['--budget-cents', '6000', '--category', 'Tableware'];
    const told = await walk(['cli/bin/commerce.js', 'mcp', 'login', shop.mcp, ...terms], read);
    expect(told).toContain('Allowed until');

    judgeMcp(await walk(['examples/mcp-client.ts', '--stdio', '--demo', demo], read), orders);
  },
  PLAYED,
);

played(
  'over UCP by REST, from the profile of the shop on',
  async () => {
    const { read, orders } = await openCustomer();

    const told = await walk(['examples/ucp-client.ts', 'stoneware mug', '--demo', demo], read);

    expect(orders).toEqual(['Place order and pay €22.90']);
    expect(told).toMatch(/human_confirmation_required: .*\n +The checkout is requires_escalation, its total/);
    expect(told).toMatch(/Confirmed: order \d+, 22\.9 EUR\./);
    expect(told).toMatch(/more than its budget allows\.\n +budget_exceeded: /);
    expect(told).toMatch(/no tableware\.\n +category_not_allowed: /);
    expect(told).toContain('agent.getOrder 200');
    expect(told).toContain('storefront.addCartItem 403: category_not_allowed');
    expect(told).toContain(`${REFUSED}{"code":"invalid_token"`);
  },
  PLAYED,
);
