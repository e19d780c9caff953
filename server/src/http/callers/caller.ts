import type { StaffRole } from '@commerce-backend/spec';
import type { ActorType, AgentPermissions, Tenant } from '../../shop/shop.ts';
import type { SiteLimits } from '../../shop/site-limits.ts';

export type CallerKind = Exclude<ActorType, 'system'>;

export interface Claim {
  kind: CallerKind;
  secret: string;
  /** The customer's token beside the storefront's. */
  customer_secret: string | null;
  /** The storefront's token beside an agent's. */
  storefront_secret: string | null;
  site_id: string | null;
  merchant_id: string | null;
  /** An agent without a token, known only by the profile that it names; the server itself has fetched it. */
  guest?: GuestAgent;
  /** The call comes by a protocol for agents, which stands in the place of the storefront's token. */
  byProtocol?: true;
}

export interface GuestAgent {
  /** The id of its cached profile. */
  profile_id: string;
  /** The host that serves the profile. */
  host: string;
}

export interface Caller {
  kind: Claim['kind'];
  tenant: Tenant;
  /** Staff member, customer, or the credential itself: who acts, and whose idempotency keys these are. */
  principal_id: string;
  /** The row behind the secret, for `last_used_at` and logs. */
  credential_id: string;
  /** The storefront token beside an agent's. */
  beside_id?: string;
  /** The storefront token, also beside an agent's, if it is a private one. */
  private_token_id?: string;
  /** The buyer's address, where a private token named it. */
  buyer_ip?: string;
  /** The logged-in customer, or the one for whom an agent acts; null for guests and on the other surfaces. */
  customer_id: string | null;
  /** What an agent's token allows it. */
  agent?: AgentPermissions;
  guest?: GuestAgent;
  /** The customer's session and the token that names it. */
  session?: { id: string; token_id: string; ends_soon: boolean };
  /** Whether staff gave the password or a second factor within 15 minutes. */
  confirmed?: boolean;
  scopes: string[];
  /** Of staff: what they are for the merchant of the call; null if it has none. */
  role?: StaffRole | null;
  /** What the look-up found of the Idempotency-Key that it was asked to claim. */
  key_state?: 'free' | 'held' | 'answered' | 'expired';
  /** The limits of the site in place of the usual ones, if the look-up returned them. */
  limits?: SiteLimits;
  allowed_origins: string[];
}
