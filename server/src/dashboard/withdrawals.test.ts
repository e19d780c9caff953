import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { stockOf } from '../../test/buying.ts';
import { mailsTo } from '../../test/mail.ts';
import { openShop } from '../../test/shop.ts';
import { matched, moveToEu, withdraw } from '../../test/withdrawals.ts';
import { lastDay } from '../shop/withdrawals/period.ts';

const ORDER = '/api/dashboard/orders/{order_id}';
const ONE = '/api/dashboard/withdrawals/{withdrawal_id}';

/**
 * A paid guest order of `quantity` pieces at 10.00 each, plus 4.90 for shipping. The first `ship` pieces are shipped,
 * and with `deliver` delivered.
 */
async function givenOrder({ ship = 0, quantity = 3, deliver = false } = {}) {
  const shop = await openShop();
  const { dashboard, owner, site_id } = shop;
  await moveToEu(shop);
  const email = `Jo-${crypto.randomUUID()}@example.com`;
  const product = await shop.givenProduct({ price: '10.00', inventory_quantity: 30 });
  const order = await shop.givenOrder({ email, content: [{ variant_id: product.variants[0]?.id ?? '', quantity }] });
  const at = { params: { path: { order_id: order.id } } };
  const line_item_id = order.line_items[0]?.id ?? '';
  await dashboard.POST(`${ORDER}/mark-paid`, at);
  const shipPieces = (pieces?: number) =>
    dashboard.POST(`${ORDER}/fulfillments`, {
      ...at,
      body: pieces === undefined ? {} : { items: [{ line_item_id, quantity: pieces }] },
    });
  if (ship > 0) await shipPieces(ship);
  if (deliver) await dashboard.POST(`${ORDER}/mark-delivered`, at);
  const of = (withdrawal_id: string) => ({ params: { path: { withdrawal_id } } });
  return {
    ...{ shop, order, email, line_item_id, shipPieces },
    details: async () => (await dashboard.GET(ORDER, at)).data,
    line: async () => (await dashboard.GET(ORDER, at)).data?.line_states[0],
    returns: async () => (await dashboard.GET('/api/dashboard/returns')).data?.returns ?? [],
    refunds: async () => (await dashboard.GET(`${ORDER}/refunds`, at)).data?.refunds ?? [],
    confirm: (id: string, quantity?: number) =>
      dashboard.POST(`${ONE}/confirm`, {
        ...of(id),
        body: quantity === undefined ? {} : { lines: [{ line_item_id, quantity }] },
      }),
    close: (id: string) => dashboard.POST(`${ONE}/close`, of(id)),
    onHand: async () => (await stockOf(shop, product.id)).on_hand,
    deliveredDaysAgo: (days: number) =>
      owner.query(
        `update commerce.orders set delivered_at = delivered_at - make_interval(days => $2) where site_id = $1`,
        [site_id, days],
      ),
    /** Submits a withdrawal, and returns it once the job has looked for its order. */
    async stated({ contract = `#${order.order_number}`, note = '' } = {}) {
      await withdraw(shop, { email: email.toUpperCase().replace('EXAMPLE.COM', 'example.com'), contract, note });
      const found = (await matched(shop)).at(-1);
      if (!found) throw new Error('The withdrawal was not stored.');
      return found;
    },
  };
}

test('a withdrawal withholds the unshipped items of the order that it names, until staff confirm the withdrawal', async () => {
  const { stated, order, line, shipPieces, details, shop } = await givenOrder();

  const withdrawal = await stated();

  expect(withdrawal).toMatchObject({
    ...{ status: 'to_confirm', order_id: order.id, order_number: order.order_number, late: false, return_id: null },
    lines: [{ quantity: 3, confirmed: 0 }],
  });
  const fortnight = Date.parse(withdrawal.refund_due_at) - Date.parse(withdrawal.received_at);
  expect(fortnight).toBe(14 * 24 * 60 * 60 * 1000);
  expect(await line()).toMatchObject({ to_fulfill: 0, removed: 0, refunded: 0 });
  for (const pieces of [undefined, 1]) expect((await shipPieces(pieces)).response.status).toBe(409);
  expect(await details()).toMatchObject({ status: 'confirmed', fulfillment_status: 'unfulfilled' });
  const toShip = await shop.dashboard.GET('/api/dashboard/orders', { params: { query: { waiting_for: 'shipping' } } });
  expect(toShip.data?.orders).toEqual([]);
});

