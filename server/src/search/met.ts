import sql from 'sql-template-tag';
import type { Shop } from '../shop/shop.ts';
import type { Group } from './groups.ts';
import { CODE, PLACE } from './postings.ts';
import { sizeForms } from './sizes.ts';
import { fold } from './text.ts';
import type { Token } from './tokens.ts';

/** Which of the words asked for a product really has. */

/** Words of a sentence that say nothing of the thing. */
const FILLERS = new Set(
  `i me my mine we us our ours you your he him his she her it its they them their this that these those there here is are be
  was were am do does did done have has had can could will would should may might must shall please thank thanks thing
  something anything one some any all also just only very really quite so too such like want need looking buy get give
  good nice great best perfect beautiful lovely new kind sort type who what which when where how if then than as but or
  not no about around size`.split(/\s+/),
);

/** What one product has, by the places of the groups. */
export interface Met {
  /** It has the word, another form of it, or a synonym. */
  whole: Set<number>;
  /** Its name has a word that the one asked for may be: unfinished, or misspelt. */
  guessed: Set<number>;
  /** What was typed is one of its SKUs or barcodes. */
  isCode: boolean;
}

/** What these products have of the groups. One statement. */
export async function wordsMet(
  shop: Shop,
  typed: string,
  groups: Group[],
  product_ids: string[],
): Promise<(product_id: string) => Met> {
  const code = CODE + fold(typed.trim()).slice(0, 255);
  const terms = [
    ...groups.flatMap((group, grp) =>
      group.alternatives.map(({ term }) => ({
        grp,
        term,
        whole: isWhole(group, term, grp === groups.length - 1),
      })),
    ),
    { grp: CODE_GROUP, term: code, whole: true },
  ];
  const rows = await shop.rows<{ product_id: string; grp: number; whole: boolean }>(
    sql`with given as (
        select * from unnest(${terms.map(({ grp }) => grp)}::int[], ${terms.map(({ term }) => term)}::text[],
          ${terms.map(({ whole }) => whole)}::boolean[]) as g (grp, term, whole)
      ), wanted as (
        select grp, term, whole from given
        union all
        select g.grp, synonym, g.whole from given g
        join site_settings t on t.site_id = ${shop.siteId},
          jsonb_array_elements_text(t.search_synonym_terms -> g.term) as synonym
      )
      select p.product_id, w.grp, bool_or(w.whole) as whole
      from wanted w join search_postings p
        on p.site_id = ${shop.siteId} and p.term = w.term and p.product_id = any(${product_ids}::uuid[])
      where w.whole or p.place & ${PLACE.title} > 0
      group by p.product_id, w.grp`,
  );
  return (product_id) => {
    const own = rows.filter((row) => row.product_id === product_id);
    const places = (isWanted: boolean) =>
      new Set(own.flatMap(({ grp, whole }) => (whole === isWanted && grp !== CODE_GROUP ? [grp] : [])));
    return { whole: places(true), guessed: places(false), isCode: own.some(({ grp }) => grp === CODE_GROUP) };
  };
}

const CODE_GROUP = -1;

/** A shorter word that differs in a letter is rather another word: a `case` is nothing `cast`. */
const SURELY_MISSPELT = 7;

/** Whether a term is the word asked for, and no guess: what only begins with it can be another thing. */
function isWhole({ alternatives }: Group, term: string, isLast: boolean): boolean {
  const typed = alternatives[0]?.term ?? '';
  if (term === typed) return true;
  // Joined with a neighbour; only the last word is looked for unfinished.
  if (term.includes(typed)) return !(isLast && term.startsWith(typed));
  return typed.length >= SURELY_MISSPELT;
}

/** A word that names or describes the thing, with the groups that stand for it: two where it was written as one. */
export interface ContentWord {
  text: string;
  start: number;
  end: number;
  groups: number[];
}

/** The words of a sentence that a product should have. None where it has nothing but fillers: then they are looked for. */
export function contentWords(sentence: string, words: Token[], groups: Group[]): ContentWord[] {
  const content: ContentWord[] = [];
  let at = 0;
  for (const [grp, { text }] of groups.entries()) {
    const before = content.at(-1);
    // The halves of a word stand for the same one.
    if (before && groups[grp - 1]?.text === text) {
      before.groups.push(grp);
      continue;
    }
    const length = text.split(' ').length;
    const from = words.findIndex((word, i) => i >= at && word.text === text.split(' ')[0]);
    const [first, last] = [words[from], words[from + length - 1]];
    if (!first || !last) continue;
    at = from + length;
    content.push({ text: sentence.slice(first.start, last.end), start: first.start, end: last.end, groups: [grp] });
  }
  return content.filter(({ text }) => !FILLERS.has(fold(text)));
}

/** Whether a product has any of what was asked for; a size alone is nothing, and a guess only where nothing else was asked. */
export function isNamed(words: ContentWord[], { whole, guessed, isCode }: Met): boolean {
  const naming = words.filter(({ text }) => !/^\d/.test(text) && sizeForms(fold(text)).length === 1);
  const asked = naming.length > 0 ? naming : words;
  if (isCode || asked.length === 0) return true;
  const has = (places: Set<number>) => asked.some(({ groups }) => groups.every((grp) => places.has(grp)));
  return has(whole) || (asked.length === 1 && has(guessed));
}

export function isMet({ groups }: ContentWord, { whole, isCode }: Met): boolean {
  return isCode || groups.every((grp) => whole.has(grp));
}
