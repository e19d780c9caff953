import type { Product, Variant } from '@commerce-backend/spec';
import type { Constraint } from '../query/parse.ts';
import { fold, isNumber, measure, stem } from '../words/normalize.ts';
import { sizeForms } from '../words/sizes.ts';

/** Which variants of a product a sentence means: the same for what is shown and for what is bought. */

/** A constraint as far as it concerns variants; `fate` where the search has already judged it. */
export type Asked = Pick<Constraint, 'kind' | 'start' | 'end'> & {
  value?: string | null;
  min?: number | null;
  max?: number | null;
  fate?: string;
};

/** A value of an option that the sentence names, and where. */
export interface NamedValue {
  /** What the option is called. */
  option: string;
  value: string;
  start: number;
  end: number;
  /** Whether the variants meant have it. */
  isMet: boolean;
}

export interface VariantsMeant {
  /** Those that meet all; none where a limit leaves none. */
  variants: Variant[];
  values: NamedValue[];
}

export function variantsMeant(product: Product, sentence: string, asked: Asked[]): VariantsMeant {
  const holding = asked.filter(({ fate }) => fate === undefined || fate === 'applied');
  const wanted = product.variants.filter((variant) => meetsLimits(variant, holding));
  const pieces = piecesOf(sentence).filter(
    ({ start, end }) =>
      !asked.some((each) => !['value', 'word'].includes(each.kind) && each.start < end && start < each.end),
  );
  const values: NamedValue[] = [];
  const variants = product.options.reduce((left, { name, position, values: all }) => {
    const key = `option${position}` as 'option1' | 'option2' | 'option3';
    const named = longest(all.flatMap((value) => matchIn(pieces, value) ?? []));
    const having = left.filter((variant) => named.some(({ value }) => value === variant[key]));
    const isMet = having.length > 0;
    values.push(...named.map(({ value, start, end }) => ({ option: name, value, start, end, isMet })));
    return isMet ? having : left;
  }, wanted);
  return { variants, values };
}

function meetsLimits(variant: Variant, asked: Asked[]): boolean {
  return asked.every(({ kind, min, max, value }) => {
    if (kind === 'price') return Number(variant.price) >= (min ?? 0) && Number(variant.price) <= (max ?? Infinity);
    return kind !== 'without' || !value || !isCalled(variant, value);
  });
}

/** `not red` leaves out `Dark Red`, too. */
function isCalled({ option1, option2, option3 }: Variant, value: string): boolean {
  return [option1, option2, option3].some((option) => ` ${termsIn(option ?? '').join(' ')} `.includes(` ${value} `));
}

interface Piece {
  term: string;
  start: number;
  end: number;
  /** Whether an x ties it to the number before. */
  isTied: boolean;
}

/** Words and numbers apart, however they are written: `200x220cm` and `200 × 220 cm` are the same. */
function piecesOf(text: string): Piece[] {
  const all = Array.from(text.matchAll(/\d+(?:[.,]\d+)*|[\p{L}\p{M}]+(?:['’‘`]\p{L}+)*|×/gu), ({ 0: piece, index }) => {
    const term = stem(fold(piece).replaceAll(/['’‘`]/g, '')).replace(/^(\d+),(\d{1,2})$/, '$1.$2');
    return { term, start: index, end: index + piece.length };
  });
  return all.flatMap((piece, i) => {
    const isTie = (at: number) =>
      ['x', '×'].includes(all[at]?.term ?? '') && isNumberAt(all, at - 1) && isNumberAt(all, at + 1);
    return isTie(i) ? [] : [{ ...piece, isTied: isTie(i - 1) }];
  });
}

function termsIn(text: string): string[] {
  return piecesOf(text).map(({ term }) => term);
}

function isNumberAt(pieces: { term: string }[], at: number): boolean {
  return isNumber(pieces[at]?.term ?? '');
}

interface Match {
  value: string;
  start: number;
  end: number;
  length: number;
}

/** Where a sentence names a value: in other words for the same size, without its unit, or by a size within its range. */
function matchIn(pieces: Piece[], value: string): Match | undefined {
  const terms = termsIn(value);
  if (terms.length === 0) return undefined;
  const withoutUnit = measure(terms.at(-2) ?? '', terms.at(-1)) ? [terms.slice(0, -1)] : [];
  const forms = [terms, ...sizeForms(terms.join(' ')).map((form) => form.split(' ')), ...withoutUnit];
  const matches = forms.flatMap((form) =>
    pieces.flatMap((_piece, at) => (isAt(pieces, at, form) ? [{ at, length: form.length }] : [])),
  );
  const [match] = matches.toSorted((a, b) => b.length - a.length);
  const at = match?.at ?? inRange(pieces, value);
  if (at === undefined) return undefined;
  const length = match?.length ?? 1;
  return { value, start: pieces[at]?.start ?? 0, end: pieces[at + length - 1]?.end ?? 0, length };
}

function isAt(pieces: Piece[], at: number, form: string[]): boolean {
  if (!form.every((term, i) => pieces[at + i]?.term === term)) return false;
  // Of `2 l` the litre is no size, and of `200 x 220` or `12 cm` neither number is one.
  const before = pieces[at - 1]?.term ?? '';
  if (pieces[at]?.isTied || measure(before, pieces[at]?.term)) return false;
  const last = form.at(-1) ?? '';
  const next = pieces[at + form.length];
  return !isNumber(last) || !next || (!next.isTied && (form.length > 1 || !isUnitOfOther(next, form)));
}

function isUnitOfOther(next: Piece, [number = '']: string[]): boolean {
  return measure(number, next.term) !== undefined;
}

/** A size within `40–43`. */
function inRange(pieces: Piece[], value: string): number | undefined {
  const [, from, to] = /^\s*(\d{1,3})\s*[-–—/]\s*(\d{1,3})\s*$/.exec(value) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const at = pieces.findIndex(
    ({ term }, i) =>
      /^\d{1,3}$/.test(term) && Number(term) >= Number(from) && Number(term) <= Number(to) && isAt(pieces, i, [term]),
  );
  return at < 0 ? undefined : at;
}

/** Of `red` and `dark red` the longer is meant. */
function longest(matches: Match[]): Match[] {
  const most = Math.max(0, ...matches.map(({ length }) => length));
  return matches.filter(({ length }) => length === most);
}
