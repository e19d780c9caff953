/** Reranks the best candidates by features that BM25F does not use. */

import { querySimilarities } from '../index/latent-index.ts';
import { stripHtml, termsOf } from '../words/normalize.ts';
import type { TermGroup } from '../words/term-groups.ts';
import type { Candidate, Candidates } from './candidates.ts';
import { nameTerms } from './names.ts';
import type { Preferences } from './preferences.ts';
import type { GroupWeight, WeightedQuery } from './term-weights.ts';
import { topSimilarities } from './top-similarity.ts';

/**
 * The weight of each feature. A feature multiplies the score by e to the power of its weight, usually in proportion to
 * a value from 0 to 1.
 */
const WEIGHTS = {
  /** The name contains all words as a phrase. */
  phrase: 0.4,
  /** The share of the name's words that the query has. */
  titleCoverage: 0.65,
  /**
   * A word of the query is at or near the beginning of the name. Negative, because names often begin with the brand,
   * and the head noun comes later.
   */
  titleStart: -0.2,
  /** One of several words of the query is the head noun of the name: the pad of a `mouse pad`. */
  head: 0.75,
  /** The only word of the query is the head noun of the name. */
  headAlone: 0.2,
  /** The words of the query only occur in the purpose of the product: a case for the phone. */
  accessory: -1.2,
  /** The last word of the query is only a prefix of a word in the name. */
  completed: -1.5,
  /** No word of the query is in the name, although one of the words is usually a head noun. */
  noTitleMatch: -0.5,
  /** One of the words of the query is the vendor's name. */
  vendor: 1.15,
  /** The semantic similarity to the query. */
  similarity: 1.8,
  /** The share of the best candidates that have the same head noun. */
  topHead: 0.2,
  /** The semantic similarity to the best candidates. */
  topSimilarity: 0.5,
  /** The rank of the price among the candidates, if the query prefers low or high prices. */
  price: 0.15,
  /** The sales relative to the best-selling candidate, if the query prefers popular products. */
  popularity: 0.15,
};
/**
 * A term gets the full weight of a head noun if it is the head noun in at least this share of the names that contain
 * it.
 */
const FULL_HEAD_SHARE = 0.6;

const ACCESSORY = /\s(?:for|compatible|fits|replacement)\s/i;

/** The candidates, best first. */
export function rerank(
  { rows, vectorsByTerm }: Candidates,
  groups: TermGroup[],
  { weights, completed }: Pick<WeightedQuery, 'weights' | 'completed'>,
  preferences: Preferences = {},
): Candidate[] {
  const index = indexGroups(groups);
  const headWeights = weights.map((weight) => Math.min(1, headShare(weight) / FULL_HEAD_SHARE));
  const similarities = querySimilarities(
    groups,
    vectorsByTerm,
    rows.map(({ vector }) => vector),
  );
  const priceRank = preferences.price && rankWithin(rows.map(({ price }) => Number(price)));
  const maxSales = Math.max(1, ...rows.map(({ sales_count }) => sales_count));
  const score = (candidate: Candidate, at: number) => {
    let power = titleBoost(candidate.name, index, headWeights) + headBoost(candidate.head_groups, headWeights);
    power += WEIGHTS.similarity * (similarities[at] ?? 0);
    if (isCompleted(candidate, completed)) power += WEIGHTS.completed;
    if (candidate.vendor_match) power += WEIGHTS.vendor;
    if (priceRank) {
      const rank = priceRank(Number(candidate.price));
      power += WEIGHTS.price * (preferences.price === 'low' ? 1 - rank : rank);
    }
    if (preferences.popular) power += (WEIGHTS.popularity * Math.log1p(candidate.sales_count)) / Math.log1p(maxSales);
    return candidate.score * Math.exp(power);
  };
  const reranked = rows.map((candidate, at) => ({ ...candidate, score: score(candidate, at) })).sort(byScore);
  return boostSimilarToTop(reranked);
}

function isCompleted({ exact_groups, guessed_groups }: Candidate, grp: number | undefined): boolean {
  return grp !== undefined && (guessed_groups & ~exact_groups & (1 << grp)) !== 0;
}

function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score || b.sales_count - a.sales_count || (a.product_id < b.product_id ? -1 : 1);
}

/** The number of best candidates that are compared with the top ones. */
const COMPARED_WITH_TOP = 50;

