import type { SearchDb } from '../search-db.ts';
import type { Language } from '../words/languages.ts';
import { isStopWord, measurementTerm, normalizeText, stem } from '../words/normalize.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { thingsFor } from '../words/purposes.ts';
import { isSizeLabel, sizeSpellings } from '../words/sizes.ts';
import { isGoods, isWearable, MAX_ENTRY_WORDS, misspeltEntries, otherWordsFor } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import { endingsCut, inflections, relatives } from '../words/word-forms.ts';
import { meaningOfCompound, splitsOf } from './compounds.ts';
import { isOfTheWorld, withoutContext } from './context.ts';
import { OPTIONAL_WORDS } from './fillers.ts';
import { has, type Lookup, lookUp } from './known-words.ts';
import type { Constraint, ParsedQuery } from './parsed-query.ts';
import {
  mayBePurposes,
  onlyPurposes,
  purposesOf,
  purposeWords,
  requiredPurposes,
  termsForKind,
  termsForPurpose,
  withoutAnyThing,
  withPurposeWords,
} from './purposes.ts';
import { groupOf, groupTerms, isForAnimal } from './recipients.ts';

/**
 * A sentence in the words of the shop: where a word is in no name and is no value of a product, another form of it, another
 * word for it, or a word of the same root stands in, if the shop has that. `understood` still quotes the sentence.
 */

/** Names of attributes, which say nothing beside a value: `colour sage`. */
const FIELD_LABELS = new Set(
  `colour color coloured colored material fabric farbe farbig farben couleur coloris matiere flavour scent width
  height length diameter capacity volume durchmesser breite hohe lange inhalt fassungsvermogen volumen diametre hauteur
  largeur longueur contenance`.split(/\s+/),
);
/** What may stand before a size. */
const SIZE_SYSTEMS = /^(?:eu|uk|w|gr)(\d{1,3})$/;

/** No more words of a sentence are looked up, nor other words for one. */
const MAX_WORDS = 24;
const MAX_ALTERNATIVES = 120;

