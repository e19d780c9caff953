import type { SearchDb } from '../search-db.ts';
import type { Language } from '../words/languages.ts';
import { isStopWord, measurementTerm, stem } from '../words/normalize.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { thingsFor } from '../words/purposes.ts';
import { isSizeLabel, sizeSpellings } from '../words/sizes.ts';
import { isWearable } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { inflections, relatives } from '../words/word-forms.ts';
import { meaningOfCompound, splitsOf } from './compounds.ts';
import { isOfTheWorld, withoutContext } from './context.ts';
import { OPTIONAL_WORDS } from './fillers.ts';
import { has, type Known, type Lookup, lookUp } from './known-words.ts';
import type { Constraint, ParsedQuery } from './parsed-query.ts';
import { SEASONS, saysWhere, WEATHER } from './places.ts';
import {
  decidingPurposes,
  mayBePurposes,
  onlyPurposes,
  type Purpose,
  purposesOf,
  purposeWords,
  requiredPurposes,
  termsForKind,
  termsForPurpose,
  withoutAnyThing,
  withoutKeptDrinks,
  withPurposeWords,
} from './purposes.ts';
import { groupOf, groupTerms, isForAnimal } from './recipients.ts';
import {
  candidatesFor,
  FIELD_LABELS,
  foreignValue,
  isDevice,
  mayBeCompound,
  namesGoods,
  otherWords,
  standIn,
  typesFor,
  type Window,
  windowsAt,
} from './stand-ins.ts';
import { inUnwantedWords, unwantedWindows } from './unwanted-words.ts';

/**
 * A sentence in the words of the shop: where a word is in no name and is no value of a product, another form of it, another
 * word for it, or a word of the same root stands in, if the shop has that. `understood` still quotes the sentence.
 */

/** What may stand before a size. */
const SIZE_SYSTEMS = /^(?:eu|uk|w|gr)(\d{1,3})$/;

/** No more words of a sentence are looked up. */
const MAX_WORDS = 24;

/** One statement, and one more for words that may be compounds; none for a sentence without words. */
export async function inShopWords(db: SearchDb, sentence: string, parsed: ParsedQuery): Promise<ParsedQuery> {
  const { language } = parsed;
  const words = withoutKeptDrinks(sentence, parsed.words.map(withoutSizeSystem).map(withoutLover));
  const asked = words.slice(0, MAX_WORDS);
  const wanted = purposeWords(sentence, asked);
  const open = wanted.length > 0 ? [] : mayBePurposes(sentence, asked, language);
  const unwanted = parsed.constraints.flatMap((each) => (each.kind === 'without' && each.value ? [each] : []));
  const known = await readKnown(db, { sentence, asked, purposes: [...wanted, ...open], unwanted, language });
  if (!known) return parsed;
  const lookup: Lookup = (phrase) => known.get(phrase);
  const isKnown = (word: Token) =>
    has(lookup(word.term)) || standIn({ texts: [word.text], term: word.term }, language, lookup) !== undefined;
  const isThing = (word: Token) => lookup(word.term)?.isHead === true || (namesGoods(word, language) && isKnown(word));
  // What only descriptions have says nothing of a thing.
  const isUnknown = (word: Token) => {
    const meaning = standIn({ texts: [word.text], term: word.term }, language, lookup);
    const isNumber = word.number !== undefined;
    return (
      !isNumber &&
      !FIELD_LABELS.has(word.text) &&
      !OPTIONAL_WORDS.has(word.text) &&
      !has(lookup(word.term)) &&
      !(meaning && has(lookup(meaning)))
    );
  };
  if (isOfTheWorld(sentence, asked, isUnknown)) {
    const constraints = [...parsed.constraints, ...asked.map((word) => untold(sentence, word))];
    return { ...parsed, words: [], constraints };
  }
  // `walking sticks` are things, though none of the words is one.
  const isThingAt = (word: Token, at: number) =>
    isThing(word) || windowsAt(asked, at).some((each) => each.texts.length > 1 && isEntry(each, language, lookup));
  const namesThing = asked.some((word, at) => isThingAt(word, at) && !saysWhere(sentence, word));
  const sentenceOf = { sentence, asked, wanted, open, language, lookup, isKnown, namesThing };
  const purposes = purposesIn(sentenceOf);
  const inGroups = forRecipients(sentenceOf);
  const requested = withoutContext(sentence, withoutImperative(inGroups, sentence, isUnknown), { isThing, isUnknown });
  const read = replaced(withoutAnyThing(requested.words, purposes, lookup), language, lookup);
  return {
    ...parsed,
    words: [...withoutFieldLabels(withPurposeWords(read.words, purposes, lookup), lookup), ...words.slice(MAX_WORDS)],
    constraints: [
      ...parsed.constraints.map((each) => inUnwantedWords(each, { wanted: read.words, language, lookup })),
      ...[...requested.unread, ...read.halfRead].map((word) => untold(sentence, word)),
    ],
    purposes,
    related: new Map(asked.map((word) => [word.term, relatedTo(word, language, lookup)])),
  };
}

