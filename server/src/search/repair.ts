import sql from 'sql-template-tag';
import type { Shop } from '../shop/shop.ts';
import type { Group } from './groups.ts';

/** Words that no product of the shop has: unfinished, misspelt or written as one. Compared with the shop's own words alone. */

const WEIGHTS = { unfinished: 0.9, misspelt: 0.9, split: 0.9 };
const MAX_COMPLETIONS = 50;

/**
 * The groups with what unknown words may mean: for the last one what it may be the beginning of, else words that are
 * spelled alike and begin alike, else two words. One statement; none where all words are known.
 */
export async function repair(shop: Shop, groups: Group[], unknown: number[]): Promise<Group[]> {
  if (unknown.length === 0) return groups;
  const words = unknown.map((i) => ({
    grp: i,
    term: groups[i]?.alternatives[0]?.term ?? '',
    last: i === groups.length - 1,
  }));
  const rows = await shop.rows<{ grp: number; term: string; kind: keyof typeof WEIGHTS }>(
    sql`with recursive given as (
        select grp, term collate "C" as term, last, length(term) >= 4 and term !~ '[0-9]' as spelled,
          case when length(term) >= 8 then 2 else 1 end as distance
        from unnest(${words.map(({ grp }) => grp)}::int[], ${words.map(({ term }) => term)}::text[],
          ${words.map(({ last }) => last)}::boolean[]) as g (grp, term, last) where term <> ''
      ), beginnings as (
        -- A completion needs the whole word; a spelling its first letter.
        select distinct case when last or not spelled then term else left(term, 1) end as beginning from given
        union select left(term, 1) from given where spelled
      ), vocabulary as (
        -- From one word to the next through the index, never over the postings of a word.
        select b.beginning, (select p.term from search_postings p where p.site_id = ${shop.siteId}
          and p.term >= b.beginning order by p.term limit 1) as term from beginnings b
        union all
        select v.beginning, (select p.term from search_postings p where p.site_id = ${shop.siteId}
          and p.term > v.term order by p.term limit 1) from vocabulary v where starts_with(v.term, v.beginning)
      ), words as (
        select distinct term from vocabulary where starts_with(term, beginning)
      ), completions as (
        select g.grp, w.term, 'unfinished' as kind, row_number() over (partition by g.grp order by length(w.term), w.term) as place
        from given g join words w on g.last and starts_with(w.term, g.term)
      ), alike as (
        select g.grp, w.term, levenshtein_less_equal(g.term, w.term, g.distance) as distance
        from given g join words w on g.spelled and length(w.term) between length(g.term) - g.distance and length(g.term) + g.distance
          and w.term !~ '[0-9]'
        where levenshtein_less_equal(g.term, w.term, g.distance) <= g.distance
          and not exists (select from completions c where c.grp = g.grp)
      ), likeliest as (
        select distinct on (a.grp) a.grp, a.term, 'misspelt' as kind from alike a
        order by a.grp, ln(1 + (select count(*) from search_postings p
          where p.site_id = ${shop.siteId} and p.term = a.term)) - 3 * a.distance desc, a.term
      ), halves as (
        select g.grp, left(g.term, n) as first, substr(g.term, n + 1) as second
        from given g, generate_series(2, length(g.term) - 2) as n
        where length(g.term) >= 5 and not exists (select from completions c where c.grp = g.grp)
          and not exists (select from likeliest l where l.grp = g.grp)
      ), split as (
        select distinct on (grp) grp, first, second from halves
        where exists (select from search_postings p where p.site_id = ${shop.siteId} and p.term = first)
          and exists (select from search_postings p where p.site_id = ${shop.siteId} and p.term = second)
        order by grp, (select count(*) from search_postings p where p.site_id = ${shop.siteId} and p.term = first)
          * (select count(*) from search_postings p where p.site_id = ${shop.siteId} and p.term = second) desc, first
      )
      select grp, term, kind from completions where place <= ${MAX_COMPLETIONS}
      union all select grp, term, kind from likeliest
      union all select grp, first || ' ' || second, 'split' from split`,
  );
  return groups.flatMap((group, i) =>
    repaired(
      group,
      rows.filter(({ grp }) => grp === i),
    ),
  );
}

/** A word that is two becomes two groups: what has both stands before what has one. */
function repaired(group: Group, found: { term: string; kind: keyof typeof WEIGHTS }[]): Group[] {
  const split = found.find(({ kind }) => kind === 'split');
  if (split)
    return split.term.split(' ').map((term) => ({ text: group.text, alternatives: [{ term, weight: WEIGHTS.split }] }));
  const more = found.map(({ term, kind }) => ({ term, weight: WEIGHTS[kind] }));
  return [{ ...group, alternatives: [...group.alternatives, ...more] }];
}
