/** Completes the interpretation of a sentence by comparing it with the results. */

import type { Product, Understood } from '@commerce-backend/spec';
import { normalizeText, termsOf } from '../words/normalize.ts';
import { isColour, isGoods } from '../words/thesaurus.ts';
import { type ContentWord, type GroupMatches, hasWord } from './coverage.ts';
import type { VariantMatches } from './variants.ts';

/** The fields of a result that the report needs. */
interface Result {
  product: { product: Product; match_reasons: string[] };
  variants: VariantMatches;
  has: GroupMatches;
}

interface Report {
  query: string;
  words: ContentWord[];
  results: Result[];
  /** Whether any result has the word. */
  isFound: (word: ContentWord) => boolean;
}

/** Adds the option values of the best product, and the words that it lacks, to the interpretation. */
export function reportUnderstood(understood: Understood[], { query, words, results, isFound }: Report): Understood[] {
  const [best] = results;
  const missing = words.filter(
    (word) =>
      !best ||
      isOnlyMentioned(best, words.length > 1 || isGoods(normalizeText(word.text))) ||
      (isAmount(query, word) && !isOwnNumber(word, best)) ||
      (isOtherColour(word, best) && !isInNameOrValues(word, best)) ||
      (!hasWord(word, best.has) && !isOptionValue(word, best.variants) && !isFieldName(word, words, best)),
  );
  const withValues = best ? withOptionValues(understood, query, results) : understood;
  return withMissingWords(best ? withoutMereMentions(withValues, words, best) : withValues, missing, (word) =>
    /^\d/.test(word.text)
      ? { kind: isAmount(query, word) ? 'price' : 'word', fate: 'not_understood' }
      : { kind: 'word', fate: isFound(word) ? 'relaxed' : 'not_available' },
  );
}