/** What the shop knows of all the words that a sentence may mean; undefined where there is none. */
async function readKnown(
  db: SearchDb,
  { sentence, asked, purposes, unwanted, language }: ToLookUp,
): Promise<Map<string, Known> | undefined> {
  const phrases = new Set([
    ...asked.flatMap((_word, at) => windowsAt(asked, at).flatMap((window) => candidatesFor(window, language))),
    ...unwanted.flatMap(unwantedWindows).flatMap((window) => candidatesFor(window, language)),
    ...unwanted.flatMap(({ value = '' }) => termsForKind({ text: value, term: value }, language)),
    ...purposes.flatMap((word) => termsForPurpose(word, language)),
    ...asked.flatMap((word) => [
      ...termsForKind(word, language),
      ...(isForAnimal(sentence, word, language) ? termsForPurpose(word, language) : []),
      ...groupTerms(sentence, word, language),
    ]),
  ]);
  if (phrases.size === 0) return undefined;
  const known = await lookUp(db, [...phrases]);
  const lookup: Lookup = (phrase) => known.get(phrase);
  const unread = [...asked.map(({ text }) => text), ...unwanted.flatMap(({ value }) => value ?? [])].filter((text) =>
    mayBeCompound(text, language, lookup),
  );
  const parts = new Set(unread.flatMap((text) => splitsOf(text).flatMap(({ left, right }) => [...left, ...right])));
  if (parts.size > 0) for (const [phrase, found] of await lookUp(db, [...parts])) known.set(phrase, found);
  return known;
}

interface ToLookUp {
  sentence: string;
  asked: Token[];
  purposes: Token[];
  unwanted: Constraint[];
  language: Language;
}

interface AskedOf {
  sentence: string;
  asked: Token[];
  /** The words that name a purpose, and those that may. */
  wanted: Token[];
  open: Token[];
  language: Language;
  lookup: Lookup;
  isKnown: (word: Token) => boolean;
  namesThing: boolean;
}

function purposesIn({ sentence, asked, wanted, open, language, lookup, isKnown, namesThing }: AskedOf): Purpose[] {
  if (wanted.length > 0)
    return namesThing ? purposesOf(wanted, language, lookup) : decidingPurposes(sentence, wanted, language, lookup);
  const ofThings = requiredPurposes(sentence, asked, { language, lookup, isKnown });
  // `Halloween decorations for a party` are of a type that the shop has.
  const namesValue = asked.some(
    (word) => lookup(word.term)?.isValue === true && !open.includes(word) && !WEATHER.has(word.term),
  );
  if (ofThings.length > 0 || namesThing || namesValue) return ofThings;
  // `a fishing trip`: the tag `fishing` tells more than the trip.
  const hasOwn = open.some(({ term }) => lookup(term)?.isValue === true && !SEASONS.has(term));
  return (hasOwn ? decidingPurposes : onlyPurposes)(sentence, open, language, lookup);
}

/** With the values by which the shop tells whom a thing is for. Flowers for a mother are not made for women. */
function forRecipients({ sentence, asked, wanted, language, lookup, namesThing }: AskedOf): Token[] {
  const isWorn = WORN.test(sentence) || asked.some((word) => namesGoods(word, language, isWearable));
  const isMeant = wanted.length > 0 ? WORN.test(sentence) : !namesThing || isWorn || isForChildren(asked, language);
  return isMeant ? asked.map((word) => forGroup(word, sentence, language, lookup)) : asked;
}

/** Words of the same root, and values for the same goods. */
function relatedTo({ text, term }: Token, language: Language, lookup: Lookup): string[] {
  return [
    ...(isDevice(text) ? [] : relatives(term)).filter((form) => form !== term && lookup(form)?.isKnown),
    ...typesFor({ texts: [text], term }, language, lookup),
  ];
}

/** A word of which nothing tells whether it is met. */
function untold(sentence: string, { start, end }: Token): Constraint {
  return { kind: 'word', text: sentence.slice(start, end), start, end, isUnread: true };
}

const WORN = /\b(?:wear|wearing|clothes|clothing|outfit|anziehen|tragen|kleidung|porter|mettre|vêtements?|tenue)\b/i;

/** `pop a mug in the cart`: a first word that means nothing to the shop, before an article, is what is to be done. */
const REQUESTED =
  /^\s+(?:me |us |mir |uns |moi |nous )?(?:an?|the|some|my|another|one|two|three|four|five|six|ten|\d{1,2}|eine?[nrms]?|zwei|drei|vier|f(?:ü|ue)nf|sechs|zehn|une?|des|les?|la|deux|trois|quatre|cinq|dix)\s/iu;

function withoutImperative(words: Token[], sentence: string, isUnknown: (word: Token) => boolean): Token[] {
  const [first, ...rest] = words;
  const isFirst = first !== undefined && sentence.slice(0, first.start).trim() === '';
  return isFirst && rest.length > 0 && isUnknown(first) && REQUESTED.test(sentence.slice(first.end)) ? rest : words;
}

