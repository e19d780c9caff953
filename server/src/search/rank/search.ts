import type { Understood } from '@commerce-backend/spec';
import type { Sql } from 'sql-template-tag';
import { understandIn } from '../query/disambiguate.ts';
import { thingIn, valuesIn } from '../query/facet-values.ts';
import type { Constraint } from '../query/parse.ts';
import { repair } from '../query/spelling.ts';
import type { ProductFilters, SearchDb } from '../search-db.ts';
import { type Group, groupsOf, isWhole } from '../words/term-groups.ts';
import type { Token } from '../words/tokens.ts';
import { type Candidate, type Candidates, readCandidates, type Search } from './candidates.ts';
import { type Condition, conditionsOf } from './conditions.ts';
import { companionOf } from './matches.ts';
import { fatesOf, unstatedOpinions } from './outcomes.ts';
import { preferencesOf } from './preferences.ts';
import { rerank } from './rerank.ts';
import { type Weighed, weigh } from './term-weights.ts';

/** What a query found in a shop. */
export interface Found {
  understood: Understood[];
  /** The best products, best first; all of them fail the same conditions, if any. At most RERANKED. */
  best: Candidate[];
  /** How many products there are in all. */
  total: number;
  /** How many products that the words matched fail each condition that the products found meet. */
  excluded: { reason: Condition['reason']; text: string | null; count: number }[];
  /** The words that were looked for, as they stand in the sentence. */
  words: Token[];
  /** What was looked for in the end, unknown words repaired. */
  groups: Group[];
  /** The same with the weights that it has in this shop. */
  weighed: Weighed;
  /** The least share of the query's weight that a product found has. */
  coverage: number;
  /** Whether a product was found, too, that has only what accompanies the thing. */
  companionAlone: boolean;
  /** The conditions that all products found meet, for reading them again in another order. */
  where: Sql[];
}

export interface SearchOptions {
  /** Conditions on `products p` that hold always. */
  where?: Sql[];
  /** More conditions that are counted, such as what an agent may see; the last ones are the most important. */
  conditions?: Condition[];
  /** Whether values of the shop's options, vendors, types, tags and metadata that the sentence names are conditions, too. */
  values?: boolean;
}

/**
 * Finds products by what a person wrote: reads the limits out of the sentence, looks for the other words, and where no
 * product meets all limits gives them up, the least important first, and says so. Two statements; one more with `values`; one
 * more for a negation, a quantity and a rating, one where nothing that is meant may be offered, and three where the shop does
 * not know a word.
 */
export async function search(
  db: SearchDb,
  filters: ProductFilters,
  sentence: string,
  options: SearchOptions = {},
): Promise<Found> {
  const { constraints, words } = await understandIn(db, sentence);
  const { groups, weighed } = await weighRepaired(db, groupsOf(words));
  const named = options.values
    ? await valuesIn(db, sentence, words, thingIn(corrected(words, groups), weighed.heads))
    : [];
  const all = distinct([...constraints, ...named]).sort((a, b) => a.start - b.start);
  const conditions = [...conditionsOf(db, filters, all), ...(options.conditions ?? [])];
  const where = options.where ?? [];
  const query = { groups, weighed, typed: sentence, where, conditions, filters };
  const first = options.values ? { ...query, naming: namingOf(groups, named), enough: 'fitting' as const } : query;
  const { candidates, companionAlone } = await readMeant(db, first);
  const missed = leastMissed(candidates, conditions);
  const kept = candidates.rows.filter(({ misses }) => misses === missed);
  const met = conditions.filter((_condition, i) => missed === undefined || (missed & (1 << i)) === 0);
  const ids = kept.map(({ product_id }) => product_id);
  const unstated = await unstatedOpinions(db, all, ids);
  return {
    understood: fatesOf(db, all, conditions, { missed: missed ?? 0, unstated }),
    best: rerank({ ...candidates, rows: kept }, groups, weighed.weights, preferencesOf(all)),
    total: candidates.counts.get(missed ?? 0) ?? 0,
    excluded: met.flatMap((condition) => {
      const count = failing(candidates, 1 << conditions.indexOf(condition));
      return count > 0 ? [{ reason: condition.reason, text: condition.constraint?.text ?? null, count }] : [];
    }),
    words,
    groups,
    weighed,
    coverage: candidates.coverage,
    companionAlone,
    where: [...where, ...met.map(({ condition }) => condition)],
  };
}

/** More than anybody means, and less than the bits that conditions have in an answer of the database. */
const MAX_CONSTRAINTS = 20;

/** Each once, however often it is said. */
function distinct(constraints: Constraint[]): Constraint[] {
  const meaning = ({ kind, value, min, max, currency }: Constraint) =>
    JSON.stringify([kind, value, min, max, currency]);
  return [...new Map(constraints.toReversed().map((each) => [meaning(each), each])).values()]
    .toReversed()
    .slice(0, MAX_CONSTRAINTS);
}

/** The lowest bits are the least important: what fails only those is the best there is. */
function leastMissed({ counts }: Candidates, conditions: Condition[]): number | undefined {
  const strict = conditions.reduce((bits, condition, i) => bits | (condition.strict ? 1 << i : 0), 0);
  const possible = [...counts.keys()].filter((misses) => (misses & strict) === 0);
  return possible.length > 0 ? Math.min(...possible) : undefined;
}

function failing({ counts }: Candidates, bit: number): number {
  return [...counts].reduce((sum, [misses, count]) => sum + ((misses & bit) > 0 ? count : 0), 0);
}

/** Looks for what the shop knows; for unknown words, what they may mean. */
async function weighRepaired(db: SearchDb, groups: Group[]): Promise<{ groups: Group[]; weighed: Weighed }> {
  const weighed = await weigh(db, groups);
  if (weighed.unknown.length === 0) return { groups, weighed };
  const repaired = await repair(db, groups, weighed.unknown);
  return { groups: repaired, weighed: await weigh(db, repaired) };
}

/** The words, those that are surely misspelt as they were meant. */
function corrected(words: Token[], groups: Group[]): Token[] {
  return words.map((word) => {
    const grp = groups.findIndex(({ meant, alternatives }) => meant && alternatives[0]?.term === word.term);
    const meant = groups[grp]?.meant;
    return meant && isWhole(groups, grp, meant) ? { ...word, term: meant } : word;
  });
}

/** The groups that say what the thing is. */
function namingOf(groups: Group[], named: Constraint[]): number[] {
  const things = new Set(named.flatMap(({ thing }) => thing ?? []));
  return groups.flatMap(({ alternatives: [typed], meant }, grp) =>
    things.has(typed?.term ?? '') || (meant && things.has(meant)) ? [grp] : [],
  );
}

/** Where nothing else is left, so much of the query's weight will do. */
const LAST_COVERAGE = 0.1;

/**
 * What is meant first; where nothing of that may be offered, what has little of it: for who is told what was left out whatever
 * has any of the words, for others what only accompanies the thing.
 */
async function readMeant(db: SearchDb, first: Search): Promise<{ candidates: Candidates; companionAlone: boolean }> {
  const { enough, conditions, weighed } = first;
  const candidates = await readCandidates(db, first);
  const found = { candidates, companionAlone: false };
  if (leastMissed(candidates, conditions) !== undefined) return found;
  const isTold = enough === 'fitting' && first.groups.length > 1 && weighed.terms.length > 0;
  if (!isTold && companionOf(weighed) === undefined) return found;
  const last = { ...first, companionAlone: true, ...(isTold && { naming: [], coverage: LAST_COVERAGE }) };
  return { candidates: await readCandidates(db, last), companionAlone: true };
}
