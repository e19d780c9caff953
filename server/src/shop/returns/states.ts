/** The state machine of a return, as published in the contract. */

import type { ReturnStatus } from '@commerce-backend/spec';
import { ShopError } from '../errors.ts';

export interface ReturnState {
  status: ReturnStatus;
  keep_goods: boolean;
  /** Whether a refund of the return is pending or succeeded. */
  is_refunded: boolean;
}

const MOVES: { [From in ReturnStatus]?: ReturnStatus[] } = {
  requested: ['approved', 'declined', 'cancelled'],
  approved: ['in_transit', 'received', 'cancelled'],
  in_transit: ['received', 'cancelled'],
  received: ['closed'],
};

/** Statuses that can be set again, to correct the tracking or to record further receipts. */
const REPEATABLE: ReturnStatus[] = ['in_transit', 'received'];

/** A refunded return cannot be cancelled, because its pieces could then be returned again. */
function movesFrom({ status, keep_goods, is_refunded }: ReturnState): ReturnStatus[] {
  const moves = (MOVES[status] ?? []).filter((to) => to !== 'cancelled' || !is_refunded);
  return status === 'approved' && keep_goods ? [...moves, 'closed'] : moves;
}

/** Throws `invalid_transition` if the return cannot change to this status. The error lists the allowed statuses. */
export function requireMove(state: ReturnState, to: ReturnStatus): void {
  const { status: from } = state;
  const allowed = movesFrom(state);
  if (allowed.includes(to) || (from === to && REPEATABLE.includes(to))) return;
  const message = `A return with status ${from} cannot become ${to}.`;
  throw new ShopError('invalid_transition', message, { field: 'status', from, to, allowed });
}
