import type { CustomerVisit } from '../parts/customer-visit.ts';

/** A customer on the account page. */
export interface AccountVisit extends CustomerVisit {
  /** The agent whose activity is shown. */
  agent_id: string | undefined;
  /** The order that is shown. */
  order_id: string | undefined;
}
