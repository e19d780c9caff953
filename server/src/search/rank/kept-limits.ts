/**
 * The final check of a response: each variant in it must meet every limit that is reported as applied. The search
 * already ensures this. If a later change breaks that, the variant is removed here, or the limit is reported as not
 * applied.
 */

import type { Product, Understood, Variant } from '@commerce-backend/spec';
import { ON_SALE } from '../query/marks.ts';
import { normalizeText, termsOf } from '../words/normalize.ts';
import { sizeSpellings } from '../words/sizes.ts';
import { hasInOptions, isInStock, isMeasure, keepsMeasure } from './variants.ts';

/** The fields of a candidate that are checked. */
export interface Kept {
  product: Product;
  variant: Variant;
  matches: { variant: Variant; match_reasons: string[] }[];
}

/**
 * The candidates that meet all limits, each with the variants that do. If there is none, returns all candidates, and
 * marks the limits that they break as relaxed.
 */
export function withKeptLimits<Each extends Kept>(
  candidates: Each[],
  understood: Understood[],
): { candidates: Each[]; understood: Understood[] } {
  const keeping = candidates.flatMap((candidate) => keepingVariants(candidate, understood) ?? []);
  if (keeping.length > 0) return { candidates: keeping, understood };
  const broken = new Set(candidates.flatMap(({ product, variant }) => brokenLimits(product, variant, understood)));
  return { candidates, understood: understood.map((each) => (broken.has(each) ? { ...each, fate: 'relaxed' } : each)) };
}

function keepingVariants<Each extends Kept>(candidate: Each, understood: Understood[]): Each | undefined {
  const { product, variant } = candidate;
  const isKept = (one: Variant) => brokenLimits(product, one, understood).length === 0;
  const matches = candidate.matches.filter((match) => isKept(match.variant));
  if (isKept(variant)) return matches.length === candidate.matches.length ? candidate : { ...candidate, matches };
  const other = matches.find((match) => match.variant.available) ?? matches[0];
  return other && { ...candidate, ...other, matches };
}

/** The limits that are reported as applied but that a variant breaks. */
export function brokenLimits(product: Product, variant: Variant, understood: Understood[]): Understood[] {
  const applied = understood.filter(({ fate }) => fate === 'applied');
  const quantity = Number(applied.find(({ kind }) => kind === 'quantity')?.value ?? 1);
  const named = applied.filter((each) => each.kind === 'value' && each.value !== ON_SALE && !isMeasure(each));
  return applied.filter((each) => {
    const { kind, value, min, max } = each;
    if (kind === 'price') return Number(variant.price) < (min ?? 0) || Number(variant.price) > (max ?? Infinity);
    if (kind === 'in_stock') return !isInStock(product, variant, quantity);
    if (kind === 'without') return value !== null && (hasInOptions(variant, value) || isNamed(product, value));
    if (kind !== 'value' || value === null) return false;
    if (value === ON_SALE) return Number(variant.compare_at_price ?? 0) <= Number(variant.price);
    return isMeasure(each) ? !keepsMeasure(variant, each) : hasOtherValue(product, variant, named, value);
  });
}

function isNamed({ name }: Product, value: string): boolean {
  return ` ${termsOf(name).join(' ')} `.includes(` ${value} `);
}

/**
 * Whether the value belongs to an option of the product, but the variant has another value that is not named either.
 * For `red or blue`, one of the two is enough.
 */
function hasOtherValue(product: Product, variant: Variant, named: Understood[], value: string): boolean {
  if (isNamed(product, value)) return false;
  return product.options.some(({ position, values }) => {
    if (!values.some((each) => isSame(each, value))) return false;
    const own = variant[`option${position}` as 'option1' | 'option2' | 'option3'] ?? '';
    return !named.some((each) => each.value !== null && !isNamed(product, each.value) && isSame(own, each.value));
  });
}

function isSame(option: string, value: string): boolean {
  const own = termsOf(option).join(' ');
  return own === value || sizeSpellings(value).includes(own) || isInRange(option, value);
}

/** Whether a size is within a range such as `40–43`. */
function isInRange(option: string, value: string): boolean {
  const [, from, to] = /^\s*(\d{1,3})\s*[-–—/]\s*(\d{1,3})\s*$/.exec(normalizeText(option)) ?? [];
  return from !== undefined && to !== undefined && Number(value) >= Number(from) && Number(value) <= Number(to);
}
