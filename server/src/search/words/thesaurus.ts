import { isSlipOf } from './misspellings.ts';
import { EVERYDAY_NAMES } from './names-in-everyday-speech.ts';
import { ATTRIBUTES, COLOURS } from './names-of-attributes.ts';
import { GOODS, WEARABLES } from './names-of-goods.ts';
import { HOUSEHOLD_GOODS } from './names-of-household-goods.ts';

/**
 * Words for the same goods: British and American, German and French. One line is one thing, its words separated by commas;
 * normalized, without accents and in the singular. A shop is asked for the others only where it has no such word itself.
 */
const LINES = [COLOURS, ATTRIBUTES, WEARABLES, GOODS, HOUSEHOLD_GOODS, EVERYDAY_NAMES].flatMap((lines) =>
  lines.trim().split('\n'),
);

/** Words within an entry that a sentence has lost as fillers: the `à` of `sac à dos`. */
const LINKS = /(?<=\S )(?:de|d|du|des|a|en|la|le) /g;

const BY_WORD = new Map<string, string[]>();
for (const line of LINES) {
  const all = line.split(',').map((word) => word.trim());
  for (const word of all) {
    for (const key of new Set([word, word.replaceAll(LINKS, '')]))
      BY_WORD.set(key, [...(BY_WORD.get(key) ?? []), ...all.filter((other) => other !== word)]);
  }
}

/** The longest entry, in words. */
export const MAX_ENTRY_WORDS = 3;

/** Other words for it, in all languages; none for a word that is not listed. */
export function otherWordsFor(word: string): string[] {
  return BY_WORD.get(word) ?? [];
}

/** The entries of one word, by their first letter. */
const SINGLE_WORDS = Map.groupBy(
  [...BY_WORD.keys()].filter((word) => !word.includes(' ')),
  (word) => word.charAt(0),
);

/** The entries that somebody may have meant who misspelt one, each with its other words. */
export function misspeltEntries(word: string): string[] {
  const meant = (SINGLE_WORDS.get(word.charAt(0)) ?? []).filter((entry) => isSlipOf(word, entry));
  return meant.flatMap((entry) => [entry, ...otherWordsFor(entry)]);
}

/** The entries of one word that go on after this beginning, the shortest first. */
export function entriesBeginningWith(beginning: string): string[] {
  const begun = (SINGLE_WORDS.get(beginning.charAt(0)) ?? []).filter((word) => word.startsWith(beginning));
  return begun.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

const wordsOf = (...lists: string[]) =>
  new Set(lists.flatMap((list) => list.split(/[,\n]/).map((word) => word.trim())));
const COLOUR_WORDS = wordsOf(COLOURS);
const ATTRIBUTE_WORDS = wordsOf(COLOURS, ATTRIBUTES);
const WEARABLE_WORDS = wordsOf(WEARABLES);
const GOODS_WORDS = wordsOf(WEARABLES, GOODS, HOUSEHOLD_GOODS, EVERYDAY_NAMES);

/** Whether it names goods, in the singular, and not a colour, a material or a size. */
export function isGoods(word: string): boolean {
  return GOODS_WORDS.has(word) && !ATTRIBUTE_WORDS.has(word) && !ADJECTIVES.has(word);
}

/** Whether it names something to wear. */
export function isWearable(word: string): boolean {
  return WEARABLE_WORDS.has(word);
}

/** Whether it says of what material, colour or size a thing is. */
export function isAttribute(word: string): boolean {
  return ATTRIBUTE_WORDS.has(word);
}

/** Entries of the lists of goods that say what a thing is for, or like, and name none. */
const ADJECTIVES = new Set(
  `garden gardening garten jardin jardinage hiking wandern wanderung randonnee running laufen course joggen jogging rain rainy regen pluie
  kitchen kuche cuisine bathroom badezimmer gift present geschenk verschenken mitbringsel cadeau offrir winter hiver summer sommer ete
  christmas weihnachten noel xmas easter ostern paques valentine valentinstag travel reise voyage breakfast fruhstuck flame flamme lined ruled liniert dotted punktiert gepunktet pointille
  plain blanko blank striped gestreift raye rayures round rund ronde rond handmade vegan vegane vegetalien organic bio biologisch
  biologique dimmable dimmbar rechargeable foldable folding faltbar klappbar pliable pliant dog hund chien puppy cat katze chat kitten
  pet haustier animal water wasser eau cordless beard bart barbe`.split(/\s+/),
);

export function isColour(word: string): boolean {
  return COLOUR_WORDS.has(word);
}
