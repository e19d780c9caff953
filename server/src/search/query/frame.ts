import { parseNumberAt } from '../words/number-words.ts';
import { matchesPhrase, type Token } from '../words/tokens.ts';
import { LABELS } from './fillers.ts';
import { CURRENCIES } from './limit-words.ts';

/** What only frames a request: `I am looking for a`, and the punctuation and labels of `{item: mug}`. */

/** Phrases at the beginning that say nothing of the product. */
const OPENINGS = [
  'show me', 'find me', 'get me', 'give me', 'buy me', 'order me', 'find', 'search for', 'search', 'look for',
  'i am looking for', 'im looking for', 'looking for', 'i am searching for', 'im searching for', 'searching for',
  'i need', 'i want', 'i would like', 'id like', 'we need', 'we want', 'i want to buy', 'i want to find', 'i need to buy',
  'i am interested in', 'do you have', 'do you sell', 'have you got', 'can you find', 'can i get', 'can i buy', 'recommend',
  'please', 'hello', 'hi', 'do a search for', 'order', 'buy', 'add', 'get', 'purchase', 'to buy', 'to order', 'to get',
  'to find', 'to purchase', 'montre moi', 'montre - moi', 'montre nous', 'montre - nous',
].map((phrase) => phrase.split(' ')); // biome-ignore format: a list
/** Openings that can also begin a product name: `order pad`, `find my phone tag`. */
const AMBIGUOUS_OPENINGS = new Set('order buy add get purchase find search recommend hi hello'.split(' '));
export const ARTICLES = new Set('a an some any the me'.split(' '));
/** The index of the first token after phrases such as `I am looking for a`. */
export function endOfOpening(tokens: Token[]): number {
  let at = 0;
  for (;;) {
    const opening = OPENINGS.filter((phrase) => matchesPhrase(tokens, at, phrase)).sort(
      (a, b) => b.length - a.length,
    )[0];
    if (!opening || isPartOfName(tokens, at, opening)) break;
    at += opening.length;
  }
  while (at > 0 && ARTICLES.has(tokens[at]?.text ?? '')) at += 1;
  return at;
}

/** An ambiguous opening is part of a name unless an article or a number follows. */
function isPartOfName(tokens: Token[], at: number, opening: string[]): boolean {
  const next = at + opening.length;
  const isRequest = ARTICLES.has(tokens[next]?.text ?? '') || parseNumberAt(tokens, next) !== undefined;
  return AMBIGUOUS_OPENINGS.has(opening.join(' ')) && !isRequest;
}

/** The tags of `<max_price>20</max_price>` as labels, each as long as it was. */
export function withoutMarkup(sentence: string): string {
  if (!sentence.includes('</')) return sentence;
  return sentence
    .replaceAll(/<\/[a-z][\w-]{0,30}>/gi, (tag) => ','.padEnd(tag.length))
    .replaceAll(/<([a-z][\w-]{0,30})>/gi, (_tag, name: string) => ` ${name}:`);
}

/** `price max: 20` */
const NAMES_AN_AMOUNT = new Set(['max', 'maximum', 'maximal']);

const QUOTES = new Set('" _ { } ( ) [ ] : = “ ” „ « »'.split(' '));
const ABBREVIATIONS = new Set('max min ca approx'.split(' '));

/** Without the punctuation of `{item: mug, max_price: 20}`, and without words that only label what follows. */
export function withoutLabels(tokens: Token[]): Token[] {
  const isColon = (at: number) => [':', '='].includes(tokens[at]?.text ?? '');
  // `max 45: cushion`: the colon ends a clause, where it labels nothing.
  const isAfterAmount = (at: number) =>
    tokens[at - 1]?.number !== undefined ||
    (tokens[at - 2]?.number !== undefined && (tokens[at - 1]?.text ?? '') in CURRENCIES) ||
    ['less', 'cheaper', 'under', 'below', 'lower', 'weniger', 'moins', 'max', 'maximum', 'maximal'].includes(
      tokens[at - 1]?.text ?? '',
    );
  const written = tokens.map((token, at) =>
    token.text === ':' && isAfterAmount(at) && !NAMES_AN_AMOUNT.has(tokens[at - 1]?.text ?? '')
      ? { ...token, text: ',', term: ',' }
      : token,
  );
  return written.filter(({ text }, i) => {
    if (text === '.' && ABBREVIATIONS.has(tokens[i - 1]?.text ?? '')) return false;
    if (text === '=' && ['<', '>', '!'].includes(tokens[i - 1]?.text ?? '')) return true;
    const next = tokens[i + 1]?.text === '"' ? i + 2 : i + 1;
    return !QUOTES.has(text) && !(LABELS.has(text) && isColon(next));
  });
}
