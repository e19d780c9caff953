import type { AuthorizationRequest } from '../../shop/agents/authorization-requests.ts';
import type { CustomerVisit } from '../parts/customer-visit.ts';

/** A request for the consent page. */
export interface ConsentVisit extends CustomerVisit {
  /** User code from the link or as typed; undefined if there is none. */
  user_code: string | undefined;
  /** Whether the URL is signed, which proves that the user code was not guessed. */
  sealed: boolean;
  /**
   * The OAuth client's authorization request, if a client redirected the browser here. The secret of the request then
   * replaces the user code.
   */
  authorization: AuthorizationRequest | undefined;
}
