/** Determines which words of a sentence a product has. */

import { normalizeText } from '../words/normalize.ts';
import { sizeSpellings } from '../words/sizes.ts';
import type { TermGroup } from '../words/term-groups.ts';
import type { Token } from '../words/tokens.ts';
import type { Candidate } from './candidates.ts';

/** Words that do not describe a product. */
const FILLERS = new Set(
  `i me my mine we us our ours you your he him his she her it its they them their this that these those there here is are be was
  were am do does did done have has had can could will would should may might must shall please thank thanks thing
  something anything one some any all also just only very really quite so too such like want need looking buy get give
  good nice great best perfect beautiful lovely new kind sort type who what which when where how if then than as but or
  not no about around size`.split(/\s+/),
);

/** The matches of a product, by the indexes of the groups. */
export interface GroupMatches {
  /** Groups for which the product has the word, another form of it, or a synonym. */
  exact: Set<number>;
  /** Groups for whose word the product's name has a completion or correction. */
  guessed: Set<number>;
  /** Whether the product matches by its SKU or barcode; see `code_match`. */
  isCode: boolean;
}

export function groupMatches({ exact_groups, guessed_groups, code_match }: Candidate): GroupMatches {
  const indexes = (bits: number) =>
    new Set(Array.from({ length: 32 }, (_, grp) => grp).filter((grp) => bits & (1 << grp)));
  return { exact: indexes(exact_groups), guessed: indexes(guessed_groups), isCode: code_match };
}

/** A word that names or describes the product, with its groups; a split word has two. */
export interface ContentWord {
  text: string;
  start: number;
  end: number;
  groups: number[];
}

/** The words of a sentence that a product should have, without fillers. */
export function contentWords(sentence: string, words: Token[], groups: TermGroup[]): ContentWord[] {
  const content: ContentWord[] = [];
  let at = 0;
  for (const [grp, { text }] of groups.entries()) {
    const before = content.at(-1);
    // Both halves of a split word belong to one content word.
    if (before && groups[grp - 1]?.text === text) {
      before.groups.push(grp);
      continue;
    }
    const length = text.split(' ').length;
    const from = words.findIndex((word, i) => i >= at && word.text === text.split(' ')[0]);
    const [first, last] = [words[from], words[from + length - 1]];
    if (!first || !last) continue;
    at = from + length;
    content.push({ text: sentence.slice(first.start, last.end), start: first.start, end: last.end, groups: [grp] });
  }
  return content.filter(({ text }) => !FILLERS.has(normalizeText(text)));
}

/**
 * Whether a product has at least one of the words. Numbers and sizes only count if there are no other words. A
 * completion or correction only counts if there is a single word.
 */
export function hasAnyWord(words: ContentWord[], { exact, guessed, isCode }: GroupMatches): boolean {
  const descriptive = words.filter(({ text }) => !/^\d/.test(text) && sizeSpellings(normalizeText(text)).length === 1);
  const asked = descriptive.length > 0 ? descriptive : words;
  if (isCode || asked.length === 0) return true;
  const hasOneOf = (matches: Set<number>) => asked.some(({ groups }) => groups.every((grp) => matches.has(grp)));
  return hasOneOf(exact) || (asked.length === 1 && hasOneOf(guessed));
}

export function hasWord({ groups }: ContentWord, { exact, isCode }: GroupMatches): boolean {
  return isCode || groups.every((grp) => exact.has(grp));
}
