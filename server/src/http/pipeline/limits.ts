import type { Request } from 'express';
import type { Pool } from 'pg';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisClientType } from 'redis';
import { fold } from '../../shop/emails.ts';
import { ShopError } from '../../shop/errors.ts';
import { draw } from '../../shop/rate-counts.ts';
import type { Caller, Claim } from '../callers/caller.ts';
import type { Operation } from '../contract/contract.ts';
import { sharedLimiters } from './shared-limiter.ts';

/**
 * Rate limits of decisions §5. Most bound load: they live in Redis when there is one, and in the process while it is away,
 * so they may fail open. Those that bound guessing (logins, codes, mails to others) are counted in PostgreSQL, and nothing
 * happens uncounted.
 */
export interface Limits {
  /** Refuses an address that keeps failing to authenticate. */
  admit(ip: string): Promise<void>;
  /** Counts a failed authentication of an address. */
  recordFailure(ip: string): Promise<void>;
  /** Counts a request against the limits that never give way, if its operation has one. Call it with no connection held. */
  countStrictly(operation: Operation, claim: Claim, req: Request): Promise<Counted>;
  /** Counts a request of a caller; tells what is left, and the refusal when nothing is. */
  count(operation: Operation, caller: Caller, req: Request): Promise<Counted>;
}

export interface Counted {
  headers: Record<string, string>;
  refusal?: ShopError;
}

interface Policy {
  points: number;
  seconds: number;
}

const MINUTE = 60;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;

const POLICIES = {
  dashboard: { points: 600, seconds: MINUTE },
  storefront_read: { points: 600, seconds: MINUTE },
  customer: { points: 120, seconds: MINUTE },
  cart_write: { points: 60, seconds: MINUTE },
  checkout: { points: 10, seconds: MINUTE },
  sync: { points: 600, seconds: MINUTE },
  failures: { points: 60, seconds: MINUTE },
  agent: { points: 120, seconds: MINUTE },
  agent_find: { points: 60, seconds: MINUTE },
  agent_buy: { points: 10, seconds: MINUTE },
} satisfies Record<string, Policy>;

type PolicyName = keyof typeof POLICIES;

/** What counts against another limit, too: an agent's finds and buys are calls of the agent. */
const WITHIN: Partial<Record<PolicyName, PolicyName>> = { agent_find: 'agent', agent_buy: 'agent' };

/** What a request is counted by: the address it comes from, the site, the e-mail or the cart that it is about. */
const STRICT: Record<string, { by: 'ip' | 'site' | 'email' | 'cart'; points: number; seconds: number }[]> = {
  login: [{ by: 'ip', points: 30, seconds: QUARTER }],
  customer_login: [{ by: 'ip', points: 30, seconds: QUARTER }],
  reset_request: [
    { by: 'email', points: 3, seconds: HOUR },
    { by: 'ip', points: 30, seconds: QUARTER },
  ],
  discount_apply: [
    { by: 'cart', points: 10, seconds: MINUTE },
    { by: 'ip', points: 60, seconds: MINUTE },
  ],
  consent_request: [
    { by: 'ip', points: 20, seconds: HOUR },
    { by: 'site', points: 500, seconds: HOUR },
  ],
  // Who polls one request too often is told slow_down; this bounds all polls of one address.
  consent_poll: [{ by: 'ip', points: 600, seconds: MINUTE }],
};

export interface LimitsDeps {
  db: Pool;
  redis: RedisClientType | undefined;
  enabled: boolean;
}