/** One statement, and one more for words that may be compounds; none for a sentence without words. */
export async function inShopWords(db: SearchDb, sentence: string, parsed: ParsedQuery): Promise<ParsedQuery> {
  const { language } = parsed;
  const words = parsed.words.map(withoutSizeSystem).map(withoutLover);
  const wanted = purposeWords(sentence, words.slice(0, MAX_WORDS));
  const unwanted = parsed.constraints.flatMap((each) => (each.kind === 'without' && each.value ? [each] : []));
  const asked = words.slice(0, MAX_WORDS);
  const open = wanted.length > 0 ? [] : mayBePurposes(sentence, asked, language);
  const phrases = new Set([
    ...asked.flatMap((_word, at) => windowsAt(asked, at).flatMap((window) => candidatesFor(window, language))),
    ...unwanted.flatMap(unwantedWindows).flatMap((window) => candidatesFor(window, language)),
    ...[...wanted, ...open].flatMap((word) => termsForPurpose(word, language)),
    ...asked.flatMap((word) => [
      ...termsForKind(word, language),
      ...(isForAnimal(sentence, word, language) ? termsForPurpose(word, language) : []),
      ...groupTerms(sentence, word, language),
    ]),
  ]);
  if (phrases.size === 0) return parsed;
  const known = await lookUp(db, [...phrases]);
  const lookup: Lookup = (phrase) => known.get(phrase);
  const unread = [...asked.map(({ text }) => text), ...unwanted.flatMap(({ value }) => value ?? [])].filter((text) =>
    mayBeCompound(text, language, lookup),
  );
  const parts = [
    ...new Set(unread.flatMap((text) => splitsOf(text).flatMap(({ left, right }) => [...left, ...right]))),
  ];
  if (parts.length > 0) for (const [phrase, found] of await lookUp(db, parts)) known.set(phrase, found);
  const isKnown = (word: Token) =>
    has(lookup(word.term)) || standIn({ texts: [word.text], term: word.term }, language, lookup) !== undefined;
  const isThing = (word: Token) => lookup(word.term)?.isHead === true || (namesGoods(word, language) && isKnown(word));
  const namesThing = asked.some(isThing);
  // `Halloween decorations for a party` are of a type that the shop has.
  const namesValue = asked.some((word) => lookup(word.term)?.isValue === true && !open.includes(word));
  const ofThings = wanted.length > 0 ? [] : requiredPurposes(sentence, asked, { language, lookup, isKnown });
  const purposes =
    wanted.length > 0
      ? purposesOf(wanted, language, lookup)
      : ofThings.length > 0 || namesThing || namesValue
        ? ofThings
        : onlyPurposes(open, language, lookup);
  // Flowers for a mother are not made for women.
  const isWorn = WORN.test(sentence);
  const hasGroups = !namesThing || isWorn || asked.some((word) => namesGoods(word, language, isWearable)) || isForChildren(asked, language);
  const groups =
    (wanted.length > 0 && !isWorn) || !hasGroups ? asked : asked.map((word) => forGroup(word, sentence, language, lookup));
  // What only descriptions have says nothing of a thing.
  const isUnknown = (word: Token) =>
    word.number === undefined &&
    !OPTIONAL_WORDS.has(word.text) &&
    ![word.term, standIn({ texts: [word.text], term: word.term }, language, lookup) ?? ''].some((one) => has(lookup(one)));
  if (isOfTheWorld(sentence, asked, isUnknown)) {
    return { ...parsed, words: [], constraints: [...parsed.constraints, ...asked.map((word) => untold(sentence, word))] };
  }
  const requested = withoutContext(sentence, withoutImperative(groups, sentence, isUnknown), { isThing, isUnknown });
  const read = replaced(withoutAnyThing(requested.words, purposes, lookup), language, lookup);
  return {
    ...parsed,
    words: [...withoutFieldLabels(withPurposeWords(read.words, purposes, lookup), lookup), ...words.slice(MAX_WORDS)],
    constraints: [
      ...parsed.constraints.map((each) => withShopValue(each, language, lookup)),
      ...[...requested.unread, ...read.halfRead].map((word) => untold(sentence, word)),
    ],
    purposes,
    related: new Map(
      asked.map(({ text, term }) => [
        term,
        [
          ...relatives(term).filter((form) => form !== term && lookup(form)?.isKnown),
          ...typesFor({ texts: [text], term }, language, lookup),
        ],
      ]),
    ),
  };
}

/** A word of which nothing tells whether it is met. */
function untold(sentence: string, { start, end }: Token): Constraint {
  return { kind: 'word', text: sentence.slice(start, end), start, end, isUnread: true };
}

const WORN = /\b(?:wear|wearing|clothes|clothing|outfit|anziehen|tragen|kleidung|porter|mettre|vêtements?|tenue)\b/i;

/** `pop a mug in the cart`: a first word that means nothing to the shop, before an article, is what is to be done. */
const REQUESTED =
  /^\s+(?:me |us |mir |uns |moi |nous )?(?:an?|the|some|my|another|one|two|three|\d{1,2}|eine?[nrms]?|zwei|drei|une?|des|les?|la|deux|trois)\s/iu;

function withoutImperative(words: Token[], sentence: string, isUnknown: (word: Token) => boolean): Token[] {
  const [first, ...rest] = words;
  const isFirst = first !== undefined && sentence.slice(0, first.start).trim() === '';
  return isFirst && rest.length > 0 && isUnknown(first) && REQUESTED.test(sentence.slice(first.end)) ? rest : words;
}

/** Values of the shop by another word for goods, where the word itself is none: the bouquets beside what is named a flower. */
function typesFor(window: Window, language: Language, lookup: Lookup): string[] {
  const [text = ''] = window.texts;
  const known = lookup(window.term);
  if (!known?.isNamed || known.isValue || !(isGoods(text) || isGoods(window.term))) return [];
  return otherWords(window, language).filter((other) => !other.includes(' ') && lookup(other)?.isValue);
}

