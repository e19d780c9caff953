/** Checkout sessions, Stripe's own payment page. */

import { group, type Params, text, texts } from './form.ts';
import { amountOf, newIntent, refuseUnknown } from './intents.ts';
import { intentOnTheWire, type Ledger } from './ledger.ts';
import { type Intent, invalid, type Session } from './objects.ts';

const CREATE =
  'mode client_reference_id line_items payment_intent_data metadata success_url cancel_url customer_email locale expires_at';
const SHORTEST_SECONDS = 1_800;

export function createSession(ledger: Ledger, account: string, pages: string, params: Params): object {
  refuseUnknown(params, CREATE);
  const item = group(group(params, 'line_items'), '0');
  const price = group(item, 'price_data');
  const data = group(params, 'payment_intent_data');
  const success_url = text(params, 'success_url');
  const expires_at = Number(text(params, 'expires_at'));
  if (text(params, 'mode') !== 'payment' || !success_url || !price)
    throw invalid('mode, success_url and line_items are needed.');
  // Allows a tolerance of one second, because both sides count whole seconds.
  if (!(expires_at >= ledger.now() + SHORTEST_SECONDS - 1)) {
    throw invalid('The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.');
  }
  const id = ledger.id('cs_test');
  const session: Session = {
    id,
    object: 'checkout.session',
    account,
    amount_total: amountOf(price, 'unit_amount') * amountOf(item, 'quantity'),
    currency: text(price, 'currency') ?? '',
    status: 'open',
    payment_status: 'unpaid',
    payment_intent: null,
    payment_intent_data: {
      capture_method: text(data, 'capture_method') === 'manual' ? 'manual' : 'automatic',
      description: text(data, 'description') ?? '',
      metadata: texts(group(data, 'metadata')),
    },
    client_reference_id: text(params, 'client_reference_id') ?? null,
    customer_email: text(params, 'customer_email') ?? null,
    locale: text(params, 'locale') ?? null,
    metadata: texts(group(params, 'metadata')),
    created: ledger.now(),
    expires_at,
    success_url,
    cancel_url: text(params, 'cancel_url') ?? null,
    url: `${pages}/pay/${id}`,
  };
  ledger.sessions.set(id, session);
  return ledger.sessionOnTheWire(session);
}

export function showSession(ledger: Ledger, session: Session, expand: string[]): object {
  const intent = session.payment_intent === null ? undefined : ledger.intents.get(session.payment_intent);
  const wire = ledger.sessionOnTheWire(session);
  const isShown = expand.some((path) => path.split('.')[0] === 'payment_intent');
  const inIntent = expand.map((path) => path.replace('payment_intent.', ''));
  return isShown && intent ? { ...wire, payment_intent: intentOnTheWire(intent, inIntent) } : wire;
}

export function expireSession(ledger: Ledger, session: Session): object {
  if (session.status !== 'open') {
    throw invalid(`Only Checkout Sessions with a status in ["open"] can be expired. This one is ${session.status}.`);
  }
  ledger.expire(session);
  return ledger.sessionOnTheWire(session);
}

/** The PaymentIntent of a session. It is created when the shopper first tries to pay. */
export function intentOfSession(ledger: Ledger, session: Session): Intent {
  if (session.status !== 'open') throw new Error(`The session ${session.id} is ${session.status}.`);
  if (session.payment_intent !== null) return ledger.intent(session.payment_intent);
  const { amount_total: amount, currency, payment_intent_data } = session;
  const intent = newIntent(ledger, session.account, { ...payment_intent_data, amount, currency, return_url: null });
  ledger.intents.set(intent.id, intent);
  session.payment_intent = intent.id;
  return intent;
}
