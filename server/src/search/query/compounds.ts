/** Splits compounds into words that the shop uses: `Damenjacke` means a jacket for women. */

import type { Language } from '../words/languages.ts';
import { stem } from '../words/normalize.ts';
import { otherWordsFor } from '../words/thesaurus.ts';
import { has, type Lookup } from './known-words.ts';

/** The words that each half may mean, best first. The caller checks which of them the shop uses. */
interface Halves {
  left: string[];
  right: string[];
  /** Candidates for the right half that come from the thesaurus, not from the half itself. */
  foreign: Set<string>;
}

/** The minimum length of a half. */
const MIN_HALF = 3;
/** The minimum length of a second half that replaces the whole word. */
const MIN_HEAD = 4;
/**
 * The minimum length of a second half that replaces a whole word of an English sentence: `elegant` does not mean
 * `gant`.
 */
const MIN_FOREIGN_HEAD = 5;
/** Longer words are not split, because a word of 500 letters would cause hundreds of lookups of long texts. */
const LONGEST = 80;
/**
 * Letters that join the halves of a German compound or inflect the second one, and endings that a half may have lost:
 * `Lauf(en)`.
 */
const ADDED = ['', 'n', 's', 'e', 'en', 'er', 'es'];
const LOST = ['', 'e', 'n', 'en', 's'];
/** Endings of German words that are not words themselves: the `chen` of `Kaffeemachen` does not mean `chêne`. */
const NO_WORDS = new Set('chen lein keit heit ung ungen lich isch sam bar'.split(' '));

/** All ways to split a word into two halves of at least MIN_HALF letters. */
export function splitsOf(word: string): Halves[] {
  if (word.length > LONGEST) return [];
  const cuts = Array.from({ length: Math.max(0, word.length - 2 * MIN_HALF + 1) }, (_, i) => i + MIN_HALF);
  return cuts.map((cut) => {
    const [left, right] = [meaningsOf(word.slice(0, cut)), meaningsOf(word.slice(cut))];
    return {
      left: [...left.own, ...left.foreign],
      right: [...right.own, ...right.foreign],
      foreign: new Set(right.foreign),
    };
  });
}

/** The possible meanings of one half of a compound: the half itself, and its synonyms. */
function meaningsOf(half: string): { own: string[]; foreign: string[] } {
  const stems = ADDED.flatMap((ending) =>
    half.endsWith(ending) && half.length - ending.length >= MIN_HALF
      ? [half.slice(0, half.length - ending.length)]
      : [],
  );
  const lost = NO_WORDS.has(half) ? [''] : LOST;
  const forms = [...new Set(stems.flatMap((each) => lost.map((ending) => each + ending)))];
  const foreign = forms.flatMap(otherWordsFor).map((phrase) => phrase.split(' ').map(stem).join(' '));
  return { own: [...new Set(forms.map(stem))], foreign: [...new Set(foreign)] };
}

/**
 * Returns the terms that a compound stands for: both halves if the shop has both, otherwise a long second half that is
 * in product names, as a `Kochmesser` is always a knife. In English, a second half alone must come from the thesaurus.
 * Undefined if there is no such split.
 */
export function meaningOfCompound(
  word: string,
  language: Language,
  lookup: Lookup,
): { terms: string[]; isHeadOnly: boolean } | undefined {
  const splits = splitsOf(word);
  const known = (phrase: string) => has(lookup(phrase));
  for (const { left, right } of splits) {
    const [first, last] = [left.find(known), right.find(known)];
    if (first !== undefined && last !== undefined)
      return { terms: [...first.split(' '), ...last.split(' ')], isHeadOnly: false };
  }
  for (const [i, { right, foreign }] of splits.entries()) {
    const head = right.find((phrase) => lookup(phrase)?.isNamed && (language === 'de' || foreign.has(phrase)));
    const isLong = word.length - MIN_HALF - i >= (language === 'de' ? MIN_HEAD : MIN_FOREIGN_HEAD);
    if (head !== undefined && isLong) return { terms: head.split(' '), isHeadOnly: true };
  }
  return undefined;
}
