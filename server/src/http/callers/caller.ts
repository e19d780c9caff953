import type { AssistantScope, StaffRole } from '@commerce-backend/spec';
import type { ResourcePath } from '../../shop/agents/issuers.ts';
import type { ActorType, AgentPermissions, Tenant } from '../../shop/shop.ts';
import type { SiteLimits } from '../../shop/site-limits.ts';

export type CallerKind = Exclude<ActorType, 'system'>;

export interface Claim {
  kind: CallerKind;
  secret: string;
  /** The customer's token, sent together with the storefront token. */
  customer_secret: string | null;
  /** The storefront token, sent together with an agent's token. */
  storefront_secret: string | null;
  site_id: string | null;
  merchant_id: string | null;
  /** An agent without a token, identified by its profile, which the server has fetched. */
  guest?: GuestAgent;
  /** Whether the call is to an MCP tool that needs no token. `kind` is then `anonymous`. */
  isPublicTool?: true;
  /** Whether the call came through UCP, which needs no storefront token. */
  byProtocol?: true;
  /** The resource at which an agent's token is used. Undefined means the API. */
  resource?: ResourcePath;
  /** The host of the UCP profile that an agent names. Undefined unless the call came through UCP. */
  platform_host?: string;
  /** Set for the token of an assistant, which acts for a staff member. */
  assistant?: AssistantClaim;
}

export interface AssistantClaim {
  /** The scope that the member must have granted for this call; undefined if every assistant may make it. */
  needs: AssistantScope | undefined;
  /** The assistant, for the audit of a rejected call. Undefined until the token was looked up. */
  known?: KnownAssistant;
}

export interface KnownAssistant {
  site_id: string;
  staff_id: string;
  /** The self-reported name of the assistant's program (not verified). */
  name: string;
}

export interface GuestAgent {
  /** Id of the cached agent profile. */
  profile_id: string;
  /** Host from which the profile was fetched. */
  host: string;
}

export interface Caller {
  kind: Claim['kind'];
  tenant: Tenant;
  /** The staff member, customer or credential that acts. Idempotency-Keys are stored for this id. */
  principal_id: string;
  /** Id of the credential's row, for `last_used_at` and logs. */
  credential_id: string;
  /** Id of the storefront token that was sent together with an agent's token. */
  beside_id?: string;
  /** Id of the storefront token if it is private, whether or not an agent's token was sent with it. */
  private_token_id?: string;
  /** From X-Buyer-IP, which only private storefront tokens may send. */
  buyer_ip?: string;
  /** The logged-in customer, or the customer for whom an agent acts; null for guests and in the other APIs. */
  customer_id: string | null;
  /** Set only for an agent with a token. */
  agent?: AgentPermissions;
  guest?: GuestAgent;
  isPublicTool?: true;
  /** Set only for an assistant that acts for a staff member. */
  assistant?: { name: string; granted: AssistantScope[] };
  /** Set only if a customer is logged in. */
  session?: { id: string; token_id: string; ends_soon: boolean };
  /** Whether the staff member confirmed the password or a second factor within the last 15 minutes. */
  confirmed?: boolean;
  scopes: string[];
  /** The role of the staff member at the chosen merchant; null if none is chosen. */
  role?: StaffRole | null;
  /** Set only if the token look-up claimed an Idempotency-Key. */
  key_state?: 'free' | 'held' | 'answered' | 'expired';
  /** The site's own rate limits, if the look-up returned any. */
  limits?: SiteLimits;
  allowed_origins: string[];
}
