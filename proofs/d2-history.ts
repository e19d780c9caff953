import type { Step } from './linearizable.ts';
import type { OpenShop } from './shop.ts';
import type { StockState } from './stock-model.ts';

/** A history of D2: the calls, with the times of their responses. */
export interface History {
  shop: OpenShop;
  variants: string[];
  carts: string[];
  /** The wanted quantities of each cart, by variant. */
  wanted: number[][];
  /** The checkouts' ids, once created. */
  begun: (string | undefined)[];
  /** Resolves when one of them has a response. */
  opened: PromiseWithResolvers<void>;
  steps: (Step<StockState> & { touches: number[] })[];
  faults: string[];
  /** The initial stock plus what staff counted in, by variant. */
  received: number[];
  /** Counts the beginnings and ends of calls. */
  clock: number;
}

export async function record(
  history: History,
  what: string,
  touches: number[],
  call: (step: Step<StockState>) => Promise<Step<StockState>['after']>,
): Promise<void> {
  const step = {
    what,
    touches,
    began: ++history.clock,
    ended: Number.POSITIVE_INFINITY,
    after: (): StockState[] => [],
  };
  history.steps.push(step);
  const after = await call(step);
  Object.assign(step, { ended: ++history.clock, after });
}
