/** Decides whether a price is for all units together, and converts it to the price of one. */

import { list } from '../words/lists.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import type { Constraint, ParseState } from './parsed-query.ts';

export const TOTALS = phraseTable([['all', list('totals')]]);
const PRICE_OF = phraseTable<'all' | 'each'>([
  ['all', list('totals')],
  ['each', list('each')],
]);
/** The maximum distance of a number from the words about totals, in tokens. */
const NEAR = { before: 6, after: 8 };

/** Takes the words that mark a price as the total of all units, or as the price of each. */
export function takeTotals(state: ParseState): void {
  const { tokens, taken } = state;
  for (let i = state.start; i < tokens.length; i += 1) {
    const phrase = phraseAt(PRICE_OF, tokens, i);
    const near = tokens.slice(Math.max(0, i - NEAR.before), (phrase?.to ?? i) + NEAR.after);
    if (!phrase || !near.some((_token, at) => parseNumberAt(near, at) !== undefined)) continue;
    taken.fill(true, i, phrase.to);
    state.priceOf = state.priceOf === 'all' ? 'all' : phrase.value;
  }
}

/** An amount to spend is a total, and so is a price without a comparison: `4 mugs for 60 euros`. */
const SPENT = /budget|\b(?:have|spend|habe|ausgeben|d[ée]penser)\b|^(?:for|für|pour) [^\s]+(?: ?(?:€|\p{L}+))?$/iu;

/** Converts a price for all units to a price for each. */
export function perPiece(constraints: Constraint[], priceOf: ParseState['priceOf']): Constraint[] {
  const quantity = Number(constraints.find(({ kind }) => kind === 'quantity')?.value ?? 1);
  if (quantity <= 1 || priceOf === 'each') return constraints;
  const divided = (amount: number) => Math.floor((amount / quantity) * 100) / 100;
  return constraints.map((each) => {
    const { kind, text, min, max } = each;
    if (kind !== 'price' || !(priceOf === 'all' || SPENT.test(text))) return each;
    return {
      ...each,
      ...(min !== undefined && { min: divided(min) }),
      ...(max !== undefined && { max: divided(max) }),
    };
  });
}
