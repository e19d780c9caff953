/**
 * All rate limits of the server. docs/limits.md lists them too, and a test compares both. A time window begins with the
 * first counted request.
 */

export interface RateLimit {
  points: number;
  seconds: number;
  /** The counted requests, for the documentation. */
  counts: string;
  /** The property by which requests are counted, in addition to the site if it is known. */
  per: string;
  /**
   * Strict limits are counted in PostgreSQL and never skipped. The others are counted in Redis or in the process, and
   * only limit the load.
   */
  strict: boolean;
  /**
   * Whether, above the limit, only failing requests are rejected, because strangers share the limit with people who
   * enter the right code or password.
   */
  rejectsOnlyFailures: boolean;
  /** Whether calls above the limit are delayed instead of rejected, because strangers share it. */
  delays?: true;
  /** The effect if a stranger uses up the limit, for the documentation. */
  strangers: string;
}

const MINUTE = 60;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;

type Text = Pick<RateLimit, 'counts' | 'per' | 'strangers'>;

function load(points: number, text: Text): RateLimit {
  return { points, seconds: MINUTE, strict: false, rejectsOnlyFailures: false, ...text };
}

function strict(points: number, seconds: number, text: Text): RateLimit {
  return { points, seconds, strict: true, rejectsOnlyFailures: false, ...text };
}

/** A limit that strangers can use up for everybody. It must not reject a correct code or password. */
function shared(points: number, text: Text): RateLimit {
  return { ...strict(points, QUARTER, text), rejectsOnlyFailures: true };
}

const GUEST = 'address of a guest; customer';
const OWN = 'Nothing: only the owner of the credential uses it up';
const SAME_ADDRESS = 'From the same address: refuse its guests for the rest of the minute';
const SAME_ADDRESS_QUARTER = 'From the same address: refuse the others there for up to 15 minutes';

/**
 * A limit that strangers have used up blocks others for at most 15 minutes, except the limit of mails to one e-mail
 * address. A test checks this.
 */
