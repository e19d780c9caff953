import { entriesOf } from './lists.ts';
import words from './thesaurus.json' with { type: 'json' };

/**
 * Words for the same goods, in British and American English, German and French. Each line of the file has the words for
 * one thing, normalized, without accents and in the singular. The other words of a line are used only if a shop does
 * not use a word itself.
 */
const { colours, attributes, wearables, goods, qualifiers } = words;

/** Words inside an entry that sentences lose as fillers: the `à` of `sac à dos`. */
const LINKS = /(?<=\S )(?:de|d|du|des|a|en|la|le) /g;

const BY_WORD = new Map<string, string[]>();
for (const line of [...colours, ...attributes, ...wearables, ...goods]) {
  const all = entriesOf([line]);
  for (const word of all) {
    for (const key of new Set([word, word.replaceAll(LINKS, '')]))
      BY_WORD.set(key, [...(BY_WORD.get(key) ?? []), ...all.filter((other) => other !== word)]);
  }
}

/** The maximum length of an entry, in words. */
export const MAX_ENTRY_WORDS = 3;

/** Synonyms of a word in all languages; empty if the thesaurus does not list the word. */
export function otherWordsFor(word: string): string[] {
  return BY_WORD.get(word) ?? [];
}

/** The entries that consist of a single word, by first letter. */
const SINGLE_WORDS = Map.groupBy(
  [...BY_WORD.keys()].filter((word) => !word.includes(' ')),
  (word) => word.charAt(0),
);

/** The single-word entries that begin with this text, the shortest first. */
export function entriesBeginningWith(beginning: string): string[] {
  const begun = (SINGLE_WORDS.get(beginning.charAt(0)) ?? []).filter((word) => word.startsWith(beginning));
  return begun.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

const COLOUR_WORDS = new Set(entriesOf(colours));
const ATTRIBUTE_WORDS = new Set(entriesOf([...colours, ...attributes]));
const WEARABLE_WORDS = new Set(entriesOf(wearables));
const GOODS_WORDS = new Set(entriesOf([...wearables, ...goods]));
/** Entries in the lists of goods that describe a purpose or likeness, and name no product. */
const QUALIFIER_WORDS = new Set(entriesOf(qualifiers));

/** Whether a word, in the singular, names goods, and not a colour, material or size. */
export function isGoods(word: string): boolean {
  return GOODS_WORDS.has(word) && !ATTRIBUTE_WORDS.has(word) && !QUALIFIER_WORDS.has(word);
}

export function isWearable(word: string): boolean {
  return WEARABLE_WORDS.has(word);
}

/** Whether a word names a material, colour or size. */
export function isAttribute(word: string): boolean {
  return ATTRIBUTE_WORDS.has(word);
}

export function isColour(word: string): boolean {
  return COLOUR_WORDS.has(word);
}
