/** Removes words that only turn a query into a sentence, and the punctuation and labels of `{item: mug}`. */

import { list, wordSet } from '../words/lists.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import { isSizeLabel } from '../words/sizes.ts';
import type { Token } from '../words/tokens.ts';
import { CURRENCIES } from './amounts.ts';
import { isFree, type ParseState } from './parsed-query.ts';

const OPENINGS = phraseTable([['opening', list('openings')]]);
/** Openings that may also be the start of a product name: `order pad`, `find my phone tag`. */
const AMBIGUOUS_OPENINGS = new Set('order buy add get purchase find search recommend hi hello'.split(' '));
const ARTICLES = new Set('a an some any the me'.split(' '));

/** The index of the first token after an opening such as `I am looking for a`. */
export function endOfOpening(tokens: Token[]): number {
  let at = 0;
  for (;;) {
    const opening = phraseAt(OPENINGS, tokens, at);
    if (!opening) break;
    const isRequest = ARTICLES.has(tokens[opening.to]?.text ?? '') || parseNumberAt(tokens, opening.to) !== undefined;
    if (AMBIGUOUS_OPENINGS.has(opening.words.join(' ')) && !isRequest) break;
    at = opening.to;
  }
  while (at > 0 && ARTICLES.has(tokens[at]?.text ?? '')) at += 1;
  return at;
}

const LABELS = wordSet('labels');
/** Labels that are kept before a colon, because they give an amount its meaning. */
const NAME_AMOUNTS = new Set(['max', 'maximum', 'price']);
const QUOTES = new Set('" _ { } ( ) [ ] : = “ ” „ « »'.split(' '));
const ABBREVIATIONS = new Set('max min ca approx'.split(' '));

/** Removes the punctuation of `{item: mug, max_price: 20}`, and words that only label the next one. */
export function withoutLabels(tokens: Token[]): Token[] {
  return tokens.flatMap((token, i) => {
    const [before, next] = [tokens[i - 1]?.text ?? '', tokens[tokens[i + 1]?.text === '"' ? i + 2 : i + 1]?.text ?? ''];
    if (token.text === '.' && ABBREVIATIONS.has(before)) return [];
    if (token.text === '=' && ['<', '>', '!'].includes(before)) return [token];
    // `max 45: cushion`: a colon after an amount ends a clause.
    const endsAmount = tokens[i - 1]?.number !== undefined || before in CURRENCIES;
    if (token.text === ':' && endsAmount) return [{ ...token, text: ',', term: ',' }];
    const isLabel = LABELS.has(token.text) && [':', '='].includes(next) && !NAME_AMOUNTS.has(token.text);
    return QUOTES.has(token.text) || isLabel ? [] : [token];
  });
}

const CONNECTING = wordSet('connecting');

/**
 * Drops words and signs that only connect a constraint with the sentence: those directly before or after the
 * constraint, and further ones next to these.
 */
export function dropConnectingWords({ tokens, start, taken }: ParseState): void {
  const isConnecting = (i: number) => tokens[i]?.kind === 'sign' || CONNECTING.has(tokens[i]?.text ?? '');
  for (let i = tokens.length - 1; i >= start; i -= 1) if (!taken[i] && taken[i + 1] && isConnecting(i)) taken[i] = true;
  for (let i = start + 1; i < tokens.length; i += 1) if (!taken[i] && taken[i - 1] && isConnecting(i)) taken[i] = true;
}

/** Drops pronouns, auxiliaries and greetings. */
export function dropFillers({ tokens, start, taken, isIdle }: ParseState): void {
  for (let i = start; i < tokens.length; i += 1) {
    if (taken[i] || isThing(tokens, i, isIdle) || isSizeLabel(tokens, i - 1)) continue;
    if (isIdle(tokens[i]) || isOwnCart(tokens, i)) taken[i] = true;
  }
}

/** Whether a token that looks like a filler belongs to a product: the `t` of `t-shirt`, the can of `a watering can`. */
function isThing(tokens: Token[], at: number, isIdle: ParseState['isIdle']): boolean {
  const [before, token, next, second] = [tokens[at - 1], tokens[at], tokens[at + 1], tokens[at + 2]];
  if (token?.text.length === 1 && next?.text === '-') return second?.kind === 'word' && !isIdle(second);
  const isEnd = next?.kind !== 'word' || ['and', 'or', 'in', 'for', 'with', 'of'].includes(next.text);
  return token?.text === 'can' && before?.kind === 'word' && !isIdle(before) && isEnd;
}

/** Whether a token is the shopper's own cart, as in `to my basket`; `a basket` is a product. */
function isOwnCart(tokens: Token[], at: number): boolean {
  const [preposition, article] = [tokens[at - 2]?.text ?? '', tokens[at - 1]?.text ?? ''];
  const isOwn = article === 'my' || (article === 'the' && ['to', 'into'].includes(preposition));
  return (
    isOwn && ['to', 'in', 'into'].includes(preposition) && ['cart', 'basket', 'bag'].includes(tokens[at]?.text ?? '')
  );
}

const RESULTS = wordSet('results');
const BEST = new Set('top best first besten ersten premiers'.split(' '));

/** Drops the number of wanted results, which is not a quantity: `the top 3`, `3 options for a lamp`. */
export function dropResultCounts(state: ParseState): void {
  const { tokens, taken } = state;
  for (let i = state.start; i < tokens.length; i += 1) {
    const isBest = BEST.has(tokens[i]?.text ?? '') && tokens[i + 1]?.number !== undefined;
    const number = isBest ? undefined : parseNumberAt(tokens, i);
    const to = isBest ? i + 2 : number && RESULTS.has(tokens[number.to]?.text ?? '') ? number.to + 1 : i;
    if (to > i && isFree(state, i, to)) taken.fill(true, i, to);
  }
}
