/** The three state machines of an order, as the contract documents them. A state without transitions is final. */

import type { FulfillmentStatus, OrderStatus, PaymentStatus } from '@commerce-backend/spec';
import { ShopError } from '../errors.ts';

export interface OrderStates {
  status: OrderStatus;
  payment_status: PaymentStatus;
  fulfillment_status: FulfillmentStatus;
}

type Moves = { [Field in keyof OrderStates]: { [From in OrderStates[Field]]?: OrderStates[Field][] } };

export const MOVES: Moves = {
  status: {
    pending: ['confirmed', 'cancelled'],
    confirmed: ['processing', 'cancelled'],
    processing: ['completed'],
  },
  payment_status: {
    pending: ['authorized', 'paid', 'failed', 'voided'],
    awaiting_payment: ['paid', 'expired', 'voided'],
    authorized: ['paid', 'failed', 'voided'],
    paid: ['partially_refunded', 'refunded'],
    partially_refunded: ['refunded'],
  },
  fulfillment_status: {
    unfulfilled: ['partially_fulfilled', 'fulfilled'],
    partially_fulfilled: ['fulfilled'],
    fulfilled: ['delivered', 'returned'],
    delivered: ['returned'],
  },
};

/** Throws `invalid_transition` with the allowed states if this change is not among them. */
export function requireMove<Field extends keyof OrderStates>(
  order: OrderStates,
  field: Field,
  to: OrderStates[Field],
  message: string,
): void {
  if (!canMove(order, field, to)) throw invalidTransition(order, field, to, message);
}

export function canMove<Field extends keyof OrderStates>(
  order: OrderStates,
  field: Field,
  to: OrderStates[Field],
): boolean {
  return movesFrom(field, order[field]).includes(to);
}

export function invalidTransition<Field extends keyof OrderStates>(
  order: OrderStates,
  field: Field,
  to: OrderStates[Field],
  message: string,
): ShopError {
  const from = order[field];
  return new ShopError('invalid_transition', message, { field, from, to, allowed: movesFrom(field, from) });
}

function movesFrom<Field extends keyof OrderStates>(field: Field, from: OrderStates[Field]): OrderStates[Field][] {
  const moves = MOVES[field] as Partial<Record<string, OrderStates[Field][]>>;
  return moves[from] ?? [];
}

export function isSettled(status: PaymentStatus): boolean {
  return ['paid', 'partially_refunded', 'refunded'].includes(status);
}

/** Returns the changed states, before and after, for the timeline. */
export function changesBetween(before: OrderStates, after: Partial<OrderStates>): Record<string, unknown> {
  const fields = Object.keys(after) as (keyof OrderStates)[];
  return Object.fromEntries(
    fields
      .filter((field) => before[field] !== after[field])
      .map((field) => [field, { from: before[field], to: after[field] }]),
  );
}
