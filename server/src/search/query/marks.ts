/** Finds fixed phrases about availability, reduced prices, sort order and preferences. */

import { type ListName, list } from '../words/lists.ts';
import { type PhraseTable, phraseAt, phraseTable } from '../words/phrases.ts';
import type { Token } from '../words/tokens.ts';
import { isFree, type ParseState } from './parsed-query.ts';

interface Mark {
  kind: 'in_stock' | 'wish' | 'sort' | 'value';
  value: string;
}

/** The value of the constraint for reduced prices. */
export const ON_SALE = 'on_sale';

const KINDS: [Mark, ListName, ListName?][] = [
  [{ kind: 'in_stock', value: 'true' }, 'in_stock', 'more_in_stock'],
  [{ kind: 'sort', value: 'price_asc' }, 'price_asc', 'more_price_asc'],
  [{ kind: 'sort', value: 'price_desc' }, 'price_desc', 'more_price_desc'],
  [{ kind: 'sort', value: 'newest' }, 'newest'],
  [{ kind: 'sort', value: 'best_selling' }, 'best_selling'],
  [{ kind: 'wish', value: 'low_price' }, 'low_price', 'more_low_price'],
  [{ kind: 'wish', value: 'high_price' }, 'high_price'],
  [{ kind: 'wish', value: 'rating' }, 'rating'],
  [{ kind: 'wish', value: 'popular' }, 'popular'],
];
/** The phrases that are used in a search field: only English ones that rarely occur in product names. */
const OF_KEYWORDS = phraseTable(KINDS.map(([mark, certain]): [Mark, string[]] => [mark, list(certain, ['en'])]));
const OF_SENTENCES = phraseTable([
  ...KINDS.map(([mark, ...lists]): [Mark, string[]] => [mark, lists.flatMap((each) => (each ? list(each) : []))]),
  [{ kind: 'value', value: ON_SALE }, list('on_sale')],
  [{ kind: 'wish', value: 'largest' }, list('largest')],
  [{ kind: 'wish', value: 'smallest' }, list('smallest')],
] satisfies [Mark, string[]][] as [Mark, string[]][]);

const SOLD_OUT = phraseTable([['sold out', list('sold_out')]]);
const REFUSING = new Set('no not nothing without hide exclude skip nicht nichts keine ohne pas sans rien'.split(' '));
const BETWEEN = new Set('the any that which is are anything everything was ist sind qui soit de en'.split(' '));
const MAX_BETWEEN = 4;

export function addMarks(state: ParseState): void {
  const { tokens, add, isSentence } = state;
  const table: PhraseTable<Mark> = isSentence ? OF_SENTENCES : OF_KEYWORDS;
  for (let i = state.start; i < tokens.length; i += 1) {
    // `for sale` does not mean a reduced price.
    if (tokens[i]?.text === 'sale' && tokens[i - 1]?.text === 'for') continue;
    const refused = isSentence ? endOfRefusedSoldOut(tokens, i) : undefined;
    const mark = refused ? { to: refused, value: KINDS[0]?.[0] } : phraseAt(table, tokens, i);
    if (mark?.value && isFree(state, i, mark.to)) add(i, mark.to, mark.value);
  }
}

/** The index after a phrase that excludes sold-out products: `hide everything out of stock`. */
function endOfRefusedSoldOut(tokens: Token[], at: number): number | undefined {
  if (!REFUSING.has(tokens[at]?.text ?? '')) return undefined;
  for (let i = at + 1; i <= at + MAX_BETWEEN; i += 1) {
    const found = phraseAt(SOLD_OUT, tokens, i);
    if (found) return found.to;
    if (!BETWEEN.has(tokens[i]?.text ?? '')) return undefined;
  }
  return undefined;
}
