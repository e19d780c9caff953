import type { Language } from '../words/languages.ts';
import { stem } from '../words/normalize.ts';
import { otherWordsFor } from '../words/thesaurus.ts';
import { has, type Lookup } from './known-words.ts';

/** Compounds, split by the words that the shop itself has: `Damenjacke` asks for a jacket for women. */

/** Candidates for each half among the words of the shop, best first. */
interface Halves {
  left: string[];
  right: string[];
  /** Those of the right half that are not its own spelling. */
  foreign: Set<string>;
}

/** A half is no shorter. */
const MIN_HALF = 3;
/** A head that stands alone is no shorter. */
const MIN_HEAD = 4;
/** Nor one of another language: `elegant` is no `gant`. */
const MIN_FOREIGN_HEAD = 5;
/** Longer words are none: each cut of one of 500 letters would have the database look up texts of that length. */
const LONGEST = 80;
/** Letters that join the halves of a German compound or inflect the second, and endings that a half may have lost: `Lauf(en)`. */
const ADDED = ['', 'n', 's', 'e', 'en', 'er', 'es'];
const LOST = ['', 'e', 'n', 'en', 's'];
/** These end German words and are none: the `chen` of `Kaffeemachen` is no `chêne`. */
const NO_WORDS = new Set('chen lein keit heit ung ungen lich isch sam bar'.split(' '));

/** All ways to cut a word in two. */
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

/** The possible meanings of a half: itself, and other words for it. */
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
 * The terms for which a compound stands: of both halves, with the longest head, or else of a German head alone, since a
 * `Kochmesser` is a knife whatever else it is.
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
