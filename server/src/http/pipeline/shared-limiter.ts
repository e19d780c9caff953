import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisClientType } from 'redis';

const require = createRequire(import.meta.url);
type Package = typeof import('rate-limiter-flexible');
/** Imports single files, because the whole package loads limiters for a dozen databases. */
const memoryLimiter = () => require('rate-limiter-flexible/lib/RateLimiterMemory.js') as Package['RateLimiterMemory'];
const redisLimiter = () => require('rate-limiter-flexible/lib/RateLimiterRedis.js') as Package['RateLimiterRedis'];

/** Counts in Redis, or in this process without Redis or while Redis does not answer. */
export interface Limiter {
  get(key: string): Promise<RateLimiterRes | null>;
  /** Rejects with a RateLimiterRes if no points are left. */
  consume(key: string): Promise<RateLimiterRes>;
}

export interface LimiterOptions {
  keyPrefix: string;
  points: number;
  /** Seconds. */
  duration: number;
}

/** Time limit for a response of Redis, whose client has no timeout of its own. */
const ANSWER_WITHIN_MS = 300;
/** Time for which Redis is not called after it failed to answer. */
const LEFT_ALONE_MS = 1_000;

/** Creates limiters that share a Redis connection and track whether it currently answers. */
export function sharedLimiters(redis: RedisClientType | undefined): (options: LimiterOptions) => Limiter {
  let leftAloneUntil = 0;
  const RateLimiterMemory = memoryLimiter();
  const RateLimiterRedis = redis && redisLimiter();

  async function ask<T>(shared: () => Promise<T>, own: () => Promise<T>): Promise<T> {
    if (performance.now() < leftAloneUntil) return own();
    const late = Symbol('late');
    const waiting = new AbortController();
    const patience = pause(ANSWER_WITHIN_MS, late, { signal: waiting.signal, ref: false }).catch(() => late);
    try {
      const answer = await Promise.race([shared(), patience]);
      if (answer !== late) return answer as T;
    } finally {
      waiting.abort();
    }
    leftAloneUntil = performance.now() + LEFT_ALONE_MS;
    return own();
  }

  return (options) => {
    const memory = new RateLimiterMemory(options);
    if (!RateLimiterRedis) return memory;
    const shared = new RateLimiterRedis({
      ...options,
      storeClient: redis,
      useRedisPackage: true,
      insuranceLimiter: memory,
    });
    return {
      get: (key) =>
        ask(
          () => shared.get(key),
          () => memory.get(key),
        ),
      consume: (key) =>
        ask(
          () => shared.consume(key),
          () => memory.consume(key),
        ),
    };
  };
}
