import sql from 'sql-template-tag';
import { VALUE, valueTerm } from '../index/postings.ts';
import type { SearchDb } from '../search-db.ts';
import { isJoining, measure } from '../words/normalize.ts';
import { announcesSize, sizeForms } from '../words/sizes.ts';
import type { Token } from '../words/tokens.ts';
import type { Constraint } from './parse.ts';

/** The longest value that is looked for, in words. */
const MAX_WORDS = 4;
/** Behind these, what the thing has or is for is said, and no longer what it is. */
const ENDS_THING = new Set('for with by from in to on at'.split(' '));

/** Some of the words that are left, from one up to but not including another. */
interface Run {
  from: number;
  to: number;
  value: string;
  isSize?: boolean;
}

/**
 * The values of the shop's own options, vendors, types, tags and metadata that a sentence names, the longest first where
 * they overlap; sizes that it calls so; and the word that says what the thing is. One statement. Their words stay in the query,
 * too: a product that lacks the value may still be meant.
 */
export async function valuesIn(
  db: SearchDb,
  sentence: string,
  words: Token[],
  thing: Thing | undefined,
): Promise<Constraint[]> {
  const runs = runsOf(words);
  if (runs.length === 0) return [];
  const known = await knownValues(
    db,
    runs.flatMap(({ value }) => formsOf(value)),
  );
  const taken = new Set<number>();
  const chosen = [
    ...sizesIn(words),
    ...runs.filter(({ value }) => formsOf(value).some((form) => known.has(form))),
  ].filter(({ from, to }) => {
    const places = Array.from({ length: to - from }, (_, i) => from + i);
    if (places.some((place) => taken.has(place))) return false;
    for (const place of places) taken.add(place);
    return true;
  });
  const constraint = (kind: 'value' | 'word', { from, to, value, isSize }: Run): Constraint => {
    const start = words[from]?.start ?? 0;
    const end = words[to - 1]?.end ?? start;
    const text = sentence.slice(start, end);
    const isThing = thing && from <= thing.at && thing.at < to;
    return { kind, value, text, start, end, ...(isThing && { thing: thing.term }), ...(isSize && { isSize }) };
  };
  const constraints = chosen.map((run) => constraint('value', run));
  if (!thing || taken.has(thing.at)) return constraints;
  return [...constraints, constraint('word', { from: thing.at, to: thing.at + 1, value: thing.term })];
}

function formsOf(value: string): string[] {
  return sizeForms(value).map((form) => VALUE + form);
}

/** Those of the values that the shop has. */
async function knownValues(db: SearchDb, values: string[]): Promise<Set<string>> {
  const rows = await db.rows<{ term: string }>(
    sql`select w.term from unnest(${values}::text[]) as w (term)
      where exists (select from search_postings p where p.site_id = ${db.siteId} and p.term = w.term)`,
  );
  return new Set(rows.map(({ term }) => term));
}

/** The word that says what the thing is: which of the words, and as it is compared. */
interface Thing {
  at: number;
  term: string;
}

/**
 * The last word that is what names of the shop say a thing is, before it is said what for: of `mug rack for the kitchen` the
 * rack.
 */
export function thingIn(words: Token[], heads: ReadonlySet<string>): Thing | undefined {
  let thing: Thing | undefined;
  for (const [at, { term }] of words.entries()) {
    if (thing && ENDS_THING.has(term)) break;
    if (heads.has(term) && !isUnit(words, at)) thing = { at, term };
  }
  return thing;
}

/** `size 42`, `size M`. */
function sizesIn(words: Token[]): Run[] {
  return words.flatMap((_word, i) =>
    announcesSize(words, i) ? [{ from: i, to: i + 2, value: words[i + 1]?.term ?? '', isSize: true }] : [],
  );
}

/** All runs of words that may be a value, longest first. */
function runsOf(words: Token[]): Run[] {
  const runs: Run[] = [];
  for (let length = MAX_WORDS; length > 0; length -= 1) {
    for (let from = 0; from + length <= words.length; from += 1) {
      const terms = words.slice(from, from + length).map(({ term }) => term);
      if (terms.every(isJoining) || isUnit(words, from)) continue;
      runs.push({ from, to: from + length, value: valueTerm(terms).slice(VALUE.length) });
    }
  }
  return runs;
}

/** Of `2 l` the litre is no size. */
function isUnit(words: Token[], i: number): boolean {
  return measure(words[i - 1]?.text ?? '', words[i]?.term) !== undefined;
}
