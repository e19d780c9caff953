import sql from 'sql-template-tag';
import type { SearchDb } from '../search-db.ts';
import type { Group } from '../words/term-groups.ts';

/** Words that no product of the shop has: unfinished, misspelt or written as one. Compared with the shop's own words alone. */

const WEIGHTS = { unfinished: 0.9, misspelt: 0.9, split: 0.9 };
const MAX_COMPLETIONS = 50;
const MAX_SPELLINGS = 50;
/** How much more often a word must be used, as a power of e, to be likelier than one that is a letter closer. */
const LETTER = 3;

/**
 * The groups with what unknown words may mean: for the last one what it may be the beginning of, else words that are
 * spelled alike and begin alike, else two words. Two statements.
 */
export async function repair(db: SearchDb, groups: Group[], unknown: number[]): Promise<Group[]> {
  const words = unknown.map((grp) => ({ grp, term: termOf(groups[grp]), last: grp === groups.length - 1 }));
  const similar = await readSimilar(db, words);
  const halves = words.flatMap(({ term }) => halvesOf(term).flat());
  const counts = await readCounts(db, [
    ...similar.flatMap(({ term, unfinished }) => (unfinished ? [] : [term])),
    ...halves,
  ]);
  return groups.flatMap((group, grp) => {
    if (!unknown.includes(grp)) return [group];
    return repaired(
      group,
      similar.filter((each) => each.grp === grp),
      counts,
    );
  });
}

function termOf(group: Group | undefined): string {
  return group?.alternatives[0]?.term ?? '';
}

interface Similar {
  grp: number;
  term: string;
  unfinished: boolean;
  distance: number;
}

/** Words of the shop that begin with the last word, or begin like an unknown word and differ from it in few letters. */
function readSimilar(
  db: SearchDb,
  words: { grp: number; term: string; last: boolean }[],
): Promise<(Similar & Record<string, unknown>)[]> {
  return db.rows(
    sql`with recursive given as materialized (
        select grp, term collate "C" as term, last from unnest(${words.map(({ grp }) => grp)}::int[], ${words.map(({ term }) => term)}::text[],
          ${words.map(({ last }) => last)}::boolean[]) as g (grp, term, last) where term <> ''
      ), meant as materialized (
        select grp, term, true as unfinished, 0 as most, term as beginning from given where last
        union all
        select grp, term, false, case when length(term) >= 8 then 2 else 1 end, left(term, 1) collate "C"
        from given where length(term) between 4 and 64 and term !~ '[0-9]'
      ), vocabulary (beginning, unfinished, term) as (
        -- From one word to the next through the index, never over the postings of a word. Numbers of models, of which there
        -- can be one for each product, are no spelling of a word: the walk goes on behind them, where a colon would stand.
        select beginning, unfinished, (select p.term from search_postings p where p.site_id = ${db.siteId}
          and p.term >= beginning order by p.term limit 1) from (select distinct beginning, unfinished from meant) as b
        union all
        select v.beginning, v.unfinished, (select p.term from search_postings p where p.site_id = ${db.siteId}
            and p.term > case when v.unfinished then v.term else regexp_replace(v.term, '[0-9].*', ':') end
          order by p.term limit 1)
        from vocabulary v where starts_with(v.term, v.beginning)
      ), alike as (
        select m.grp, v.term, m.unfinished, m.most,
          case when m.unfinished or length(v.term) > 64 then 99 else levenshtein_less_equal(m.term, v.term, m.most) end as distance
        from meant m join vocabulary v on v.beginning = m.beginning and v.unfinished = m.unfinished
        where starts_with(v.term, v.beginning)
      ), placed as (
        select *, row_number() over (partition by grp, unfinished order by distance, length(term), term) as place
        from alike where unfinished or (distance <= most and term !~ '[0-9]')
      )
      select grp, term, unfinished, distance from placed
      where place <= case when unfinished then ${MAX_COMPLETIONS}::int else ${MAX_SPELLINGS}::int end`,
  );
}

/** How many products have each of the terms; those that none has are absent. */
async function readCounts(db: SearchDb, terms: string[]): Promise<Map<string, number>> {
  const rows = await db.rows<{ term: string; products: number }>(
    sql`select term, count(*) as products from search_postings
      where site_id = ${db.siteId} and term = any(${terms}::text[]) group by term`,
  );
  return new Map(rows.map(({ term, products }) => [term, products]));
}

function halvesOf(term: string): [string, string][] {
  const cuts = term.length >= 5 ? Array.from({ length: term.length - 3 }, (_, i) => i + 2) : [];
  return cuts.map((cut) => [term.slice(0, cut), term.slice(cut)]);
}

function repaired(group: Group, similar: Similar[], counts: Map<string, number>): Group[] {
  const count = (term: string) => counts.get(term) ?? 0;
  const completions = similar.filter(({ unfinished }) => unfinished);
  if (completions.length > 0)
    return [
      withMore(
        group,
        completions.map(({ term }) => term),
        WEIGHTS.unfinished,
      ),
    ];
  const likelihood = ({ term, distance }: Similar) => Math.log1p(count(term)) - LETTER * distance;
  const [likeliest] = similar.toSorted((a, b) => likelihood(b) - likelihood(a) || (a.term < b.term ? -1 : 1));
  if (likeliest) return [{ ...withMore(group, [likeliest.term], WEIGHTS.misspelt), meant: likeliest.term }];
  const common = ([first, second]: [string, string]) => Math.min(count(first), count(second));
  const [halves] = halvesOf(termOf(group)).toSorted((a, b) => common(b) - common(a));
  // A word that is two becomes two groups: what has both stands before what has one.
  if (halves && common(halves) > 0)
    return halves.map((term) => ({ text: group.text, alternatives: [{ term, weight: WEIGHTS.split }] }));
  return [group];
}

function withMore(group: Group, terms: string[], weight: number): Group {
  return { ...group, alternatives: [...group.alternatives, ...terms.map((term) => ({ term, weight }))] };
}
