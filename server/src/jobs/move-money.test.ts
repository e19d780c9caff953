import { afterAll, expect, test } from 'vitest';
import { workJobs } from '../../test/jobs.ts';
import { waitFor } from '../../test/receiver.ts';
import { openShop } from '../../test/shop.ts';

const jobs = await workJobs();
afterAll(() => jobs.stop());

test('sends a capture and a refund to the payment provider as soon as they are recorded', async () => {
  const { dashboard, givenOrder } = await openShop();
  await dashboard.PATCH('/api/dashboard/payment-account', { body: { capture: 'manual' } });
  const order = await givenOrder({ payment_method: 'card', card_token: 'tok_authorized' });
  expect(order.payment_status).toBe('authorized');
  const params = { path: { order_id: order.id } };
  const details = async () => (await dashboard.GET('/api/dashboard/orders/{order_id}', { params })).data;
  await dashboard.POST('/api/dashboard/orders/{order_id}/capture', { params, body: { amount: '10.00' } });
  await waitFor(async () => (await details())?.payment_status === 'paid');
  const body = { amount: '4.00', reason: 'damaged' as const };
  const { data } = await dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body });
  expect(data?.refund.status).toBe('pending');
  await waitFor(async () => (await details())?.refunds[0]?.status === 'succeeded');
  expect(await details()).toMatchObject({ payment_status: 'partially_refunded', refunded: '4.00', refundable: '6.00' });
});
