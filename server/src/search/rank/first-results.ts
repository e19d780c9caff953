/** Chooses the first results by details that only complete products contain. */

import type { Product, Understood } from '@commerce-backend/spec';
import { termsOf } from '../words/normalize.ts';
import { statesAbsence } from './conditions.ts';

interface Result {
  product: { product: Product };
}

/** Puts products that state the absence of an excluded value before the others. */
export function statedFirst<One extends Result>(results: One[], understood: Understood[]): One[] {
  const unwanted = understood.flatMap(({ kind, fate, value }) =>
    kind === 'without' && fate === 'applied' && value ? [value] : [],
  );
  if (unwanted.length === 0) return results;
  const states = ({ product: { product } }: Result) =>
    unwanted.some((value) =>
      statesAbsence([product.description, ...Object.values(product.metadata)].join(' | '), value),
    );
  const stating = new Set(results.filter(states));
  return [...results.filter((each) => stating.has(each)), ...results.filter((each) => !stating.has(each))];
}

/**
 * Puts products with the word in their type or tags before those with it only in their name: a teapot before tea towels
 * for `tea`, and products of the type bags before a sleeping bag for `a bag`.
 */
export function labelledFirst<One extends Result>(results: One[], query: string, understood: Understood[]): One[] {
  const asked = new Set(termsOf(query));
  const values = understood.flatMap(({ kind, fate, value }) =>
    kind === 'value' && fate === 'applied' && value && !value.includes(' ') ? [value] : [],
  );
  const isOfType = ({ product: { product } }: Result, value: string) =>
    termsOf(product.product_type ?? '').includes(value);
  const isOnlyNamed = (result: Result, value: string) => {
    const { name, tags } = result.product.product;
    const terms = termsOf(name);
    const at = terms.lastIndexOf(value);
    if (at < 0 || isOfType(result, value) || tags.some((tag) => termsOf(tag).includes(value))) return false;
    const next = terms[at + 1];
    return next === undefined ? results.some((other) => isOfType(other, value)) : !asked.has(next);
  };
  const named = new Set(results.filter((result) => values.some((value) => isOnlyNamed(result, value))));
  return [...results.filter((result) => !named.has(result)), ...named];
}
