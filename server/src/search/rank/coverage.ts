import { fold } from '../words/normalize.ts';
import { sizeForms } from '../words/sizes.ts';
import type { Group } from '../words/term-groups.ts';
import type { Token } from '../words/tokens.ts';
import type { Candidate } from './candidates.ts';

/** Which of the words asked for a product really has. */

/** Words of a sentence that say nothing of the thing. */
const FILLERS = new Set(
  `i me my mine we us our ours you your he him his she her it its they them their this that these those there here is are be
  was were am do does did done have has had can could will would should may might must shall please thank thanks thing
  something anything one some any all also just only very really quite so too such like want need looking buy get give
  good nice great best perfect beautiful lovely new kind sort type who what which when where how if then than as but or
  not no about around size`.split(/\s+/),
);

/** What one product has, by the places of the groups. */
export interface Met {
  /** It has the word, another form of it, or a synonym. */
  whole: Set<number>;
  /** Its name has a word that the one asked for may be: unfinished, or misspelt. */
  guessed: Set<number>;
  /** What was typed is one of its SKUs or barcodes. */
  isCode: boolean;
}

/** What a candidate has. */
export function metBy({ whole, guessed, is_code }: Candidate): Met {
  const places = (bits: number) =>
    new Set(Array.from({ length: 32 }, (_, grp) => grp).filter((grp) => bits & (1 << grp)));
  return { whole: places(whole), guessed: places(guessed), isCode: is_code };
}

/** A word that names or describes the thing, with the groups that stand for it: two where it was written as one. */
export interface ContentWord {
  text: string;
  start: number;
  end: number;
  groups: number[];
}

/** The words of a sentence that a product should have. None where it has nothing but fillers: then they are looked for. */
export function contentWords(sentence: string, words: Token[], groups: Group[]): ContentWord[] {
  const content: ContentWord[] = [];
  let at = 0;
  for (const [grp, { text }] of groups.entries()) {
    const before = content.at(-1);
    // The halves of a word stand for the same one.
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
  return content.filter(({ text }) => !FILLERS.has(fold(text)));
}

/** Whether a product has any of what was asked for; a size alone is nothing, and a guess only where nothing else was asked. */
export function isNamed(words: ContentWord[], { whole, guessed, isCode }: Met): boolean {
  const naming = words.filter(({ text }) => !/^\d/.test(text) && sizeForms(fold(text)).length === 1);
  const asked = naming.length > 0 ? naming : words;
  if (isCode || asked.length === 0) return true;
  const has = (places: Set<number>) => asked.some(({ groups }) => groups.every((grp) => places.has(grp)));
  return has(whole) || (asked.length === 1 && has(guessed));
}

export function isMet({ groups }: ContentWord, { whole, isCode }: Met): boolean {
  return isCode || groups.every((grp) => whole.has(grp));
}
