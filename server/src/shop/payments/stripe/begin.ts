import type { Stripe } from 'stripe';
import type { Outcome, PaymentToBegin } from '../provider.ts';
import { toStripe } from './amounts.ts';
import { codeOf, isRefusal } from './errors.ts';
import { findPayment } from './find.ts';
import { outcomeOfSession, SHOWN_IN_INTENT } from './outcomes.ts';
import { settled } from './settled.ts';

/** Begins a payment with our id as its idempotency key, so that a retry does not begin another. */
export async function begin(stripe: Stripe, payment: PaymentToBegin): Promise<Outcome> {
  const { id, means, amount, currency } = payment;
  const counted = toStripe(amount, currency);
  if (counted === undefined) return refused(id, 'amount_not_representable');
  if (means.kind === 'card_token') return refused(id, 'confirmation_token_required');
  try {
    if (means.kind === 'page') return outcomeOfSession(await openPage(stripe, payment, counted));
    const intent = await confirm(stripe, payment, counted, means.token);
    return settled(stripe, { kind: 'intent', intent });
  } catch (error) {
    return afterRefusal(stripe, payment, error);
  }
}

/** Cancels the PaymentIntent that a declined card leaves open. Rethrows errors after which the result is unknown. */
async function afterRefusal(stripe: Stripe, payment: PaymentToBegin, error: unknown): Promise<Outcome> {
  if (!isRefusal(error)) throw error;
  const { payment_intent } = error;
  if (payment_intent) return settled(stripe, { kind: 'intent', intent: payment_intent });
  // If this id had been used with other parameters, Stripe would have reported that instead.
  const known = await findPayment(stripe, { id: payment.id, site_id: payment.site_id, reference: null });
  return known ? settled(stripe, known) : refused(payment.id, codeOf(error));
}

function openPage(stripe: Stripe, payment: PaymentToBegin, amount: number): Promise<Stripe.Checkout.Session> {
  const { id, currency, description, return_url, cancel_url, email, expires_at } = payment;
  if (return_url === null) throw new Error("A payment on Stripe's page needs a return address.");
  const product = { currency: currency.toLowerCase(), unit_amount: amount, product_data: { name: description } };
  const metadata = { ...metadataOf(payment), kind: 'page' };
  return stripe.checkout.sessions.create(
    {
      mode: 'payment',
      client_reference_id: id,
      line_items: [{ quantity: 1, price_data: product }],
      payment_intent_data: { capture_method: captureMethodOf(payment), description, metadata },
      metadata,
      success_url: return_url,
      ...(cancel_url !== null && { cancel_url }),
      ...(email !== null && { customer_email: email }),
      locale: localeOf(payment),
      expires_at: Math.floor(expires_at.getTime() / 1_000),
    },
    { idempotencyKey: id },
  );
}

function confirm(
  stripe: Stripe,
  payment: PaymentToBegin,
  amount: number,
  confirmation_token: string,
): Promise<Stripe.PaymentIntent> {
  const { id, currency, description, return_url } = payment;
  return stripe.paymentIntents.create(
    {
      amount,
      currency: currency.toLowerCase(),
      confirm: true,
      confirmation_token,
      capture_method: captureMethodOf(payment),
      // Payment methods that redirect need a return URL.
      automatic_payment_methods: { enabled: true, allow_redirects: return_url === null ? 'never' : 'always' },
      ...(return_url !== null && { return_url }),
      description,
      metadata: metadataOf(payment),
      expand: SHOWN_IN_INTENT,
    },
    { idempotencyKey: id },
  );
}

/** Identifies our payments, because several shops may share one Stripe account. */
function metadataOf({ id, site_id }: PaymentToBegin) {
  return { payment_id: id, site_id };
}

function captureMethodOf({ capture }: PaymentToBegin) {
  return capture === 'manual' ? 'manual' : 'automatic';
}

/** The languages of Stripe's page. For others, Stripe uses the browser's language. */
const LOCALES =
  'bg cs da de el en es et fi fil fr hr hu id it ja ko lt lv ms mt nb nl pl pt ro ru sk sl sv th tr vi zh';

function localeOf({ locale }: PaymentToBegin): Stripe.Checkout.SessionCreateParams.Locale {
  const language = locale?.split('-')[0]?.toLowerCase() ?? '';
  const known = LOCALES.split(' ').includes(language);
  return (known ? language : 'auto') as Stripe.Checkout.SessionCreateParams.Locale;
}

function refused(reference: string, reason: string): Outcome {
  return { status: 'failed', reference, reason, next_action: null, amount: null, currency: null };
}