export const RATE_LIMITS = {
  storefront_read: load(600, { counts: 'Reads of the storefront', per: GUEST, strangers: SAME_ADDRESS }),
  cart_write: load(60, { counts: 'Changes of carts', per: GUEST, strangers: SAME_ADDRESS }),
  checkout: load(10, {
    counts: 'Beginning, changing, completing and cancelling a checkout',
    per: 'checkout',
    strangers: 'Knowing the id of the checkout or its cart: refuse changes for the rest of the minute',
  }),
  customer: load(120, { counts: 'Calls about one’s own account', per: 'customer', strangers: OWN }),
  private_token: load(6000, {
    counts: 'All calls with a private storefront token, except logins, mails and codes',
    per: 'private storefront token',
    strangers:
      'From ten addresses and more: refuse reads and carts through the shop’s server for the rest of the minute',
  }),
  dashboard: load(600, { counts: 'Calls of the dashboard', per: 'staff member or API key', strangers: OWN }),
  order_mail: load(20, { counts: 'Mails about orders sent again', per: 'staff member or API key', strangers: OWN }),
  staff_invitation: load(20, { counts: 'Invitations to the staff', per: 'staff member', strangers: OWN }),
  operator: load(3000, { counts: 'Calls of the listener for operators', per: 'operator’s key', strangers: OWN }),
  sync: load(600, { counts: 'Calls of the sync surface', per: 'sync key', strangers: OWN }),
  agent: load(120, { counts: 'Calls of an agent, those of the next two included', per: 'agent token', strangers: OWN }),
  agent_find: load(60, { counts: 'find', per: 'agent token', strangers: OWN }),
  agent_buy: load(10, { counts: 'find-and-buy and checkouts', per: 'agent token', strangers: OWN }),
  agent_tool_list: load(120, {
    ...{ counts: 'Lists of tools', per: 'agent token; address without one', strangers: SAME_ADDRESS },
  }),
  guest_agent: load(120, { counts: 'Operations of agents without a token', per: 'address', strangers: SAME_ADDRESS }),
  guest_agent_host: load(1200, {
    counts: 'Operations of agents without a token',
    per: 'host of the profile',
    strangers: 'Naming a profile of the same host, from ten addresses: refuse its agents for the rest of the minute',
  }),
  public_tool: load(60, {
    counts: 'Tools called at `/mcp/public`',
    per: 'address',
    strangers: 'From the same address: refuse its tools at `/mcp/public` for the rest of the minute',
  }),
  public_tool_site: {
    ...load(600, {
      counts: 'The same, of all addresses',
      per: 'site',
      strangers:
        'From ten addresses and more: delay each further call at `/mcp/public` by a second, and refuse those above 200 that wait in a process',
    }),
    delays: true,
  },
  agent_profile: load(30, {
    counts: 'Profiles of agents that have to be fetched',
    per: 'address',
    strangers: 'From the same address: refuse profiles that are not cached for the rest of the minute',
  }),
  agent_profile_host: load(30, {
    counts: 'Profiles of agents that have to be fetched',
    per: 'host of the profile',
    strangers: 'Refuse profiles of the host that are not cached for the rest of the minute',
  }),
  client_document: load(60, {
    counts: 'Documents of OAuth clients that have to be fetched',
    per: 'address',
    strangers: 'From the same address: refuse clients whose document is not cached for the rest of the minute',
  }),
  failed_credentials: load(60, {
    counts: 'Calls with a missing, unknown or expired credential',
    per: 'address and kind of credential',
    strangers: 'Nothing: valid credentials are always served',
  }),
  failed_credentials_address: load(600, {
    counts: 'The same, whatever the kind and the site',
    per: 'address',
    strangers: 'Nothing: valid credentials are always served',
  }),
  login: strict(30, QUARTER, {
    counts: 'Failed logins to the dashboard',
    per: 'address',
    strangers: `${SAME_ADDRESS_QUARTER}, except with an unlock link`,
  }),
  second_factor: strict(5, QUARTER, {
    counts: 'Wrong codes of a second factor',
    per: 'staff member',
    strangers: 'Knowing the password: refuse the member’s codes for up to 15 minutes',
  }),
  customer_login: strict(30, QUARTER, {
    counts: 'Failed logins, and failed changes of a password',
    per: 'address',
    strangers: `${SAME_ADDRESS_QUARTER}, except with an unlock link`,
  }),
  customer_login_token: shared(300, {
    counts: 'The same, with `X-Buyer-IP`',
    per: 'private storefront token',
    strangers: 'Make wrong passwords 429 instead of 401; right ones log in',
  }),
  reset_request: strict(3, HOUR, {
    counts: 'Mails that anyone can ask for: password reset, verification',
    per: 'e-mail',
    strangers: 'Cause three mails to the address; its owner then waits up to an hour for a further one',
  }),
  reset_request_address: strict(30, QUARTER, {
    counts: 'The same, and opening what they link to',
    per: 'address',
    strangers: SAME_ADDRESS_QUARTER,
  }),
  discount_apply: strict(10, MINUTE, {
    counts: 'Codes tried',
    per: 'cart',
    strangers: 'Knowing the id of the cart: refuse its codes for the rest of the minute',
  }),
  discount_failed_address: strict(30, QUARTER, {
    counts: 'Codes that were refused',
    per: 'address',
    strangers: SAME_ADDRESS_QUARTER,
  }),
  discount_failed_site: shared(300, {
    counts: 'Codes that were refused',
    per: 'site',
    strangers: 'Make refused codes 429 instead of 400; valid ones apply',
  }),
  consent_request: strict(20, QUARTER, {
    counts: 'Requests for consent to an agent',
    per: 'address',
    strangers: SAME_ADDRESS_QUARTER,
  }),
  consent_poll: strict(600, MINUTE, {
    counts: 'Polls for a token, and codes for one',
    per: 'address',
    strangers: SAME_ADDRESS,
  }),
  client_registration: strict(20, QUARTER, {
    counts: 'Registrations of OAuth clients',
    per: 'address',
    strangers: SAME_ADDRESS_QUARTER,
  }),
  order_link_answer: strict(5, QUARTER, {
    counts: 'Wrong answers on the page of an order',
    per: 'order',
    strangers: 'Having a link to the order: refuse answers about it for up to 15 minutes',
  }),
  user_code_customer: strict(5, QUARTER, { counts: 'Unknown codes of agents', per: 'customer', strangers: OWN }),
  user_code_address: strict(10, QUARTER, {
    counts: 'Unknown codes of agents',
    per: 'address',
    strangers: `${SAME_ADDRESS_QUARTER}, except with the link that holds the code`,
  }),
  user_code_site: shared(50, {
    counts: 'Unknown codes of agents',
    per: 'site',
    strangers: 'Make unknown codes 429 instead of 404; pending ones open',
  }),
} satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof RATE_LIMITS;

export function isRateLimitName(name: string): name is RateLimitName {
  return Object.hasOwn(RATE_LIMITS, name);
}
