/** The state machine of a return, as published in the contract. */

import type { ReturnStatus } from '@commerce-backend/spec';
import { ShopError } from '../errors.ts';

export interface ReturnState {
  status: ReturnStatus;
  keep_goods: boolean;
  /** Whether a refund of it is pending or succeeded. */
  is_refunded: boolean;
}

const MOVES: { [From in ReturnStatus]?: ReturnStatus[] } = {
  requested: ['approved', 'declined', 'cancelled'],
  approved: ['in_transit', 'received', 'cancelled'],
  in_transit: ['received', 'cancelled'],
  received: ['closed'],
};

/** Moves that a return may repeat: corrected tracking and further receipts. */
const REPEATABLE: ReturnStatus[] = ['in_transit', 'received'];

/** A refunded return can only be closed: a cancelled one would free pieces that are refunded. */
function movesFrom({ status, keep_goods, is_refunded }: ReturnState): ReturnStatus[] {
  const moves = (MOVES[status] ?? []).filter((to) => to !== 'cancelled' || !is_refunded);
  return status === 'approved' && keep_goods ? [...moves, 'closed'] : moves;
}

/** Throws `invalid_transition` with the allowed statuses unless the given one is among them. */
export function requireMove(state: ReturnState, to: ReturnStatus): void {
  const { status: from } = state;
  const allowed = movesFrom(state);
  if (allowed.includes(to) || (from === to && REPEATABLE.includes(to))) return;
  const message = `A return with status ${from} cannot become ${to}.`;
  throw new ShopError('invalid_transition', message, { field: 'status', from, to, allowed });
}
