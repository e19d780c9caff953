import sql, { empty, type Sql } from 'sql-template-tag';
import type { SearchDb } from '../search-db.ts';
import { stem } from '../words/normalize.ts';
import type { TermGroup } from '../words/term-groups.ts';
import { interchangeableWords } from '../words/thesaurus.ts';

/**
 * The word that a shop usually has for what was asked for: `bicycle` also finds what most of its names call a bike. The thesaurus
 * says which words may mean the same; that they do in this shop is told by products that have both.
 */

/** The usual word is in so many times as many names, and so many times as often their head noun. */
const MORE_USUAL = 2;
/** Where so many things are called by the word, a page is full of them: of cords, without cables. */
const ENOUGH = 20;
/** The share of the products with the word that have the other one, too. Few have both the court and the shorts (French `court`). */
const MIN_SHARED = 0.2;
/** Fewer products may have both by chance. */
const MIN_SHARED_PRODUCTS = 2;
/** Of frequent words, so many products are looked at. */
const SAMPLE = 100;

/** What tells whether a word is the usual one. */
interface Usage {
  products: number;
  titles: number;
  heads: number;
}

/** Another word for that of a group. */
export interface OtherWord {
  grp: number;
  term: string;
  /** The group's own word. */
  own: string;
}

/** The other words for those of the groups, whether or not the shop has them. */
export function otherWords(groups: TermGroup[]): OtherWord[] {
  const asked = new Set(groups.flatMap(({ alternatives }) => alternatives.map(({ term }) => term)));
  return groups.flatMap(({ alternatives: [typed] }, grp) => {
    const own = typed?.term ?? '';
    const terms = new Set(interchangeableWords(own).map(stem));
    return [...terms].filter((term) => !asked.has(term)).map((term) => ({ grp, term, own }));
  });
}

/** How many of the first SAMPLE products with `own` have `term` as well, as an expression. */
export function sharedProducts(db: SearchDb, own: Sql, term: Sql): Sql {
  return sql`(select count(*) from (
      select o.product_id from search_postings o where o.site_id = ${db.siteId} and o.term = ${own} limit ${SAMPLE}::int
    ) as o where exists (select from search_postings b
      where b.site_id = ${db.siteId} and b.product_id = o.product_id and b.term = ${term}))`;
}

/** The other words as rows of `weightTerms`; nothing where there are none. */
export function otherWordRows(others: OtherWord[], weight: number): Sql {
  if (others.length === 0) return empty;
  return sql`union all
        select grp, term, ${weight}::real, true, false, false, own from unnest((select ${others.map(({ grp }) => grp)}::int[]),
          (select ${others.map(({ term }) => term)}::text[]), (select ${others.map(({ own }) => own)}::text[])) as o (grp, term, own)`;
}

/** Whether the shop usually says `other` for `own`; `shared` is what `sharedProducts` counted. */
export function isUsualWord(own: Usage, other: Usage, shared: number): boolean {
  return (
    other.heads > 0 &&
    own.heads < ENOUGH &&
    other.titles >= MORE_USUAL * Math.max(1, own.titles) &&
    other.heads >= MORE_USUAL * own.heads &&
    shared >= Math.max(MIN_SHARED_PRODUCTS, MIN_SHARED * Math.min(SAMPLE, own.products))
  );
}
