import type { StaffRole } from '@commerce-backend/spec';
import type { ActorType, AgentPermissions, Tenant } from '../../shop/shop.ts';
import type { SiteLimits } from '../../shop/site-limits.ts';

export type CallerKind = Exclude<ActorType, 'system'>;

export interface Claim {
  kind: CallerKind;
  secret: string;
  /** The customer's token in addition to the storefront token. */
  customer_secret: string | null;
  /** The storefront token sent in addition to an agent's. */
  storefront_secret: string | null;
  site_id: string | null;
  merchant_id: string | null;
  /** An agent without a token, identified by the profile that it names, which the server itself has fetched. */
  guest?: GuestAgent;
  /** Whether the call uses a protocol for agents, which replaces the storefront token. */
  byProtocol?: true;
}

export interface GuestAgent {
  /** The id of the agent's cached profile. */
  profile_id: string;
  /** The host that serves the profile. */
  host: string;
}

export interface Caller {
  kind: Claim['kind'];
  tenant: Tenant;
  /** The actor: a staff member, a customer, or the credential itself. Also the owner of the call's Idempotency-Keys. */
  principal_id: string;
  /** The row of the credential, for `last_used_at` and logs. */
  credential_id: string;
  /** The storefront token sent in addition to an agent's. */
  beside_id?: string;
  /** The storefront token if it is private, whether sent alone or with an agent's token. */
  private_token_id?: string;
  /** The buyer's IP address, sent with a private token. */
  buyer_ip?: string;
  /** The logged-in customer, or the customer for whom an agent acts; null for guests and in the other APIs. */
  customer_id: string | null;
  /** Permissions of an agent's token. */
  agent?: AgentPermissions;
  guest?: GuestAgent;
  /** The customer's session and its token. */
  session?: { id: string; token_id: string; ends_soon: boolean };
  /** Whether staff confirmed the password or a second factor within 15 minutes. */
  confirmed?: boolean;
  scopes: string[];
  /** The role of staff at the merchant of the call; null if the session has chosen none. */
  role?: StaffRole | null;
  /** State of the Idempotency-Key that the look-up claimed. */
  key_state?: 'free' | 'held' | 'answered' | 'expired';
  /** Rate limits of the site that differ from the defaults, if the look-up returned them. */
  limits?: SiteLimits;
  allowed_origins: string[];
}