const BEFORE_AMOUNT =
  /(?:^|[\s(,;:–-])(?:for|at|around|under|below|max|budget|price|für|zu|um|unter|preis|pour|à|prix|sous|\d\s*[-–—])[.:]?\s*$|[,;:(]\s*$/iu;
const AFTER_AMOUNT = /^\s*(?:$|[).,;!?]|[-–—]\s*\d|(?:for|für|pour|max|or|oder|ou)\b)/iu;

/** Whether a number stands in the place of a price: `a mug for 15`. */
function isAmount(query: string, { text, start, end }: ContentWord): boolean {
  const isNumber = /^\d+(?:[.,]\d+)?$/.test(text);
  return isNumber && BEFORE_AMOUNT.test(query.slice(0, start)) && AFTER_AMOUNT.test(query.slice(end));
}

/** Whether the word is a colour, and the product has an option for its colour, but no matching value. */
function isOtherColour(word: ContentWord, { product: { product }, variants }: Result): boolean {
  const comesInColours = product.options.some(({ name }) => COLOUR_OPTION.test(name));
  return isColour(normalizeText(word.text)) && comesInColours && !isOptionValue(word, variants);
}

const COLOUR_OPTION = /^(?:colou?rs?|farben?|couleurs?)$/i;

/**
 * Whether a number is a size of the product or in its name: the 42 of boots, or of a `Route 42 Bag`, but not of a `42
 * l` bag.
 */
function isOwnNumber({ text }: ContentWord, { product: { product } }: Result): boolean {
  const values = product.options.flatMap((option) => option.values.map((value) => termsOf(value).join(' ')));
  return termsOf(product.name).includes(text) || values.includes(text);
}

function isInNameOrValues({ text }: ContentWord, { product: { product } }: Result): boolean {
  const { name, product_type, tags, options, metadata } = product;
  const values = options.flatMap((option) => option.values);
  const known = termsOf([name, product_type ?? '', ...tags, ...values, ...Object.values(metadata)].join(' '));
  return termsOf(text).every((term) => known.includes(term));
}

/** Marks goods as not available if the best result only mentions them: a rug to be vacuumed is not a vacuum cleaner. */
function withoutMereMentions(understood: Understood[], words: ContentWord[], best: Result): Understood[] {
  const goods = isOnlyMentioned(best, true) ? words.filter(({ text }) => isGoods(normalizeText(text))) : [];
  const isMention = (each: Understood) =>
    (each.kind === 'word' || each.kind === 'value') && goods.some((word) => overlaps(each, word));
  return understood.map((each) => (isMention(each) ? { ...each, fate: 'not_available' as const } : each));
}

/**
 * Whether only the description matches the words: a backpack that carries a snowboard is not a snowboard. With several
 * content words, attributes do not count either: a `machine wash` is not a washing machine.
 */
function isOnlyMentioned({ product: { match_reasons } }: Result, hasSeveral: boolean): boolean {
  const fields = match_reasons.filter((reason) => /^\w+: /.test(reason));
  const where = hasSeveral ? /^(?:attributes|description): / : /^description: /;
  return fields.length > 0 && fields.every((reason) => where.test(reason));
}

function isOptionValue({ start, end }: ContentWord, { values }: VariantMatches): boolean {
  return values.some((value) => value.isMatched && value.start <= start && end <= value.end);
}

/** Whether a word is the name of an option or attribute next to its value: the first word of `colour red`. */
function isFieldName(word: ContentWord, words: ContentWord[], { product: { product }, variants }: Result): boolean {
  const at = words.indexOf(word);
  const field = fieldKey(word.text);
  return [words[at - 1], words[at + 1]].some((neighbour) => {
    if (!neighbour) return false;
    const isOption = variants.values.some(
      ({ option, isMatched, start, end }) =>
        isMatched && fieldKey(option) === field && start <= neighbour.start && neighbour.end <= end,
    );
    const [term = ''] = termsOf(neighbour.text);
    return (
      isOption ||
      Object.entries(product.metadata).some(([key, value]) => fieldKey(key) === field && termsOf(value).includes(term))
    );
  });
}

function fieldKey(name: string): string {
  return termsOf(name.replace(/colour/i, 'color')).join(' ');
}

function overlaps(a: { start: number; end: number }, b: { start: number; end: number }): boolean {
  return a.start < b.end && b.start < a.end;
}

/**
 * Marks a value as relaxed if some result has no matching variant with this value. Adds the best product's option
 * values that the sentence names, if they are not in `understood` yet.
 */
function withOptionValues(understood: Understood[], query: string, results: Result[]): Understood[] {
  const values = results[0]?.variants.values ?? [];
  const isGivenUp = (each: Understood, { variants }: Result) => {
    const named = variants.values.filter((value) => each.kind === 'value' && overlaps(each, value));
    return named.length > 0 && !named.some(({ isMatched }) => isMatched);
  };
  const judged = understood.map((each) =>
    results.some((result) => isGivenUp(each, result)) ? { ...each, fate: 'relaxed' as const } : each,
  );
  const added = values.filter(
    (value, i) =>
      !understood.some((each) => each.kind === 'value' && overlaps(each, value)) &&
      values.findIndex((other) => overlaps(other, value)) === i,
  );
  return [
    ...judged,
    ...added.map(({ value, start, end, isMatched }) => ({
      ...blank({ start, end, text: query.slice(start, end) }),
      ...{ kind: 'value' as const, value, fate: isMatched ? ('applied' as const) : ('relaxed' as const) },
    })),
  ];
}

/** The maximum in the contract. */
const MAX_UNDERSTOOD = 50;

function withMissingWords(
  understood: Understood[],
  missing: ContentWord[],
  resultOf: (word: ContentWord) => Pick<Understood, 'kind' | 'fate'>,
): Understood[] {
  const added = missing
    .filter((word) => !understood.some((each) => overlaps(each, word)))
    .map((word) => ({ ...blank(word), ...resultOf(word) }));
  return [...understood, ...added].slice(0, MAX_UNDERSTOOD).sort((a, b) => a.start - b.start);
}

function blank({ text, start, end }: { text: string; start: number; end: number }) {
  return { text, start, end, min: null, max: null, currency: null, value: null };
}
