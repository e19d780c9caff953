import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { AMBIGUOUS_COMPARISONS, COMPARISONS, CURRENCIES } from './limit-words.ts';
import { COMPARED_SIZES } from './measures.ts';
import type { ParseState } from './parse-state.ts';
import { isOfSomethingElse } from './ranges.ts';

/**
 * Comparisons, currencies and negations of a sentence that nothing has read. They are told as not checked: dropped as words that
 * say nothing, a limit would be broken without a word.
 */
export function addUnread(state: ParseState): void {
  for (let i = state.start; i < state.tokens.length; i += 1) {
    if (state.consumed[i]) continue;
    const told = tellComparison(state, i) ?? tellCurrency(state, i) ?? tellNegation(state, i);
    if (told !== undefined) i = told - 1;
  }
}

/** `more than 3 pockets`, `under 20 smackers`: the number is searched for as well, for a value of the shop may be meant. */
function tellComparison(state: ParseState, at: number): number | undefined {
  const { tokens, consumed, addConstraint } = state;
  const found = phraseAt(COMPARISONS, tokens, at) ?? phraseAt(COMPARED_SIZES, tokens, at);
  if (!found || AMBIGUOUS_COMPARISONS.has(found.words.join(' ')) || consumed.slice(at, found.to).includes(true))
    return undefined;
  const number = parseNumberAt(tokens, found.to);
  if (!number) return tellDistant(state, at, found.to);
  if (consumed.slice(found.to, number.to).includes(true)) return undefined;
  const next = tokens[number.to];
  const counts = next?.kind === 'word' && !consumed[number.to] && !MONEY_OR_WEIGHT.has(next.text);
  const isOther = counts || isOfSomethingElse(tokens, at);
  const isOfPrice = next?.kind === 'word' && MONEY_OR_WEIGHT.has(next.text);
  addConstraint(at, counts || isOfPrice ? number.to + 1 : number.to, {
    kind: isOther ? 'value' : 'price',
    isUnread: true,
  });
  if (isOther) consumed.fill(false, found.to, counts ? number.to + 1 : number.to);
  return number.to;
}

/** So many words may stand between a comparison and its amount: `below what I paid, 20`. */
const MAX_BETWEEN = 3;

/** A comparison of which an amount ends the clause. */
function tellDistant({ tokens, consumed, addConstraint }: ParseState, at: number, from: number): number | undefined {
  for (let i = from + 1; i <= from + MAX_BETWEEN; i += 1) {
    if (consumed.slice(at, i + 1).includes(true) || tokens[i - 1]?.kind !== 'word') return undefined;
    const number = parseNumberAt(tokens, i);
    if (!number) continue;
    if ((tokens[number.to]?.kind ?? 'sign') !== 'sign') return undefined;
    addConstraint(at, number.to, { kind: 'price', isUnread: true });
    return number.to;
  }
  return undefined;
}

/** Of money where nothing is weighed (see `addMeasures`). */
export const MONEY_OR_WEIGHT = new Set(['pound', 'pounds', 'pfund', 'livre', 'livres']);
/** After these, a currency is that of the other amounts. */
const BEFORE_CURRENCY = new Set('in en currency wahrung devise monnaie'.split(' '));

/** `max_price 35, currency USD`, `prices in dollars`: the currency of the amounts that name none. */
export function takeCurrency({ tokens, start, consumed }: ParseState): string | undefined {
  const at = tokens.findIndex(
    ({ text }, i) => i >= start && !consumed[i] && text in CURRENCIES && BEFORE_CURRENCY.has(tokens[i - 1]?.text ?? ''),
  );
  if (at < 0) return undefined;
  consumed.fill(true, at - 1, at + 1);
  return CURRENCIES[tokens[at]?.text ?? ''];
}

/** `a handful of euros` */
function tellCurrency({ tokens, addConstraint }: ParseState, at: number): number | undefined {
  const { text = '', kind } = tokens[at] ?? {};
  if (kind !== 'word' || !(text in CURRENCIES)) return undefined;
  addConstraint(at, at + 1, { kind: 'price', isUnread: true });
  return at + 1;
}

const REFUSING = new Set(
  `no not without never none nor neither except excluding ohne nicht kein keine keinen keinem keiner keines nie niemals ausser sans pas sauf
  jamais ni aucun aucune`.split(/\s+/),
);

/** What is refused is not clear: `no!`, which answers something, is no refusal. */
function tellNegation({ tokens, addConstraint, vocabulary }: ParseState, at: number): number | undefined {
  const next = tokens[at + 1];
  if (!REFUSING.has(tokens[at]?.text ?? '') || !isWord(next)) return undefined;
  // `no show socks`
  if (vocabulary.names.has(`${tokens[at]?.text} ${next?.text}`)) return undefined;
  addConstraint(at, at + 2, { kind: 'without', isUnread: true });
  return at + 2;
}

function isWord(token: Token | undefined): boolean {
  return token?.kind === 'word';
}
