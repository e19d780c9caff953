import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Sql } from 'sql-template-tag';
import type { Shop } from '../shop.ts';

/**
 * Caches the totals of lists, because counting long lists is slow. A total is valid until the catalogue's version
 * changes. The key is a hash of the conditions.
 */
const totals = new LRUCache<string, number>({ max: 10_000 });

/**
 * Returns the cached total of a list at the catalogue version that the caller has read, and a function that caches it.
 */
export function totalOf(
  shop: Shop,
  conditions: Sql,
): { known: number | undefined; keep(total: number, version: string): void } {
  const { siteId, catalogVersion } = shop;
  // Without a version, a change of the catalogue cannot be detected.
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
