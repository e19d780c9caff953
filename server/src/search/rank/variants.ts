/** Decides which variants of a product match a sentence, for search results and for purchases. */

import type { Product, Variant } from '@commerce-backend/spec';
import { ON_SALE } from '../query/marks.ts';
import type { Constraint } from '../query/parsed-query.ts';
import { isNumber, measurementTerm, normalizeText, stem } from '../words/normalize.ts';
import { numberOf } from '../words/number-words.ts';
import { sizeSpellings } from '../words/sizes.ts';
import type { Token } from '../words/tokens.ts';

/**
 * The fields of a constraint that matter for variants; `fate` is set if the constraint comes from the result of a
 * search.
 */
export type VariantConstraint = Pick<Constraint, 'kind' | 'start' | 'end'> & {
  value?: string | null;
  min?: number | null;
  max?: number | null;
  fate?: string;
};

/** An option value that the sentence names, and its position. */
export interface OptionMatch {
  option: string;
  value: string;
  start: number;
  end: number;
  /** Whether the matching variants have the value. */
  isMatched: boolean;
}

export interface VariantMatches {
  /** The matching variants; empty if no variant meets the limits. */
  variants: Variant[];
  values: OptionMatch[];
}

/**
 * Returns the variants of a product that meet the limits and have the named option values. A value that none of them
 * has is ignored. `words` are the shop's words, each with the position of the word that it replaces.
 */
export function matchVariants(
  product: Product,
  sentence: string,
  constraints: VariantConstraint[],
  words: Token[] = [],
): VariantMatches {
  const applied = constraints.filter(({ fate }) => fate === undefined || fate === 'applied');
  const wanted = product.variants.filter((variant) => meetsConstraints(product, variant, applied));
  const parts = inShopWords(partsOf(sentence), words).filter(
    ({ start, end }) =>
      !constraints.some(
        (each) => (!['value', 'word'].includes(each.kind) || isMeasure(each)) && each.start < end && start < each.end,
      ),
  );
  const values: OptionMatch[] = [];
  const variants = product.options.reduce((left, { name, position, values: all }) => {
    const key = `option${position}` as 'option1' | 'option2' | 'option3';
    const named = withoutNames(product, longestMatches(all.flatMap((value) => findValue(parts, value) ?? [])));
    const having = left.filter((variant) => named.some(({ value }) => value === variant[key]));
    const isMatched = having.length > 0;
    if (named.length === 0) values.push(...otherMeasures(parts, name, all));
    values.push(...named.map(({ value, start, end }) => ({ option: name, value, start, end, isMatched })));
    return isMatched ? having : left;
  }, wanted);
  return applied.filter(isMeasure).reduce(withinMeasure, { variants, values });
}

/** Whether a constraint limits a measure: `under 20 cm`. */
export function isMeasure({ kind, min, max }: Pick<VariantConstraint, 'kind' | 'min' | 'max'>): boolean {
  return kind === 'value' && ((min ?? undefined) !== undefined || (max ?? undefined) !== undefined);
}

/** Keeps variants with a measure within the limit, such as blades under 20 cm; keeps all if there is none. */
function withinMeasure({ variants, values }: VariantMatches, limit: VariantConstraint): VariantMatches {
  const { value: unit, min, max, start, end } = limit;
  const kept = variants.filter((variant) => keepsMeasure(variant, limit));
  const isMatched = kept.length > 0;
  const value = [min ?? '', max ?? ''].join('–');
  return {
    variants: isMatched ? kept : variants,
    values: [...values, { option: unit ?? '', value: `${value} ${unit}`, start, end, isMatched }],
  };
}

/** Whether one of a variant's measures is within the limit. */
export function keepsMeasure(
  { option1, option2, option3 }: Variant,
  { value: unit, min, max }: Pick<VariantConstraint, 'value' | 'min' | 'max'>,
): boolean {
  const measures = [option1, option2, option3].flatMap((option) => measuresIn(option ?? '', unit ?? ''));
  return measures.some((each) => each >= (min ?? -Infinity) && each <= (max ?? Infinity));
}

/** Units of the same quantity, each as a multiple of the smallest. */
const SCALES: Record<string, number>[] = [
  { mm: 1, cm: 10, m: 1000 },
  { ml: 1, cl: 10, l: 1000 },
  { g: 1, kg: 1000 },
];

/** The numbers in an option value that is measured in this unit or a related one: 40 and 60 of `40 × 60 cm`. */
function measuresIn(option: string, unit: string): number[] {
  const terms = termsIn(option);
  const scale = SCALES.find((each) => unit in each) ?? { [unit]: 1 };
  const own = Object.keys(scale).find((each) => terms.includes(each));
  const factor = own === undefined ? undefined : (scale[own] ?? 1) / (scale[unit] ?? 1);
  return factor === undefined ? [] : terms.filter(isNumber).map((term) => Number(term) * factor);
}

