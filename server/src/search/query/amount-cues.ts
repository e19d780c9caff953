import type { Token } from '../words/tokens.ts';
import type { Side } from './limit-words.ts';

/** An amount that no phrase of comparison precedes or follows, read by the other words of its clause: `my max for a bench is 40`. */

const CUES: Record<Side, ReadonlySet<string>> = {
  max: new Set(
    `max maximum maximal maximale maximally most limit limits ceiling cap budget wallet pocket purse afford spend spending tops bound roof drin
    hochstens hochste hochstbetrag hochstpreis obergrenze grenze schmerzgrenze preisgrenze hatte ausgeben portemonnaie limite plafond
    maxi dispose portefeuille bekomme`.split(/\s+/),
  ),
  min: new Set('min minimum minimal minimale least mindestens mindestpreis wenigstens'.split(' ')),
};
/** So many words of a clause are looked at before and after an amount. */
const REACH = { before: 8, after: 5 };

/** Which side of the amount is wanted, by the words of its clause; undefined where they say nothing, or both. */
export function sideByCues(tokens: Token[], from: number, to: number): Side | undefined {
  const clause = [...wordsBefore(tokens, from), ...wordsAfter(tokens, to)];
  const [isMax, isMin] = [clause.some((word) => CUES.max.has(word)), clause.some((word) => CUES.min.has(word))];
  if (isMax === isMin) return undefined;
  return isMax ? 'max' : 'min';
}

function wordsBefore(tokens: Token[], from: number): string[] {
  return clauseOf(tokens.slice(Math.max(0, from - REACH.before), from).reverse());
}

function wordsAfter(tokens: Token[], to: number): string[] {
  return clauseOf(tokens.slice(to, to + REACH.after));
}

/** Up to the end of the clause, or another number, of which the words may be. */
function clauseOf(tokens: Token[]): string[] {
  const end = tokens.findIndex(({ kind, number, text }) => number !== undefined || (kind === 'sign' && text !== '-'));
  return (end < 0 ? tokens : tokens.slice(0, end)).map(({ text }) => text);
}
