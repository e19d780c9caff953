import { phraseAt } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { parseAmount } from './amounts.ts';
import {
  AMBIGUOUS_COMPARISONS,
  BETWEEN_NEGATION_AND_COMPARISON,
  COMPARISONS,
  type Comparison,
  CURRENCIES,
  NEGATIONS,
  PRICE_WORDS,
  REFUSALS,
  SUFFIXES,
} from './limit-words.ts';
import { misspelt } from './misspelt.ts';
import { isOfSomethingElse, type NumericPhrase } from './ranges.ts';

/** Amounts that are compared: `under $50`, and those that a negation turns. */

/** How far from the amount a price may be that is said to be near it. */
const NEARNESS = 0.25;

/** The limits of an amount that is compared so. */
export function bounds(comparison: Comparison, value: number): { min?: number; max?: number } {
  if (comparison !== 'near') return { [comparison]: value };
  const round = (bound: number) => Math.round(bound * 100) / 100;
  return { min: round(value * (1 - NEARNESS)), max: round(value * (1 + NEARNESS)) };
}

/** `under $50`, `at least 4 stars`, `does not cost more than 30`, `höchstens 50 Euro`. */
export function parseComparison(tokens: Token[], at: number): NumericPhrase | undefined {
  const found = misspelt(tokens, at) ?? phraseAt(COMPARISONS, tokens, at);
  if (!found) return undefined;
  const inner = phraseAt(COMPARISONS, tokens, found.to);
  const isDoubled = inner !== undefined && (inner.value === found.value || found.words[0] === 'budget');
  const last = isDoubled ? inner : found;
  const amount = parseAmount(tokens, skipLinks(tokens, last.to));
  if (!amount) return undefined;
  const negation = negationOfThing(tokens, at);
  const refusal = phraseAt(REFUSALS, tokens, amount.to);
  const from = startOfNegation(tokens, at);
  const side = last.value;
  const isTurned = from < at || negation !== undefined || refusal !== undefined;
  const bound = isTurned && side !== 'near' ? (side === 'min' ? 'max' : 'min') : side;
  // `$25 at most` ends the clause that `around $25` would begin.
  const isAmbiguous = AMBIGUOUS_COMPARISONS.has(found.words.join(' ')) && !PRICE_WORDS.has(tokens[at - 1]?.text ?? '');
  const needsUnit = amount.isSpelled || 'isGuess' in found || isAmbiguous;
  const suffix = bound === 'near' ? undefined : phraseAt(SUFFIXES, tokens, amount.to);
  const to = refusal?.to ?? (suffix?.value === bound && suffix.words[0] !== 'plus' ? suffix.to : amount.to);
  const isClear = !('isGuess' in found) && !isOfSomethingElse(tokens, at) && !NEEDS_CURRENCY.has(found.words[0] ?? '');
  return { from, to, ...bounds(bound, amount.value), currency: amount.currency, needsUnit, isClear, negation };
}

/** `no lamps over 100 euros`, `keine Lampen über 100 Euro`: the tokens that refuse the lamps only beyond the amount. */
function negationOfThing(tokens: Token[], at: number): NumericPhrase['negation'] {
  for (let i = at - 1; i >= Math.max(0, at - MAX_NAMED); i -= 1) {
    const { text, kind, number } = tokens[i] ?? { text: '', kind: 'sign', number: undefined };
    if (kind !== 'word' || number !== undefined) return undefined;
    if (!NONE_OF.has(text) || i === at - 1) continue;
    const to = text === 'pas' && ['de', 'd'].includes(tokens[i + 1]?.text ?? '') ? i + 2 : i + 1;
    const before = tokens[i - 1];
    const isOwnClause = before === undefined || BEFORE_NONE.has(before.text);
    return isOwnClause && to < at ? { from: i, to } : undefined;
  }
  return undefined;
}

const NONE_OF = new Set('no keine keinen kein aucun aucune pas'.split(' '));
/** Where nothing else comes before it, the thing itself is refused: not in `knives but no pocket knives over 50 euros`. */
const BEFORE_NONE = new Set(['', 'please', 'bitte', '.', '!', '?']);
/** The most words between the negation and the comparison, the negation with them. */
const MAX_NAMED = 4;

/** Even in a sentence, what follows these is money only with its currency: `do you have 2 tents`, `des 20 ans`. */
const NEEDS_CURRENCY = new Set(
  'afford only get buy have got ive ai habe kann des sub beyond spend pay spending paying zahle innerhalb range'.split(
    ' ',
  ),
);

/** `a price of`, `up to a total of`: what may stand between a comparison and its amount. */
function skipLinks(tokens: Token[], at: number): number {
  let i = at;
  while (
    ['of', 'is', 'von', 'de', 'a', 'ca', 'the', 'der', 'les'].includes(tokens[i]?.text ?? '') &&
    tokens[i + 1]?.number !== undefined
  )
    i += 1;
  return i;
}

/** No negation reaches further. */
const MAX_NEGATION = 6;

/** The index at which a negation of the comparison begins, or that of the comparison if there is none. */
function startOfNegation(tokens: Token[], at: number): number {
  let i = at - 1;
  while (at - i < MAX_NEGATION && isWithinNegation(tokens[i])) i -= 1;
  const word = tokens[i]?.text ?? '';
  const isFurther = word === 'noch' && tokens.slice(0, i).some(({ text }) => text === 'weder');
  if (!NEGATIONS.has(word) && !isFurther) return at;
  return ['do', 'does', 'should', 'must', 'can', 'will'].includes(tokens[i - 1]?.text ?? '') ? i - 1 : i;
}

/** `does not cost more than`, `not a euro more than`. */
function isWithinNegation(token: Token | undefined): boolean {
  return token !== undefined && (BETWEEN_NEGATION_AND_COMPARISON.has(token.text) || token.text in CURRENCIES);
}
