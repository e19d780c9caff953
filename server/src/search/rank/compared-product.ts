/** Price limits that name another product: `cheaper than the Oslo Lamp`, `a cheaper alternative to the Oslo Lamp`. */

import sql, { join, type Sql } from 'sql-template-tag';
import { PLACE } from '../index/postings.ts';
import { CURRENCIES } from '../query/amounts.ts';
import type { Constraint, ParsedQuery } from '../query/parsed-query.ts';
import type { SearchDb } from '../search-db.ts';
import { isStopWord, stem, termsOf } from '../words/normalize.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import { type Token, tokenize } from '../words/tokens.ts';

const COMPARED = phraseTable<'max' | 'min'>([
  [
    'max',
    `cheaper than, less expensive than, more affordable than, cheaper alternative to, cheaper alternatives to, cheaper alternative for,
    cheaper version of, cheaper versions of, cheaper option than, cheaper one than, less expensive alternative to, affordable alternative to,
    gunstiger als, billiger als, preiswerter als, gunstigere alternative zu, gunstigere alternative zum, gunstigere alternative zur,
    billigere alternative zu, billigere alternative zum, billigere alternative zur, gunstigeres als, billigeres als,
    moins cher que, moins chere que, moins chers que, moins cheres que, alternative moins chere a, alternative moins chere au`,
  ],
  [
    'min',
    `pricier than, dearer than, more expensive than, costlier than, teurer als, teureres als, plus cher que, plus chere que`,
  ],
]);
const ARTICLES = new Set('the your this that der die das dem den eure le la l les votre'.split(' '));
/** The maximum length of the product's name, in words. */
const MAX_NAME = 8;
/** Words that end the product's name, because another part of the sentence begins. */
const ENDS_NAME = new Set('in with for from that which but under mit fur aus aber pour avec mais qui'.split(' '));

const ONE = new Set(['one', 'ones']);
/** Words that only stand for a product, such as `alternative`. */
const STANDS_FOR = new Set('alternative alternatives version versions option options'.split(' '));

/**
 * Adds the limit if the sentence compares the price with the price of a product in the shop. `where` are conditions on
 * `products p` that this product must meet. Sends one statement if the sentence may contain a comparison.
 */
export async function withComparedPrice(
  db: SearchDb,
  where: Sql[],
  sentence: string,
  parsed: ParsedQuery,
): Promise<ParsedQuery> {
  const comparison = comparisonOf(tokenize(sentence, { isSentence: true }));
  if (!comparison) return parsed;
  const { side, name, start, end } = comparison;
  // Ignores stop words and `one`: `the Tern one`.
  const named = name.filter(({ text }) => !isStopWord(stem(text)) && !ONE.has(text));
  const terms = [...new Set(named.map(({ text }) => stem(text)))];
  if (terms.length === 0) return parsed;
  const products = await db.rows<{ name: string; price: string }>(
    sql`select p.name, p.price::text as price from products p where p.site_id = ${db.siteId} and ${join(where, ' and ')}
      and p.id in (select x.product_id from search_postings x where x.site_id = ${db.siteId}
        and x.term = any((select ${terms}::text[])::text[]) and x.place & ${PLACE.title}::int <> 0
        group by x.product_id having count(*) = ${terms.length})
      order by length(p.name), p.price, p.id limit 2`,
  );
  const [product, other] = products;
  // If several products have these words, the product without further words is meant.
  const isMeant = product && (!other || termsOf(product.name).length === terms.length);
  if (!isMeant) return notUnderstood(parsed, sentence, comparison);
  const step = 10 ** -db.currencyDigits;
  const bound = Number((Number(product.price) + (side === 'max' ? -step : step)).toFixed(db.currencyDigits));
  const limit: Constraint = {
    ...{ kind: 'price', [side]: bound, currency: db.currency, isStrict: true },
    ...{ text: sentence.slice(start, end), start, end },
  };
  return {
    ...parsed,
    constraints: [...withoutWish(parsed, comparison), limit],
    words: withoutName(parsed.words, comparison).filter((word) => !STANDS_FOR.has(word.text)),
  };
}

/** Reports the comparison as not understood, and does not search for the words of the name. */
function notUnderstood(parsed: ParsedQuery, sentence: string, comparison: NamedComparison): ParsedQuery {
  const { start, name } = comparison;
  const end = name.at(-1)?.end ?? comparison.end;
  return {
    ...parsed,
    constraints: [
      ...withoutWish(parsed, comparison),
      { kind: 'price', text: sentence.slice(start, end), start, end, isUnread: true },
    ],
    words: withoutName(parsed.words, comparison),
  };
}

/** The words that are not part of the name; all words if no others are left. */
function withoutName(words: Token[], { start, end, name }: NamedComparison): Token[] {
  const last = name.at(-1)?.end ?? end;
  const others = words.filter((word) => word.end <= start || word.start >= last);
  return others.length > 0 ? others : words;
}

/** Removes wishes that are part of the comparison. */
function withoutWish({ constraints }: ParsedQuery, { start, end }: NamedComparison): Constraint[] {
  return constraints.filter((each) => each.kind !== 'wish' || each.end <= start || each.start >= end);
}

interface NamedComparison {
  side: 'max' | 'min';
  /** The words of the product's name. */
  name: Token[];
  /** The position of the comparison in the sentence. */
  start: number;
  end: number;
}

/** Comparatives between which and `than` a product may stand: `a cheaper lamp than`, `eine günstigere Lampe als`. */
const COMPARATIVES = phraseTable<'max' | 'min'>([
  [
    'max',
    'cheaper, less expensive, more affordable, gunstigere, gunstigeren, gunstigeres, billigere, billigeren, billigeres',
  ],
  ['min', 'more expensive, pricier, costlier, teurere, teureren, teureres'],
]);
const THAN = new Set(['than', 'als']);
const MAX_BETWEEN = 3;

function comparisonAt(tokens: Token[], at: number): { value: 'max' | 'min'; to: number } | undefined {
  const found = phraseAt(COMPARED, tokens, at);
  const comparative = found ? undefined : phraseAt(COMPARATIVES, tokens, at);
  if (!comparative) return found;
  const between = tokens.slice(comparative.to, comparative.to + MAX_BETWEEN + 1);
  const than = between.findIndex(({ text }) => THAN.has(text));
  const isOneClause = than > 0 && between.slice(0, than).every(({ kind }) => kind === 'word');
  return isOneClause ? { value: comparative.value, to: comparative.to + than + 1 } : undefined;
}

/** Parses a comparison: which side of the product's price is wanted, and the words of the product's name. */
function comparisonOf(tokens: Token[]): NamedComparison | undefined {
  for (const [at, token] of tokens.entries()) {
    const found = comparisonAt(tokens, at);
    if (!found) continue;
    let to = found.to;
    while (ARTICLES.has(tokens[to]?.text ?? '')) to += 1;
    const rest = tokens.slice(to, to + MAX_NAME);
    const length = rest.findIndex(({ kind, text }) => (kind === 'sign' && text !== '-') || ENDS_NAME.has(text));
    const name = (length < 0 ? rest : rest.slice(0, length)).filter(({ kind }) => kind === 'word');
    const last = tokens[found.to - 1];
    if (name.length === 0 || isAmount(name) || !last) return undefined;
    return { side: found.value, name, start: token.start, end: last.end };
  }
  return undefined;
}

/** Whether the words are an amount and not a name: `400`, `400 dollars`, but not `2-Slice Toaster`. */
function isAmount([first, second]: Token[]): boolean {
  return first?.number !== undefined && (second === undefined || second.text in CURRENCIES);
}
