/**
 * A search has these steps:
 * 1. parse the sentence (query/parse.ts)
 * 2. replace its words with words that the shop uses, correct their spelling and weight them (weigh-words.ts)
 * 3. read the best matches (candidates.ts)
 * 4. relax conditions until some product meets the remaining ones
 * 5. rerank (rerank.ts)
 */

import type { Understood } from '@commerce-backend/spec';
import type { Sql } from 'sql-template-tag';
import { parseInCatalog } from '../query/disambiguate.ts';
import { facetConstraints, findHeadNoun } from '../query/facet-values.ts';
import { parseSentence } from '../query/parse-sentence.ts';
import type { Constraint, ParsedQuery } from '../query/parsed-query.ts';
import type { ProductFilters, SearchDb } from '../search-db.ts';
import { normalizeText } from '../words/normalize.ts';
import { isExactTerm, type TermGroup, termGroups } from '../words/term-groups.ts';
import { type Token, tokenize } from '../words/tokens.ts';
import { browse } from './browse.ts';
import { type Candidate, type CandidateQuery, type Candidates, readCandidates, strictBits } from './candidates.ts';
import { type CodeMatches, readCodeMatches } from './codes.ts';
import { withComparedPrice } from './compared-product.ts';
import { type Condition, conditionsOf } from './conditions.ts';
import { type ProductConditions, type SearchFilters, withoutConflicts } from './filters.ts';
import { modifierOf } from './matches.ts';
import { constraintOutcomes, readUnratedFields, relaxed } from './outcomes.ts';
import { preferencesOf } from './preferences.ts';
import { rerank } from './rerank.ts';
import type { WeightedQuery } from './term-weights.ts';
import { unfinishedWord, type WeighedWords, weighKeywords, weighSentence } from './weigh-words.ts';

export interface SearchResult {
  understood: Understood[];
  /** The best products, best first, at most RERANKED. All of them fail the same conditions, if any. */
  best: Candidate[];
  /** The number of products that fail the same conditions as `best`. */
  total: number;
  /** For each condition that the results meet, how many matching products it excludes. */
  excluded: { reason: Condition['reason']; text: string | null; count: number }[];
  /** The words for which the search looked, in the shop's words, each with its position in the sentence. */
  words: Token[];
  /** The words that differ from the sentence, because the shop uses another word or the spelling was corrected. */
  rewritten: Token[];
  /** The groups of the query after spelling correction. */
  groups: TermGroup[];
  weighted: WeightedQuery;
  /** The products found by a part of an SKU or barcode. */
  codes: CodeMatches;
  /** The minimum share of the query's weight that each product has. */
  minCoverage: number;
  /** Whether products with only the modifier match (see `modifierOf`). */
  modifierAlone: boolean;
  /** The conditions that all products meet, except the filters; used to read the products again in another order. */
  met: Sql[];
}

export interface SearchOptions {
  filters?: SearchFilters | undefined;
  /** Further conditions whose exclusions are counted, such as an agent's categories. The last ones are relaxed last. */
  conditions?: Condition[];
  /** Whether the last word may be unfinished. Then it also matches names in which a word begins with these letters. */
  completeLast?: boolean;
  /** Whether to read the availability of the best products. */
  withStock?: boolean;
  /** Whether to ignore limits in the text, and to find SKUs and barcodes even by words that products have. */
  keywordsOnly?: boolean;
  /** Whether facet values and the head noun of the sentence are conditions. */
  facetConditions?: boolean;
  /** The parsed sentence, if the caller has parsed it. Used with `facetConditions`. */
  parsed?: ParsedQuery | undefined;
}

/**
 * Searches products by a sentence. If no product meets all conditions, the least important ones are relaxed and
 * reported. Sends one statement for the weights of the words and one for the matches. Sends further ones, for example
 * for `facetConditions`, an ambiguous name, a rating, a repeated search with more lenient matching, a part of a code,
 * or words that no product has.
 */
