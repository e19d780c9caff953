import { measurementTerm } from '../words/normalize.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { parseComparison } from './comparisons.ts';
import { COMPARISONS, type Side, SUFFIXES } from './limit-words.ts';
import type { ParseState } from './parse-state.ts';
import { type NumericPhrase, parseRange } from './ranges.ts';

/** Limits on a measure, which variants are told apart by: `a blade under 20 cm`, `at least 20 litres`. */

const COMPARED = phraseTable<Side>([
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
const NEGATED = new Set(['no', 'not', 'nicht', 'pas']);

/** `no wider than 100 cm` */
function comparedSize(tokens: Token[], at: number): NumericPhrase | undefined {
  const found = phraseAt(COMPARED, tokens, at);
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
      const unit = unitAt(tokens, phrase.to);
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
    const suffix = number !== undefined && unit !== undefined ? phraseAt(SUFFIXES, tokens, i + 2) : undefined;
    if (suffix && suffix.value !== 'near' && !consumed[i])
      addConstraint(i, suffix.to, { kind: 'value', value: unit as string, [suffix.value]: number });
  }
}

/** `under 20cm` */
function joinedMeasure(tokens: Token[], at: number) {
  const found = phraseAt(COMPARED, tokens, at) ?? phraseAt(COMPARISONS, tokens, at);
  const [, digits, unit] = (found && /^(\d+(?:[.,]\d+)?)(mm|cm|m|ml|l|g|kg)$/.exec(tokens[found.to]?.text ?? '')) ?? [];
  if (!found || !unit || found.value === 'near') return undefined;
  return { side: found.value, number: Number(digits?.replace(',', '.')), unit, to: found.to + 1 };
}

/** The sign of a unit; not of inches, of which `under 20 in stock` speaks as well. */
function unitAt(tokens: Token[], at: number): string | undefined {
  const token = tokens[at];
  const unit = token?.kind === 'word' ? measurementTerm('1', token.term)?.slice(1) : undefined;
  return unit === 'in' && token?.text === 'in' ? undefined : unit;
}
