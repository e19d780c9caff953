import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { parseAmount } from './amounts.ts';
import { FILLERS } from './fillers.ts';
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
import { isOfSomethingElse, type NumericPhrase, parseRange } from './ranges.ts';

/** Amounts that are compared: `under $50`, and those that a negation turns. */

/** How far from the amount a price may be that is said to be near it. */
const NEARNESS = 0.25;

/** The limits of an amount that is compared so. */
export function bounds(comparison: Comparison, value: number): { min?: number; max?: number } {
  if (comparison === 'exact') return { min: value, max: value };
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
  const first = skipLinks(tokens, last.to);
  // `budget: EUR 20-40`
  const range = parseRange(tokens, first);
  if (range) return { ...range, from: at, isClear: !isOfSomethingElse(tokens, at) };
  const amount = parseAmount(tokens, first);
  if (!amount) return undefined;
  const negation = negationOfThing(tokens, at);
  const refusal = refusalAfter(tokens, amount.to);
  const from = startOfNegation(tokens, at);
  const side = last.value;
  const isTurned = from < at || negation !== undefined || refusal !== undefined;
  const bound = isTurned && (side === 'min' || side === 'max') ? OPPOSITE[side] : side;
  // `$25 at most` ends the clause that `around $25` would begin.
  const isAmbiguous = AMBIGUOUS_COMPARISONS.has(found.words.join(' ')) && !PRICE_WORDS.has(tokens[at - 1]?.text ?? '');
  const needsUnit = amount.isSpelled || 'isGuess' in found || isAmbiguous;
  const suffix = bound === 'near' ? undefined : phraseAt(SUFFIXES, tokens, amount.to);
  const to = refusal?.to ?? (suffix?.value === bound && suffix.words[0] !== 'plus' ? suffix.to : amount.to);
  const isClear = !('isGuess' in found) && !isOfSomethingElse(tokens, at) && !isUnclear(tokens, at, found.words, to);
  return { from, to, ...bounds(bound, amount.value), currency: amount.currency, needsUnit, isClear, negation };
}

const OPPOSITE = { min: 'max', max: 'min' } as const;

/** `no lamps over 100 euros`, `keine Lampen über 100 Euro`: the tokens that refuse the lamps only beyond the amount. */
function negationOfThing(tokens: Token[], at: number): NumericPhrase['negation'] {
  for (let i = at - 1; i >= Math.max(0, at - MAX_NAMED); i -= 1) {
    const { text, kind, number } = tokens[i] ?? { text: '', kind: 'sign', number: undefined };
    // `keine Lampen, die mehr als 100 Euro kosten`
    if (text === ',' && RELATIVES.has(tokens[i + 1]?.text ?? '')) continue;
    if (kind !== 'word' || number !== undefined) return undefined;
    if (!NONE_OF.has(text) || i === at - 1) continue;
    const to = text === 'pas' && ['de', 'd'].includes(tokens[i + 1]?.text ?? '') ? i + 2 : i + 1;
    const before = tokens[i - 1];
    const isOwnClause = before === undefined || BEFORE_NONE.has(before.text);
    return isOwnClause && to < at ? { from: i, to } : undefined;
  }
  return undefined;
}

const RELATIVES = new Set('die der das welche welcher welches deren dessen that which whose qui dont'.split(' '));
const NONE_OF = new Set('no kein keine keinen kein aucun aucune pas'.split(' '));
/** Where nothing else comes before it, the thing itself is refused: not in `knives but no pocket knives over 50 euros`. */
const BEFORE_NONE = new Set(['', 'please', 'bitte', '.', '!', '?']);
/** The most words between the negation and the comparison, the negation with them. */
const MAX_NAMED = 6;

/** Even in a sentence, what follows these is money only with its currency: `do you have 2 tents`, `des 20 ans`. */
const NEEDS_CURRENCY = new Set(
  'darf hab afford only get buy have got ive ai habe kann des sub past spend pay spending paying zahle innerhalb range um'.split(
    ' ',
  ),
);
/** These say what somebody has or pays, where the number ends the clause: `I have 40`, and no `do you have 2?`. */
const OF_MONEY = new Set('darf hab afford only have got ive ai habe spend pay spending paying zahle nur'.split(' '));

function isUnclear(tokens: Token[], at: number, [word = '']: string[], to: number): boolean {
  if (!NEEDS_CURRENCY.has(word)) return false;
  const next = tokens[to];
  const isEnd =
    !next ||
    (next.kind === 'sign' && next.text !== '-') ||
    ['for', 'fur', 'pour', 'to', 'left', 'ubrig', 'kosten'].includes(next.text);
  const isOwn = tokens
    .slice(Math.max(0, at - 2), at + 1)
    .some(({ text }) => ['i', 'ive', 'we', 'ich', 'j', 'ai', 'wir'].includes(text));
  return !(OF_MONEY.has(word) && isEnd && isOwn);
}

