/**
 * Every rate limit of the service, in one table: docs/limits.md shows it, and a test compares the two. A fixed window begins
 * with the first request that is counted.
 */
export interface RateLimit {
  points: number;
  seconds: number;
  /** What is counted, for the documentation. */
  counts: string;
  /** Whose requests are counted together. Everything is counted by site, too, where the request names one. */
  per: string;
  /** Counted in PostgreSQL, and never skipped. The others are counted in Redis or in the process, and only bound load. */
  strict: boolean;
}

const MINUTE = 60;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;

function load(points: number, counts: string, per: string): RateLimit {
  return { points, seconds: MINUTE, counts, per, strict: false };
}

function strict(points: number, seconds: number, counts: string, per: string): RateLimit {
  return { points, seconds, counts, per, strict: true };
}

const GUEST = 'address of a guest; customer';

export const RATE_LIMITS = {
  storefront_read: load(600, 'Reads of the storefront', GUEST),
  cart_write: load(60, 'Changes of carts', GUEST),
  checkout: load(10, 'Beginning, changing, completing and cancelling a checkout', 'checkout'),
  customer: load(120, 'Calls about one’s own account', 'customer'),
  private_token: load(6000, 'All calls with a private storefront token', 'private storefront token'),
  dashboard: load(600, 'Calls of the dashboard', 'staff member or API key'),
  order_mail: load(20, 'Mails about orders sent again', 'staff member or API key'),
  staff_invitation: load(20, 'Invitations to the staff', 'staff member'),
  operator: load(3000, 'Calls of the listener for operators', 'operator’s key'),
  sync: load(600, 'Calls of the sync surface', 'sync key'),
  agent: load(120, 'Calls of an agent, those of the next two included', 'agent token'),
  agent_find: load(60, 'find', 'agent token'),
  agent_buy: load(10, 'find-and-buy and checkouts', 'agent token'),
  agent_tool_list: load(120, 'Lists of tools', 'agent token; address without one'),
  guest_agent: load(120, 'Operations of agents without a token', 'address'),
  guest_agent_host: load(1200, 'Operations of agents without a token', 'host of the profile'),
  agent_profile: load(30, 'Profiles of agents that have to be fetched', 'address'),
  agent_profile_host: load(30, 'Profiles of agents that have to be fetched', 'host of the profile'),
  failed_credentials: load(60, 'Calls with a missing, unknown or expired credential', 'address and kind of credential'),
  failed_credentials_address: load(600, 'The same, whatever the kind and the site', 'address'),
  login: strict(30, QUARTER, 'Failed logins to the dashboard', 'address'),
  second_factor: strict(5, QUARTER, 'Wrong codes of a second factor', 'staff member'),
  customer_login: strict(30, QUARTER, 'Failed logins, and failed changes of a password', 'address'),
  customer_login_token: strict(300, QUARTER, 'The same, with `X-Buyer-IP`', 'private storefront token'),
  reset_request: strict(3, HOUR, 'Mails that anyone can ask for: password reset, verification', 'e-mail'),
  reset_request_address: strict(30, QUARTER, 'The same, and opening what they link to', 'address'),
  discount_apply: strict(10, MINUTE, 'Codes tried', 'cart'),
  discount_failed_address: strict(30, HOUR, 'Codes that were refused', 'address'),
  discount_failed_site: strict(300, HOUR, 'Codes that were refused', 'site'),
  consent_request: strict(20, HOUR, 'Requests for consent to an agent', 'address'),
  consent_request_site: strict(500, HOUR, 'Requests for consent to an agent', 'site'),
  consent_poll: strict(600, MINUTE, 'Polls for a token, and codes for one', 'address'),
  client_registration: strict(20, HOUR, 'Registrations of OAuth clients', 'address'),
  client_registration_site: strict(500, HOUR, 'Registrations of OAuth clients', 'site'),
  order_link_answer: strict(5, QUARTER, 'Wrong answers on the page of an order', 'order'),
  user_code_customer: strict(5, QUARTER, 'Unknown codes of agents', 'customer'),
  user_code_address: strict(10, HOUR, 'Unknown codes of agents', 'address'),
  user_code_site: strict(50, HOUR, 'Unknown codes of agents', 'site'),
} satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof RATE_LIMITS;

export function isRateLimitName(name: string): name is RateLimitName {
  return Object.hasOwn(RATE_LIMITS, name);
}
