import { isJoining, measure } from '../words/normalize.ts';
import { type NumberRead, numberAt } from '../words/number-words.ts';
import type { Token } from '../words/tokens.ts';

/** How many pieces a sentence asks for. */

export interface QuantityRead {
  value: number;
  from: number;
  to: number;
  /** Where only the sense of the words tells that it is no part of a name: the words that such a name would have. */
  name?: string;
}

const MOST = 999;
/** Without `I need` before it, a greater number is rather a model: `501 jeans`. */
const MOST_ALONE = 24;
const ARTICLES = new Set(['a', 'an', 'the', 'one']);
const COUNTED = new Set('x × pieces pcs units pairs'.split(' '));
/** These count only with `of`: `one piece of`, but `3 piece suite`. */
const COUNTED_OF = new Set('piece pair unit'.split(' '));
/** What hangs on a number within a name: `4 person tents`, `2 pin plugs`. */
const HANGING = new Set(
  `person man people tier seater ply pack piece pair way pin speed door drawer burner player port slot string wheel year
  month week day hour minute gallon quart pint yard mile panel light bulb layer blade cup hole ring size star point`.split(
    /\s+/,
  ),
);

export function quantityIn(tokens: Token[], opened: number): QuantityRead | undefined {
  return pairAt(tokens, opened) ?? leading(tokens, opened) ?? announced(tokens, opened) ?? trailing(tokens, opened);
}

/** `a pair of socks` is one piece. */
function pairAt(tokens: Token[], opened: number): QuantityRead | undefined {
  const pair = ARTICLES.has(tokens[opened]?.text ?? '') ? opened + 1 : opened;
  const isPair = tokens[pair]?.text === 'pair' && tokens[pair + 1]?.text === 'of';
  return isPair ? { value: 1, from: opened, to: pair + 2 } : undefined;
}

/** `2 x mug`, `5 pieces of`, `2 oat mugs`, `I need two blue mugs`. */
function leading(tokens: Token[], opened: number): QuantityRead | undefined {
  const number = numberAt(tokens, opened);
  const next = number && tokens[number.to];
  if (!next || !isCount(number, MOST)) return undefined;
  const of = tokens[number.to + 1]?.text === 'of';
  if (COUNTED.has(next.text) || (of && COUNTED_OF.has(next.text))) {
    return { value: number.value, from: opened, to: number.to + (of ? 2 : 1) };
  }
  if (opened === 0 && !isCount(number, MOST_ALONE)) return undefined;
  const digits = tokens[opened]?.text ?? '';
  if (HANGING.has(next.term) || measure(digits, next.term) || !isPluralSoon(tokens, number.to)) return undefined;
  return { value: number.value, from: opened, to: number.to, name: `${tokens[number.to - 1]?.text} ${next.text}` };
}

/** `quantity: 2`. */
function announced(tokens: Token[], opened: number): QuantityRead | undefined {
  const at = tokens.findIndex(({ text }, i) => i >= opened && (text === 'quantity' || text === 'qty'));
  if (at < 0) return undefined;
  const number = numberAt(tokens, tokens[at + 1]?.kind === 'sign' ? at + 2 : at + 1);
  return number && isCount(number, MOST) ? { value: number.value, from: at, to: number.to } : undefined;
}

/** `mug in oat, 2 pieces`, `mug x 2`. */
function trailing(tokens: Token[], opened: number): QuantityRead | undefined {
  for (let at = opened + 1; at < tokens.length; at += 1) {
    const isTimes = ['x', '×'].includes(tokens[at]?.text ?? '') && tokens[at - 1]?.number === undefined;
    const number = numberAt(tokens, isTimes ? at + 1 : at);
    if (!number || !isCount(number, MOST_ALONE)) continue;
    const unit = tokens[number.to];
    const isUnit =
      !isTimes && unit !== undefined && unit.kind === 'word' && COUNTED.has(unit.text) && unit.text !== 'x';
    const to = isUnit ? number.to + 1 : number.to;
    if ((!isTimes && !isUnit) || !isEnd(tokens[to])) continue;
    return { value: number.value, from: at, to, ...(isUnit && { name: `${tokens[at]?.text} ${unit.text}` }) };
  }
  return undefined;
}

function isCount({ value }: NumberRead, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

function isEnd(token: Token | undefined): boolean {
  return !token || [',', '.', ';', '!', '?', 'please'].includes(token.text);
}

/** Whether a plural ends the next few words, before anything joins or counts them. */
function isPluralSoon(tokens: Token[], from: number): boolean {
  for (const { kind, text, term, number } of tokens.slice(from, from + 3)) {
    if (kind !== 'word' || number !== undefined || isJoining(term)) return false;
    if (text !== term) return true;
  }
  return false;
}
