import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { parseAmount } from './amounts.ts';
import { parseComparison } from './comparisons.ts';
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

/** What a price is meant for, where the sentence says so. */
export type PriceOf = 'all' | 'each' | undefined;

/** Takes the words out that say whether a price is meant for all pieces together. */
export function takeTotals({ tokens, start, consumed }: TotalsState): PriceOf {
  let priceOf: PriceOf;
  for (let i = start; i < tokens.length; i += 1) {
    const total = phraseAt(TOTALS, tokens, i);
    const phrase = total ?? phraseAt(EACH, tokens, i);
    if (!phrase || !isBesideNumber(tokens, i, phrase.to)) continue;
    consumed.fill(true, i, phrase.to);
    if (total || !priceOf) priceOf = total ? 'all' : 'each';
  }
  return priceOf;
}

const BUNDLE_OF = new Set(['for', 'fur', 'pour']);
const MAX_BUNDLE = 12;

/** `two for 30 euros`, where a clause begins: that many pieces, and a price for all of them. */
export function takeBundle({ tokens, start, consumed, addConstraint }: TotalsState): boolean {
  for (let i = start; i < tokens.length; i += 1) {
    const number = i === start || tokens[i - 1]?.kind === 'sign' ? parseNumberAt(tokens, i) : undefined;
    if (!number || number.value < 2 || number.value > MAX_BUNDLE || !BUNDLE_OF.has(tokens[number.to]?.text ?? ''))
      continue;
    const price = parseAmount(tokens, number.to + 1)?.currency ?? parseComparison(tokens, number.to + 1);
    if (price === undefined || consumed[i]) continue;
    addConstraint(i, number.to, { kind: 'quantity', value: String(number.value) });
    return true;
  }
  return false;
}

const SPENT_ON = new Set(['for', 'on', 'fur', 'pour', 'dans']);

/** `I have 60 euros for 4 mugs`: after an amount, how many pieces it is spent on, and so a price for all of them. */
export function takeSpentOn({ tokens, start, consumed, addConstraint }: TotalsState): boolean {
  for (let i = start; i < tokens.length; i += 1) {
    const amount = parseAmount(tokens, i);
    if (!amount?.currency || !SPENT_ON.has(tokens[amount.to]?.text ?? '')) continue;
    const number = parseNumberAt(tokens, amount.to + 1);
    if (!number || number.value < 2 || number.value > MAX_BUNDLE || !isThing(tokens[number.to])) continue;
    if (consumed.slice(amount.to, number.to).includes(true)) continue;
    addConstraint(amount.to + 1, number.to, { kind: 'quantity', value: String(number.value) });
    return true;
  }
  return false;
}

const CAPS = phraseTable<'cap'>([
  [
    'cap',
    'tops, max, maximum, at most, at the most, no more, not more, maximal, hochstens, nicht mehr, maxi, au maximum, au plus, pas plus, grand maximum',
  ],
]);

/** `I can spend 130 on a backpack, tops`: a cap in a clause of its own says so of the amount before it. */
export function takeLateCap({ tokens, start, consumed }: TotalsState): boolean {
  let isFound = false;
  for (let i = start + 1; i < tokens.length; i += 1) {
    const cap = tokens[i - 1]?.text === ',' ? phraseAt(CAPS, tokens, i) : undefined;
    const isAlone = cap !== undefined && (tokens[cap.to]?.kind ?? 'sign') === 'sign';
    if (!isAlone || !tokens.slice(0, i).some(({ number }) => number !== undefined)) continue;
    consumed.fill(true, i, cap.to);
    isFound = true;
  }
  return isFound;
}

/** `60 euros for 4 people` says for whom, not how many. */
function isThing(token: Token | undefined): boolean {
  return token?.kind === 'word' && !PEOPLE.has(token.text);
}

const PEOPLE = new Set(
  'people persons person adults kids children guests friends personen leute kinder gaste personnes enfants invites year years month months jahre ans'.split(
    ' ',
  ),
);

/** Whether a number is near enough for the words to belong to it. */
function isBesideNumber(tokens: Token[], from: number, to: number): boolean {
  return tokens
    .slice(Math.max(0, from - 6), to + 8)
    .some((token, i, near) => token.number !== undefined || parseNumberAt(near, i));
}

/** What somebody has to spend is for all of it, and so is a price without a comparison: `4 mugs for 60 euros`. */
const SPENT =
  /budget|\b(?:have|got|spend|spending|habe|ausgeben|ai|d[ée]penser|dispose)\b|^(?:for|für|pour) [^\s]+(?: ?(?:€|\p{L}+))?$/iu;

/** A price for all pieces together, as a price for each. */
export function perPiece<Each extends Priced>(
  constraints: Each[],
  { isTotal, isEach }: { isTotal: boolean; isEach: boolean },
): Each[] {
  const quantity = Number(constraints.find(({ kind }) => kind === 'quantity')?.value ?? 1);
  if (quantity <= 1 || isEach) return constraints;
  const divided = (amount: number) => Math.floor((amount / quantity) * 100) / 100;
  return constraints.map((each) => {
    const isForAll = isTotal || SPENT.test(each.text);
    if (each.kind !== 'price' || !isForAll) return each;
    const { min, max } = each;
    return {
      ...each,
      ...(min !== undefined && { min: divided(min) }),
      ...(max !== undefined && { max: divided(max) }),
    };
  });
}
