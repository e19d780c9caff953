import { expect, test } from 'vitest';
import { givenAgent } from '../../../test/agents.ts';
import { givenDue, ORDER } from '../../../test/due-payments.ts';
import { inShopAsSystem } from '../../shop/in-shop.ts';
import { settle } from '../../shop/orders/refunds.ts';

test('a payment of the amount due during a refund of the whole order is refunded, and nothing can be paid again', async () => {
  const due = await givenDue();
  await due.approve(await due.leave());
  expect((await due.refund('14.90')).error).toBeUndefined();
  await due.settlePayments();
  const again = await due.leave();
  await due.finishMoves();
  await due.settlePayments();

  expect(again.path).toBe(new URL(due.link).pathname);
  expect(await due.payments()).toMatchObject([{ status: 'refunded' }]);
  expect(await due.details()).toMatchObject({ status: 'cancelled', amount_received: '14.90', refund_due: '0.00' });
  expect(await due.kept()).toBe(0);
});

test("if one part of a return's refund fails, the next refund does not pay the other part again", async () => {
  const due = await givenDue({ quantity: 2 });
  await due.pay();
  const { shop, order } = due;
  const at = { params: { path: { order_id: order.id } } };
  await shop.dashboard.POST(`${ORDER}/fulfillments`, { ...at, body: {} });
  const pieces = (await due.details())?.line_items ?? [];
  const lines = pieces.map(({ id, quantity }) => ({ line_item_id: id ?? '', quantity, reason: 'other' as const }));
  const { data: made } = await shop.dashboard.POST('/api/dashboard/returns', {
    body: { order_id: order.id, lines, fee: '3.00', override_policy: true },
  });
  const on = { params: { path: { return_id: made?.id ?? '' } } };
  const arrived = (made?.lines ?? []).map(({ id, quantity }) => ({ id, quantity, condition: 'damaged' as const }));
  await shop.dashboard.POST('/api/dashboard/returns/{return_id}/receive', { ...on, body: { lines: arrived } });
  const refund = () =>
    shop.dashboard.POST('/api/dashboard/returns/{return_id}/refund', { ...on, body: { close: false } });
  const booked = (captured: number) =>
    shop.owner.query(
      `update commerce.test_payments set captured = $2 where id = (
        select id from commerce.payments where order_id = $1 and purpose = 'checkout')`,
      [order.id, captured],
    );

  // 32.50 minus the fee of 3.00 is 29.50: 24.90 through the payment of the checkout, and 4.60 through the payment of
  // the amount due.
  await booked(0);
  expect((await refund()).data?.refund).toMatchObject({ amount: '24.90' });
  await due.finishMoves();
  expect((await due.details())?.refunds).toMatchObject([{ status: 'failed' }, { status: 'succeeded', amount: '4.60' }]);
  await booked(2_490);
  expect((await refund()).data?.refund).toMatchObject({ amount: '24.90' });
  expect((await refund()).error).toMatchObject({ error: 'conflict' });
  await due.finishMoves();

  expect(await due.details()).toMatchObject({ refunded: '29.50', refundable: '7.90' });
  expect(await due.kept()).toBe(790);
});

test("neither paying an amount due nor a failed refund of that payment uses the budget of the order's agent", async () => {
  const due = await givenDue();
  const { shop, order } = due;
  const { token_id } = await givenAgent(shop, await shop.givenCustomer());
  const prepared = [shop.site_id, token_id];
  await shop.owner.query('update commerce.carts set agent_token_id = $2 where site_id = $1', prepared);
  for (const table of ['checkouts', 'orders'])
    await shop.owner.query(
      `update commerce.${table} set agent_token_id = $2, source = 'agent' where site_id = $1`,
      prepared,
    );
  await shop.owner.query('update commerce.orders set agent_spent_cents = 1490 where id = $1', [order.id]);
  await shop.owner.query(
    'update commerce.agent_tokens set budget_used_cents = 1490, spent_total_cents = 1490 where id = $1',
    [token_id],
  );
  const used = async () =>
    Number(
      (await shop.owner.query('select budget_used_cents as used from commerce.agent_tokens where id = $1', [token_id]))
        .rows[0]?.used,
    );
  const sendBack = (amount: string) =>
    inShopAsSystem(shop.db, shop.site_id, async (inside) => {
      const id = (await due.details())?.refunds.find((one) => one.amount === amount)?.id ?? '';
      await settle(inside, id, { status: 'failed', reference: `re_${amount}`, reason: 'expired_card' });
    });

  await due.pay();
  expect(await used()).toBe(1_490);
  await due.refund('27.40');
  await due.finishMoves();
  expect(await used()).toBe(0);
  await sendBack('12.50');
  expect(await used()).toBe(0);
  await sendBack('14.90');
  expect(await used()).toBe(1_490);
});
