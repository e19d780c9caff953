import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Sql } from 'sql-template-tag';
import type { Shop } from '../shop.ts';

/**
 * Cache of list totals, because counting long lists is slow, and a total stays the same until the catalogue's version
 * changes. An entry takes some hundred bytes; its key is a hash of the conditions.
 */
const totals = new LRUCache<string, number>({ max: 10_000 });

/** The cached total of a list at the catalogue version that the caller read. */
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
