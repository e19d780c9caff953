/** Limits on a measure in which variants differ: `a blade under 20 cm`, `at least 20 litres`, `20 litres or more`. */

import { measurementTerm } from '../words/normalize.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { type NumericPhrase, rangeAt } from './amounts.ts';
import { comparisonAt, NEGATIONS, OPPOSITE, type Side, tableOf } from './limits.ts';
import { isFree, type ParseState } from './parsed-query.ts';

export const COMPARED_SIZES = tableOf<Side>([
  ['min', 'larger'],
  ['max', 'smaller'],
]);
const SIZE_SUFFIXES = tableOf<Side>([
  ['min', 'larger_after'],
  ['max', 'smaller_after'],
]);
/** Names of units that rarely occur in values of products, with their signs. */
const UNIT_NAMES: Record<string, string> = {
  meter: 'm', metre: 'm', zentimeter: 'cm', centimetre: 'cm', centimeter: 'cm', millimeter: 'mm', millimetre: 'mm', litern: 'l',
  milliliter: 'ml', millilitre: 'ml', kilo: 'kg', kilogramm: 'kg', gramm: 'g', gramme: 'g', zoll: 'in', pouce: 'in',
}; // biome-ignore format: a table

export function addMeasures(state: ParseState): void {
  const { tokens, add } = state;
  for (let i = state.start; i < tokens.length; i += 1) {
    const phrase = comparedSize(tokens, i) ?? rangeAt(tokens, i) ?? comparisonAt(tokens, i);
    const unit = phrase && !phrase.currency ? unitAt(tokens, phrase.to) : undefined;
    const [number, own] = [tokens[i]?.number, unitAt(tokens, i + 1)];
    const suffix = number !== undefined && own ? phraseAt(SIZE_SUFFIXES, tokens, i + 2) : undefined;
    if (phrase && unit && isFree(state, phrase.from, phrase.to + 1)) {
      const { from, to, min, max } = phrase;
      add(from, to + 1, {
        kind: 'value',
        value: unit,
        ...(min !== undefined && { min }),
        ...(max !== undefined && { max }),
      });
      i = to;
    } else if (suffix && own && isFree(state, i, suffix.to)) {
      add(i, suffix.to, { kind: 'value', value: own, [suffix.value]: number });
      i = suffix.to - 1;
    }
  }
}

/** Parses a compared size: `no wider than 100 cm`. */
function comparedSize(tokens: Token[], at: number): NumericPhrase | undefined {
  const found = phraseAt(COMPARED_SIZES, tokens, at);
  const number = found && parseNumberAt(tokens, found.to);
  if (!number) return undefined;
  const isNegated = NEGATIONS.has(tokens[at - 1]?.text ?? '');
  const side = isNegated ? OPPOSITE[found.value] : found.value;
  return { from: isNegated ? at - 1 : at, to: number.to, [side]: number.value, isPrice: 'with a currency' };
}

/** The sign of the unit at this token. Excludes `in` because of `under 20 in stock`, and pounds, which may be money. */
function unitAt(tokens: Token[], at: number): string | undefined {
  const token = tokens[at];
  if (token?.kind !== 'word' || token.text === 'in') return undefined;
  const unit = UNIT_NAMES[token.term] ?? measurementTerm('1', token.term)?.slice(1);
  return unit === 'lb' ? undefined : unit;
}
