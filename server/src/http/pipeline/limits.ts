import type { Pool } from 'pg';
import type { RedisClientType } from 'redis';
import { networkOf } from '../../shop/client-network.ts';
import { RATE_LIMITS, type RateLimit, type RateLimitName } from '../../shop/rate-limits.ts';
import { findSiteLimits, limitFor, type SiteLimits } from '../../shop/site-limits.ts';
import type { Caller, Claim } from '../callers/caller.ts';
import type { Operation } from '../contract/contract.ts';
import type { Sender } from '../received.ts';
import { type Counted, rateLimitHeaders, refusedFor } from './counted.ts';
import { keyOfFailure } from './failed-credentials.ts';
import { sharedLimiters } from './shared-limiter.ts';
import { type Counting, countGuess, countInDatabase, isStrict, type NamedBuyer } from './strict-limits.ts';

/**
 * Counts requests against the limits in `shop/rate-limits.ts`. Most limits only reduce load. They are counted in Redis
 * if it is configured. Without Redis, and while it is down, each process counts on its own, so more requests may pass.
 * Limits against guessing (logins, codes, mails to others) are strict: they are counted in PostgreSQL, and a request
 * that cannot be counted fails.
 */
export interface Limits {
  /** Whether the sender's IP address keeps sending invalid credentials. */
  isSuspect(sender: Sender): Promise<boolean>;
  /**
   * Counts a call with an invalid credential. Above the limit, `refusal` is set. `kind` names a credential that is not
   * in the headers.
   */
  countFailure(sender: Sender, kind?: string): Promise<Counted>;
  /** Counts a request against the strict limits of its operation, if any. Opens a connection, so do not hold one. */
  countStrictly(operation: Operation, claim: Claim, request: Counting, buyer?: NamedBuyer): Promise<Counted>;
  /**
   * Takes a point from a strict limit before an attempt is checked; `succeeded` gives it back. Opens a connection, so
   * do not hold one.
   */
  countGuess(limit: RateLimitName, site_id: string, subject: string): Promise<Counted>;
  /** Counts the fetch of an agent's profile from a host, for a caller without credentials. */
  countFetch(host: string, ip: string | undefined): Promise<Counted>;
  /** Counts the fetch of an OAuth client's document, for a caller without credentials. */
  countClientDocument(site_id: string, ip: string | undefined): Promise<Counted>;
  /**
   * Counts a `tools/list` call by the agent's token, or by IP address without one. MCP hosts list the tools on each
   * connection, so this does not count as a call of the agent.
   */
  countListing(site_id: string, sender: Sender, caller?: Caller): Promise<Counted>;
  /**
   * Counts a call of an MCP tool without a token, against the limit of the IP address and that of the whole site. If
   * only the limit of the site is exceeded, `delayed` is true: the call waits, but is not rejected.
   */
  countPublicTool(
    site_id: string,
    limits: SiteLimits | undefined,
    sender: Sender,
  ): Promise<Counted & { delayed: boolean }>;
  countOperator(key_id: string): Promise<Counted>;
  /** Counts a call of an authenticated caller. Returns the remaining quota, and an error if it is used up. */
  count(operation: Operation, caller: Caller, request: Counting): Promise<Counted>;
}

export interface LimitsDeps {
  db: Pool;
  redis: RedisClientType | undefined;
  enabled: boolean;
  baseUrl: string;
}

const unlimited = async () => ({ headers: {} });

const UNLIMITED: Limits = {
  isSuspect: async () => false,
  countFailure: unlimited,
  countStrictly: unlimited,
  countGuess: unlimited,
  countFetch: unlimited,
  countClientDocument: unlimited,
  countListing: unlimited,
  countPublicTool: async () => ({ headers: {}, delayed: false }),
  countOperator: unlimited,
  count: unlimited,
};

