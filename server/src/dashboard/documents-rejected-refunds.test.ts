import { afterAll, expect, test } from 'vitest';
import { documentsOf, givenSeller } from '../../test/invoices.ts';
import { openStripe } from '../../test/stripe/shop.ts';

const stripe = await openStripe();
const { standIn } = stripe;
afterAll(() => stripe.close());

test('repeating a refund that the bank rejected issues no second credit note, until staff issue a new invoice', async () => {
  const shop = await stripe.givenShop();
  await givenSeller(shop, { issue: 'on_payment' });
  const { id, total } = await shop.givenPaidOrder();
  const params = { path: { order_id: id } };
  // Ships the order first, because a full refund would cancel an unshipped order.
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} });
  const body = { amount: total, reason: 'damaged' as const };
  const refund = async () => {
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body });
    await shop.finishMoves();
  };
  const kinds = async () => (await documentsOf(shop, id)).map((one) => [one.kind, one.total]);
  const once = [
    ['invoice', total],
    ['credit_note', total],
  ];
  const reject = async () => {
    for (const one of standIn.ledger.refunds.values()) {
      if (one.account === shop.account && one.status !== 'failed') standIn.ledger.changeRefund(one, 'failed');
    }
    for (const event of shop.events().filter(({ type }) => type.startsWith('refund.'))) await shop.send(event);
    expect(await shop.details(id)).toMatchObject({ refundable: total });
  };
  expect(await kinds()).toEqual([['invoice', total]]);
  await refund();
  expect(await kinds()).toEqual(once);
  await reject();
  expect(await kinds()).toEqual(once);
  await refund();
  expect(await kinds()).toEqual(once);

  await reject();
  const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', { params });
  expect(error).toBeUndefined();

  expect(await kinds()).toEqual([...once, ['invoice', total]]);
  await refund();
  expect(await kinds()).toEqual([...once, ...once]);
});
