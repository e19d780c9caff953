import type { Contract } from './contract.ts';

const SHOWN = 3;

/** Returns the contract's paths that are most similar to an unknown path. */
export function nearestPaths({ operations }: Contract, path: string): string[] {
  const asked = path.split('/');
  const ranked = [...new Set(operations.map((one) => one.path))]
    .map((known) => ({ known, distance: distanceOf(known.split('/'), asked) }))
    .sort((one, other) => one.distance - other.distance);
  return ranked.slice(0, SHOWN).map(({ known }) => known);
}

/**
 * Returns the distance between two paths: the sum of the Levenshtein distances of their segments. A parameter and any
 * segment have the distance 1. A missing or additional segment counts with its full length.
 */
function distanceOf(known: string[], asked: string[]): number {
  let sum = 0;
  for (let at = 0; at < Math.max(known.length, asked.length); at += 1) {
    const [part = '', other = ''] = [known[at], asked[at]];
    sum += part.startsWith('{') && other !== '' ? 1 : editsBetween(part, other);
  }
  return sum;
}

/** Levenshtein distance: the number of added, removed and changed letters. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
