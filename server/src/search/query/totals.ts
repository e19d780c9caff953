import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { parseAmount } from './amounts.ts';
import { EACH, TOTALS } from './limit-words.ts';

/** Whether a price is meant for all pieces together, and what it then is for each. */

interface TotalsState {
  tokens: Token[];
  /** The first token after the opening. */
  start: number;
  consumed: boolean[];
  addConstraint: (from: number, to: number, constraint: { kind: 'quantity'; value: string }) => void;
}

/** What is read of a constraint. */
interface Priced {
  kind: string;
  text: string;
  value?: string;
  min?: number;
  max?: number;
}

/** Takes the words out that say whether a price is meant for all pieces together. */
export function takeTotals({ tokens, start, consumed }: TotalsState): boolean {
  let isTotal = false;
  for (let i = start; i < tokens.length; i += 1) {
    const total = phraseAt(TOTALS, tokens, i);
    const phrase = total ?? phraseAt(EACH, tokens, i);
    if (!phrase || !isBesideNumber(tokens, i, phrase.to)) continue;
    consumed.fill(true, i, phrase.to);
    isTotal ||= total !== undefined;
  }
  return isTotal;
}

const BUNDLE_OF = new Set(['for', 'fur', 'pour']);
const MAX_BUNDLE = 12;

/** `two for 30 euros`, where a clause begins: that many pieces, and a price for all of them. */
export function takeBundle({ tokens, start, consumed, addConstraint }: TotalsState): boolean {
  for (let i = start; i < tokens.length; i += 1) {
    const number = i === start || tokens[i - 1]?.kind === 'sign' ? parseNumberAt(tokens, i) : undefined;
    if (!number || number.value < 2 || number.value > MAX_BUNDLE || !BUNDLE_OF.has(tokens[number.to]?.text ?? ''))
      continue;
    if (!parseAmount(tokens, number.to + 1)?.currency || consumed[i]) continue;
    addConstraint(i, number.to, { kind: 'quantity', value: String(number.value) });
    return true;
  }
  return false;
}

/** Whether a number is near enough for the words to belong to it. */
function isBesideNumber(tokens: Token[], from: number, to: number): boolean {
  return tokens
    .slice(Math.max(0, from - 6), to + 8)
    .some((token, i, near) => token.number !== undefined || parseNumberAt(near, i));
}

/** A price for all pieces together, as a price for each. */
export function perPiece<Each extends Priced>(constraints: Each[], isTotal: boolean): Each[] {
  const quantity = Number(constraints.find(({ kind }) => kind === 'quantity')?.value ?? 1);
  if (quantity <= 1) return constraints;
  const divided = (amount: number) => Math.floor((amount / quantity) * 100) / 100;
  return constraints.map((each) => {
    const isForAll = isTotal || /\bbudget/i.test(each.text);
    if (each.kind !== 'price' || !isForAll) return each;
    const { min, max } = each;
    return {
      ...each,
      ...(min !== undefined && { min: divided(min) }),
      ...(max !== undefined && { max: divided(max) }),
    };
  });
}
