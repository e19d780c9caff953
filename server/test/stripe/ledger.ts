import { randomBytes } from 'node:crypto';
import { type Dispute, type Intent, invalid, type Refund, type Session, type StripeEvent } from './objects.ts';

/** The behaviour of the card of a confirmation token. */
export type Card = 'success' | 'declined' | 'three_d_secure' | 'processing' | 'wallet';

export interface WebhookEndpoint {
  id: string;
  object: 'webhook_endpoint';
  account: string;
  url: string;
  created: number;
}

/** Time for which a bank reserves an authorized amount. */
const AUTHORIZED_SECONDS = 7 * 86_400;

/** All objects that Stripe would store, with a clock that can be set forward. */
export class Ledger {
  readonly intents = new Map<string, Intent>();
  readonly sessions = new Map<string, Session>();
  readonly refunds = new Map<string, Refund>();
  readonly disputes = new Map<string, Dispute>();
  /** Endpoints that Stripe's API lists. `StripeStandIn` does not send to them by itself. */
  readonly webhooks = new Map<string, WebhookEndpoint>();
  readonly tokens = new Map<string, Card>();
  readonly events: StripeEvent[] = [];
  /** Called with each new event. */
  onEvent: (event: StripeEvent) => void = () => undefined;
  /** The status of a new refund. */
  refundsBegin: Refund['status'] = 'succeeded';
  #ahead = 0;
  #count = 0;

  /** The current time in seconds since 1970, as Stripe counts it. */
  now(): number {
    return Math.floor(Date.now() / 1_000) + this.#ahead;
  }

  /** Sets the clock forward, and expires everything whose time has passed. */
  advance(seconds: number): void {
    this.#ahead += seconds;
    for (const session of this.sessions.values()) {
      if (session.status === 'open' && session.expires_at <= this.now()) this.expire(session);
    }
    for (const intent of this.intents.values()) {
      const lapsed = intent.created + AUTHORIZED_SECONDS <= this.now();
      if (intent.status === 'requires_capture' && lapsed) this.change(intent, 'canceled');
    }
  }

  id(prefix: string): string {
    this.#count += 1;
    return `${prefix}_${String(this.#count).padStart(8, '0')}${randomBytes(8).toString('hex')}`;
  }

  intent(id: string, account?: string): Intent {
    return known(this.intents, id, account);
  }

  session(id: string, account?: string): Session {
    return known(this.sessions, id, account);
  }

  refund(id: string, account?: string): Refund {
    return known(this.refunds, id, account);
  }

  dispute(id: string, account?: string): Dispute {
    return known(this.disputes, id, account);
  }

  webhook(id: string, account?: string): WebhookEndpoint {
    return known(this.webhooks, id, account);
  }

  /** Records that the customer disputes a part of a payment at the bank. */
  openDispute({ id: payment_intent, account, currency }: Intent, amount: number, status: Dispute['status']): Dispute {
    const dispute: Dispute = {
      id: this.id('dp'),
      object: 'dispute',
      account,
      amount,
      currency,
      payment_intent,
      status,
      reason: 'fraudulent',
      evidence_details: { due_by: this.now() + 7 * 86_400 },
      created: this.now(),
    };
    this.disputes.set(dispute.id, dispute);
    this.#tell(account, 'charge.dispute.created', onTheWire(dispute));
    return dispute;
  }

  changeDispute(dispute: Dispute, status: Dispute['status']): void {
    dispute.status = status;
    const isOver = status === 'won' || status === 'lost' || status === 'warning_closed';
    this.#tell(dispute.account, isOver ? 'charge.dispute.closed' : 'charge.dispute.updated', onTheWire(dispute));
  }

  /** Records that a card was charged, or that an amount was reserved. */
  take(intent: Intent): void {
    intent.last_payment_error = null;
    intent.next_action = null;
    if (intent.capture_method === 'manual') {
      intent.amount_capturable = intent.amount;
      this.change(intent, 'requires_capture');
    } else {
      intent.amount_received = intent.amount;
      this.change(intent, 'succeeded');
    }
    const session = this.sessionOf(intent);
    if (session) this.#complete(session, intent);
  }

  /** Records that the bank declined the payment. */
  decline(intent: Intent, code: string): void {
    intent.next_action = null;
    intent.last_payment_error = { type: 'card_error', code, message: `The payment failed: ${code}.` };
    this.change(intent, 'requires_payment_method', 'payment_intent.payment_failed');
  }

  capture(intent: Intent, amount: number): void {
    intent.amount_received = amount;
    intent.amount_capturable = 0;
    this.change(intent, 'succeeded');
  }

  change(intent: Intent, status: Intent['status'], type = EVENT_OF[status]): void {
    intent.status = status;
    if (status === 'canceled') intent.amount_capturable = 0;
    if (type) this.#tell(intent.account, type, intentOnTheWire(intent));
  }

  expire(session: Session): void {
    session.status = 'expired';
    session.url = null;
    const intent = session.payment_intent === null ? undefined : this.intents.get(session.payment_intent);
    if (intent && intent.status !== 'canceled') this.change(intent, 'canceled');
    this.#tell(session.account, 'checkout.session.expired', this.sessionOnTheWire(session));
  }

  changeRefund(refund: Refund, status: Refund['status'], created = false): void {
    refund.status = status;
    refund.failure_reason = status === 'failed' ? 'lost_or_stolen_card' : null;
    const type = created ? 'refund.created' : status === 'failed' ? 'refund.failed' : 'refund.updated';
    this.#tell(refund.account, type, onTheWire(refund));
  }

  sessionOf({ id }: Intent): Session | undefined {
    return [...this.sessions.values()].find(({ payment_intent }) => payment_intent === id);
  }

  sessionOnTheWire(session: Session): object {
    const { payment_intent_data: _, ...wire } = onTheWire(session) as Session;
    return wire;
  }

  #complete(session: Session, { status }: Intent): void {
    session.status = 'complete';
    session.url = null;
    session.payment_status = status === 'succeeded' ? 'paid' : 'unpaid';
    this.#tell(session.account, 'checkout.session.completed', this.sessionOnTheWire(session));
  }

  #tell(owner: string, type: string, object: object): void {
    const copy = structuredClone(object);
    const event: StripeEvent = {
      id: this.id('evt'),
      object: 'event',
      owner,
      type,
      created: this.now(),
      data: { object: copy },
    };
    this.events.push(event);
    this.onEvent(event);
  }
}

const EVENT_OF: Partial<Record<Intent['status'], string>> = {
  succeeded: 'payment_intent.succeeded',
  requires_capture: 'payment_intent.amount_capturable_updated',
  canceled: 'payment_intent.canceled',
  processing: 'payment_intent.processing',
  requires_action: 'payment_intent.requires_action',
};

/** An object as Stripe sends it, without the stand-in's own fields. */
export function onTheWire<One extends { account: string }>(one: One): Omit<One, 'account'> {
  const { account: _, ...wire } = one;
  return wire;
}

/** A PaymentIntent as Stripe sends it, with the id of its payment method unless that is expanded. */
export function intentOnTheWire(intent: Intent, expand: string[] = []) {
  const { payment_method: method, ...wire } = onTheWire(intent);
  return { ...wire, payment_method: expand.includes('payment_method') ? method : (method?.id ?? null) };
}

function known<One extends { account: string; object: string }>(
  all: Map<string, One>,
  id: string,
  account?: string,
): One {
  const found = all.get(id);
  if (found && (account === undefined || found.account === account)) return found;
  throw invalid(`No such object: '${id}'`, 'resource_missing', { param: 'id' });
}
