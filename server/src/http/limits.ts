import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisClientType } from 'redis';
import { ShopError } from '../shop/errors.ts';
import type { Caller } from './callers.ts';
import type { Operation } from './contract.ts';

/**
 * Rate limits of decisions §5. The general ones live in Redis when there is one, and in the process while it is away:
 * they bound load, so they may fail open. Guessing a login is counted in PostgreSQL (see
 * shop/login-throttle.ts), which never does.
 */
export interface Limits {
  /** Refuses an address that keeps failing to authenticate. */
  admit(ip: string): Promise<void>;
  /** Counts a failed authentication of an address. */
  recordFailure(ip: string): Promise<void>;
  /** Counts a request of a caller; tells what is left, and the refusal when nothing is. */
  count(
    operation: Operation,
    caller: Caller,
    ip: string,
  ): Promise<{ headers: Record<string, string>; refusal?: ShopError }>;
}

interface Policy {
  points: number;
  seconds: number;
}

const POLICIES = {
  dashboard: { points: 600, seconds: 60 },
  storefront_read: { points: 600, seconds: 60 },
  login: { points: 30, seconds: 15 * 60 },
  failures: { points: 60, seconds: 60 },
} satisfies Record<string, Policy>;

type PolicyName = keyof typeof POLICIES;

export function createLimits({ redis, enabled }: { redis: RedisClientType | undefined; enabled: boolean }): Limits {
  if (!enabled) return { admit: async () => {}, recordFailure: async () => {}, count: async () => ({ headers: {} }) };
  const limiters = new Map(
    (Object.keys(POLICIES) as PolicyName[]).map((name) => [name, limiterFor(name, POLICIES[name], redis)]),
  );
  const limiterOf = (name: string) => {
    const limiter = limiters.get(name as PolicyName);
    if (!limiter) throw new Error(`The contract names a rate limit that does not exist: ${name}`);
    return limiter;
  };
  return {
    async admit(ip) {
      const found = await limiterOf('failures').get(ip);
      if (found && found.consumedPoints > POLICIES.failures.points) throw limited(found);
    },
    async recordFailure(ip) {
      await limiterOf('failures')
        .consume(ip)
        .catch(() => undefined);
    },
    async count(operation, caller, ip) {
      const policy = POLICIES[operation.rateLimit as PolicyName];
      const who = caller.kind === 'storefront' || caller.kind === 'anonymous' ? ip : caller.principal_id;
      try {
        const left = await limiterOf(operation.rateLimit).consume(`${caller.tenant.site_id}:${who}`);
        return { headers: headersOf(operation.rateLimit, policy, left) };
      } catch (rejected) {
        if (!(rejected instanceof RateLimiterRes)) throw rejected;
        return { headers: headersOf(operation.rateLimit, policy, rejected), refusal: limited(rejected) };
      }
    },
  };
}

function limiterFor(name: string, { points, seconds }: Policy, redis: RedisClientType | undefined) {
  const options = { keyPrefix: `limit:${name}`, points, duration: seconds };
  const memory = new RateLimiterMemory(options);
  if (!redis) return memory;
  return new RateLimiterRedis({ ...options, storeClient: redis, useRedisPackage: true, insuranceLimiter: memory });
}

function limited({ msBeforeNext }: RateLimiterRes): ShopError {
  const retry_after_seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new ShopError('rate_limited', `Too many requests. Try again in ${retry_after_seconds} s.`, {
    retry_after_seconds,
  });
}

/** RateLimit header fields of the IETF draft: what is left of the quota, and its policy. */
function headersOf(name: string, { points, seconds }: Policy, { remainingPoints, msBeforeNext }: RateLimiterRes) {
  return {
    RateLimit: `"${name}";r=${remainingPoints};t=${Math.ceil(msBeforeNext / 1000)}`,
    'RateLimit-Policy': `"${name}";q=${points};w=${seconds}`,
  };
}
