import { setTimeout as pause } from 'node:timers/promises';
import type { RedisClientType } from '@redis/client';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

/** Counts in Redis when it answers, and in this process when it does not. */
export interface Limiter {
  get(key: string): Promise<RateLimiterRes | null>;
  /** Rejects with a RateLimiterRes when nothing is left. */
  consume(key: string): Promise<RateLimiterRes>;
}

export interface LimiterOptions {
  keyPrefix: string;
  points: number;
  /** Seconds. */
  duration: number;
}

/** The client of Redis waits for ever for the answer to what it has sent. */
const ANSWER_WITHIN_MS = 300;
/** How long a Redis that did not answer is left alone. */
const LEFT_ALONE_MS = 1_000;

/** Makes limiters on one Redis, which share what any of them finds out about it. */
export function sharedLimiters(redis: RedisClientType | undefined): (options: LimiterOptions) => Limiter {
  let leftAloneUntil = 0;

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
    if (!redis) return memory;
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
