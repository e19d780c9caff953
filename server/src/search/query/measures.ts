import { measurementTerm } from '../words/normalize.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { isMoneyInPounds } from './amounts.ts';
import { parseComparison } from './comparisons.ts';
import { COMPARISONS, type Side, SUFFIXES } from './limit-words.ts';
import type { ParseState } from './parse-state.ts';
import { type NumericPhrase, parseRange } from './ranges.ts';

/** Limits on a measure, which variants are told apart by: `a blade under 20 cm`, `at least 20 litres`. */

export const COMPARED_SIZES = phraseTable<Side>([
  [
    'min',
    `bigger than, larger than, longer than, wider than, taller than, heavier than, deeper than, higher than, großer als, grosser als, langer als, breiter als, hoher als, schwerer als, tiefer als,
    plus grand que, plus grande que, plus long que, plus longue que, plus large que, plus haut que, plus haute que, plus lourd que`,
  ],
  [
    'max',
    `smaller than, shorter than, narrower than, lighter than, lower than, kleiner als, kurzer als, schmaler als, leichter als, niedriger als, plus petit que, plus petite que,
    plus court que, plus courte que, plus etroit que, plus leger que`,
  ],
]);
/** After a measure: `24 cm or larger`. */
const SIZE_SUFFIXES = phraseTable<Side>([
  [
    'min',
    `or larger, or bigger, or longer, or wider, or taller, or heavier, or deeper, oder großer, oder grosser, oder langer, oder breiter, oder hoher,
    oder schwerer, ou plus grand, ou plus grande, ou plus long, ou plus longue, ou plus large, ou plus haut`,
  ],
  [
    'max',
    `or smaller, or shorter, or narrower, or lighter, oder kleiner, oder kurzer, oder schmaler, oder leichter, ou plus petit, ou plus petite,
    ou plus court, ou plus courte, ou plus leger`,
  ],
]);
/** Spelled out in the languages, of which the units of values know only some. */
const UNIT_NAMES: Record<string, string> = {
  meter: 'm', metern: 'm', metre: 'm', zentimeter: 'cm', zentimetern: 'cm', centimetre: 'cm', centimeter: 'cm', millimeter: 'mm',
  millimetern: 'mm', millimetre: 'mm', litern: 'l', milliliter: 'ml', millilitern: 'ml', millilitre: 'ml', kilo: 'kg', kilogram: 'kg',
  kilogramme: 'kg', kilogramm: 'kg', gramm: 'g', gramme: 'g', zoll: 'in', pouce: 'in',
}; // biome-ignore format: a table
const NEGATED = new Set(['no', 'not', 'nicht', 'pas']);

/** `no wider than 100 cm` */
function comparedSize(tokens: Token[], at: number): NumericPhrase | undefined {
  const found = phraseAt(COMPARED_SIZES, tokens, at);
  const number = found && parseNumberAt(tokens, found.to);
  if (!number) return undefined;
  const isNegated = NEGATED.has(tokens[at - 1]?.text ?? '');
  const side = isNegated ? (found.value === 'min' ? 'max' : 'min') : found.value;
  return { from: isNegated ? at - 1 : at, to: number.to, [side]: number.value, needsUnit: true };
}

export function addMeasures({ tokens, start, consumed, addConstraint }: ParseState): void {
  for (let i = start; i < tokens.length; i += 1) {
    const phrase = consumed[i]
      ? undefined
      : (comparedSize(tokens, i) ?? parseRange(tokens, i) ?? parseComparison(tokens, i));
    if (phrase && !phrase.currency) {
      const unit = isMoneyInPounds(tokens, phrase.to) ? undefined : unitAt(tokens, phrase.to);
      const { from, min, max } = phrase;
      if (unit === undefined || (min === undefined && max === undefined)) continue;
      addConstraint(from, phrase.to + 1, {
        kind: 'value',
        value: unit,
        ...(min !== undefined && { min }),
        ...(max !== undefined && { max }),
      });
      i = phrase.to;
      continue;
    }
    const joined = consumed[i] ? undefined : joinedMeasure(tokens, i);
    if (joined) {
      addConstraint(i, joined.to, { kind: 'value', value: joined.unit, [joined.side]: joined.number });
      i = joined.to - 1;
      continue;
    }
    // `20 litres or more`
    const [number, unit] = [tokens[i]?.number, unitAt(tokens, i + 1)];
    const suffix =
      number !== undefined && unit !== undefined
        ? (phraseAt(SUFFIXES, tokens, i + 2) ?? phraseAt(SIZE_SUFFIXES, tokens, i + 2))
        : undefined;
    if (suffix && (suffix.value === 'min' || suffix.value === 'max') && !consumed[i])
      addConstraint(i, suffix.to, { kind: 'value', value: unit as string, [suffix.value]: number });
  }
}

/** `under 20cm` */
function joinedMeasure(tokens: Token[], at: number) {
  const found = phraseAt(COMPARED_SIZES, tokens, at) ?? phraseAt(COMPARISONS, tokens, at);
  const [, digits, unit] = (found && /^(\d+(?:[.,]\d+)?)(mm|cm|m|ml|l|g|kg)$/.exec(tokens[found.to]?.text ?? '')) ?? [];
  if (!found || !unit || (found.value !== 'min' && found.value !== 'max')) return undefined;
  return { side: found.value, number: Number(digits?.replace(',', '.')), unit, to: found.to + 1 };
}

/** The sign of a unit; not of inches, of which `under 20 in stock` speaks as well. */
function unitAt(tokens: Token[], at: number): string | undefined {
  const token = tokens[at];
  if (token?.kind !== 'word') return undefined;
  const unit = UNIT_NAMES[token.term] ?? measurementTerm('1', token.term)?.slice(1);
  return unit === 'in' && token?.text === 'in' ? undefined : unit;
}