test('confirming a withdrawal from a whole unshipped order cancels, restocks and fully refunds the order', async () => {
  const { stated, confirm, details, refunds, onHand } = await givenOrder();
  const { id } = await stated();
  expect(await onHand()).toBe(27);

  const { data } = await confirm(id);

  expect(data).toMatchObject({ status: 'closed', lines: [{ quantity: 3, confirmed: 3 }] });
  const order = await details();
  expect(order).toMatchObject({ status: 'cancelled', payment_status: 'refunded' });
  expect((await refunds()).map(({ amount }) => amount)).toEqual([order?.total]);
  expect(await onHand()).toBe(30);
});

test('confirming some items of a withdrawal removes and refunds them, and the other items can ship again', async () => {
  const { stated, confirm, line, refunds, shipPieces, onHand, details } = await givenOrder();
  const { id } = await stated();

  const { data } = await confirm(id, 1);

  expect(data).toMatchObject({ status: 'closed', lines: [{ quantity: 3, confirmed: 1 }] });
  expect(await line()).toMatchObject({ to_fulfill: 2, removed: 1, refunded: 1 });
  expect(await refunds()).toMatchObject([{ amount: '10.00', reason: 'customer', shipping: '0.00' }]);
  expect(await onHand()).toBe(28);
  expect((await shipPieces()).response.status).toBe(201);
  expect(await details()).toMatchObject({ fulfillment_status: 'fulfilled' });
});

test('closing a withdrawal lets its items ship, and a closed withdrawal cannot be closed or confirmed again (409)', async () => {
  const { stated, close, confirm, line, shipPieces } = await givenOrder();
  const { id } = await stated();

  expect((await close(id)).data).toMatchObject({ status: 'closed', lines: [{ confirmed: 0 }] });

  for (const again of [await close(id), await confirm(id)]) {
    expect([again.response.status, again.error?.error]).toEqual([409, 'invalid_transition']);
  }
  expect(await line()).toMatchObject({ to_fulfill: 3 });
  expect((await shipPieces()).response.status).toBe(201);
});

test('rejects confirming more items than are withheld (422)', async () => {
  const { stated, confirm, line } = await givenOrder();
  const { id } = await stated();

  expect((await confirm(id, 4)).response.status).toBe(422);
  expect(await line()).toMatchObject({ to_fulfill: 0, removed: 0 });
});

test('a withdrawal creates an approved return without a fee for the shipped items, and withholds the unshipped ones', async () => {
  const { stated, confirm, shop, returns, line, email } = await givenOrder({ ship: 2 });
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: { return_policy: { enabled: false, window_days: 14, fee: '3.00' } },
  });

  const { id, return_id, lines } = await stated({ note: 'Only the blue one' });

  expect(lines).toMatchObject([{ quantity: 1 }]);
  expect(await returns()).toMatchObject([
    {
      ...{ id: return_id, kind: 'withdrawal', status: 'approved', late: false, fee: '0.00' },
      ...{ customer_note: 'Only the blue one', lines: [{ quantity: 2, reason: 'changed_mind' }] },
    },
  ]);
  expect((await mailsTo(shop, email)).at(-1)?.subject).toMatch(/Your return .*-R1 has been approved/);
  await confirm(id);
  expect(await line()).toMatchObject({ fulfilled: 2, removed: 1, to_fulfill: 0 });
});

test('the refund of a withdrawal from a whole shipped order includes the shipping cost, and deducts no fee', async () => {
  const { stated, shop, order, refunds } = await givenOrder({ ship: 3 });
  const { return_id, status } = await stated();
  expect(status).toBe('closed');
  const at = { params: { path: { return_id: return_id ?? '' } } };
  const found = await shop.dashboard.GET('/api/dashboard/returns/{return_id}', at);
  await shop.dashboard.POST('/api/dashboard/returns/{return_id}/receive', {
    ...at,
    body: { lines: [{ id: found.data?.lines[0]?.id ?? '', quantity: 3, condition: 'resellable' }] },
  });

  await shop.dashboard.POST('/api/dashboard/returns/{return_id}/refund', { ...at, body: {} });

  expect((await refunds()).map(({ amount }) => amount)).toEqual([order.total]);
});

test('a withdrawal after the period creates a late return that needs approval, and rejects a return fee (422)', async () => {
  const { stated, shop, returns, deliveredDaysAgo } = await givenOrder({ ship: 3, deliver: true });
  await deliveredDaysAgo(18);

  const withdrawal = await stated();

  expect(withdrawal.late).toBe(true);
  const [late] = await returns();
  expect(late).toMatchObject({ kind: 'withdrawal', status: 'requested', late: true });
  const at = { params: { path: { return_id: late?.id ?? '' } } };
  const path = '/api/dashboard/returns/{return_id}/approve';
  expect((await shop.dashboard.POST(path, { ...at, body: { fee: '1.00' } })).response.status).toBe(422);
  expect((await shop.dashboard.POST(path, { ...at, body: {} })).response.status).toBe(200);
});

