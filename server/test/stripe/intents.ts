/** The endpoints for PaymentIntents and refunds. */

import { group, type Params, text, texts } from './form.ts';
import { type Card, intentOnTheWire, type Ledger, onTheWire } from './ledger.ts';
import { type Intent, invalid, type Refund, Refusal } from './objects.ts';

const CREATE =
  'amount currency confirm confirmation_token capture_method automatic_payment_methods return_url description metadata expand';

export function createIntent(ledger: Ledger, account: string, pages: string, params: Params): object {
  refuseUnknown(params, CREATE);
  const intent = newIntent(ledger, account, {
    amount: amountOf(params, 'amount'),
    currency: text(params, 'currency') ?? '',
    capture_method: text(params, 'capture_method') === 'manual' ? 'manual' : 'automatic',
    description: text(params, 'description') ?? null,
    metadata: texts(group(params, 'metadata')),
    return_url: text(params, 'return_url') ?? null,
  });
  if (text(params, 'confirm') !== 'true') {
    ledger.intents.set(intent.id, intent);
    return intentOnTheWire(intent);
  }
  const redirects = text(group(params, 'automatic_payment_methods'), 'allow_redirects') ?? 'always';
  if (redirects === 'always' && intent.return_url === null) {
    throw invalid('A return_url is needed for payment methods that redirect.', 'parameter_missing', {
      param: 'return_url',
    });
  }
  const token = text(params, 'confirmation_token') ?? '';
  const card = ledger.tokens.get(token);
  if (!card)
    throw invalid(`No such confirmation token: '${token}'`, 'resource_missing', { param: 'confirmation_token' });
  ledger.tokens.delete(token);
  ledger.intents.set(intent.id, intent);
  pay(ledger, intent, card, pages);
  return intentOnTheWire(intent, Object.values(texts(group(params, 'expand'))));
}

/** Pays with a card. Throws an error that contains the PaymentIntent if the card is declined. */
function pay(ledger: Ledger, intent: Intent, card: Card, pages: string): void {
  payWith(ledger, intent, card === 'processing' || card === 'wallet' ? METHOD_OF[card] : 'card');
  if (card === 'success' || card === 'wallet') ledger.take(intent);
  else if (card === 'processing') ledger.change(intent, 'processing');
  else if (card === 'three_d_secure') challenge(ledger, intent, pages);
  else decline(ledger, intent);
}

const METHOD_OF = { processing: 'sepa_debit', wallet: 'paypal' };

export function payWith(ledger: Ledger, intent: Intent, type: string): void {
  intent.payment_method = { id: ledger.id('pm'), object: 'payment_method', type };
}

function challenge(ledger: Ledger, intent: Intent, pages: string): void {
  const url = `${pages}/three-d-secure/${intent.id}`;
  intent.next_action =
    intent.return_url === null ? { type: 'use_stripe_sdk' } : { type: 'redirect_to_url', redirect_to_url: { url } };
  ledger.change(intent, 'requires_action');
}

function decline(ledger: Ledger, intent: Intent): void {
  ledger.decline(intent, 'card_declined');
  const error = {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'Your card was declined.',
  };
  throw new Refusal(402, { ...error, payment_intent: intentOnTheWire(intent) });
}

export function newIntent(
  ledger: Ledger,
  account: string,
  given: Pick<Intent, 'amount' | 'currency' | 'capture_method' | 'description' | 'metadata' | 'return_url'>,
): Intent {
  if (!/^[a-z]{3}$/.test(given.currency))
    throw invalid('Invalid currency.', 'parameter_invalid', { param: 'currency' });
  const id = ledger.id('pi');
  return {
    ...given,
    id,
    object: 'payment_intent',
    account,
    amount_capturable: 0,
    amount_received: 0,
    status: 'requires_payment_method',
    client_secret: `${id}_secret_${ledger.id('s')}`,
    created: ledger.now(),
    last_payment_error: null,
    payment_method: null,
    next_action: null,
  };
}

export function captureIntent(ledger: Ledger, intent: Intent, params: Params): object {
  refuseUnknown(params, 'amount_to_capture');
  if (intent.status !== 'requires_capture') throw unexpectedState(intent, 'captured');
  const amount = amountOf(params, 'amount_to_capture');
  if (amount > intent.amount_capturable) throw invalid('The amount to capture is too large.', 'amount_too_large');
  ledger.capture(intent, amount);
  return intentOnTheWire(intent);
}

export function cancelIntent(ledger: Ledger, intent: Intent): object {
  if (ledger.sessionOf(intent)?.status === 'open') {
    throw invalid('The PaymentIntent of a Checkout session cannot be cancelled. Expire the session instead.');
  }
  if (['succeeded', 'canceled', 'processing'].includes(intent.status)) throw unexpectedState(intent, 'canceled');
  intent.next_action = null;
  ledger.change(intent, 'canceled');
  return intentOnTheWire(intent);
}

export function createRefund(ledger: Ledger, account: string, params: Params): Omit<Refund, 'account'> {
  refuseUnknown(params, 'payment_intent amount metadata');
  const intent = ledger.intent(text(params, 'payment_intent') ?? '', account);
  const amount = amountOf(params, 'amount');
  const left = intent.amount_received - refundedOf(ledger, intent);
  if (intent.status !== 'succeeded') throw unexpectedState(intent, 'refunded');
  const disputed = [...ledger.disputes.values()].some(
    ({ payment_intent, status }) =>
      payment_intent === intent.id && ['needs_response', 'under_review', 'lost'].includes(status),
  );
  if (disputed) throw invalid('The charge has been charged back; cannot issue a refund.', 'charge_disputed');
  if (left === 0) throw invalid('Charge has already been refunded.', 'charge_already_refunded');
  if (amount > left) throw invalid(`Refund amount (${amount}) is greater than unrefunded amount (${left}).`);
  const refund: Refund = {
    id: ledger.id('re'),
    object: 'refund',
    account,
    amount,
    currency: intent.currency,
    payment_intent: intent.id,
    status: ledger.refundsBegin,
    failure_reason: null,
    reason: null,
    metadata: texts(group(params, 'metadata')),
    created: ledger.now(),
  };
  ledger.refunds.set(refund.id, refund);
  ledger.changeRefund(refund, ledger.refundsBegin, true);
  return onTheWire(refund);
}

export function refundedOf(ledger: Ledger, { id }: Pick<Intent, 'id'>): number {
  return [...ledger.refunds.values()]
    .filter(({ payment_intent, status }) => payment_intent === id && status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0);
}

function unexpectedState(intent: Intent, wanted: string): Refusal {
  const message = `This PaymentIntent could not be ${wanted} because it has a status of ${intent.status}.`;
  return invalid(message, 'payment_intent_unexpected_state', { payment_intent: intentOnTheWire(intent) });
}

export function amountOf(params: Params | undefined, name: string): number {
  const amount = Number(text(params, name));
  if (!Number.isSafeInteger(amount) || amount < 1)
    throw invalid('Invalid integer.', 'parameter_invalid_integer', { param: name });
  return amount;
}

/** Throws for unknown parameters, as Stripe does. */
export function refuseUnknown(params: Params, known: string): void {
  const names = ['expand', ...known.split(' ')];
  const unknown = Object.keys(params).find((name) => !names.includes(name));
  if (unknown) throw invalid(`Received unknown parameter: ${unknown}`, 'parameter_unknown', { param: unknown });
}
