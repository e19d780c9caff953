import sql from 'sql-template-tag';
import { PLACE, VALUE, valueTerm } from '../index/postings.ts';
import type { SearchDb } from '../search-db.ts';
import { isStopWord, measurementTerm } from '../words/normalize.ts';
import { isSizeLabel, sizeSpellings } from '../words/sizes.ts';
import { isAttribute, isGoods } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';
import type { Constraint } from './parsed-query.ts';

/** The maximum length of a value that is looked up, in words. */
const MAX_WORDS = 4;
/** After these words, a sentence describes a property or purpose of the product, and no longer its type. */
const ENDS_NOUN_PHRASE = new Set(
  'made for with by from in to on at für mit aus zum zur pour avec dans who that'.split(' '),
);
/** If this precedes all content words, the sentence names a purpose but no product: `something for the garden`. */
const IS_FOR =
  /(?<!look|looking|search|searching|ask|asking|shopping|budget|on the hunt)\s(?:for|to|für|zum|zur|pour|who|while)\s+(?:\p{L}+\s+){0,2}$/iu;

/** Consecutive words of the query, from one index up to but not including another. */
interface WordSpan {
  from: number;
  to: number;
  value: string;
  isSize?: boolean;
}

/**
 * Finds constraints in a sentence: facet values of the shop (options, vendors, types, tags and metadata), preferring
 * the longest of overlapping ones; sizes with a label; and the head noun. The words remain in the query, because a
 * product without the value may still be wanted. Sends at most one statement.
 */
export async function facetConstraints(
  db: SearchDb,
  sentence: string,
  words: Token[],
  headNoun: HeadNoun | undefined,
): Promise<Constraint[]> {
  const spans = spansOf(words);
  if (spans.length === 0) return [];
  const existing = await readExistingValues(
    db,
    spans.flatMap(({ value }) => valueTermsOf(value)),
    // Goods that only an attribute mentions do not count as a value: a rug with `care: Vacuum` is not a vacuum cleaner.
    spans.flatMap(({ from, to, value }) =>
      to - from === 1 && isGoods(words[from]?.text ?? '') ? valueTermsOf(value) : [],
    ),
  );
  const chosen = withoutOverlaps([
    ...labelledSizes(words),
    ...spans.filter(({ value }) => valueTermsOf(value).some((term) => existing.has(term))),
  ]);
  const constraint = (kind: 'value' | 'word', { from, to, value, isSize }: WordSpan): Constraint => {
    const start = words[from]?.start ?? 0;
    const end = words[to - 1]?.end ?? start;
    const text = sentence.slice(start, end);
    const hasHeadNoun = headNoun && from <= headNoun.at && headNoun.at < to;
    return {
      kind,
      value,
      text,
      start,
      end,
      ...(hasHeadNoun && { headNoun: headNoun.term }),
      ...(isSize && { isSize }),
    };
  };
  const constraints = chosen.map((span) => constraint('value', span));
  if (!headNoun || chosen.some(({ from, to }) => from <= headNoun.at && headNoun.at < to)) return constraints;
  return [...constraints, constraint('word', { from: headNoun.at, to: headNoun.at + 1, value: headNoun.term })];
}

/** Of overlapping spans, keeps the first. */
function withoutOverlaps(spans: WordSpan[]): WordSpan[] {
  const taken = new Set<number>();
  return spans.filter(({ from, to }) => {
    const places = Array.from({ length: to - from }, (_, i) => from + i);
    if (places.some((place) => taken.has(place))) return false;
    for (const place of places) taken.add(place);
    return true;
  });
}

function valueTermsOf(value: string): string[] {
  return sizeSpellings(value).map((spelling) => VALUE + spelling);
}

/** Reads which values exist in the shop. Names of goods only count if they occur outside of attributes. */
async function readExistingValues(db: SearchDb, values: string[], ofGoods: string[]): Promise<Set<string>> {
  const rows = await db.rows<{ term: string }>(
    sql`select w.term from unnest((select ${values}::text[])) as w (term)
      where exists (select from search_postings p where p.site_id = ${db.siteId} and p.term = w.term
        and (w.term <> all((select ${ofGoods}::text[])::text[]) or p.place & ${~PLACE.metadata}::int <> 0))`,
  );
  return new Set(rows.map(({ term }) => term));
}

/** The noun that names the kind of product: the index of its word, and its term. */
export interface HeadNoun {
  at: number;
  term: string;
}

/**
 * Finds the last word before the purpose that is a head noun in the shop's product names: the rack in `mug rack for the
 * kitchen`.
 */
export function findHeadNoun(
  sentence: string,
  words: Token[],
  headTerms: ReadonlySet<string>,
  isKnown: (term: string) => boolean,
): HeadNoun | undefined {
  let headNoun: HeadNoun | undefined;
  if (IS_FOR.test(sentence.slice(0, words[0]?.start ?? 0).slice(-40))) return undefined;
  for (const [at, { text, term, start }] of words.entries()) {
    const between = at > 0 ? sentence.slice(words[at - 1]?.end ?? start, start) : '';
    // `vegetables for a salad` means vegetables, even if no product name ends with that word.
    if (/\s(?:for|für|pour|zum|zur)\s/i.test(between)) break;
    if (headNoun && (ENDS_NOUN_PHRASE.has(term) || between.split(/\s+/).some((word) => ENDS_NOUN_PHRASE.has(word))))
      break;
    // Goods also count if the word is anywhere in the shop's products: shops that use the word as a type may have few
    // names that end with it, such as the bra of `sports bra`.
    if (!(headTerms.has(term) || (isGoods(text) && isKnown(term))) || isUnit(words, at)) continue;
    // `two pillows, blue`: names may end with a colour or material, but these are not goods.
    if (headNoun && isAttribute(text)) continue;
    headNoun = { at, term };
  }
  return headNoun;
}

/** Sizes with a label: `size 42`, `size M`. */
function labelledSizes(words: Token[]): WordSpan[] {
  return words.flatMap((_word, i) =>
    isSizeLabel(words, i) ? [{ from: i, to: i + 2, value: words[i + 1]?.term ?? '', isSize: true }] : [],
  );
}

/** All spans that may be a value, the longest first. */
function spansOf(words: Token[]): WordSpan[] {
  const spans: WordSpan[] = [];
  for (let length = MAX_WORDS; length > 0; length -= 1) {
    for (let from = 0; from + length <= words.length; from += 1) {
      const terms = words.slice(from, from + length).map(({ term }) => term);
      if (terms.every(isStopWord) || isUnit(words, from)) continue;
      spans.push({ from, to: from + length, value: valueTerm(asWritten(terms)).slice(VALUE.length) });
    }
  }
  return spans;
}

/** Replaces the name of a unit with its sign, which most values contain: `20 l` for `20 litres`. */
function asWritten(terms: string[]): string[] {
  const [number = '', unit] = terms;
  const measurement = terms.length === 2 ? measurementTerm(number, unit) : undefined;
  return measurement === undefined ? terms : [number, measurement.slice(number.length)];
}

/** Whether a word is a unit: the `l` in `2 l` is not a size. */
function isUnit(words: Token[], i: number): boolean {
  return measurementTerm(words[i - 1]?.text ?? '', words[i]?.term) !== undefined;
}
