import type { Stripe } from 'stripe';
import {
  type MoneyMove,
  NO_ACCOUNT,
  type Outcome,
  type PaymentKey,
  type PaymentProvider,
  type PaymentToBegin,
  type RefundOutcome,
} from '../provider.ts';
import { toStripe } from './amounts.ts';
import { begin } from './begin.ts';
import { clientOf, type StripeAccount } from './client.ts';
import { codeOf, ifRefused, isOfOtherAccount, isRefusal } from './errors.ts';
import { receive } from './events.ts';
import { type Found, findPayment, findRefund, intentOf, moneySince } from './find.ts';
import { giveBack } from './give-back.ts';
import { outcomeOfIntent, outcomeOfRefund } from './outcomes.ts';
import { sendOnce } from './send-once.ts';
import { outcomeOf, settled } from './settled.ts';

/**
 * Payments by Stripe, on Stripe's page (Checkout) or with a PaymentIntent that the storefront confirms. The idempotency
 * key of every call that moves money contains our id, so that a retry moves nothing twice.
 */
export function stripeProvider(account: StripeAccount): PaymentProvider {
  const client = () => clientOf(account);
  return {
    name: 'stripe',
    begin: async (payment: PaymentToBegin) => begin(await client(), payment),
    outcomeOf: async (payment: PaymentKey) => {
      const stripe = await client();
      const found = await findPayment(stripe, payment);
      return found && settled(stripe, found);
    },
    capture: async (payment, move) => capture(await client(), payment, move),
    cancel: async (payment) => cancel(await client(), payment),
    refund: async (payment, move) => refund(await client(), payment, move),
    giveBack: async (payment) => giveBack(await client(), payment),
    moneySince: async function* (since) {
      yield* moneySince(await client(), account.site_id, since);
    },
    receive: async (headers, body) => receive(await client(), account, headers, body),
  };
}

async function capture(stripe: Stripe, payment: PaymentKey, { id, amount, currency }: MoneyMove): Promise<Outcome> {
  const found = await findPayment(stripe, payment);
  const intent = found && intentOf(found);
  if (!intent) throw new Error(`Stripe has no payment ${payment.id} to capture.`);
  if (intent.status !== 'requires_capture') return settled(stripe, found);
  const amount_to_capture = toStripe(amount, currency);
  if (amount_to_capture === undefined) throw new Error(`Stripe cannot charge ${amount} ${currency}.`);
  const read = () => stripe.paymentIntents.retrieve(intent.id);
  await sendOnce(
    `capture:${id}`,
    (idempotencyKey) => stripe.paymentIntents.capture(intent.id, { amount_to_capture }, { idempotencyKey }),
    async () => {
      const known = await read();
      return known.status === 'requires_capture' ? undefined : known;
    },
  ).catch(ifRefused);
  return outcomeOfIntent(await read(), outcomeOf(found).reference);
}

async function cancel(stripe: Stripe, payment: PaymentKey): Promise<Outcome> {
  const found = (await findPayment(stripe, payment)) ?? (await forestall(stripe, payment));
  if (!found) return { ...NEVER_BEGAN, reference: payment.id };
  const intent = intentOf(found);
  if (found.kind === 'session' && found.session.status === 'open') {
    await stripe.checkout.sessions.expire(found.session.id).catch(ifRefused);
  } else if (intent && !['succeeded', 'canceled'].includes(intent.status)) {
    await stripe.paymentIntents.cancel(intent.id).catch(ifRefused);
  } else {
    return outcomeOf(found);
  }
  const now = await findPayment(stripe, { ...payment, reference: outcomeOf(found).reference });
  return outcomeOf(now ?? found);
}

const NEVER_BEGAN = { status: 'cancelled', reason: null, next_action: null, amount: null, currency: null } as const;

/**
 * Blocks a payment that Stripe does not have, because its first request may still arrive. Sends a request that charges
 * nothing with the same idempotency key, so that Stripe rejects the late request. If the key was already used, returns
 * the payment at Stripe, if there is one.
 */
async function forestall(stripe: Stripe, payment: PaymentKey): Promise<Found | undefined> {
  const { id: payment_id, site_id } = payment;
  const unused = {
    amount: 100,
    currency: 'usd',
    description: 'Cancelled before it began',
    metadata: { payment_id, site_id },
  };
  try {
    return { kind: 'intent', intent: await stripe.paymentIntents.create(unused, { idempotencyKey: payment_id }) };
  } catch (error) {
    if (isRefusal(error)) return findPayment(stripe, payment);
    throw error;
  }
}

async function refund(
  stripe: Stripe,
  payment: PaymentKey,
  { id, amount, currency }: MoneyMove,
): Promise<RefundOutcome> {
  const found = await findPayment(stripe, payment).catch((error: unknown) => {
    if (isOfOtherAccount(error)) return 'elsewhere' as const;
    throw error;
  });
  if (found === 'elsewhere') return { status: 'failed', reference: id, reason: NO_ACCOUNT };
  const intent = found && intentOf(found);
  if (!intent) return { status: 'failed', reference: id, reason: 'payment_not_found' };
  // Stripe forgets idempotency keys after a day. After that, the earlier refund is found by our id in its metadata.
  const known = await findRefund(stripe, intent.id, id);
  if (known) return outcomeOfRefund(known);
  const counted = toStripe(amount, currency);
  if (counted === undefined) return { status: 'failed', reference: id, reason: 'amount_not_representable' };
  const metadata = { payment_id: payment.id, site_id: payment.site_id, refund_id: id };
  try {
    const wanted = { payment_intent: intent.id, amount: counted, metadata };
    const made = await sendOnce(
      `refund:${id}`,
      (idempotencyKey) => stripe.refunds.create(wanted, { idempotencyKey }),
      () => findRefund(stripe, intent.id, id),
    );
    return outcomeOfRefund(made);
  } catch (error) {
    if (isRefusal(error)) return { status: 'failed', reference: id, reason: codeOf(error) };
    throw error;
  }
}