function meetsConstraints(product: Product, variant: Variant, constraints: VariantConstraint[]): boolean {
  const quantity = Number(constraints.find(({ kind }) => kind === 'quantity')?.value ?? 1);
  return constraints.every(({ kind, min, max, value }) => {
    if (kind === 'price') return Number(variant.price) >= (min ?? 0) && Number(variant.price) <= (max ?? Infinity);
    if (kind === 'in_stock') return isInStock(product, variant, quantity);
    if (kind === 'value') return value !== ON_SALE || Number(variant.compare_at_price ?? 0) > Number(variant.price);
    return kind !== 'without' || !value || !hasInOptions(variant, value);
  });
}

/**
 * Whether this quantity is in stock, or the stock is not tracked. A quantity above the stock does not count, even if
 * the variant may be sold beyond its stock.
 */
export function isInStock(
  { track_inventory }: Product,
  { available, inventory_quantity }: Variant,
  quantity: number,
): boolean {
  return !track_inventory || (available && inventory_quantity >= Math.max(quantity, 1));
}

/** Replaces the parts for which the shop uses other words. */
function inShopWords(parts: Part[], words: Token[]): Part[] {
  const isReplaced = ({ start, end }: Part) => words.some((word) => word.start < end && start < word.end);
  const kept = parts.filter((part) => !isReplaced(part));
  const added = words.map(({ term, start, end }) => ({ term, start, end, isDimension: false }));
  return [...kept, ...added].sort((a, b) => a.start - b.start);
}

/** Whether an option of the variant contains the value: `not red` also excludes `Dark Red`. */
export function hasInOptions({ option1, option2, option3 }: Variant, value: string): boolean {
  return [option1, option2, option3].some((option) => ` ${termsIn(option ?? '').join(' ')} `.includes(` ${value} `));
}

interface Part {
  term: string;
  start: number;
  end: number;
  /** Whether the part follows a number and an x, such as 220 in `200 x 220`. */
  isDimension: boolean;
}

