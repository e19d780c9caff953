import { entriesOf } from './lists.ts';
import words from './thesaurus.json' with { type: 'json' };

/**
 * Words for the same goods: British and American, German and French. One line of the file is one thing; normalized, without accents
 * and in the singular. A shop is asked for the others only where it has no such word itself.
 */
const { colours, attributes, wearables, goods, qualifiers } = words;

/** Words within an entry that a sentence has lost as fillers: the `à` of `sac à dos`. */
const LINKS = /(?<=\S )(?:de|d|du|des|a|en|la|le) /g;

const BY_WORD = new Map<string, string[]>();
for (const line of [...colours, ...attributes, ...wearables, ...goods]) {
  const all = entriesOf([line]);
  for (const word of all) {
    for (const key of new Set([word, word.replaceAll(LINKS, '')]))
      BY_WORD.set(key, [...(BY_WORD.get(key) ?? []), ...all.filter((other) => other !== word)]);
  }
}

/** The longest entry, in words. */
export const MAX_ENTRY_WORDS = 3;

/** The same in many shops, and different things in others, where notebooks are made of paper. */
const OFTEN_THE_SAME = [['laptop', 'notebook']];

/** Single words that may mean the same as it, in all languages: whether they do depends on the shop. */
export function interchangeableWords(word: string): string[] {
  const others = OFTEN_THE_SAME.flatMap((words) => (words.includes(word) ? words : []));
  return [...otherWordsFor(word), ...others].filter((other) => other !== word && !other.includes(' '));
}

/** Other words for it, in all languages; none for a word that is not listed. */
export function otherWordsFor(word: string): string[] {
  return BY_WORD.get(word) ?? [];
}

const COLOUR_WORDS = new Set(entriesOf(colours));
const ATTRIBUTE_WORDS = new Set(entriesOf([...colours, ...attributes]));
const WEARABLE_WORDS = new Set(entriesOf(wearables));
const GOODS_WORDS = new Set(entriesOf([...wearables, ...goods]));
/** Entries of the lists of goods that say what a thing is for or like, and name none. */
const QUALIFIER_WORDS = new Set(entriesOf(qualifiers));

/** Whether it names goods, in the singular, and not a colour, a material or a size. */
export function isGoods(word: string): boolean {
  return GOODS_WORDS.has(word) && !ATTRIBUTE_WORDS.has(word) && !QUALIFIER_WORDS.has(word);
}

export function isWearable(word: string): boolean {
  return WEARABLE_WORDS.has(word);
}

/** Whether it says of what material, colour or size a thing is. */
export function isAttribute(word: string): boolean {
  return ATTRIBUTE_WORDS.has(word);
}

export function isColour(word: string): boolean {
  return COLOUR_WORDS.has(word);
}
