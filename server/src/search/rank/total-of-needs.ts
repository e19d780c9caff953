/** A price for several things together: `a teapot and two mugs, 100 euros for everything`. */

import type { Understood } from '@commerce-backend/spec';
import type { Constraint } from '../query/parsed-query.ts';
import type { SearchDb } from '../search-db.ts';
import { isForeignCurrency } from './conditions.ts';
import type { FindResult, FoundProduct } from './find.ts';

/** The limit on the total price. The parser has divided it by the quantity, so it is multiplied again. */
export function totalOf(db: SearchDb, constraints: Constraint[]): Constraint | undefined {
  const quantity = Number(constraints.find(({ kind }) => kind === 'quantity')?.value ?? 1);
  const limit = constraints.find(({ kind, max }) => kind === 'price' && max !== undefined);
  if (!limit?.max || isForeignCurrency(db, limit)) return undefined;
  return { ...limit, max: Math.round(limit.max * quantity) };
}

/**
 * Keeps the total within `max`: with the best candidate of each need, otherwise with the cheapest one of each. Keeps
 * another candidate only if it could replace the chosen one of its need without exceeding `max`. The fate is `relaxed`
 * if even the cheapest candidates cost more, and `not_available` if a need has no candidate.
 */
export function withinTotal(found: FindResult[], max: number): { found: FindResult[]; fate: Understood['fate'] } {
  if (found.some(({ candidates }) => candidates.length === 0)) return { found, fate: 'not_available' };
  const best = sumOf(found) <= max ? found : found.map(cheapestFirst);
  const sum = sumOf(best);
  if (sum > max) return { found, fate: 'relaxed' };
  const kept = best.map((one) => {
    const others = sum - costOf(one, one.candidates[0]);
    return { ...one, candidates: one.candidates.filter((each) => others + costOf(one, each) <= max) };
  });
  return { found: kept, fate: 'applied' };
}

function cheapestFirst(one: FindResult): FindResult {
  return { ...one, candidates: one.candidates.toSorted((a, b) => Number(a.variant.price) - Number(b.variant.price)) };
}

function sumOf(found: FindResult[]): number {
  return found.reduce((sum, one) => sum + costOf(one, one.candidates[0]), 0);
}

function costOf({ quantity }: FindResult, candidate: FoundProduct | undefined): number {
  return Number(candidate?.variant.price ?? 0) * quantity;
}
