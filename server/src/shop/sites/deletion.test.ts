import { afterAll, expect, onTestFinished, test } from 'vitest';
import { asOwner } from '../../../test/as-owner.ts';
import { workJobs } from '../../../test/jobs.ts';
import { givenShippedOrder } from '../../../test/returns.ts';
import { FILES_DIR } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { openStripe } from '../../../test/stripe/shop.ts';
import { directoryStore } from '../../files/directory.ts';
import { type DeletionOptions, deleteSite } from './deletion.ts';
import { emptyInSteps, type Step } from './deletion-steps.ts';
import { beginDeletion, cancelDeletion, resumeSite } from './state.ts';

type TestShop = Awaited<ReturnType<typeof openShop>>;

const stripe = await openStripe();
afterAll(() => stripe.close());

function erase(site_id: string, options: DeletionOptions) {
  return asOwner((owner) => deleteSite(owner, directoryStore(FILES_DIR), site_id, options));
}

async function stateOf({ owner, site_id }: Pick<TestShop, 'owner' | 'site_id'>) {
  const { rows } = await owner.query<{ suspended: boolean; due: boolean }>(
    `select suspended_at is not null as suspended, delete_at is not null as due from commerce.sites where site_id = $1`,
    [site_id],
  );
  return rows[0];
}

/** Cancels an order that was paid by bank transfer, so that staff must refund it. */
async function givenRefundDue(shop: TestShop) {
  const params = { path: { order_id: (await shop.givenOrder()).id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
  const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params,
    body: { reason: 'staff' },
  });
  if (error) throw new Error(`The order was not cancelled: ${JSON.stringify(error)}`);
}

test.each([
  [{ open_payments: 1, refunds_due: 0, awaited_transfers: 0 }],
  [{ open_payments: 0, refunds_due: 1, awaited_transfers: 0 }],
  [{ open_payments: 0, refunds_due: 0, awaited_transfers: 1 }],
])('rejects the deletion of a site with %o, unless `force` is set', async (owing) => {
  const given = async () => {
    if (owing.open_payments === 0) {
      const shop = await openShop();
      await (owing.refunds_due ? givenRefundDue(shop) : shop.givenOrder());
      return shop;
    }
    const shop = await stripe.givenShop();
    await shop.givenPage();
    return shop;
  };
  const shop = await given();
  for (const now of [false, true]) {
    const refused = erase(shop.site_id, { now, force: false });
    await expect(refused).rejects.toMatchObject({ code: 'conflict', context: owing });
  }
  expect(await stateOf(shop)).toEqual({ suspended: false, due: false });

  expect(await erase(shop.site_id, { now: false, force: true })).toMatchObject({
    planned: { delete_at: expect.any(String) },
  });
  expect(await stateOf(shop)).toEqual({ suspended: true, due: true });
  expect(await erase(shop.site_id, { now: true, force: true })).toMatchObject({ removed: { logins: 1 } });
  expect(await stateOf(shop)).toBeUndefined();
});

test('an unpaid bank transfer past its deadline does not prevent the deletion of a site', async () => {
  const shop = await openShop();
  const { id } = await shop.givenOrder();
  await shop.owner.query(
    `update commerce.orders set payment_due_at = now() - interval '1 minute' where site_id = $1 and id = $2`,
    [shop.site_id, id],
  );
  expect(await erase(shop.site_id, { now: true, force: false })).toHaveProperty('removed');
});

test('a partly paid bank transfer or an unpaid invoice prevents the deletion of a site, even past its deadline', async () => {
  for (const change of [
    'captured = 1',
    `payment_method = 'manual', payment_status = 'pending', payment_terms_days = 14`,
  ]) {
    const shop = await openShop();
    const { id } = await shop.givenOrder();
    await shop.owner.query(
      `update commerce.orders set payment_due_at = now() - interval '1 day', ${change} where site_id = $1 and id = $2`,
      [shop.site_id, id],
    );
    const refused = erase(shop.site_id, { now: true, force: false });
    await expect(refused).rejects.toMatchObject({ context: { awaited_transfers: 1 } });
    await erase(shop.site_id, { now: true, force: true });
  }
});

test('a cancelled order does not prevent the deletion of a site once it is refunded', async () => {
  const shop = await openShop();
  await givenRefundDue(shop);
  const { data } = await shop.dashboard.GET('/api/dashboard/orders');
  const params = { path: { order_id: data?.orders[0]?.id ?? '' } };
  const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params,
    body: { amount: data?.orders[0]?.total ?? '', reason: 'customer' },
  });
  expect(error).toBeUndefined();
  expect(await erase(shop.site_id, { now: true, force: false })).toHaveProperty('removed');
});

