import { cosinesTo, DIMENSIONS } from '../index/latent.ts';
import { headOf } from '../index/postings.ts';
import type { Candidate } from './candidates.ts';

/** What the best candidates have in common is likely what is meant: another of their kind belongs to them. */

/** Of so many of the best it counts what their names say the thing is, */
const NAMING = 10;
/** and of so many where they stand among the meanings. */
const MEANING = 5;

/** How much a candidate is of the same kind as the best, from 0 to 1, and how near to them in meaning, from -1 to 1. */
export interface Company {
  kind: number;
  meaning: number;
}

/** The company of each of the candidates, who come best first; for one without vector, as near as the others on average. */
export function companyOf(candidates: Candidate[]): Company[] {
  const heads = candidates.map(({ name }) => headOf(name, []));
  const kinds = new Map<string, number>();
  for (const head of heads.slice(0, NAMING)) if (head) kinds.set(head, (kinds.get(head) ?? 0) + 1);
  const centre = centreOf(candidates.slice(0, MEANING));
  const meanings = cosinesTo(
    centre,
    candidates.map(({ vector }) => vector),
  );
  return heads.map((head, i) => ({
    kind: (kinds.get(head ?? '') ?? 0) / Math.min(NAMING, candidates.length),
    meaning: meanings[i] ?? 0,
  }));
}

/** The middle of their directions, however long their vectors are. */
function centreOf(candidates: Candidate[]): Float64Array {
  const centre = new Float64Array(DIMENSIONS);
  for (const { vector } of candidates) {
    const length = vector ? Math.hypot(...vector) : 1;
    for (const [i, value] of vector?.entries() ?? []) centre[i] = (centre[i] ?? 0) + value / length;
  }
  return centre;
}
