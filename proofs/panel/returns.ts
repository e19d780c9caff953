import { unwrap } from '@commerce-backend/sdk';
import { expect } from 'vitest';
import { buy } from './purchases.ts';
import { inPanel, type Visit } from './visit.ts';

/** A guest's paid and shipped order of three units. */
async function shipped(visit: Visit) {
  const order = await buy(visit);
  const params = { path: { order_id: order.id } };
  await unwrap(visit.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params }));
  await unwrap(visit.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} }));
  return order;
}

inPanel('a return is created, received and refunded', async (visit) => {
  const { open, look, press, fill, sees, seesNoDialog, tab, dashboard } = visit;
  const { id, order_number } = await shipped(visit);

  await open(`/orders/${id}`);
  await press('More');
  await press('Create return');
  await tab.locator('.pieces input').fill('2');
  await fill('Reason', 'does_not_fit');
  await look('return-create');
  await tab.locator('.dialog footer button[type="submit"]').click();
  await sees('The return is created.');
  await seesNoDialog();
  await press(`${order_number}-R1`, 'link');
  await sees('0 of 2');
  await look('return');
  await press('Record arrival');
  await fill('Condition', 'damaged');
  await look('return-receive');
  await press('Record');
  await sees('2 of 2');
  await seesNoDialog();
  await press('Refund');
  await look('return-refund');
  await tab.locator('.dialog footer button[type="submit"]').click();
  await sees('The refund is recorded.');
  await sees('Closed');

  const params = { path: { order_id: id } };
  const order = await unwrap(dashboard.GET('/api/dashboard/orders/{order_id}', { params }));
  expect(order.line_states).toMatchObject([{ fulfilled: 3, returned: 2, refunded: 2, returnable: 1 }]);
  expect(order.refunds).toMatchObject([{ reason: 'returned', line_items: [{ quantity: 2, restock: false }] }]);
});

inPanel('a requested return is declined with a reason, and then shows the reason', async (visit) => {
  const { open, look, press, fill, sees, seesNoDialog, dashboard } = visit;
  const params = { query: { status: 'requested' as const } };
  const before = await unwrap(dashboard.GET('/api/dashboard/returns', { params }));
  const [asked] = before.returns;
  if (!asked) throw new Error('The demo shop has no requested return.');
  await open('/returns');
  await look('returns');
  await press(asked.number, 'link');
  await press('Decline');
  await fill('Reason', 'The mug was used.');
  await look('return-decline');
  await press('Decline');
  await sees('is declined');
  await seesNoDialog();
  await sees('The mug was used.');
});