function namesGoods({ text, term }: Token, language: Language, isOne = isGoods): boolean {
  const forms = [text, term, ...languagesOf(language).flatMap((each) => endingsCut(text, each))];
  return forms.some(isOne);
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

/** Of a `Kaffeeliebhaber`, what is loved, as in `coffee lover`. */
const LOVER = /^(\p{L}{4,}?)(?:liebhaber(?:in|innen|s)?|fan|fans|freak|freaks|begeisterte[nr]?)$/u;

function withoutLover(word: Token): Token {
  const [, loved] = LOVER.exec(word.text) ?? [];
  return loved === undefined ? word : { ...word, text: loved, term: stem(loved) };
}

/** One to three neighbouring words. */
interface Window {
  texts: string[];
  /** The terms, joined by a space. */
  term: string;
}

/** The longest first. */
function windowsAt(words: Token[], at: number): Window[] {
  return Array.from({ length: MAX_ENTRY_WORDS }, (_, i) => words.slice(at, at + MAX_ENTRY_WORDS - i))
    .filter((window, i) => window.length === MAX_ENTRY_WORDS - i)
    .map((window) => ({ texts: window.map(({ text }) => text), term: window.map(({ term }) => term).join(' ') }));
}

/** What to look up for a window: itself, and for what it may stand. */
function candidatesFor(window: Window, language: Language): string[] {
  const others = otherWords(window, language);
  if (window.texts.length > 1) return [window.term, ...others];
  const [text = ''] = window.texts;
  if (/^\d/.test(text)) return [];
  return [
    window.term,
    ...others,
    ...relatives(window.term),
    ...inflections(text, language),
    ...(others.length > 0 ? [] : misspeltWords(text, language)),
  ].slice(0, MAX_ALTERNATIVES);
}

/** The goods that a misspelt word may name, as terms. */
function misspeltWords(text: string, language: Language): string[] {
  const forms = [text, stem(text), ...languagesOf(language).flatMap((each) => endingsCut(text, each))];
  const found = [...new Set(forms)].flatMap(misspeltEntries);
  return [...new Set(found.map((phrase) => phrase.split(' ').map(stem).join(' ')))];
}

/** A single word may not tell its language. */
function languagesOf(language: Language): Exclude<Language, 'en'>[] {
  return language === 'en' ? ['de', 'fr'] : [language];
}

/** Other words for it, as terms. */
function otherWords({ texts, term }: Window, language: Language): string[] {
  const text = texts.join(' ');
  const inflected = texts.length > 1 ? [] : languagesOf(language).flatMap((each) => inflections(text, each));
  const forms = [text, term, ...inflected];
  // Two words that the shop writes as one: `head lamp`.
  const joined = texts.length === 2 && texts.every((word) => /^\p{L}{3,}$/u.test(word)) ? [texts.join('')] : [];
  // A form that is listed is a word itself.
  const found = [...joined, ...[...new Set(forms)].flatMap((form) => withOthers(form, inflected.includes(form)))];
  return [...new Set(found.map((phrase) => phrase.split(' ').map(stem).join(' ')))].filter((other) => other !== term);
}

function withOthers(word: string, isForm: boolean): string[] {
  const others = otherWordsFor(word);
  return isForm && others.length > 0 ? [word, ...others] : others;
}

/** A shorter word is no compound. */
const MIN_COMPOUND = 6;

/** Whether a word means nothing to the shop, and may be put together of words that do: `Damenjacke`. */
function mayBeCompound(text: string, language: Language, lookup: Lookup): boolean {
  if (text.length < MIN_COMPOUND || !/^\p{L}+$/u.test(text) || language === 'fr' || FIELD_LABELS.has(text))
    return false;
  const term = stem(text);
  return (
    !lookup(term)?.isKnown && !has(lookup(term)) && standIn({ texts: [text], term }, language, lookup) === undefined
  );
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
    const compound = mayBeCompound(text, language, lookup) ? meaningOfCompound(text, language, lookup) : undefined;
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

/** A value of the shop that a word stands for just as it was written. */
function foreignValue({ texts, term }: Window, lookup: Lookup): string | undefined {
  const [text = ''] = texts;
  if (texts.length > 1 || text === term || lookup(term)?.isValue || lookup(text)?.isValue) return undefined;
  return otherWordsFor(text).map(stem).find((other) => lookup(other)?.isValue);
}

/** A stroller is no boots for a stroll: goods are themselves, whatever their name comes from. */
function isDevice(text: string): boolean {
  return isGoods(text) || isGoods(stem(text));
}

/** Another form, another word, or for a word that no product has, one of the same root. */
function standIn(window: Window, language: Language, lookup: Lookup): string | undefined {
  const [text = ''] = window.texts;
  const isSingle = window.texts.length === 1;
  const forms = isSingle ? inflections(text, language) : [];
  const others = otherWords(window, language);
  // The word or its singular may be listed; its forms may be other words: the deck for `Decken`.
  const listed = [window.texts.join(' '), ...(language === 'en' ? [] : forms)];
  const isListed = listed.some((form) => otherWordsFor(form).length > 0);
  const found = (isListed ? [...others, ...forms] : [...forms, ...others]).find((phrase) => has(lookup(phrase)));
  if (found !== undefined || !isSingle || lookup(window.term)?.isKnown) return found;
  return (
    forms.find((phrase) => lookup(phrase)?.isKnown) ??
    (isDevice(text) ? undefined : relatives(window.term).find((phrase) => has(lookup(phrase)))) ??
    (isDevice(text) ? undefined : relatives(window.term).find((phrase) => lookup(phrase)?.isKnown)) ??
    labelOf(window.term, lookup) ??
    others.flatMap((other) => labelOf(other, lookup) ?? [])[0] ??
    (others.length > 0 ? undefined : misspeltWords(text, language).find((phrase) => has(lookup(phrase))))
  );
}

/** How a value that is about a thing goes on: `kitchenware`, `gardening`, `garden tools`; not `lightweight`. */
const ABOUT = /^(?: |ware|wear|ing\b|er\b)/;

function labelOf(term: string, lookup: Lookup): string | undefined {
  const label = lookup(term)?.label;
  // A plant is no planter.
  const isOther = isGoods(term) && label !== undefined && !label.startsWith(`${term} `);
  return label !== undefined && !isOther && ABOUT.test(label.slice(term.length)) ? label : undefined;
}

/** What is not wanted, by its stem and as it was written: that of a `bougie` is no French word. */
function unwantedWindows({ text, value = '' }: Constraint): Window[] {
  const written = normalizeText(text).match(/[\p{L}\d]+$/u)?.[0] ?? value;
  const texts = written !== value && stem(written) === value ? [value, written] : [value];
  return texts.map((each) => ({ texts: [each], term: value }));
}

/** In the words of the shop; unread where it has no such word, for then nothing tells whether a product has it. */
function withShopValue(constraint: Constraint, language: Language, lookup: Lookup): Constraint {
  const { kind, value } = constraint;
  if (kind !== 'without' || !value || has(lookup(value))) return constraint;
  const meaning =
    unwantedWindows(constraint).flatMap((window) => standIn(window, language, lookup) ?? [])[0] ??
    (mayBeCompound(value, language, lookup) ? meaningOfCompound(value, language, lookup)?.terms.join(' ') : undefined);
  if (meaning !== undefined) return { ...constraint, value: meaning };
  return value.includes(' ') || lookup(value)?.isKnown ? constraint : { ...constraint, isUnread: true };
}

/** Without the name of an attribute beside its value. */
function withoutFieldLabels(words: Token[], lookup: Lookup): Token[] {
  const isValue = (word: Token | undefined) => word !== undefined && lookup(word.term)?.isValue === true;
  return words.filter((word, i) => !FIELD_LABELS.has(word.text) || !(isValue(words[i - 1]) || isValue(words[i + 1])));
}
