/** The promised behaviour of stock for sequential calls, with which D2 compares concurrent ones. */

export interface StockState {
  /** The stock of each variant. */
  on_hand: number[];
  /** For each variant, the units that were refunded before they shipped and not put back into stock. */
  lost: number[];
  checkouts: CheckoutState[];
}

export interface CheckoutState {
  status: 'none' | 'open' | 'completed' | 'cancelled' | 'returned';
  /** The reserved quantity of each variant. */
  held: number[];
  /** Whether the reservation has expired, so that others may take the stock. */
  overdue: boolean;
  /** The units of the checkout's order, by state. */
  order?: OrderPieces;
}

/** The number of units in each state, for each variant. */
export interface OrderPieces {
  to_ship: number[];
  shipped: number[];
  /** Shipped units that were refunded. */
  refunded: number[];
  /** Shipped units that were put back into stock. */
  returned: number[];
}

/** A refund of one unit of a variant. */
export interface PieceRefund {
  variant: number;
  restock: boolean;
  /** Whether to refund a shipped unit. By default, unshipped units are refunded first. */
  shipped?: boolean;
}

/** The result of a call; `short` is the available quantity of each variant that is short. */
export type Outcome = { done: true } | { short: Record<number, number> } | { refused: string };

export function reservedOf({ checkouts }: StockState, variant: number): number {
  return checkouts.reduce((sum, { held }) => sum + (held[variant] ?? 0), 0);
}

/**
 * Returns the possible results and states after checkout `own` tried to reserve `wanted`. If stock is short, the server
 * releases expired reservations of other checkouts. It may skip those in `busy`, because their rows may be locked.
 */
export function hold(state: StockState, own: number, wanted: number[], busy: number[]): [Outcome, StockState][] {
  const short = shortages(state, own, wanted);
  if (Object.keys(short).length === 0) return [[{ done: true }, held(state, own, wanted)]];
  const needed = Object.keys(short).map(Number);
  const owners = state.checkouts.flatMap(({ overdue, held }, at) =>
    at !== own && overdue && needed.some((variant) => (held[variant] ?? 0) > 0) ? [at] : [],
  );
  return subsets(owners.filter((at) => busy.includes(at))).map((left) => {
    const taken = owners.filter((at) => !left.includes(at));
    const released = taken.reduce((before, at) => release(before, at, needed), state);
    const still = shortages(released, own, wanted);
    // If the checkout is rejected, the reservations that it released are restored, because the transaction is rolled
    // back.
    return Object.keys(still).length === 0 ? [{ done: true }, held(released, own, wanted)] : [{ short: still }, state];
  });
}

function shortages(state: StockState, own: number, wanted: number[]): Record<number, number> {
  const before = state.checkouts[own]?.held ?? [];
  const entries = wanted.flatMap((quantity, variant): [number, number][] => {
    const available = (state.on_hand[variant] ?? 0) - reservedOf(state, variant) + (before[variant] ?? 0);
    return quantity > (before[variant] ?? 0) && quantity > available ? [[variant, Math.max(0, available)]] : [];
  });
  return Object.fromEntries(entries);
}

function held(state: StockState, own: number, wanted: number[]): StockState {
  return withCheckout(state, own, { status: 'open', held: wanted, overdue: false });
}

/** Returns the state without a checkout's reservations of these variants (by default of all). */
export function release(
  state: StockState,
  at: number,
  variants = state.on_hand.map((_, variant) => variant),
): StockState {
  const { held: before = [] } = state.checkouts[at] ?? {};
  return withCheckout(state, at, { held: before.map((one, variant) => (variants.includes(variant) ? 0 : one)) });
}

export function withCheckout(state: StockState, at: number, changed: Partial<CheckoutState>): StockState {
  const checkouts = state.checkouts.map((one, index) => (index === at ? { ...one, ...changed } : one));
  return { ...state, checkouts };
}

/** Returns the state after units were taken out of stock or put into it. */
export function move(state: StockState, pieces: number[], sign: 1 | -1): StockState {
  return { ...state, on_hand: state.on_hand.map((one, variant) => one + sign * (pieces[variant] ?? 0)) };
}

function subsets(of: number[]): number[][] {
  const [first, ...rest] = of;
  if (first === undefined) return [[]];
  return subsets(rest).flatMap((some) => [some, [first, ...some]]);
}

/** Returns the units of an order that was just placed. */
export function ordered(wanted: number[]): OrderPieces {
  const none = wanted.map(() => 0);
  return { to_ship: wanted, shipped: none, refunded: none, returned: none };
}

/**
 * Returns the state after the order of `own` shipped these units (by default all that are left); undefined if the
 * shipment must be rejected.
 */
export function ship(state: StockState, own: number, pieces?: number[]): StockState | undefined {
  const order = state.checkouts[own]?.order;
  if (!order) return undefined;
  const sent = pieces ?? order.to_ship;
  const fits = sent.some((one) => one > 0) && sent.every((one, at) => one <= (order.to_ship[at] ?? 0));
  if (!fits) return undefined;
  return withCheckout(state, own, {
    order: { ...order, to_ship: minus(order.to_ship, sent), shipped: plus(order.shipped, sent) },
  });
}

/** Returns the state after one unit of the order of `own` was refunded; undefined if the refund must be rejected. */
export function refund(
  state: StockState,
  own: number,
  { variant, restock, shipped }: PieceRefund,
): StockState | undefined {
  const order = state.checkouts[own]?.order;
  if (!order) return undefined;
  const one = order.to_ship.map((_, at) => (at === variant ? 1 : 0));
  const back = restock ? move(state, one, 1) : state;
  if (shipped !== true && (order.to_ship[variant] ?? 0) > 0) {
    const lost = restock ? state.lost : plus(state.lost, one);
    return withCheckout({ ...back, lost }, own, { order: { ...order, to_ship: minus(order.to_ship, one) } });
  }
  const isLeft = (order.shipped[variant] ?? 0) > (order.refunded[variant] ?? 0);
  if (shipped === false || !isLeft) return undefined;
  const returned = restock ? plus(order.returned, one) : order.returned;
  return withCheckout(back, own, { order: { ...order, refunded: plus(order.refunded, one), returned } });
}

function plus(some: number[], more: number[]): number[] {
  return some.map((one, at) => one + (more[at] ?? 0));
}

function minus(some: number[], less: number[]): number[] {
  return some.map((one, at) => one - (less[at] ?? 0));
}
