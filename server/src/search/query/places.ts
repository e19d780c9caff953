import type { Token } from '../words/tokens.ts';

/** What a sentence says of where and when a thing is used, which tells less than what is to be done there. */

/** What precedes a place or a time: `to sit on in the garden`, `in my armchair`. */
const IS_PLACE =
  /\s(?:(?:on|at|in|during|auf|im|am|in|beim|sur|à|dans|pendant)\s+(?:the|a|an|my|our|dem|der|einem|einer|meinem|meiner|la|le|l['’]|les|mon|ma|mes)|(?:next to|beside|near|behind|above|below|neben|hinter|vor|à côté de|près de)\s+(?:the|an?|my|our|dem|der|einem|einer|meinem|meiner|la|le|mon|ma)|to my|at|by|during|im|am|beim|au|aux)\s+$/iu;
/** What is done there, which the word before it names: `on a fishing trip`. */
const IS_OCCASION =
  /^\s+(?:trips?|tours?|days?|walks?|holidays?|weekends?|class(?:es)?|lessons?|sessions?|party|parties)(?!\p{L})/iu;
const NIGHT = new Set('night nights evening nacht nuit'.split(' '));
const IS_ONE = /\s(?:an?|the|at|by|all|every|per|one|two|three|einer?|der|une|la)\s+$/i;
const OUTSIDE = new Set('outdoors outside indoors inside draussen draußen drinnen dehors'.split(' '));

/** In the rain, a thing is for the rain. Values that say no more than that name no thing. */
export const WEATHER: ReadonlySet<string> = new Set('rain snow wind sun cold heat winter summer'.split(' '));

/** What one needs then is told by other words: `my feet get cold in winter`. */
export const SEASONS: ReadonlySet<string> = new Set('winter summer spring autumn'.split(' '));

/** Whether a word tells where or when, and no thing. */
export function saysWhere(sentence: string, { text, term, start, end }: Token): boolean {
  const before = sentence.slice(0, start);
  if (OUTSIDE.has(text) || (NIGHT.has(text) && IS_ONE.test(before))) return true;
  return IS_PLACE.test(before) && !WEATHER.has(term) && !IS_OCCASION.test(sentence.slice(end));
}
