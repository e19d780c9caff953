import type { Stripe } from 'stripe';
import type { PaymentKey, RefundOutcome } from '../provider.ts';
import { codeOf, isRefusal } from './errors.ts';
import { findPayment, intentOf } from './find.ts';
import { outcomeOfRefund } from './outcomes.ts';
import { sendOnce } from './send-once.ts';

/** A refund can fail because of an error of the bank, so it is tried twice. Then the staff must handle it. */
const TRIES = 2;

/**
 * Refunds everything that Stripe still holds of a payment. The idempotency key contains the number of earlier refunds,
 * so that two concurrent calls make only one refund.
 */
export async function giveBack(stripe: Stripe, payment: PaymentKey): Promise<RefundOutcome> {
  const found = await findPayment(stripe, payment);
  const intent = found && intentOf(found);
  if (!intent) return { status: 'failed', reference: payment.id, reason: 'payment_not_found' };
  const { amount, count, isPending, failed } = await heldOf(stripe, intent, payment.id);
  if (amount <= 0) return { status: isPending ? 'pending' : 'succeeded', reference: intent.id, reason: null };
  const [last] = failed;
  if (last && failed.length >= TRIES) return outcomeOfRefund(last);
  const metadata = { payment_id: payment.id, site_id: payment.site_id, refund_id: payment.id };
  try {
    const { id } = await sendOnce(
      `refund:${payment.id}:${count}:${amount}`,
      (idempotencyKey) => stripe.refunds.create({ payment_intent: intent.id, amount, metadata }, { idempotencyKey }),
      async () => {
        const now = await heldOf(stripe, intent, payment.id);
        return now.count === count ? undefined : now.newest;
      },
    );
    const isDone = (await heldOf(stripe, intent, payment.id)).isDone;
    return { status: isDone ? 'succeeded' : 'pending', reference: id, reason: null };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const now = await heldOf(stripe, intent, payment.id);
    // Another refund was made meanwhile. The next call refunds the rest.
    if (now.count !== count) return { status: 'pending', reference: intent.id, reason: null };
    return { status: 'failed', reference: intent.id, reason: codeOf(error) };
  }
}

/**
 * Returns the amount that Stripe still holds after all refunds, and the state of these refunds. `failed` contains the
 * failed refunds made by `giveBack`.
 */
async function heldOf(stripe: Stripe, { id, amount_received }: Stripe.PaymentIntent, refund_id: string) {
  const refunds: Stripe.Refund[] = [];
  for await (const refund of stripe.refunds.list({ payment_intent: id, limit: 100 })) refunds.push(refund);
  const states = refunds.map((refund) => ({ refund, ...outcomeOfRefund(refund) }));
  const returned = states.filter(({ status }) => status !== 'failed');
  const amount = returned.reduce((left, { refund }) => left - refund.amount, amount_received);
  const isPending = states.some(({ status }) => status === 'pending');
  return {
    amount,
    count: refunds.length,
    newest: refunds[0],
    isPending,
    isDone: amount <= 0 && !isPending,
    failed: refunds.filter(
      (refund) => outcomeOfRefund(refund).status === 'failed' && refund.metadata?.refund_id === refund_id,
    ),
  };
}