test('a withdrawal is not late within 14 days of the delivery, or without proof of delivery', async () => {
  const delivered = await givenOrder({ ship: 3, deliver: true });
  await delivered.deliveredDaysAgo(13);
  const shipped = await givenOrder({ ship: 3 });
  const { owner, site_id } = shipped.shop;
  const past = sql`now() - interval '90 days'`;
  await owner.query(sql`update commerce.fulfillments set created_at = ${past} where site_id = ${site_id}`);
  await owner.query(
    sql`update commerce.orders set created_at = ${past}, shipped_at = ${past} where site_id = ${site_id}`,
  );

  for (const { stated, returns } of [delivered, shipped]) {
    expect((await stated()).late).toBe(false);
    expect(await returns()).toMatchObject([{ status: 'approved', late: false }]);
  }
});

test('the withdrawal period ends 14 days after the day of receipt, or on the following Monday if that is on a weekend', () => {
  expect(lastDay('2026-06-22')).toBe('2026-07-06');
  expect(lastDay('2026-06-20')).toBe('2026-07-06');
  expect(lastDay('2026-06-21')).toBe('2026-07-06');
  expect(lastDay('2026-02-19')).toBe('2026-03-05');
});

test('a withdrawal with another order number or e-mail address matches no order, and staff can close it', async () => {
  const { shop, stated, order, line, close } = await givenOrder();
  await withdraw(shop, { email: 'other@example.com', contract: order.order_number });
  const wrongNumber = await stated({ contract: `${order.order_number}0` });

  const all = await matched(shop);

  expect(all.map(({ status, order_id }) => [status, order_id])).toEqual([
    ['unmatched', null],
    ['unmatched', null],
  ]);
  expect(await line()).toMatchObject({ to_fulfill: 3 });
  expect((await close(wrongNumber.id)).data).toMatchObject({ status: 'closed' });
  const open = await shop.dashboard.GET('/api/dashboard/withdrawals', { params: { query: { open: true } } });
  expect(open.data?.total).toBe(1);
});

test('a second withdrawal from the same order withholds no items and creates no second return', async () => {
  const { stated, line, returns } = await givenOrder({ ship: 1 });
  await stated();

  expect(await stated()).toMatchObject({ status: 'closed', lines: [], return_id: null });
  expect(await line()).toMatchObject({ to_fulfill: 0, removed: 0 });
  expect(await returns()).toHaveLength(1);
});

test('after one item of a withdrawal is refunded directly, confirming the withdrawal refunds only the other items', async () => {
  const { stated, confirm, shop, order, line_item_id, line, refunds } = await givenOrder();
  const { id } = await stated();
  const refunded = await shop.dashboard.POST(`${ORDER}/refunds`, {
    params: { path: { order_id: order.id } },
    body: { amount: '10.00', reason: 'customer', line_items: [{ line_item_id, quantity: 1 }] },
  });
  expect(refunded.response.status).toBe(201);

  await confirm(id);

  const [first, rest] = await refunds();
  expect([first?.amount, Number(rest?.amount)]).toEqual(['10.00', Number(order.total) - 10]);
  expect(await line()).toMatchObject({ to_fulfill: 0 });
});

test('a concurrent shipment and withdrawal never ship a withheld item', async () => {
  const given = await givenOrder();
  await withdraw(given.shop, { email: given.email, contract: given.order.order_number });

  const [[withdrawal], shipped] = await Promise.all([matched(given.shop), given.shipPieces(2)]);

  const line = await given.line();
  const held = withdrawal?.lines[0]?.quantity ?? 0;
  const returned = (await given.returns())[0]?.lines[0]?.quantity ?? 0;
  expect(held + returned).toBe(3);
  expect(line?.fulfilled).toBe(shipped.response.status === 201 ? 2 : 0);
  expect(held).toBe(3 - (line?.fulfilled ?? 0));
});

test('returns 404 for a withdrawal of another shop', async () => {
  const { stated } = await givenOrder();
  const { id } = await stated();
  const other = await openShop();

  const { response } = await other.dashboard.GET(ONE, { params: { path: { withdrawal_id: id } } });

  expect(response.status).toBe(404);
});