test('deletes sites on their deletion day, but sites with open obligations only if their deletion is forced', async () => {
  const shops = { due: await openShop(), early: await openShop(), owing: await openShop(), forced: await openShop() };
  for (const [name, shop] of Object.entries(shops)) {
    const owes = name === 'owing' || name === 'forced';
    if (owes) await givenRefundDue(shop);
    await erase(shop.site_id, { now: false, force: owes });
    if (name === 'early') continue;
    await asOwner((owner) =>
      owner.query(
        `update commerce.sites set delete_at = now() - interval '1 second', delete_forced = $2 where site_id = $1`,
        [shop.site_id, name === 'forced'],
      ),
    );
  }
  const jobs = await workJobs();
  onTestFinished(() => jobs.stop());

  await asOwner((owner) => owner.query(`select graphile_worker.add_job('delete_sites')`));

  await expect.poll(() => stateOf(shops.due), { timeout: 20_000 }).toBeUndefined();
  await expect.poll(() => stateOf(shops.forced), { timeout: 20_000 }).toBeUndefined();
  expect(await stateOf(shops.owing)).toMatchObject({ due: true });
  expect(await stateOf(shops.early)).toEqual({ suspended: true, due: true });
});

test('a site cannot be deleted while a refund for an order edit is due, even if another item has been refunded since', async () => {
  const { shop, order, line_item_id, refundOrder } = await givenShippedOrder(3, { ship: 2 });
  const change = [{ line_item_id, quantity: 2 }];
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/edit', {
    params: { path: { order_id: order.id } },
    body: { change, expected_total: '24.90' },
  });
  await refundOrder('10.00', 1);

  const refused = erase(shop.site_id, { now: true, force: false });

  await expect(refused).rejects.toMatchObject({ code: 'conflict', context: { refunds_due: 1 } });
});

test('deletes a site with exchange orders in batches', async () => {
  const { shop, order, given, receive } = await givenShippedOrder(1);
  const back = await given(1);
  await receive(back.id, back.lines[0]?.id ?? '', 1);
  await shop.dashboard.POST('/api/dashboard/returns/{return_id}/exchange', {
    params: { path: { return_id: back.id } },
    body: { lines: [{ variant_id: order.line_items[0]?.variant_id ?? '', quantity: 1 }] },
  });
  await asOwner((owner) => beginDeletion(owner, shop.site_id));
  const steps: Step[] = [];

  await asOwner((owner) => emptyInSteps(owner, shop.site_id, { onStep: (step) => steps.push(step) }));

  expect(steps.find(({ table }) => table === 'orders')?.rows).toBe(2);
  expect(await erase(shop.site_id, { now: true, force: true })).toMatchObject({ removed: { left_over: 0 } });
});

test('repeating an interrupted deletion of a site completes it', async () => {
  const [shop, neighbour] = [await openShop(), await openShop()];
  for (let n = 0; n < 5; n += 1) await shop.givenProduct({ name: `Mug ${n}` });
  await shop.givenOrder();
  await neighbour.givenProduct();
  await asOwner((owner) => beginDeletion(owner, shop.site_id));

  await expect(asOwner((owner) => resumeSite(owner, shop.site_id))).rejects.toMatchObject({ code: 'conflict' });
  await expect(asOwner((owner) => cancelDeletion(owner, shop.site_id))).rejects.toMatchObject({ code: 'conflict' });
  expect(await stateOf(shop)).toEqual({ suspended: true, due: true });
  const steps: Step[] = [];
  const onStep = (step: Step) => steps.push(step);
  const inTwos = await asOwner((owner) => emptyInSteps(owner, shop.site_id, { rowsAtATime: 2, onStep }));
  expect(inTwos).toBeGreaterThan(30);
  // Operators see the progress of each step as a row count.
  expect(steps.filter(({ table }) => table === 'variants').map(({ rows }) => rows)).toEqual([2, 4, 6, 6]);
  expect(steps.at(-1)?.number).toBe(steps.at(-1)?.of);
  const { removed } = (await erase(shop.site_id, { now: true, force: false })) as { removed: { left_over: number } };

  expect(removed).toMatchObject({ left_over: 0 });
  expect(await stateOf(shop)).toBeUndefined();
  expect((await neighbour.dashboard.GET('/api/dashboard/products')).data?.total).toBe(1);
});
