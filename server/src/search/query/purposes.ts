import { kindsOf } from '../words/kinds.ts';
import type { Language } from '../words/languages.ts';
import { normalizeText, stem } from '../words/normalize.ts';
import { thingsFor } from '../words/purposes.ts';
import type { TermGroup } from '../words/term-groups.ts';
import { isColour, otherWordsFor } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { inflections, relatives } from '../words/word-forms.ts';
import { OPTIONAL_WORDS } from './fillers.ts';
import { has, type Lookup } from './known-words.ts';
import { GROUPS, isForAnimal } from './recipients.ts';

/** Sentences that name no thing, but what one is for: `something warm for my head`, `a present for a dog owner`. */

/** What stands for the thing, before all words that say something of it. */
const OPENS_WITH_NO_THING =
  /\b(?:something|anything|what (?:to|can|could|should|shall|do|would|might)|(?:irgend)?(?:et)?was|wo(?:mit|rin|rauf|ran|zu)|quelque chose|que puis|qu est ce|(?:de|avec|dans) quoi)\b/;
/** Words that stand for any thing, as optional ones, before what it is for. */
const ANY_THING = new Set(
  `gift gifts present presents surprise outfit clothes clothing wear wearing idea ideas gear equipment accessory accessories
  geschenk geschenke kleidung idee cadeau cadeaux vetements tenue`.split(/\s+/),
);

/** A purpose that a sentence names, and the things that serve it, as terms that the shop has. */
export interface Purpose {
  word: Token;
  things: string[];
  /** Whether the word itself is in names of the shop. */
  isNamed: boolean;
  /** Whether nothing else is wanted: for a word of which the things are kinds, and for an animal. */
  isRequired?: boolean;
  /** Whether values of the shop that the sentence names tell more: the tag `bread` where somebody bakes bread. */
  isYielding?: boolean;
}

