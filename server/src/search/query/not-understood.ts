/**
 * Reports phrases that the parser does not understand. If they were dropped as fillers, a limit could be ignored
 * silently.
 */

import { list, wordSet } from '../words/lists.ts';
import { parseNumberAt } from '../words/number-words.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { CURRENCIES } from './amounts.ts';
import { COMPARISONS, NEED_CURRENCY } from './limits.ts';
import { COMPARED_SIZES } from './measures.ts';
import { isFree, type ParseState } from './parsed-query.ts';

const AGE = phraseTable([['age', list('age')]]);
const BEFORE_AGE = wordSet('before_age');

/** Reports ages, about which most shops have no data: `7 year old`, `aged 7`, `7-jährige`. */
export function reportAges(state: ParseState): void {
  const { tokens, add } = state;
  for (let i = state.start; i < tokens.length; i += 1) {
    const number = parseNumberAt(tokens, i);
    if (!number) continue;
    const unit = phraseAt(AGE, tokens, tokens[number.to]?.text === '-' ? number.to + 1 : number.to);
    const from = BEFORE_AGE.has(tokens[i - 1]?.text ?? '') ? i - 1 : i;
    const to = unit?.to ?? (from < i ? number.to : undefined);
    if (to !== undefined && isFree(state, from, to)) add(from, to, { kind: 'word', isUnread: true });
  }
}

/** Reports comparisons, currencies and negations that no other pass has understood. */
export function reportUnread(state: ParseState): void {
  for (let i = state.start; i < state.tokens.length; i += 1) {
    if (!state.taken[i])
      i = Math.max(i, (reportComparison(state, i) ?? reportCurrency(state, i) ?? reportNegation(state, i) ?? 0) - 1);
  }
}

/** Units that may mean money or weight. */
const MONEY_OR_WEIGHT = new Set(['pound', 'pounds', 'pfund', 'livres', 'cent', 'cents']);

/**
 * Reports a comparison such as `more than 3 pockets` or `under 20 pounds`. If a noun follows, as in the first example,
 * the search still looks for the number and the noun, because they may be a value of the shop.
 */
function reportComparison(state: ParseState, at: number): number | undefined {
  const { tokens, taken, add } = state;
  const found = phraseAt(COMPARISONS, tokens, at) ?? phraseAt(COMPARED_SIZES, tokens, at);
  if (!found || !isFree(state, at, found.to)) return undefined;
  const number = parseNumberAt(tokens, found.to);
  if (!number || !isFree(state, found.to, number.to)) return reportVague(state, at, found.to);
  if (NEED_CURRENCY.has(found.words.join(' '))) return undefined;
  const next = tokens[number.to];
  const isMoney = MONEY_OR_WEIGHT.has(next?.text ?? '');
  const counts = next?.kind === 'word' && !taken[number.to] && !isMoney;
  const to = counts || isMoney ? number.to + 1 : number.to;
  add(at, to, { kind: counts ? 'value' : 'price', isUnread: true });
  if (counts) taken.fill(false, found.to, to);
  return number.to;
}

const COMPARATIVES = /^(?:cheaper|less|more|under|below|over|above|gunstiger|billiger|teurer|moins|plus)$/;
const VAGUE = /^(?:that|this|it|price|amount|what|usual|average|das|preis|cela|prix)$/;

/** Reports a comparison with an amount that the sentence does not name: `around that price`, `under what I paid`. */
function reportVague({ tokens, add, taken }: ParseState, at: number, from: number): number | undefined {
  const end = tokens.findIndex((token, i) => i >= from && (taken[i] || token.kind === 'sign'));
  const clause = tokens.slice(from, end < 0 ? from + 4 : Math.min(end, from + 4));
  if (!COMPARATIVES.test(tokens[at]?.text ?? '') && !clause.some(({ text }) => /price|preis|prix/.test(text)))
    return undefined;
  if (!VAGUE.test(clause[0]?.text ?? '') && !VAGUE.test(clause[1]?.text ?? '')) return undefined;
  add(at, from + clause.length, { kind: 'price', isUnread: true });
  return from + clause.length;
}

/** Reports a currency without a number: `a handful of euros`. */
function reportCurrency({ tokens, add }: ParseState, at: number): number | undefined {
  const { text = '', kind } = tokens[at] ?? {};
  if (kind !== 'word' || !(text in CURRENCIES)) return undefined;
  add(at, at + 1, { kind: 'price', isUnread: true });
  return at + 1;
}

const REFUSING = wordSet('refusing');

/** Reports an exclusion whose object is unclear. A mere `no!` as an answer is not an exclusion. */
function reportNegation({ tokens, add, vocabulary }: ParseState, at: number): number | undefined {
  const [text, next] = [tokens[at]?.text ?? '', tokens[at + 1]];
  // `no show` of `no show socks` is not a negation if a product name contains it.
  if (!REFUSING.has(text) || next?.kind !== 'word' || vocabulary.names.has(`${text} ${next.text}`)) return undefined;
  add(at, at + 2, { kind: 'without', isUnread: true });
  return at + 2;
}

/** Words for people and occasions, about which most shops have no data. */
const PEOPLE = wordSet('people', 'occasions');

export function namesPeopleOrOccasion({ text, term }: Token): boolean {
  return PEOPLE.has(text) || PEOPLE.has(term);
}