function boostSimilarToTop(candidates: Candidate[]): Candidate[] {
  const best = candidates.slice(0, COMPARED_WITH_TOP);
  const factors = topSimilarities(best).map(({ head, semantic }) =>
    Math.exp(WEIGHTS.topHead * head + WEIGHTS.topSimilarity * semantic),
  );
  // The smallest factor also applies to all later candidates, so that none of them overtakes one of the best.
  const smallest = Math.min(...factors);
  return candidates
    .map((candidate, at) => ({ ...candidate, score: candidate.score * (factors[at] ?? smallest) }))
    .sort(byScore);
}

/** Of the names that contain a term, the share in which the term is the head noun, smoothed. */
function headShare({ heads, titles }: GroupWeight): number {
  return heads / (titles + 3);
}

function headBoost(head_groups: number, weights: number[]): number {
  const largest = Math.max(0, ...weights.map((weight, i) => ((head_groups & (1 << i)) !== 0 ? weight : 0)));
  return largest * (weights.length > 1 ? WEIGHTS.head : WEIGHTS.headAlone);
}

/** The groups of each term, the lengths of these terms in characters, and the number of groups. */
interface GroupIndex {
  groups: Map<string, number[]>;
  lengths: Set<number>;
  count: number;
}

function indexGroups(all: TermGroup[]): GroupIndex {
  const groups = new Map<string, number[]>();
  for (const [grp, { alternatives }] of all.entries()) {
    for (const { term } of alternatives) groups.set(term, [...(groups.get(term) ?? []), grp]);
  }
  return { groups, lengths: new Set(Array.from(groups.keys(), ({ length }) => length)), count: all.length };
}

function titleBoost(name: string, index: GroupIndex, headWeights: number[]): number {
  const { terms } = nameTerms(name);
  const { first, covered, isPhrase } = findIn(terms, index);
  if (first === undefined) return WEIGHTS.noTitleMatch * Math.max(0, ...headWeights);
  let power = (WEIGHTS.titleCoverage * covered) / Math.max(1, terms.length);
  power += WEIGHTS.titleStart / (1 + first);
  if (isPhrase) power += WEIGHTS.phrase;
  if (first >= startOfPurpose(name, terms)) power += WEIGHTS.accessory;
  return power;
}

/** The occurrences of the words of the query in a name. */
interface InName {
  /** The index of the name's first term that the query has. */
  first: number | undefined;
  /** The number of the name's terms that the query has. */
  covered: number;
  /** Whether all groups are next to each other in the name. */
  isPhrase: boolean;
}

interface Position {
  from: number;
  to: number;
}

/** Looks for each group in a name's terms, of which two may together form one compound. */
function findIn(terms: string[], { groups, lengths, count }: GroupIndex): InName {
  const positions = count > 1 ? Array.from({ length: count }, (): Position[] => []) : [];
  let first: number | undefined;
  let [covered, last] = [0, -1];
  const add = (term: string, from: number, to: number) => {
    const found = groups.get(term);
    if (!found) return;
    first ??= from;
    if (to > last) covered += to - Math.max(last, from - 1);
    last = Math.max(last, to);
    if (count > 1) for (const grp of found) positions[grp]?.push({ from, to });
  };
  for (const [i, term] of terms.entries()) {
    add(term, i, i);
    const next = terms[i + 1];
    if (next !== undefined && lengths.has(term.length + next.length)) add(term + next, i, i + 1);
  }
  const isPhrase = count > 1 && positions.slice(1).every((next, i) => isAdjacent(positions[i] ?? [], next));
  return { first, covered, isPhrase };
}

function isAdjacent(first: Position[], second: Position[]): boolean {
  return first.some(({ from, to }) => second.some((next) => next.from === to + 1 || next.from === from));
}

/** The index of the first term that names the purpose of the product; the number of terms if none does. */
function startOfPurpose(name: string, terms: string[]): number {
  const purpose = ACCESSORY.exec(name)?.index;
  return purpose === undefined ? terms.length : termsOf(stripHtml(name.slice(0, purpose))).length;
}

/** Returns a function that gives the share of the other values that are smaller than a value. */
function rankWithin(values: number[]): (value: number) => number {
  const sorted = [...values].sort((a, b) => a - b);
  return (value) => sorted.filter((other) => other < value).length / Math.max(1, sorted.length - 1);
}
