import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { givenAssistant } from '../../server/test/assistants.ts';
import { openShop } from '../../server/test/shop.ts';
import { runProgram } from './programs.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'merchant-assistant-'));
});

afterAll(() => rm(directory, { recursive: true }));

/**
 * Opens a shop with a paid and an unpaid order of 10.00 each, and connects an assistant of the owner with read scopes
 * only.
 */
async function givenOrders() {
  const shop = await openShop();
  const paid = await shop.givenOrder();
  const unpaid = await shop.givenOrder();
  const path = { order_id: paid.id };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path } });
  const { access_token, staff } = await givenAssistant(shop);
  const demo = join(directory, `${shop.site_id}.json`);
  await writeFile(demo, JSON.stringify({ base_url: shop.baseUrl }));
  const now = async () => (await staff.GET('/api/dashboard/orders/{order_id}', { params: { path } })).data;
  /** Runs the example. `decide` gets the id of each change, and acts as the staff member who opens the link. */
  const play = async (tasks: string[], decide: (action_id: string) => Promise<unknown>) => {
    const onLine = async (line: string) => {
      const [, action_id] = /confirm it at http\S+\/panel\/confirm\/(\S+)$/.exec(line) ?? [];
      if (action_id) await decide(action_id);
    };
    const args = ['examples/merchant-assistant.ts', '--demo', demo, ...tasks];
    const { text, errors, code } = await runProgram(args, onLine, { COMMERCE_ASSISTANT_TOKEN: access_token });
    expect([code, errors]).toEqual([0, '']);
    return text;
  };
  return { staff, paid, unpaid, now, play };
}

test("a merchant's assistant finds the orders to ship, and refunds and ships an order after the staff member confirms each change", async () => {
  const { staff, paid, unpaid, now, play } = await givenOrders();
  const before: unknown[] = [];

  const text = await play([], async (action_id) => {
    const order = await now();
    before.push([order?.payment_status, order?.fulfillment_status]);
    const params = { path: { action_id } };
    await staff.POST('/api/dashboard/assistant-actions/{action_id}/confirm', { params });
  });

  expect(text).toContain(`These must ship: ${paid.order_number}.\n`);
  expect(text).not.toContain(unpaid.order_number);
  expect(before).toEqual([
    ['paid', 'unfulfilled'],
    ['partially_refunded', 'unfulfilled'],
  ]);
  expect(text.match(/The change is done\./g)).toHaveLength(2);
  expect(await now()).toMatchObject({ payment_status: 'partially_refunded', fulfillment_status: 'fulfilled' });
  const used = [...text.matchAll(/\((\d+) calls?, about (\d+) tokens\)/g)].map((found) => found.slice(1).map(Number));
  // A task with a change needs at least three calls: a search, the change, and its result, which is polled while the
  // staff member decides.
  expect(used.map(([calls = 0], task) => calls >= ([1, 3, 3][task] ?? 0))).toEqual([true, true, true]);
  expect(used.filter(([calls = 0, tokens = 0]) => tokens / calls > 500)).toEqual([]);
});

test("if the staff member declines a change, the change is not made, and the merchant's assistant ends", async () => {
  const { staff, now, play } = await givenOrders();

  const text = await play(['Refund 2.00 of the first order that must ship.'], (action_id) => {
    const params = { path: { action_id } };
    return staff.POST('/api/dashboard/assistant-actions/{action_id}/decline', { params });
  });

  expect(text).toContain('The change is declined.');
  expect(await now()).toMatchObject({ payment_status: 'paid', fulfillment_status: 'unfulfilled' });
});
