/**
 * The steps of a card payment by all parties. The server or the jobs execute each step, and can fail during the step.
 */

import { randomUUID } from 'node:crypto';
import type { Card } from '../../server/test/stripe/ledger.ts';
import type { Chance } from '../testing/random.ts';
import type { FailingProcess } from './failing-processes.ts';
import { type PaidShop, type PayingLane, RETURN_URL } from './payment-lane.ts';
import { actAtStripe, letTimePass, refundAtStripe, sendRefundBack } from './stripe-payments.ts';

export interface Way {
  name: string;
  /** The shopper's card; undefined if the shopper pays on Stripe's own page. */
  card: Card | undefined;
  capture: 'automatic' | 'manual';
  steps: StepName[];
  /** The order's payment status if nothing fails. */
  ends: string;
}

export type StepName =
  | 'pay'
  | 'again'
  | 'anew'
  | 'otherCard'
  | 'goOn'
  | 'human'
  | 'back'
  | 'webhooks'
  | 'end'
  | 'capture'
  | 'refund'
  | 'refundAtStripe'
  | 'refundFails'
  | 'time'
  | 'settle'
  | 'moves';

export const WAYS: Way[] = [
  { name: 'card', card: 'success', steps: ['pay', 'again'], ends: 'paid' },
  { name: 'declined', card: 'declined', steps: ['pay', 'otherCard'], ends: 'paid' },
  { name: '3-D Secure', card: 'three_d_secure', steps: ['pay', 'human', 'goOn'], ends: 'paid' },
  { name: 'page', card: undefined, steps: ['pay', 'human', 'webhooks', 'back'], ends: 'paid' },
  { name: 'page, back first', card: undefined, steps: ['pay', 'human', 'back', 'webhooks'], ends: 'paid' },
  { name: 'later', card: 'processing', steps: ['pay', 'human', 'settle'], ends: 'paid' },
  { name: 'ended', card: undefined, steps: ['pay', 'end', 'human'], ends: 'no order' },
  { name: 'left', card: undefined, steps: ['pay', 'time', 'settle'], ends: 'no order' },
  { name: 'refunded', card: 'success', steps: ['pay', 'refund', 'moves', 'webhooks'], ends: 'partially_refunded' },
  { name: 'reserved', card: 'success', capture: 'manual' as const, steps: ['pay', 'capture', 'moves'], ends: 'paid' },
].map((way) => ({ capture: 'automatic', ...way }) as Way);

/** Steps that are inserted at random into a payment, because they can come twice, late or in another order. */
export const RETRIES: StepName[] = [
  ...(['again', 'anew', 'goOn', 'human', 'back', 'webhooks', 'end', 'settle', 'moves'] as const),
  ...(['refundAtStripe', 'refundFails'] as const),
];

/** Steps of the shopper, the clock or Stripe, in which no failure is planned. */
const SURE: StepName[] = ['human', 'time', 'refundAtStripe', 'refundFails'];

export function isJob(step: StepName): boolean {
  return step === 'settle' || step === 'moves';
}

export function canFail(step: StepName): boolean {
  return !SURE.includes(step);
}

/** The payment of one checkout, in the steps of one of the `WAYS`. */
export class Payment {
  readonly lane: PayingLane;
  readonly shop: PaidShop;
  readonly checkout_id: string;
  readonly #page: string;
  readonly #chance: Chance;
  readonly #approved: boolean;
  readonly #payment: object;
  readonly #key = randomUUID();
  #hasSentBack = false;

  private constructor(
    lane: PayingLane,
    shop: PaidShop,
    checkout: { checkout_id: string; page: string },
    { way, approved, chance }: { way: Way; approved: boolean; chance: Chance },
  ) {
    this.lane = lane;
    this.shop = shop;
    this.checkout_id = checkout.checkout_id;
    this.#page = checkout.page;
    this.#approved = approved;
    this.#chance = chance;
    this.#payment = way.card
      ? { confirmation_token: this.#standIn.confirmationToken(way.card), return_url: RETURN_URL }
      : { return_url: RETURN_URL };
  }

  static async begin(
    lane: PayingLane,
    shop: PaidShop,
    how: { way: Way; approved: boolean; chance: Chance },
  ): Promise<Payment> {
    return new Payment(lane, shop, await lane.givenCheckout(shop), how);
  }

  get #standIn() {
    return this.shop.books.standIn;
  }

  processOf(step: StepName): FailingProcess {
    return isJob(step) ? this.lane.jobs : this.lane.server;
  }

  async do(step: StepName): Promise<unknown> {
    const { site_id } = this.shop.credentials;
    switch (step) {
      case 'pay':
      case 'again':
        return this.#complete({ payment: this.#payment }, this.#key);
      case 'anew':
        return this.#complete({ payment: this.#payment });
      case 'otherCard':
        return this.#complete({ payment: { confirmation_token: this.#standIn.confirmationToken() } });
      case 'goOn':
        return this.#complete({});
      case 'human':
        return actAtStripe(this.shop.books, this.checkout_id, this.#approved);
      case 'back':
        return this.lane.open(`${this.#page}/return`);
      case 'webhooks':
        return this.lane.sendEvents(this.shop, await this.#payments(), this.#chance);
      case 'end':
        return this.#send(`/api/storefront/checkout/${this.checkout_id}/payment/cancel`);
      case 'capture':
        return this.#ofOrder('capture', {});
      case 'refund':
        return this.#ofOrder('refunds', { amount: '4.00', reason: 'damaged' });
      case 'refundAtStripe':
        return refundAtStripe(this.shop.books, this.checkout_id, this.#chance.next() < 0.5);
      case 'refundFails':
        return this.#sendRefundBack();
      case 'time':
        return letTimePass(this.shop.books);
      default:
        return this.lane.run({ job: step, site_id });
    }
  }

  /** Returns the payment status of the payment's order. */
  async outcome(): Promise<string> {
    const { rows } = await this.lane.owner.query<{ payment_status: string }>(
      'select payment_status from commerce.orders where site_id = $1 and checkout_id = $2',
      [this.shop.credentials.site_id, this.checkout_id],
    );
    return rows.map(({ payment_status }) => payment_status).join(' and ') || 'no order';
  }

  /** The refund fails at most once, because after a second failure staff must refund a payment without an order. */
  async #sendRefundBack(): Promise<void> {
    if (!this.#hasSentBack) this.#hasSentBack = await sendRefundBack(this.shop.books, this.checkout_id);
  }

  #complete(body: object, key?: string): Promise<Response> {
    return this.#send(`/api/storefront/checkout/${this.checkout_id}/complete`, body, key);
  }

  #send(path: string, body?: object, key: string = randomUUID()): Promise<Response> {
    return this.lane.send(this.shop, { method: 'POST', path, body, key });
  }

  async #ofOrder(what: string, body: object): Promise<unknown> {
    const { rows } = await this.lane.owner.query<{ id: string }>(
      'select id from commerce.orders where site_id = $1 and checkout_id = $2',
      [this.shop.credentials.site_id, this.checkout_id],
    );
    return rows[0] && this.#send(`/api/dashboard/orders/${rows[0].id}/${what}`, body);
  }

  async #payments(): Promise<string[]> {
    const { rows } = await this.lane.owner.query<{ id: string }>(
      'select id from commerce.payments where site_id = $1 and checkout_id = $2',
      [this.shop.credentials.site_id, this.checkout_id],
    );
    return rows.map(({ id }) => id);
  }
}
