/**
 * A simple search for development: whole words, prefixes and price limits. The server's search also corrects spelling,
 * applies synonyms and understands more of a sentence.
 */

import type { AgentUnderstood } from '@commerce-backend/spec';
import type { State, StoredProduct, StoredVariant } from './state.ts';

const STOP_WORDS = new Set(
  'a an the for of in with and or to me i my want need please find buy get some something one euro euros eur dollar dollars'.split(
    ' ',
  ),
);

export interface Wish {
  words: string[];
  /** Price limits in the currency's main unit: 12.5 is 12.50 €. */
  max: number | undefined;
  min: number | undefined;
  understood: AgentUnderstood[];
}

const LIMIT = /\b(under|below|less than|up to|at most|over|above|more than|at least)\s+[€$£]?\s*(\d+(?:\.\d{1,3})?)/gi;

/** Extracts search words and price limits from a sentence. */
export function wishOf(sentence: string, { data: { currency } }: State): Wish {
  const wish: Wish = { words: [], max: undefined, min: undefined, understood: [] };
  const rest = sentence.replaceAll(LIMIT, (text: string, word: string, amount: string) => {
    const bound = /^(over|above|more|at least)/i.test(word) ? 'min' : 'max';
    wish[bound] = Number(amount);
    wish.understood.push({ kind: 'price', text, [bound]: Number(amount), currency, fate: 'applied' });
    return ' ';
  });
  wish.words = wordsOf(rest).filter((word) => !STOP_WORDS.has(word));
  return wish;
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 ? word.replace(/s$/, '') : word,
  );
}

/** Words of a product. The words of its name are separate, because they count more. */
function textsOf({ input, options }: StoredProduct): { name: string[]; others: string[] } {
  const { name, description = '', vendor, product_type, tags = [] } = input;
  const values = options.flatMap((option) => option.values);
  const others = [description, vendor ?? '', product_type ?? '', ...tags, ...values];
  return { name: wordsOf(name), others: wordsOf(others.join(' ')) };
}

/** The search words with which a word of the product begins, and a score. */
export function matchOf(product: StoredProduct, words: string[]): { matched: string[]; score: number } {
  const { name, others } = textsOf(product);
  let score = 0;
  const matched = words.filter((word) => {
    const inName = name.some((one) => one.startsWith(word));
    const found = inName || others.some((one) => one.startsWith(word));
    score += inName ? 3 : found ? 1 : 0;
    return found;
  });
  return { matched, score };
}

export function isWithin({ price }: StoredVariant, { min, max }: Pick<Wish, 'min' | 'max'>, digits: number): boolean {
  const amount = price / 10 ** digits;
  return amount >= (min ?? 0) && amount <= (max ?? Number.POSITIVE_INFINITY);
}