/** Splits words from numbers, so that `200x220cm` and `200 × 220 cm` become the same. */
function partsOf(text: string): Part[] {
  const all = Array.from(text.matchAll(/\d+(?:[.,]\d+)*|[\p{L}\p{M}]+(?:['’‘`]\p{L}+)*|×/gu), ({ 0: part, index }) => {
    const term = stem(normalizeText(part).replaceAll(/['’‘`]/g, '')).replace(/^(\d+),(\d{1,2})$/, '$1.$2');
    return { term, start: index, end: index + part.length };
  });
  return all.flatMap((part, i) => {
    const isTimesSign = (at: number) =>
      TIMES.has(all[at]?.term ?? '') && isNumberAt(all, at - 1) && isNumberAt(all, at + 1);
    // `5 litres` becomes `5 l`. The `in` of `34 in grey` does not mean inches.
    const unit = measurementTerm('1', part.term)?.slice(1);
    const isUnit = unit !== undefined && isNumberAt(all, i - 1) && !(part.term === 'in' && isWordAt(text, all, i + 1));
    const isPreposition = part.term === 'in' && !isUnit;
    const term = isUnit ? unit : isPreposition ? '' : String(numberOf(part.term) ?? part.term);
    return isTimesSign(i) ? [] : [{ ...part, term, isDimension: isTimesSign(i - 1) }];
  });
}

/** Words and signs between dimensions: `140 x 200`, `140 by 200`, `140 auf 200`, `140 sur 200`. */
const TIMES = new Set(['x', '×', 'by', 'mal', 'auf', 'sur', 'par']);

/** Whether this part is a word after a single space. */
function isWordAt(text: string, parts: Pick<Part, 'term' | 'start' | 'end'>[], at: number): boolean {
  const [before, part] = [parts[at - 1], parts[at]];
  return (
    before !== undefined &&
    part !== undefined &&
    /^\p{L}/u.test(part.term) &&
    text.slice(before.end, part.start) === ' '
  );
}

function termsIn(text: string): string[] {
  return partsOf(text).map(({ term }) => term);
}

function isNumberAt(parts: { term: string }[], at: number): boolean {
  return isNumber(parts[at]?.term ?? '');
}

/** Requested measures in the unit of an option that has no such value: 20 l of a bag that holds 18 or 26 l. */
function otherMeasures(parts: Part[], option: string, all: string[]): OptionMatch[] {
  const units = all.map((value) => /^\d+(?:\.\d+)? ([a-z]+)$/.exec(termsIn(value).join(' '))?.[1]);
  const [unit] = units;
  if (unit === undefined || units.some((each) => each !== unit)) return [];
  return parts.flatMap((part, i) => {
    const number = parts[i - 1];
    if (part.term !== unit || !number || !isNumber(number.term)) return [];
    return [{ option, value: `${number.term} ${unit}`, start: number.start, end: part.end, isMatched: false }];
  });
}

interface ValueMatch {
  value: string;
  start: number;
  end: number;
  length: number;
}

/**
 * Finds where a sentence names a value, even with another spelling of the size, in another unit, without its unit, or
 * as a size within its range.
 */
function findValue(parts: Part[], value: string): ValueMatch | undefined {
  const terms = termsIn(value);
  if (terms.length === 0) return undefined;
  const withoutUnit = measurementTerm(terms.at(-2) ?? '', terms.at(-1)) ? [terms.slice(0, -1)] : [];
  const forms = [terms, ...sizeSpellings(terms.join(' ')).map((form) => form.split(' ')), ...withoutUnit];
  const matches = forms.flatMap((form) =>
    parts.flatMap((_piece, at) => (matchesAt(parts, at, form) ? [{ at, length: form.length }] : [])),
  );
  const [match] = matches.toSorted((a, b) => b.length - a.length);
  const [measured] = match ? [] : measuredLike(parts, terms);
  const at = match?.at ?? measured ?? findInRange(parts, value);
  if (at === undefined) return undefined;
  const length = match?.length ?? (measured === undefined ? 1 : 2);
  return { value, start: parts[at]?.start ?? 0, end: parts[at + length - 1]?.end ?? 0, length };
}

/** The positions at which a sentence names the measure in another unit: 750 ml for `0.75 l`. */
function measuredLike(parts: Part[], [number = '', unit = '', ...others]: string[]): number[] {
  const scale = SCALES.find((each) => unit in each);
  if (!scale || !isNumber(number) || others.length > 0) return [];
  const size = Number(number) * (scale[unit] ?? 1);
  const isSame = (at: number) => {
    const times = scale[parts[at + 1]?.term ?? ''];
    return isNumberAt(parts, at) && times !== undefined && Math.abs(Number(parts[at]?.term) * times - size) < 1e-9;
  };
  return [...parts.keys()].filter(isSame);
}

function matchesAt(parts: Part[], at: number, form: string[]): boolean {
  if (!form.every((term, i) => parts[at + i]?.term === term)) return false;
  // The `l` in `2 l` is not a size, and the numbers in `200 x 220` and `12 cm` are not sizes either.
  const before = parts[at - 1]?.term ?? '';
  if (parts[at]?.isDimension || measurementTerm(before, parts[at]?.term)) return false;
  const last = form.at(-1) ?? '';
  const next = parts[at + form.length];
  return !isNumber(last) || !next || (!next.isDimension && (form.length > 1 || !isItsUnit(next, form)));
}

function isItsUnit(next: Part, [number = '']: string[]): boolean {
  return measurementTerm(number, next.term) !== undefined;
}

/** The position of a size that is within a value such as `40–43`. */
function findInRange(parts: Part[], value: string): number | undefined {
  const [, from, to] = /^\s*(\d{1,3})\s*[-–—/]\s*(\d{1,3})\s*$/.exec(value) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const at = parts.findIndex(
    ({ term }, i) =>
      /^\d{1,3}$/.test(term) &&
      Number(term) >= Number(from) &&
      Number(term) <= Number(to) &&
      matchesAt(parts, i, [term]),
  );
  return at < 0 ? undefined : at;
}

/** Keeps the longest matches: `dark red` instead of `red`. */
function longestMatches(matches: ValueMatch[]): ValueMatch[] {
  const most = Math.max(0, ...matches.map(({ length }) => length));
  return matches.filter(({ length }) => length === most);
}

/**
 * Prefers values that are not in the product's name: of a `Linen Bed Set` in linen and plum, `plum bed linen` matches
 * plum.
 */
function withoutNames({ name }: Product, matches: ValueMatch[]): ValueMatch[] {
  const words = ` ${termsIn(name).join(' ')} `;
  const others = matches.filter(({ value }) => !words.includes(` ${termsIn(value).join(' ')} `));
  return others.length > 0 ? others : matches;
}

const SIZE_RANKS = ['xs', 's', 'm', 'l', 'xl', 'xxl'];

/** Sorts variants by the sizes or measures in their options. */
export function bySize(variants: Variant[], isLargestFirst: boolean): Variant[] {
  const size = ({ option1, option2, option3 }: Variant) =>
    Math.max(-1, ...[option1, option2, option3].map((option) => measureOf(option ?? '')));
  const sign = isLargestFirst ? -1 : 1;
  return variants.toSorted((a, b) => sign * (size(a) - size(b)));
}

function measureOf(option: string): number {
  const rank = SIZE_RANKS.findIndex((size) => sizeSpellings(size).includes(normalizeText(option)));
  const numbers = termsIn(option).filter(isNumber).map(Number);
  return rank >= 0 ? rank : numbers.length > 0 ? numbers.reduce((product, number) => product * number, 1) : -1;
}