export async function search(
  db: SearchDb,
  filters: ProductFilters,
  sentence: string,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const parsed = await parse(db, filters, sentence, options);
  const { kept: constraints, overruled } = withoutConflicts(db, parsed.constraints, options.filters);
  const { words, groups, weighted, isUnknown } = await weigh(db, sentence, parsed, options);
  const isSingle = groups.length < 2;
  const codes = await readCodeMatches(db, { typed: sentence, isUnknown, isSingle, always: !!options.keywordsOnly });
  const meant = correctedWords(words, groups);
  const isKnown = (term: string) => weighted.terms.some((each) => each.term === term && each.exact);
  const headNoun = findHeadNoun(sentence, meant, weighted.headTerms, isKnown);
  const named = options.facetConditions ? await facetConstraints(db, sentence, meant, headNoun) : [];
  const { all, unread } = readable([...constraints, ...named]);
  const isBare =
    options.facetConditions &&
    groups.length === 0 &&
    (options.filters !== undefined || all.some(({ kind, isUnread }) => kind !== 'quantity' && !isUnread));
  const inStock = isBare ? filters.canBeBought : filters.inStock;
  const conditions = [...conditionsOf(db, { inStock }, all), ...(options.conditions ?? [])];
  const must: ProductConditions = options.filters ?? { where: [], slow: [], among: [] };
  const { withStock = false } = options;
  const query = { groups, weighted, codes, typed: sentence, must, conditions, filters, withStock };
  const forAgent = { headGroups: headGroupsOf(groups, named), countEligibleOnly: true };
  const sort = all.find(({ kind }) => kind === 'sort')?.value;
  const { candidates, modifierAlone } = isBare
    ? { candidates: await browse(db, { filters, conditions, must, sort }), modifierAlone: false }
    : await readWithFallback(db, options.facetConditions ? { ...query, ...forAgent } : query);
  const failed = fewestFailed(candidates, conditions);
  const rows = candidates.rows.filter((row) => row.failed === failed);
  const metConditions = conditions.filter((_condition, i) => failed === undefined || (failed & (1 << i)) === 0);
  const unrated = await readUnratedFields(
    db,
    all,
    rows.map(({ product_id }) => product_id),
  );
  return {
    understood: [
      ...constraintOutcomes(db, [...all, ...unread], conditions, { failed: failed ?? 0, unrated }),
      ...relaxed(db, overruled),
    ],
    best: isBare ? rows : rerank({ ...candidates, rows }, groups, weighted, preferencesOf(all)),
    total: candidates.counts.get(failed ?? 0) ?? 0,
    excluded: metConditions.flatMap((condition) => {
      const count = countFailing(candidates, 1 << conditions.indexOf(condition));
      return count > 0 ? [{ reason: condition.reason, text: condition.constraint?.text ?? null, count }] : [];
    }),
    words,
    rewritten: options.facetConditions
      ? meant.filter((word, i) => word !== words[i] || isRewritten(sentence, word.text, word.start, word.end))
      : [],
    groups,
    weighted,
    codes,
    minCoverage: candidates.minCoverage,
    modifierAlone,
    met: metConditions.map(({ condition }) => condition),
  };
}

