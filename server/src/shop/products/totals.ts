import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Sql } from 'sql-template-tag';
import type { Shop } from '../shop.ts';

/**
 * How many products a list has in all: the more there are, the longer counting takes, and the number is the same on each page
 * until the catalogue's version changes. Some hundred bytes each, by a hash of the conditions.
 */
const totals = new LRUCache<string, number>({ max: 10_000 });

/** The total that is known for a list at the version of the caller's look-up. */
export function totalOf(
  shop: Shop,
  conditions: Sql,
): { known: number | undefined; keep(total: number, version: string): void } {
  const { siteId, catalogVersion } = shop;
  // Without a version nothing tells whether the catalogue is still the same.
  if (catalogVersion === '') return { known: undefined, keep: () => undefined };
  const list = hash('sha1', JSON.stringify([conditions.text, conditions.values]), 'base64url');
  const key = `${siteId} ${catalogVersion} ${list}`;
  return {
    known: totals.get(key),
    keep: (total, version) => {
      if (version === catalogVersion) totals.set(key, total);
    },
  };
}
