import { expect, test } from 'vitest';
import { givenDue } from '../../../test/due-payments.ts';

test('an amount due that is paid while a refund of the whole order is pending goes back, and cannot be paid again', async () => {
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
