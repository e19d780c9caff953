/**
 * The similarity of candidates to the best ones, because the features that these share probably are the meaning of the
 * query.
 */

import { cosinesTo, DIMENSIONS } from '../index/latent.ts';
import type { Candidate } from './candidates.ts';
import { nameTerms } from './names.ts';

/** The number of best candidates that are compared by the head nouns of their names. */
const TOP_BY_HEAD = 10;
/** The number of best candidates that are compared by their vectors. */
const TOP_BY_VECTOR = 5;

export interface TopSimilarity {
  /** The share of the best candidates that have the same head noun, from 0 to 1. */
  head: number;
  /** The cosine to the mean of the best candidates, from -1 to 1. Without a vector, the average of the others. */
  semantic: number;
}

/** The similarity of each candidate to the best ones. `candidates` must be sorted, best first. */
export function topSimilarities(candidates: Candidate[]): TopSimilarity[] {
  const heads = candidates.map(({ name }) => nameTerms(name).head);
  const counts = new Map<string, number>();
  for (const head of heads.slice(0, TOP_BY_HEAD)) if (head) counts.set(head, (counts.get(head) ?? 0) + 1);
  const similarities = cosinesTo(
    centroid(candidates.slice(0, TOP_BY_VECTOR)),
    candidates.map(({ vector }) => vector),
  );
  return heads.map((head, i) => ({
    head: (counts.get(head ?? '') ?? 0) / Math.min(TOP_BY_HEAD, candidates.length),
    semantic: similarities[i] ?? 0,
  }));
}

/** The sum of the candidates' normalized vectors. */
function centroid(candidates: Candidate[]): Float64Array {
  const sum = new Float64Array(DIMENSIONS);
  for (const { vector } of candidates) {
    const length = vector ? Math.hypot(...vector) : 1;
    for (const [i, value] of vector?.entries() ?? []) sum[i] = (sum[i] ?? 0) + value / length;
  }
  return sum;
}
