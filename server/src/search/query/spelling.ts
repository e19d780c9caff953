/**
 * Spelling correction. Words that no product has are completed, corrected or split in two, using only terms in the
 * shop's index.
 */

import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { SearchDb } from '../search-db.ts';
import { edits, isSlipOf } from '../words/misspellings.ts';
import type { TermGroup } from '../words/term-groups.ts';

const WEIGHTS = { completion: 0.9, correction: 0.9, split: 0.9 };
const MAX_COMPLETIONS = 50;
const MAX_CORRECTIONS = 200;
/** A correction with one more edit wins only if its term is about `e ** EDIT_PENALTY` times as frequent. */
const EDIT_PENALTY = 3;

/**
 * Adds candidates to the unknown groups: completions of the last word; otherwise the likeliest term within a small edit
 * distance that begins with the same letter; otherwise the two words into which the word splits. Sends two statements.
 */
export async function correctSpelling(db: SearchDb, groups: TermGroup[], unknown: number[]): Promise<TermGroup[]> {
  const words = unknown.map((grp) => ({ grp, term: typedTerm(groups[grp]), isLast: grp === groups.length - 1 }));
  const suggestions = (await readSuggestions(db, words)).filter(
    ({ grp, term, is_completion }) =>
      is_completion || isNear(typedTerm(groups[grp]), term) || isSlipOf(groups[grp]?.text ?? '', term),
  );
  const halves = words.flatMap(({ term }) => splitsOf(term).flat());
  const frequencies = await readFrequencies(db, [
    ...suggestions.flatMap(({ term, is_completion }) => (is_completion ? [] : [term])),
    ...halves,
  ]);
  return groups.flatMap((group, grp) => {
    if (!unknown.includes(grp)) return [group];
    return corrected(
      group,
      suggestions.filter((each) => each.grp === grp),
      frequencies,
    );
  });
}

/** A word must have at least this length to be corrected by two edits; a shorter one could become almost any word. */
const TWO_MISTAKES_FROM = 8;

function isNear(typed: string, term: string): boolean {
  return isSlipOf(typed, term) || edits(typed, term) <= (typed.length >= TWO_MISTAKES_FROM ? 2 : 1);
}

function typedTerm(group: TermGroup | undefined): string {
  return group?.alternatives[0]?.term ?? '';
}

interface Suggestion {
  grp: number;
  term: string;
  is_completion: boolean;
}

/**
 * Reads indexed terms that begin with the last word, or that have the first letter of an unknown word and differ from
 * it in few letters.
 */
function readSuggestions(db: SearchDb, words: { grp: number; term: string; isLast: boolean }[]): Promise<Suggestion[]> {
  return db.rows(
    sql`with recursive given as materialized (
        select grp, term collate "C" as term, is_last
        from unnest((select ${words.map(({ grp }) => grp)}::int[]), (select ${words.map(({ term }) => term)}::text[]),
          (select ${words.map(({ isLast }) => isLast)}::boolean[])) as g (grp, term, is_last) where term <> ''
      ), lookups as materialized (
        select grp, term, true as is_completion, 0 as max_distance, term as prefix from given where is_last
        union all
        -- Swapped letters are two edits here, but one in edits().
        select grp, term, false, case when length(term) >= 5 then 2 else 1 end, left(term, 1) collate "C"
        from given where length(term) between 4 and 64 and term !~ '[0-9]'
      ), vocabulary (prefix, is_completion, term) as (
        -- A loose index scan: from one distinct term to the next, never over all postings of a term. Corrections skip terms
        -- with digits, since there can be one model number per product: the scan continues at ':', which sorts behind '9'.
        select prefix, is_completion, (select p.term from search_postings p where p.site_id = ${db.siteId}
          and p.term >= prefix order by p.term limit 1) from (select distinct prefix, is_completion from lookups) as b
        union all
        select v.prefix, v.is_completion, (select p.term from search_postings p where p.site_id = ${db.siteId}
            and p.term > case when v.is_completion then v.term else regexp_replace(v.term, '[0-9].*', ':') end
          order by p.term limit 1)
        from vocabulary v where starts_with(v.term, v.prefix)
      ), measured as (
        select l.grp, v.term, l.is_completion, l.max_distance,
          case when l.is_completion or length(v.term) > 64 then 99
            else levenshtein_less_equal(l.term, v.term, l.max_distance) end as distance
        from lookups l join vocabulary v on v.prefix = l.prefix and v.is_completion = l.is_completion
        where starts_with(v.term, v.prefix)
      ), ranked as (
        select *, row_number() over (partition by grp, is_completion order by distance, length(term), term) as rank
        from measured where is_completion or (distance <= max_distance and term !~ '[0-9]')
      )
      select grp, term, is_completion from ranked
      where rank <= case when is_completion then ${MAX_COMPLETIONS}::int else ${MAX_CORRECTIONS}::int end`,
  );
}

/** The number of products that have each term. Terms that no product has are missing. */
async function readFrequencies(db: SearchDb, terms: string[]): Promise<Map<string, number>> {
  const rows = await db.rows<RowOf<'search_postings', 'term'> & { products: number }>(
    sql`select term, count(*) as products from search_postings
      where site_id = ${db.siteId} and term = any((select ${terms}::text[])::text[]) group by term`,
  );
  return new Map(rows.map(({ term, products }) => [term, products]));
}

/** Longer texts are not split, because they are unlikely to be two words, and each split would look up a long text. */
const LONGEST_SPLIT = 128;

function splitsOf(term: string): [string, string][] {
  const cuts =
    term.length >= 5 && term.length <= LONGEST_SPLIT ? Array.from({ length: term.length - 3 }, (_, i) => i + 2) : [];
  return cuts.map((cut) => [term.slice(0, cut), term.slice(cut)]);
}

function corrected(group: TermGroup, suggestions: Suggestion[], frequencies: Map<string, number>): TermGroup[] {
  const frequency = (term: string) => frequencies.get(term) ?? 0;
  const completions = suggestions.filter(({ is_completion }) => is_completion);
  if (completions.length > 0) {
    const terms = completions.map(({ term }) => term);
    return [withAlternatives(group, terms, WEIGHTS.completion)];
  }
  const typed = typedTerm(group);
  const likelihood = ({ term }: Suggestion) => Math.log1p(frequency(term)) - EDIT_PENALTY * edits(typed, term);
  const [likeliest] = suggestions.toSorted((a, b) => likelihood(b) - likelihood(a) || (a.term < b.term ? -1 : 1));
  if (likeliest) {
    return [{ ...withAlternatives(group, [likeliest.term], WEIGHTS.correction), correction: likeliest.term }];
  }
  const common = ([first, second]: [string, string]) => Math.min(frequency(first), frequency(second));
  const [halves] = splitsOf(typedTerm(group)).toSorted((a, b) => common(b) - common(a));
  // A split word becomes two groups, so that a product with both halves scores higher than one with a single half.
  if (halves && common(halves) > 0)
    return halves.map((term) => ({ text: group.text, alternatives: [{ term, weight: WEIGHTS.split }] }));
  return [group];
}

function withAlternatives(group: TermGroup, terms: string[], weight: number): TermGroup {
  return { ...group, alternatives: [...group.alternatives, ...terms.map((term) => ({ term, weight }))] };
}
