import type { CustomerVisit } from '../parts/customer-visit.ts';

/** A customer on the consent page. */
export interface ConsentVisit extends CustomerVisit {
  /** As it was typed or as the link has it; undefined while there is none. */
  user_code: string | undefined;
  /** Whether the address is the link of the request itself, and nobody typed the code. */
  sealed: boolean;
}
