import type { AuthorizationRequest } from '../../shop/agents/authorization-requests.ts';
import type { CustomerVisit } from '../parts/customer-visit.ts';

/** A customer on the consent page. */
export interface ConsentVisit extends CustomerVisit {
  /** The user code as typed, or as in the link; undefined if there is none. */
  user_code: string | undefined;
  /** Whether the URL is the signed link of the request, which proves that the user code was not guessed. */
  sealed: boolean;
  /** The request of the OAuth client that sent the browser here, if any: its secret then takes the place of the user code. */
  authorization: AuthorizationRequest | undefined;
}