function isForChildren(words: Token[], language: Language): boolean {
  return words.some(({ text, term }) =>
    [text, term, ...(language === 'en' ? [] : inflections(text, language))].some((form) =>
      thingsFor(form).includes('children'),
    ),
  );
}

/** The value of the shop by which it tells whom a thing is for, in place of the person. */
function forGroup(word: Token, sentence: string, language: Language, lookup: Lookup): Token {
  const group = has(lookup(word.term)) ? undefined : groupOf(sentence, word, language, lookup);
  return group === undefined ? word : { ...word, text: group, term: group };
}

/** The 32 of `W32`. */
function withoutSizeSystem(word: Token): Token {
  const [, size] = SIZE_SYSTEMS.exec(word.text) ?? [];
  return size === undefined ? word : { ...word, text: size, term: size, number: Number(size) };
}

/** Of a `Kaffeeliebhaber` what is loved, as in `coffee lover`, and of `zum Kaffeekochen` what is made. */
const LOVER =
  /^(\p{L}{3,}?)(?:liebhaber(?:in|innen|s)?|trinker(?:in|innen|s)?|kenner(?:in|innen|s)?|fan|fans|freak|freaks|begeisterte[nr]?|kochen|backen|machen|trinken|zubereiten)$/u;

function withoutLover(word: Token): Token {
  const [, loved] = LOVER.exec(word.text) ?? [];
  return loved === undefined ? word : { ...word, text: loved, term: stem(loved) };
}

/** The words as the shop has them, and those of which it has only the head. */
function replaced(words: Token[], language: Language, lookup: Lookup): { words: Token[]; halfRead: Token[] } {
  const result: Token[] = [];
  const halfRead: Token[] = [];
  for (let at = 0; at < words.length; ) {
    // `Größe M` is no large M.
    const label = isSizeLabel(words, at) ? words[at] : undefined;
    if (label) {
      result.push(label);
      at += 1;
      continue;
    }
    const windows = windowsAt(words, at);
    // The rose of `rose gold` is no pink.
    const value = windows.find((each) => each.texts.length > 1 && lookup(each.term)?.isValue);
    if (value) {
      result.push(...words.slice(at, at + value.texts.length));
      at += value.texts.length;
      continue;
    }
    const window = windows.find((each) => each.texts.length === 1 || isEntry(each, language, lookup));
    if (!window) break;
    const own = words.slice(at, at + window.texts.length);
    const [text = ''] = window.texts;
    const split = mayBeCompound(text, language, lookup) ? meaningOfCompound(text, language, lookup) : undefined;
    // A misspelt word rather than one of which only the end is known; a `teepot` is no German compound.
    const mayBeMisspelt = split !== undefined && (split.isHeadOnly || language !== 'de');
    const compound = mayBeMisspelt && standIn(window, language, lookup) !== undefined ? undefined : split;
    const [first] = own;
    if (compound && first) result.push(...compound.terms.map((term) => ({ ...first, text: term, term })));
    else result.push(...shopTokens(own, window, language, lookup));
    if (compound?.isHeadOnly && first) halfRead.push(first);
    at += own.length;
  }
  return { words: result, halfRead };
}

/** Whether several words stand for one thing that the shop calls otherwise. */
function isEntry(window: Window, language: Language, lookup: Lookup): boolean {
  return !has(lookup(window.term)) && otherWords(window, language).some((other) => has(lookup(other)));
}

/** The words themselves, or what stands in for them; none for a word that says nothing in this shop. */
function shopTokens(own: Token[], window: Window, language: Language, lookup: Lookup): Token[] {
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last || isStopWord(first.term) || first.number !== undefined) return own;
  const isSize = sizeSpellings(window.term).length > 1 || measurementTerm('1', window.term) !== undefined;
  if (isSize) return own;
  const isOwn = has(lookup(window.term));
  // The French `baskets` are sneakers where the shop has those as a type, whatever it calls a basket.
  const foreign = isOwn && language !== 'en' ? foreignValue(window, lookup) : undefined;
  if (isOwn && foreign === undefined) return own;
  const meaning = foreign ?? standIn(window, language, lookup);
  const number = own.length === 1 && meaning === undefined ? parseNumberAt(own, 0) : undefined;
  if (number) return [{ ...first, text: String(number.value), term: String(number.value), number: number.value }];
  if (meaning === undefined) {
    const isIdle = (OPTIONAL_WORDS.has(first.text) || OPTIONAL_WORDS.has(first.term)) && own.length === 1;
    return isIdle ? [] : own;
  }
  return meaning.split(' ').map((term) => ({ ...first, text: term, term, end: last.end }));
}

/** Without the name of an attribute beside its value. */
function withoutFieldLabels(words: Token[], lookup: Lookup): Token[] {
  const isValue = (word: Token | undefined) => word !== undefined && lookup(word.term)?.isValue === true;
  return words.filter((word, i) => !FIELD_LABELS.has(word.text) || !(isValue(words[i - 1]) || isValue(words[i + 1])));
}