export function createLimits({ db, redis, enabled }: LimitsDeps): Limits {
  const unlimited = async () => ({ headers: {} });
  if (!enabled) {
    return { admit: async () => {}, recordFailure: async () => {}, countStrictly: unlimited, count: unlimited };
  }
  const limiterFor = sharedLimiters(redis);
  const limiters = new Map(
    (Object.entries(POLICIES) as [PolicyName, Policy][]).map(([name, { points, seconds }]) => [
      name,
      limiterFor({ keyPrefix: `limit:${name}`, points, duration: seconds }),
    ]),
  );
  const limiterOf = (name: string) => {
    const limiter = limiters.get(name as PolicyName);
    if (!limiter) throw new Error(`The contract names a rate limit that does not exist: ${name}`);
    return limiter;
  };
  return {
    async admit(ip) {
      const found = await limiterOf('failures').get(ip);
      if (found && found.consumedPoints > POLICIES.failures.points) throw limited(found.msBeforeNext);
    },
    async recordFailure(ip) {
      await limiterOf('failures')
        .consume(ip)
        .catch(() => undefined);
    },
    countStrictly: (operation, claim, req) => countInDatabase(db, operation, claim, req),
    async count(operation, caller, req) {
      if (STRICT[operation.rateLimit]) return { headers: {} };
      const policy = POLICIES[operation.rateLimit as PolicyName];
      const wider = WITHIN[operation.rateLimit as PolicyName];
      try {
        if (wider) await limiterOf(wider).consume(keyOf(operation, caller, req));
        const left = await limiterOf(operation.rateLimit).consume(keyOf(operation, caller, req));
        return { headers: headersOf(operation.rateLimit, policy, left.remainingPoints, left.msBeforeNext) };
      } catch (rejected) {
        if (!(rejected instanceof RateLimiterRes)) throw rejected;
        const headers = headersOf(operation.rateLimit, policy, 0, rejected.msBeforeNext);
        return { headers, refusal: limited(rejected.msBeforeNext) };
      }
    },
  };
}

/** A checkout is counted by itself, however its id is spelled, guests by their address, everyone else by who they are. */
function keyOf(operation: Operation, caller: Caller, req: Request): string {
  const guest = caller.kind === 'storefront' || caller.kind === 'anonymous';
  const about = operation.rateLimit === 'checkout' ? (req.params.checkout_id ?? fieldOf(req, 'cart_id')) : undefined;
  const checkout = about === undefined ? undefined : String(about).toLowerCase();
  return `${caller.tenant.site_id}:${checkout ?? (guest ? req.ip : caller.principal_id)}`;
}

async function countInDatabase(db: Pool, operation: Operation, claim: Claim, req: Request): Promise<Counted> {
  const policies = (STRICT[operation.rateLimit] ?? []).flatMap(({ by, points, seconds }) => {
    const subject = {
      ip: req.ip,
      site: claim.site_id ?? undefined,
      email: fieldOf(req, 'email'),
      cart: req.params.cart_id,
    }[by];
    if (subject === undefined) return [];
    const folded = by === 'email' ? fold(String(subject)) : String(subject).toLowerCase();
    return [{ points, seconds, key: `${operation.id} ${claim.site_id} ${by} ${folded}` }];
  });
  if (policies.length === 0) return { headers: {} };
  const drawn = await draw(db, policies);
  const tightest = drawn.reduce((least, one, i) => (one.remaining < (drawn[least]?.remaining ?? 0) ? i : least), 0);
  const [policy, left] = [policies[tightest], drawn[tightest]];
  if (!policy || !left) return { headers: {} };
  const headers = headersOf(operation.rateLimit, policy, Math.max(0, left.remaining), left.ms_until_reset);
  return left.remaining < 0 ? { headers, refusal: limited(left.ms_until_reset) } : { headers };
}

/** A field of the body, which has passed the contract. */
function fieldOf(req: Request, name: string): unknown {
  return (req.body as Record<string, unknown> | undefined)?.[name];
}

function limited(milliseconds: number): ShopError {
  const retry_after_seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return new ShopError('rate_limited', `Too many requests. Try again in ${retry_after_seconds} s.`, {
    retry_after_seconds,
  });
}

/** RateLimit header fields of the IETF draft: what is left of the quota, and its policy. */
function headersOf(name: string, { points, seconds }: Policy, remaining: number, milliseconds: number) {
  return {
    RateLimit: `"${name}";r=${remaining};t=${Math.ceil(milliseconds / 1000)}`,
    'RateLimit-Policy': `"${name}";q=${points};w=${seconds}`,
  };
}