/** `a price of`, `up to a total of`: what may stand between a comparison and its amount. */
function skipLinks(tokens: Token[], at: number): number {
  let i = at;
  while (
    ['of', 'is', 'von', 'de', 'a', 'ca', 'the', 'der', 'les'].includes(tokens[i]?.text ?? '') &&
    parseNumberAt(tokens, i + 1) !== undefined
  )
    i += 1;
  return i;
}

/** No negation reaches further. */
const MAX_NEGATION = 8;

/** The index at which a negation of the comparison begins, or that of the comparison if there is none. */
function startOfNegation(tokens: Token[], at: number): number {
  let i = at - 1;
  while (at - i < MAX_NEGATION && !isNegation(tokens, i) && (isWithinNegation(tokens[i]) || isRelative(tokens, i)))
    i -= 1;
  if (!isNegation(tokens, i)) return at;
  const before = tokens[i - 1]?.text ?? '';
  return ['do', 'does', 'should', 'must', 'can', 'will', 'would', 'could', 'leave', 'auf'].includes(before) ? i - 1 : i;
}

function isNegation(tokens: Token[], at: number): boolean {
  const word = tokens[at]?.text ?? '';
  // The French `dont le prix`.
  if (word === 'dont' && ['le', 'la', 'les', 'l'].includes(tokens[at + 1]?.text ?? '')) return false;
  const isFurther = word === 'noch' && tokens.slice(0, at).some(({ text }) => text === 'weder');
  return (
    NEGATIONS.has(word) || isFurther || (word === 'out' && ['leave', 'leaving'].includes(tokens[at - 1]?.text ?? ''))
  );
}

/** These begin another part of the sentence, of which a negation before them says nothing. */
const ENDS_NEGATION = new Set(
  'and or but with for und oder aber mit fur et ou mais avec pour than as then if when who'.split(' '),
);

/** `does not cost more than`, `not a euro more than`, `I would never dream of paying more than`: nothing that names a thing. */
function isWithinNegation(token: Token | undefined): boolean {
  if (!token || token.kind === 'sign') return token !== undefined && token.text in CURRENCIES;
  const { text } = token;
  if (BETWEEN_NEGATION_AND_COMPARISON.has(text) || text in CURRENCIES) return true;
  return !ENDS_NEGATION.has(text) && Object.values(FILLERS).some((fillers) => fillers.has(text));
}

/** `nichts, was mehr als 35 Euro kostet`: the comma before what says more of it. */
function isRelative(tokens: Token[], at: number): boolean {
  const next = tokens[at + 1]?.text ?? '';
  return tokens[at]?.text === ',' && (RELATIVES.has(next) || next === 'was');
}

/** What refuses an amount after it may follow some words that say nothing themselves: `mehr als 50 will ich dafür nicht hinlegen`. */
const MAX_BEFORE_REFUSAL = 5;

/** The refusal of what lies beyond an amount, if the clause goes on with one: `over 50 is way too much`. */
function refusalAfter(tokens: Token[], at: number): { to: number } | undefined {
  for (let i = at; i < at + MAX_BEFORE_REFUSAL; i += 1) {
    const found = phraseAt(REFUSALS, tokens, i);
    if (found) return found;
    const word = tokens[i]?.text ?? '';
    // `lass alles über 50 Euro weg`, and no `über 50 Euro aus Holz`
    if (REFUSING_PARTICLES.has(word) && (tokens[i + 1]?.kind ?? 'sign') === 'sign') return { to: i + 1 };
    if (i > at && ['nicht', 'nichts', 'nix'].includes(word)) return { to: endOfClause(tokens, i + 1) };
    if (!isWithinNegation(tokens[i])) return undefined;
  }
  return undefined;
}

const REFUSING_PARTICLES = new Set(['weg', 'aus', 'raus', 'out', 'away', 'ausblenden', 'weglassen']);
/** After a refusal, verbs alone: `nicht hinlegen`. */
const MAX_VERBS = 2;

function endOfClause(tokens: Token[], at: number): number {
  const rest = tokens.slice(at, at + MAX_VERBS + 1);
  const end = rest.findIndex(({ kind }) => kind === 'sign');
  if (end >= 0) return at + end;
  return rest.length <= MAX_VERBS ? at + rest.length : at;
}