function isRewritten(sentence: string, text: string, start: number, end: number): boolean {
  return normalizeText(sentence.slice(start, end)).replaceAll(/['’‘`]/g, '') !== text;
}

/** Each condition is a bit of an SQL integer. */
const MAX_CONSTRAINTS = 20;

/** Removes constraints that the sentence repeats. */
function distinct(constraints: Constraint[]): Constraint[] {
  const key = ({ kind, value, min, max, currency, isUnread, start }: Constraint) =>
    JSON.stringify([kind, value, min, max, currency, isUnread && value === undefined ? start : undefined]);
  return [...new Map(constraints.toReversed().map((each) => [key(each), each])).values()].toReversed();
}

/**
 * `all` has as many constraints as can be conditions, in the order of the sentence. `unread` has the others, which are
 * reported as not understood.
 */
function readable(constraints: Constraint[]): { all: Constraint[]; unread: Constraint[] } {
  const each = distinct(constraints);
  return {
    all: each.slice(0, MAX_CONSTRAINTS).sort((a, b) => a.start - b.start),
    unread: each.slice(MAX_CONSTRAINTS).map((constraint) => ({ ...constraint, isUnread: true })),
  };
}

/**
 * The lowest `failed` of matches that meet the strict conditions; undefined if there are none. Less important
 * conditions have lower bits, so the lowest number is the best outcome.
 */
function fewestFailed({ counts }: Candidates, conditions: Condition[]): number | undefined {
  const strict = strictBits(conditions);
  const possible = [...counts.keys()].filter((failed) => (failed & strict) === 0);
  return possible.length > 0 ? Math.min(...possible) : undefined;
}

function countFailing({ counts }: Candidates, bit: number): number {
  return [...counts].reduce((sum, [failed, count]) => sum + ((failed & bit) > 0 ? count : 0), 0);
}

/** Parses a text as a whole sentence, as a search field with limits, or as keywords only. */
async function parse(
  db: SearchDb,
  filters: ProductFilters,
  text: string,
  options: SearchOptions,
): Promise<ParsedQuery> {
  // Filters may be used without words.
  if (options.keywordsOnly || text === '') {
    const words = tokenize(text).filter(({ kind }) => kind === 'word');
    return { constraints: [], words, ambiguous: { names: [], values: [] }, language: 'en' };
  }
  if (!options.facetConditions) return parseInCatalog(db, text);
  const where = [filters.visible, ...(options.conditions ?? []).map(({ condition }) => condition)];
  return withComparedPrice(db, where, text, options.parsed ?? (await parseSentence(db, text)));
}

async function weigh(
  db: SearchDb,
  text: string,
  { words }: ParsedQuery,
  { facetConditions, completeLast }: SearchOptions,
): Promise<WeighedWords & { words: Token[] }> {
  if (!facetConditions) return weighKeywords(db, words, completeLast ? unfinishedWord(text, words) : undefined);
  return { words, ...(await weighSentence(db, termGroups(words))) };
}

/** The words, with corrections that are certain enough. */
function correctedWords(words: Token[], groups: TermGroup[]): Token[] {
  return words.map((word) => {
    const grp = groups.findIndex(({ correction, alternatives }) => correction && alternatives[0]?.term === word.term);
    const correction = groups[grp]?.correction;
    return correction && isExactTerm(groups, grp, correction) ? { ...word, term: correction } : word;
  });
}

/** The groups of the head noun. */
function headGroupsOf(groups: TermGroup[], named: Constraint[]): number[] {
  const heads = new Set(named.flatMap(({ headNoun }) => headNoun ?? []));
  return groups.flatMap(({ alternatives: [typed], correction }, grp) =>
    heads.has(typed?.term ?? '') || (correction && heads.has(correction)) ? [grp] : [],
  );
}

/** Whether a limit on price or availability is relaxed. */
function givesUpLimit({ conditions }: CandidateQuery, failed: number): boolean {
  return conditions.some(({ reason }, i) => (failed & (1 << i)) !== 0 && (reason === 'price' || reason === 'in_stock'));
}

/** The coverage that is tried last. */
const FALLBACK_COVERAGE = 0.1;

/**
 * Reads candidates. If none meets the strict conditions, tries again with more lenient matching: products with few of
 * the words if the caller reports missing words, otherwise products with only the modifier. May also match products
 * with few of the words if a limit on price or availability would be relaxed.
 */
async function readWithFallback(
  db: SearchDb,
  query: CandidateQuery,
): Promise<{ candidates: Candidates; modifierAlone: boolean }> {
  const { countEligibleOnly, conditions, groups, weighted } = query;
  const candidates = await readCandidates(db, query);
  const fewest = fewestFailed(candidates, conditions);
  if (fewest !== undefined) {
    // A limit is more important than a word, unless that word is the product itself.
    const lenient = { ...query, minCoverage: FALLBACK_COVERAGE };
    const isGivenUp = countEligibleOnly && (query.headGroups ?? []).length === 0 && givesUpLimit(query, fewest);
    const others = isGivenUp && groups.length > 1 ? await readCandidates(db, lenient) : candidates;
    return { candidates: others, modifierAlone: false };
  }
  const canLowerCoverage = countEligibleOnly && groups.length > 1 && weighted.terms.length > 0;
  if (!canLowerCoverage && modifierOf(weighted) === undefined) return { candidates, modifierAlone: false };
  const lenient = {
    ...query,
    modifierAlone: true,
    ...(canLowerCoverage && { headGroups: [], minCoverage: FALLBACK_COVERAGE }),
  };
  return { candidates: await readCandidates(db, lenient), modifierAlone: true };
}
