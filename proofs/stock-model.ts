/** What the shop promises about its stock, for one caller after the other: the reference that D2 compares it with. */

export interface StockState {
  /** By variant. */
  on_hand: number[];
  checkouts: CheckoutState[];
}

export interface CheckoutState {
  status: 'none' | 'open' | 'completed' | 'cancelled' | 'returned';
  /** What it holds, by variant. */
  held: number[];
  /** It holds this past its time: others may take it. */
  overdue: boolean;
}

/** What is short: by variant, how many could be had. */
export type Outcome = { done: true } | { short: Record<number, number> } | { refused: string };

export function reservedOf({ checkouts }: StockState, variant: number): number {
  return checkouts.reduce((sum, { held }) => sum + (held[variant] ?? 0), 0);
}

/**
 * The states after checkout `own` has asked to hold `wanted`, each with its outcome. When there is too little, what others hold
 * past their time is taken from them, except that `busy`, which somebody works on at this moment, may or may not be skipped.
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
    // A refusal undoes what was taken, too.
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

/** Without what a checkout holds of the variants given, or of all. */
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

/** Pieces go from stock, or come into it. */
export function move(state: StockState, pieces: number[], sign: 1 | -1): StockState {
  return { ...state, on_hand: state.on_hand.map((one, variant) => one + sign * (pieces[variant] ?? 0)) };
}

function subsets(of: number[]): number[][] {
  const [first, ...rest] = of;
  if (first === undefined) return [[]];
  return subsets(rest).flatMap((some) => [some, [first, ...some]]);
}