/** The words of a sentence that name a purpose; none where it names a thing. */
export function purposeWords(sentence: string, words: Token[]): Token[] {
  const [first] = words;
  if (!first) return [];
  const opening = normalizeText(sentence.slice(0, first.start)).replaceAll(/['’-]/g, ' ');
  const named = words.findIndex(({ text }) => !OPTIONAL_WORDS.has(text));
  const before = named < 0 ? words : words.slice(0, named);
  const namesNoThing = OPENS_WITH_NO_THING.test(opening) || before.some(({ text }) => ANY_THING.has(text));
  return namesNoThing ? words : [];
}

/** Of somebody, or of what is to be done: `my feet get cold`, `to boil water`. */
const TELLS_A_PURPOSE =
  /\b(?:i|im|my|me|we|our|us|for|to|when|while|need|needs|want|where|how|help|if|in case|falls|keep|keeps|ich|mein|meine|meinen|wir|fur|zum|zur|um|damit|wenn|je|mon|ma|mes|nous|pour|quand|j)\b/;

/** The words of a sentence that may name a purpose, unless another one names a thing: `my feet get cold on hikes`. */
export function mayBePurposes(sentence: string, words: Token[], language: Language): Token[] {
  if (!TELLS_A_PURPOSE.test(normalizeText(sentence).replaceAll(/['’-]/g, ' '))) return [];
  return words.filter((word) => termsForPurpose(word, language).length > 0 && !isPerson(word, language));
}

/** Whom a thing is for does not tell what it is. */
function isPerson({ text, term }: Token, language: Language): boolean {
  const forms = [text, term, ...(language === 'en' ? [] : inflections(text, language))];
  return forms.flatMap(thingsFor).some((thing) => GROUPS.has(thing));
}

/** Those purposes where the sentence names no thing; what it is for is then all that tells. */
export function onlyPurposes(sentence: string, words: Token[], language: Language, lookup: Lookup): Purpose[] {
  const purposes = purposesOf(words, language, lookup);
  // `to boil water on a mountain`: the first one says what is to be done, others where or when, or how: `something warm for my head`.
  const isDone = ({ word }: Purpose) => !IS_WHERE.test(sentence.slice(0, word.start)) && !SAYS_HOW.has(word.text);
  const deciding = purposes.find(isDone) ?? purposes[0];
  return purposes.map((each) => (each === deciding ? { ...each, isRequired: true } : each));
}

/** Those of a sentence that names any thing, where what is to be done decides: `something to write with`. Whom it is for does not. */
export function decidingPurposes(sentence: string, words: Token[], language: Language, lookup: Lookup): Purpose[] {
  const purposes = onlyPurposes(sentence, words, language, lookup);
  const hasOwn = words.some(({ term }) => lookup(term)?.isLabel === true);
  const decides = ({ word }: Purpose) =>
    !ANY_THING.has(word.text) && !isPerson(word, language) && !(hasOwn && SAYS_HOW.has(word.text));
  return purposes.map(({ isRequired, ...each }) =>
    isRequired && decides(each) ? { ...each, isRequired, isYielding: true } : each,
  );
}

/** What a thing is like, or keeps somebody; and rooms, in which something is to be done. */
const SAYS_HOW = new Set(
  `hallway flur couloir entree stairs bedroom schlafzimmer chambre kitchen kuche bathroom bad balcony balkon balcon terrace patio terrasse
  warm cosy cozy snug cold chilly hot wet dry dark bright light romantic kuschelig warme warmes kalt kalte kaltes heiss heiß nass trocken
  dunkel hell romantisch chaud chaude froid froide mouille sec sombre romantique`.split(/\s+/),
);

const TEMPERATURE = 'hot|warm|cold|cool|chilled|heiss|heiß|kalt|kuhl|chaude?s?|froide?s?|frais';
const DRINK =
  'tea|coffee|drinks?|water|soup|food|lunch|beer|wine|milk|juice|tee|kaffee|getranke?|wasser|suppe|essen|cafe|boissons?|eau|soupe|repas';
/** `keeps my tea hot`, `Tee warm hält`, `to take hot tea on a walk`, where `do you keep cold drinks` asks for the drinks. */
const KEEPS_DRINK = new RegExp(
  [
    `\\b(?:keep|keeps|keeping|halt|halten|garde|garder|gardent)\\s+(?:\\S+\\s+){0,2}(?:${DRINK})\\s+(?:\\S+\\s+){0,2}(?:${TEMPERATURE})\\b`,
    `\\b(?:${DRINK})\\s+(?:\\S+\\s+){0,2}(?:${TEMPERATURE})\\s*(?:halt|halten)\\b`,
    `\\bto (?:take|carry|bring)\\s+(?:\\S+\\s+){0,2}(?:${TEMPERATURE})\\s+(?:${DRINK})\\s+(?:on|to|along|with)\\b`,
  ].join('|'),
);

/** What keeps a drink hot is wanted, and no tea: `something that keeps my tea hot`. */
export function withoutKeptDrinks(sentence: string, words: Token[]): Token[] {
  if (!KEEPS_DRINK.test(normalizeText(sentence))) return words;
  const isOne = (list: string, { text }: Token) => list.split('|').some((each) => new RegExp(`^${each}$`).test(text));
  return words
    .filter((word) => !isOne(DRINK, word))
    .map((word) => (isOne(TEMPERATURE, word) ? { ...word, text: 'insulating', term: 'insulating' } : word));
}

/** What precedes a place or a time. */
const IS_WHERE =
  /\s(?:on|at|in|during|am|auf|im|in|beim|bei|an|sur|à|au|aux|en|dans|pendant)\s+(?:(?:the|a|an|my|our|dem|der|den|einem|einer|meinem|meiner|la|le|les|mon|ma|mes|un|une)\s+)?$/iu;

/** What may serve the purpose that a word names, as terms; none for a word that names no purpose. */
export function termsForPurpose({ text, term }: Token, language: Language): string[] {
  // `to write with` is what a writer does.
  const forms = [text, term, ...(language === 'en' ? relatives(term) : inflections(text, language))];
  const things = [...new Set(forms.flatMap(thingsFor))];
  const terms = things.flatMap((thing) => [thing, ...otherWordsFor(thing)]).filter((thing) => !thing.includes(' '));
  return [...new Set(terms.map(stem))].filter((thing) => thing !== term);
}

/** The purposes for which the shop has things. A value of the shop itself, such as the tag `camping`, needs no other words. */
export function purposesOf(words: Token[], language: Language, lookup: Lookup): Purpose[] {
  return words.flatMap((word) => {
    if ([word.term, ...relatives(word.term)].some((form) => isOwnValue(form, lookup))) return [];
    const things = termsForPurpose(word, language).filter((thing) => has(lookup(thing)));
    return things.length > 0 ? [{ word, things, isNamed: lookup(word.term)?.isNamed === true }] : [];
  });
}

/** What tells a purpose by itself; where only a colour is called so, the night of `at night` is none. */
function isOwnValue(form: string, lookup: Lookup): boolean {
  const known = lookup(form);
  return known?.isLabel === true || (known?.isValue === true && !isColour(form));
}

/** The kinds of goods that a word names, as terms. */
export function termsForKind({ text, term }: Pick<Token, 'text' | 'term'>, language: Language): string[] {
  const forms = language === 'en' ? [text, term] : [text, term, ...inflections(text, language)];
  return [...new Set([...new Set(forms)].flatMap(kindsOf).map(stem))];
}

/** The kinds that the shop has of what it has no word for, and what it has for an animal that a thing is for. */
export function requiredPurposes(
  sentence: string,
  words: Token[],
  { language, lookup, isKnown }: { language: Language; lookup: Lookup; isKnown: (word: Token) => boolean },
): Purpose[] {
  return words.flatMap((word, i): Purpose[] => {
    const isAnimal = isForAnimal(sentence, word, language);
    // The shoe of a `shoe rack` is not what is wanted.
    const isModifier = /^[ -]$/.test(sentence.slice(word.end, words[i + 1]?.start ?? word.end));
    if (!isAnimal && (isModifier || isKnown(word))) return [];
    const terms = isAnimal ? termsForPurpose(word, language) : termsForKind(word, language);
    const named = terms.filter((thing) => has(lookup(thing)));
    // Where the shop has a type or tag for them, that decides: a blouse with a collar is for no dog.
    const values = isAnimal ? named.filter((thing) => lookup(thing)?.isValue) : [];
    const things = values.length > 0 ? values : named;
    const isNamed = lookup(word.term)?.isNamed === true;
    return things.length > 0 ? [{ word, things, isNamed, isRequired: true }] : [];
  });
}

/** Without the word for any thing, which the purpose makes superfluous, unless it is a value of the shop. */
export function withoutAnyThing(words: Token[], purposes: Purpose[], lookup: Lookup): Token[] {
  if (purposes.length === 0) return words;
  const rest = words.filter(({ text, term }) => !ANY_THING.has(text) || lookup(term)?.isValue === true);
  return rest.length > 0 ? rest : words;
}

/** With a word that is in no name as it was written: the things stand in for it, and no other form unless that is a value. */
export function withPurposeWords(words: Token[], purposes: Purpose[], lookup: Lookup): Token[] {
  const written = purposes.flatMap(({ word, isNamed }) => (isNamed ? [] : [word]));
  return words.flatMap((word, i) => {
    const own = written.find(({ start, end }) => start === word.start && end === word.end);
    if (!own || lookup(word.term)?.isValue) return [word];
    // A compound was split into two.
    return words[i - 1]?.start === own.start ? [] : [own];
  });
}

/**
 * The groups of a query with those of its purposes: what the shop has for a word that is in none of its names, and beside one
 * that is in some, since a `Hot Dog Sock` is for no dog.
 */
export function withPurposes(groups: TermGroup[], purposes: Purpose[] | undefined): TermGroup[] {
  let result = groups;
  for (const { word, things, isNamed, isYielding, ...purpose } of purposes ?? []) {
    const isRequired = purpose.isRequired === true && !isYielding;
    // The first ones serve it best.
    const alternatives = things.map((thing, i) => ({ term: thing, weight: Math.max(0.6, 1 - i * 0.04) }));
    const own = result.find((group) => group.alternatives[0]?.term === word.term);
    const isMerged = own !== undefined && !isNamed;
    result = isMerged
      ? result.map((group) =>
          group === own
            ? { ...group, alternatives: [...group.alternatives, ...alternatives], isPurpose: true, isRequired }
            : group,
        )
      : [...result, { text: '', alternatives, isPurpose: true, isRequired }];
  }
  return result;
}
