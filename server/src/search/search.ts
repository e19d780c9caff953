import type { Sql } from 'sql-template-tag';
import type { Shop } from '../shop/shop.ts';
import { type Candidate, type Candidates, readCandidates, type Search } from './candidates.ts';
import { type Group, groupsOf } from './groups.ts';
import { repair } from './repair.ts';
import { rerank } from './rerank.ts';
import { understand } from './understanding.ts';
import { type Conditions, conditionsOf, fatesOf, type Understood } from './wishes.ts';

/** What a query found in a shop. */
export interface Found {
  understood: Understood[];
  /** The best products, best first; all of them meet the same wishes. At most RERANKED. */
  best: Candidate[];
  /** How many products there are in all, and how many miss which wishes. */
  total: number;
  counts: Map<number, number>;
  /** The groups that were looked for in the end, repaired, and how many products have each. */
  groups: Group[];
  stats: Candidates['stats'];
  conditions: Conditions;
  /** The conditions that all products found meet, for reading them again in another order. */
  where: Sql[];
}

/**
 * Finds products by what a person wrote: reads the limits out of the sentence, looks for the other words, and where no
 * product meets all limits gives them up one by one and says so. `where` are further conditions on `products p`, which hold
 * always. One statement; three where the shop does not know a word.
 */
export async function search(shop: Shop, sentence: string, where: Sql[]): Promise<Found> {
  const { constraints, words } = understand(sentence);
  const conditions = conditionsOf(shop, constraints);
  const always = [...where, ...conditions.where];
  const wanted: Search = {
    groups: groupsOf(words),
    typed: sentence,
    where: always,
    wishes: conditions.wishes.map(({ condition }) => condition),
  };
  const { candidates, groups } = await readRepaired(shop, wanted);
  // The lowest number misses the least important wishes.
  const missed = Math.min(...candidates.counts.keys(), 2 ** 30);
  const kept = candidates.rows.filter(({ misses }) => misses === missed);
  return {
    understood: fatesOf(shop, constraints, conditions, candidates.counts.size > 0 ? missed : 0),
    best: rerank({ ...candidates, rows: kept }, groups, conditions.boosts),
    total: candidates.counts.get(missed) ?? 0,
    counts: candidates.counts,
    groups,
    stats: candidates.stats,
    conditions,
    where: [...always, ...wanted.wishes.filter((_wish, i) => (missed & (1 << i)) === 0)],
  };
}

async function readRepaired(shop: Shop, wanted: Search): Promise<{ candidates: Candidates; groups: Group[] }> {
  const candidates = await readCandidates(shop, wanted);
  const unknown = candidates.stats.flatMap(({ products }, i) => (products === 0 ? [i] : []));
  const groups = await repair(shop, wanted.groups, unknown);
  const isRepaired = groups.length !== wanted.groups.length || groups.some((group, i) => group !== wanted.groups[i]);
  if (!isRepaired) return { candidates, groups };
  return { candidates: await readCandidates(shop, { ...wanted, groups }), groups };
}