export function createLimits({ db, redis, enabled, baseUrl }: LimitsDeps): Limits {
  if (!enabled) return UNLIMITED;
  const shared = sharedCounters(redis);

  /** Takes a point from each limit in turn, and stops at the first that has none left. */
  async function draw(name: string, draws: [RateLimitName, string][], limits: SiteLimits = {}): Promise<Counted> {
    let told: Counted = { headers: {} };
    for (const [limit, key] of draws) {
      const { points, seconds } = limitFor(limit, limits);
      const { used, ms } = await shared.add(limit, key);
      told = { headers: rateLimitHeaders(name, { points, seconds }, Math.max(0, points - used), ms) };
      if (used > points) return { ...told, refusal: refusedFor(ms) };
    }
    return told;
  }

  async function countOwn(
    operation: Operation,
    caller: Caller,
    request: Counting,
    limits?: SiteLimits,
  ): Promise<Counted> {
    const name = named(operation.rateLimit);
    const counted: [RateLimitName, string] = [name, keyOf(operation, caller, request)];
    // A call of an agent also counts against the agent's own limit.
    const asAgent: [RateLimitName, string] = ['agent', `${caller.tenant.site_id}:${caller.principal_id}`];
    const draws = caller.kind === 'agent' && name !== 'agent' ? [asAgent, counted] : [counted];
    return draw(name, [...guestDraws(caller, request), ...draws], limits);
  }

  return {
    async isSuspect({ ip }) {
      const used = await shared.read('failed_credentials_address', networkOf(ip));
      return used > RATE_LIMITS.failed_credentials.points;
    },
    countFailure: (sender, kind) =>
      draw('failed_credentials', [
        // This limit comes first: a caller who sends a new site id with each call cannot create more counters than it
        // allows.
        ['failed_credentials_address', networkOf(sender.ip)],
        ['failed_credentials', keyOfFailure(sender, kind)],
      ]),
    countStrictly: (operation, claim, request, buyer) =>
      countInDatabase({ db, baseUrl }, operation, claim, request, buyer),
    countGuess: (limit, site_id, subject) => countGuess(db, limit, site_id, subject),
    countFetch: (host, ip) =>
      draw('agent_profile', [
        ['agent_profile', networkOf(ip)],
        ['agent_profile_host', host],
      ]),
    async countClientDocument(site_id, ip) {
      const limits = await findSiteLimits(db, site_id);
      return draw('client_document', [['client_document', `${site_id}:${networkOf(ip)}`]], limits);
    },
    async countListing(site_id, { ip }, caller) {
      const limits = caller?.limits ?? (await findSiteLimits(db, site_id));
      const key = `${site_id}:${caller?.principal_id ?? networkOf(ip)}`;
      return draw('agent_tool_list', [['agent_tool_list', key]], limits);
    },
    async countPublicTool(site_id, limits, { ip }) {
      const own = await draw('public_tool', [['public_tool', `${site_id}:${networkOf(ip)}`]], limits);
      // A rejected call takes no point from the site, so that one address cannot delay the others for long.
      if (own.refusal) return { ...own, delayed: false };
      const { refusal } = await draw('public_tool_site', [['public_tool_site', site_id]], limits);
      return { ...own, delayed: refusal !== undefined };
    },
    countOperator: (key_id) => draw('operator', [['operator', key_id]]),
    async count(operation, caller, request) {
      // `countPublicTool` has counted the call of a public tool.
      if (isStrict(operation) || caller.isPublicTool) return { headers: {} };
      const limits = caller.limits ?? (await findSiteLimits(db, caller.tenant.site_id));
      const own = await countOwn(operation, caller, request, limits);
      if (own.refusal || !caller.private_token_id) return own;
      // The shared limit comes last, so that requests rejected by the buyer's own limit take none of its points.
      const key = `${caller.tenant.site_id}:${caller.private_token_id}`;
      const ofToken = await draw('private_token', [['private_token', key]], limits);
      return ofToken.refusal ? ofToken : own;
    },
  };
}

/** Limits for agents without a token: per IP address, and per host of the agent's profile. */
function guestDraws({ tenant: { site_id }, guest }: Caller, { ip }: Sender): [RateLimitName, string][] {
  if (!guest) return [];
  return [
    ['guest_agent', `${site_id}:${networkOf(ip)}`],
    ['guest_agent_host', `${site_id}:${guest.host}`],
  ];
}

interface Used {
  used: number;
  ms: number;
}

/** Counters in Redis, or in the process. */
function sharedCounters(redis: RedisClientType | undefined) {
  const limiterFor = sharedLimiters(redis);
  const limits = Object.entries(RATE_LIMITS) as [RateLimitName, RateLimit][];
  const counters = new Map(
    limits.map(([name, { seconds }]) => [
      name,
      limiterFor({ keyPrefix: `limit:${name}`, points: Number.MAX_SAFE_INTEGER, duration: seconds }),
    ]),
  );
  const counterOf = (name: RateLimitName) => {
    const counter = counters.get(name);
    if (!counter) throw new Error(`There is no counter for the rate limit ${name}.`);
    return counter;
  };
  return {
    async add(name: RateLimitName, key: string): Promise<Used> {
      const { consumedPoints, msBeforeNext } = await counterOf(name).consume(key);
      return { used: consumedPoints, ms: msBeforeNext };
    },
    async read(name: RateLimitName, key: string): Promise<number> {
      return (await counterOf(name).get(key))?.consumedPoints ?? 0;
    },
  };
}

function named(name: string): RateLimitName {
  if (!Object.hasOwn(RATE_LIMITS, name)) {
    throw new Error(`The contract names a rate limit that does not exist: ${name}`);
  }
  return name as RateLimitName;
}

/**
 * The subject of a counter: for the limit `checkout` the checkout or cart id, for guests the IP network (or that of the
 * buyer, whose address was sent with a private token), and otherwise the caller.
 */
function keyOf(operation: Operation, caller: Caller, request: Counting): string {
  const guest = caller.kind === 'storefront' || caller.kind === 'anonymous' || caller.kind === 'guest_agent';
  // An assistant must not use up the limit of its member.
  const own = caller.assistant ? caller.credential_id : caller.principal_id;
  const cart_id = (request.body as Record<string, unknown> | undefined)?.cart_id;
  const about = operation.rateLimit === 'checkout' ? (request.params.checkout_id ?? cart_id) : undefined;
  const checkout = about === undefined ? undefined : String(about).toLowerCase();
  return `${caller.tenant.site_id}:${checkout ?? (guest ? networkOf(caller.buyer_ip ?? request.ip) : own)}`;
}
