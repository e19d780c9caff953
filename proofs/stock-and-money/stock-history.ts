import type { Delivery } from '../testing/products-and-checkouts.ts';
import type { OpenShop } from '../testing/test-server.ts';
import type { Step } from './linearizable.ts';
import type { StockState } from './stock-model.ts';

/** A history of D2: the calls with their start and end times. */
export interface History {
  shop: OpenShop;
  variants: string[];
  delivery: Delivery;
  carts: string[];
  /** For each cart, the wanted quantity of each variant. */
  wanted: number[][];
  /** The ids of the checkouts that were created. */
  begun: (string | undefined)[];
  /** Resolves when a checkout exists. */
  opened: PromiseWithResolvers<void>;
  steps: (Step<StockState> & { touches: number[] })[];
  faults: string[];
  /** The initial stock of each variant plus the units that staff added. */
  received: number[];
  /** Increases at each start and end of a call. */
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
