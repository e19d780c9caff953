/** Weights the words of a query as groups, in the words of the shop and with corrected spelling. */

import { keywordsOfShop } from '../query/keywords.ts';
import { correctSpelling } from '../query/spelling.ts';
import type { SearchDb } from '../search-db.ts';
import { isStopWord } from '../words/normalize.ts';
import { type TermGroup, termGroups } from '../words/term-groups.ts';
import { isGoods } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { type WeightedQuery, weightTerms } from './term-weights.ts';

export interface WeighedWords {
  groups: TermGroup[];
  weighted: WeightedQuery;
  /** Whether the query has a word that no product has as typed. */
  isUnknown: boolean;
}

/**
 * Weights the groups of terms of a sentence whose words were already replaced by the shop's. Corrects words that no
 * product has, except names of goods, and weights again.
 */
export async function weighSentence(db: SearchDb, groups: TermGroup[]): Promise<WeighedWords> {
  const weighted = await weightTerms(db, groups);
  // Names of goods are not corrected: a stroller is not a misspelt stroll.
  const misspelt = weighted.unknown.filter((grp) => !isGoods(groups[grp]?.text ?? ''));
  return corrected(db, { groups, weighted, isUnknown: weighted.unknown.length > 0 }, misspelt, undefined);
}

/**
 * Weights typed keywords, after replacing them with words of the shop. `unfinished` is the last word, if it may be the
 * beginning of another.
 */
export async function weighKeywords(
  db: SearchDb,
  words: Token[],
  unfinished: Token | undefined,
): Promise<WeighedWords & { words: Token[] }> {
  const { words: meant, typed, isUnknown } = await meantBy(db, words, unfinished);
  const prefix = meant.at(-1) === words.at(-1) ? unfinished?.text : undefined;
  const groups = termGroups(meant);
  const weighted = meant === words ? typed : await weightTerms(db, groups, { prefix });
  return { words: meant, ...(await corrected(db, { groups, weighted, isUnknown }, weighted.unknown, prefix)) };
}

/** The keywords in the shop's words (the same array if nothing changes), and the weighted query of the typed words. */
export async function meantBy(db: SearchDb, words: Token[], unfinished: Token | undefined) {
  const groups = termGroups(words);
  const typed = await weightTerms(db, groups, { prefix: unfinished?.text });
  return {
    words: await keywordsOfShop(db, { words, isNamed: namedIn(groups, typed), unfinished }),
    typed,
    isUnknown: typed.unknown.length > 0,
  };
}

/** A shorter word is more often a size or a sign than the beginning of another word. */
const MIN_PREFIX = 2;

/** The last word of a text, if the text ends with it and it may be the beginning of another word. */
export function unfinishedWord(sentence: string, words: Token[]): Token | undefined {
  const last = words.at(-1);
  const ends = last?.end === sentence.trimEnd().length;
  return last && ends && last.text.length >= MIN_PREFIX && !/\d/.test(last.text) ? last : undefined;
}

/** Returns a check whether a word is in a product's name. */
function namedIn(groups: TermGroup[], { weights }: WeightedQuery) {
  const unnamed = new Set(groups.flatMap(({ text }, grp) => (weights[grp]?.titles === 0 ? [text] : [])));
  return (word: Token) => isStopWord(word.term) || !unnamed.has(word.text);
}

async function corrected(
  db: SearchDb,
  words: WeighedWords,
  misspelt: number[],
  prefix: string | undefined,
): Promise<WeighedWords> {
  if (misspelt.length === 0) return words;
  const groups = await correctSpelling(db, words.groups, misspelt);
  return { ...words, groups, weighted: await weightTerms(db, groups, { prefix }) };
}
