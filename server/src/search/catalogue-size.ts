import { LRUCache } from 'lru-cache';
import type { Shop } from '../shop/shop.ts';

/**
 * How many products a shop has, for judging how rare a word is. Where there are many, counting them takes longer than the
 * search itself, and a few more or less change nothing: then the number may be a minute old.
 */
const MANY = 2_000;
const sizes = new LRUCache<string, number>({ max: 10_000, ttl: 60_000 });

/** Nothing where it has to be counted. */
export function knownSize({ siteId }: Shop): number | undefined {
  return sizes.get(siteId);
}

export function learnSize({ siteId }: Shop, size: number): void {
  if (size >= MANY && !sizes.has(siteId)) sizes.set(siteId, size);
}
