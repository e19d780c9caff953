/** Finds products for a sentence that may name several things, with a separate search for each. */

import type { Understood } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { PLACE } from '../index/postings.ts';
import { ON_SALE } from '../query/marks.ts';
import { parseSentence } from '../query/parse-sentence.ts';
import type { Constraint, ParsedQuery } from '../query/parsed-query.ts';
import { joinedWords, type Part, type Split, splitSentence } from '../query/split.ts';
import type { SearchDb } from '../search-db.ts';
import { normalizeText, stem, termsOf } from '../words/normalize.ts';
import { otherWordsFor } from '../words/thesaurus.ts';
import { type FindQuery, type FindResult, type FoundProduct, findProducts, type ProductSource } from './find.ts';
import { totalOf, withinTotal } from './total-of-needs.ts';

export interface Need {
  /** The words of this need in the sentence. */
  text: string;
  quantity: number;
  /** The candidates for this need, best first, as indexes into all candidates. */
  candidates: number[];
  found: FindResult;
}

export interface NeedsResult extends Omit<FindResult, 'total' | 'quantity'> {
  needs: Need[];
  /** Whether all needs are wanted; false if `or` joins them. */
  areAllWanted: boolean;
}

/**
 * Like `findProducts`, for several needs. If the sentence has a link such as `and`, first parses the whole sentence,
 * and may send one more statement. Then sends the statements of each need.
 */
export async function findNeeds(db: SearchDb, source: ProductSource, query: FindQuery): Promise<NeedsResult> {
  const { limit = 5 } = query;
  const { parsed, parts, isChoice, isTotal } = await partsOf(db, query.query);
  if (parts.length < 2 || !parsed) {
    const found = await findProducts(db, source, { ...query, parsed });
    const { quantity, total: _total, ...rest } = found;
    const candidates = found.candidates.map((_each, i) => i);
    return { ...rest, needs: [{ text: query.query, quantity, candidates, found }], areAllWanted: true };
  }
  const each: FindResult[] = [];
  for (const sentence of withSharedLimits(parsed, parts, query.query, isChoice))
    each.push(await findProducts(db, source, { ...query, query: sentence }));
  if (isChoice) dropWorse(each);
  const total = isTotal && !isChoice ? totalOf(db, parsed.constraints) : undefined;
  const { found, fate } = total?.max ? withinTotal(each, total.max) : { found: each, fate: undefined };
  const turns = inTurn(found, Math.max(limit, parts.length));
  const { candidates, indexes } = isChoice ? sortedTogether(turns, found) : turns;
  const needs = parts.map(({ text }, i): Need => {
    const one = found[i] as FindResult;
    return { text, quantity: one.quantity, candidates: indexes[i] ?? [], found: one };
  });
  return {
    understood: withUnreported(together(found, isTotal, total && fate && { ...total, fate }), parsed.constraints),
    excluded: found.flatMap(({ excluded }) => excluded).slice(0, MAX_EXCLUDED),
    candidates,
    matches: [...new Set(found.flatMap(({ matches }) => matches))],
    needs: isChoice ? asOne(query.query, needs) : needs,
    areAllWanted: !isChoice,
  };
}

/**
 * For a sentence with `or`, removes the results of parts with a relaxed limit if another part has results that meet all
 * limits.
 */
function dropWorse(found: FindResult[]): void {
  const isWhole = ({ candidates, understood }: FindResult) =>
    candidates.length > 0 && !understood.some(({ kind, fate }) => kind !== 'word' && fate === 'relaxed');
  if (!found.some(isWhole)) return;
  for (const [i, one] of found.entries())
    if (!isWhole(one)) found[i] = { ...one, candidates: [], matches: [], understood: [] };
}

/** The maximum lengths in the contract. */
const MAX_EXCLUDED = 20;
const MAX_UNDERSTOOD = 50;

function asOne(text: string, needs: Need[]): Need[] {
  const first = needs.find((need) => need.candidates.length > 0) ?? needs[0];
  const candidates = needs.flatMap((need) => need.candidates).sort((a, b) => a - b);
  return first ? [{ ...first, text, quantity: 1, candidates }] : [];
}

/** A sentence without a link names only one need. */
const HAS_LINK = /[,&+]|\b(?:and|or|as well as|along with|together with|plus|und|oder|sowie|et|ou|ainsi que)\b/i;

async function partsOf(db: SearchDb, sentence: string): Promise<Split & { parsed?: ParsedQuery }> {
  const whole = { parts: [{ text: sentence, start: 0, end: sentence.length }], isChoice: false, isTotal: false };
  if (!HAS_LINK.test(sentence)) return whole;
  const parsed = await parseSentence(db, sentence);
  if (parsed.words.length < 2) return { ...whole, parsed };
  const { heads, joined } = await readHeads(db, parsed, joinedWords(sentence, parsed.constraints));
  const things = parsed.words.filter(({ term, start }) => heads.has(term) && !isPurpose(sentence, start));
  const isThing = (part: Part) => things.some(({ start, end }) => part.start <= start && end <= part.end);
  return { ...splitSentence(sentence, parsed.constraints, isThing, joined), parsed };
}

/** After these words, things are a purpose: `a present for cats and dogs`. */
const PURPOSE =
  /(?<!look|looking|search|searching|ask|asking|together|along)(?:^|\s)(?:for|with|who|that|where|für|mit|pour|avec)\s+(?:\p{L}+\s+){0,2}$/iu;

function isPurpose(sentence: string, at: number): boolean {
  return PURPOSE.test(sentence.slice(Math.max(0, at - 40), at));
}

/** Reads which words are the head noun of a name, and which of the joined phrases are part of a name. */
async function readHeads(db: SearchDb, { words }: ParsedQuery, joined: string[]) {
  const terms = words.map(({ term }) => term);
  const ends = joined.map((text) => termsOf(text));
  const rows = await db.rows<{ term: string | null; joined: string | null }>(
    sql`select w.term, null as joined from unnest((select ${terms}::text[])) as w (term)
      where exists (select from search_postings h where h.site_id = ${db.siteId} and h.term = w.term and h.place & 2 > 0)
        -- A name also ends with a word that is a value of the product, which is then not taken for its head noun.
        or exists (select from search_postings e
          join product_search t on t.site_id = e.site_id and t.product_id = e.product_id
          where e.site_id = ${db.siteId} and e.term = w.term and e.place & 1 > 0
            and (right(t.title, length(w.term)) = w.term or right(t.title, length(w.term) + 1) = w.term || 's'))
      union all
      select null, j.text from unnest((select ${joined}::text[]), (select ${ends.map(([first = '']) => first)}::text[]),
        (select ${ends.map((all) => all.at(-1) ?? '')}::text[])) as j (text, first, last)
      where exists (select from search_postings a
        join search_postings b on b.site_id = a.site_id and b.product_id = a.product_id and b.term = j.last
        join product_search t on t.site_id = a.site_id and t.product_id = a.product_id
        where a.site_id = ${db.siteId} and a.term = j.first and a.place & b.place & ${PLACE.title}::int > 0
          and strpos(regexp_replace(t.title, '[^[:alnum:]]+', ' ', 'g'), j.text) > 0)`,
  );
  return {
    heads: new Set(rows.flatMap(({ term }) => term ?? [])),
    joined: new Set(rows.flatMap((row) => row.joined ?? [])),
  };
}

/**
 * Adds shared limits to each part: those at the beginning of the sentence, and those of the last part that apply to
 * all.
 */
function withSharedLimits(parsed: ParsedQuery, parts: Part[], sentence: string, isChoice: boolean): string[] {
  const firstWord = parsed.words[0]?.start ?? 0;
  const last = parts.at(-1)?.start ?? 0;
  // An exclusion applies to all parts of a choice, and to parts without their own article: `a backpack or bag without
  // leather`.
  const isOfAll = isChoice || !HAS_ARTICLE.test(parts.at(-1)?.text ?? '');
  const isShared = (each: Constraint) =>
    (each.end <= firstWord && (isLimit(each) || ['without', 'sort', 'wish'].includes(each.kind))) ||
    (each.start >= last && (isLimit(each) || isSetOff(each, sentence) || (each.kind === 'without' && isOfAll)));
  return parts.map(({ text, start, end }) => {
    const own = (each: Constraint) => start <= each.start && each.end <= end;
    const shared = parsed.constraints.filter(
      (each) =>
        isShared(each) &&
        !own(each) &&
        !parsed.constraints.some((other) => own(other) && other.kind === each.kind && other.kind !== 'without'),
    );
    const attribute = end < last ? sharedAttributes(text, sentence.slice(last)) : [];
    return [text, ...attribute, ...shared.map((each) => sentence.slice(each.start, each.end))].join(', ');
  });
}

/**
 * Matches `in black` at the end of a sentence. In `toaster and kettle in black`, without articles, it applies to both.
 */
const ATTRIBUTE = /(?:^|\s)((?:in|en|aus)\s+[\p{L}-]+(?:\s(?:or|oder|ou)\s[\p{L}-]+)?)\s*[.!?]?$/iu;
/** Matches an attribute that applies to all things: `a hoodie and shorts, both in black`. */
const BOTH =
  /(?:^|[\s,;])(?:both|all(?: of them)?|each|beides?|alle|alles|les deux|tous|toutes|chacun)\s+((?:(?:in|en|size|größe|taille|aus)\s+)?[\p{L}\d-]+(?:\s[\p{L}\d-]+)?)\s*[.!?]?$/iu;
const HAS_ARTICLE = /^(?:an?|the|some|my|eine?[nmrs]?|une?|des|\d+)\s/i;
const HAS_OWN = /(?:^(?:an?|the|eine?[nmrs]?|une?|des|\d+)\s|\s(?:in|en|aus|of|with|mit|avec)\s)/iu;
const REQUEST = /^.*\b(?:need|want|for|suche|brauche|cherche)\s+/i;
/** Matches a recipient that applies to all things: `a tee and shorts for men`. */
const RECIPIENT = /\s((?:for|für|pour)\s+(?:\p{L}+\s+)?(\p{L}+))\s*[.!?]?$/iu;

/** The attributes at the end of a sentence that also apply to the things before the last one. */
function sharedAttributes(text: string, lastPart: string): string[] {
  const isBare = (part: string) => !HAS_OWN.test(part.replace(REQUEST, ''));
  const described = lastPart.replace(RECIPIENT, '');
  const [, attribute] = ATTRIBUTE.exec(described) ?? [];
  const [, recipient, word = ''] = RECIPIENT.exec(lastPart) ?? [];
  const [, both] = BOTH.exec(lastPart) ?? [];
  return [
    ...(both !== undefined ? [both] : []),
    ...(both === undefined && attribute !== undefined && isBare(text) && isBare(described.replace(ATTRIBUTE, ''))
      ? [attribute]
      : []),
    ...(recipient !== undefined && namesGroup(normalizeText(word)) ? [recipient] : []),
  ];
}

/** Whether a word names a group of people for whom products are made. */
function namesGroup(word: string): boolean {
  const forms = [word, stem(word)].flatMap((form) => [form, ...otherWordsFor(form)]);
  return forms.some((form) => ['men', 'women', 'children'].includes(form));
}

function isLimit({ kind, value }: Constraint): boolean {
  return kind === 'price' || kind === 'in_stock' || (kind === 'value' && value === ON_SALE);
}

/** Whether an exclusion is a separate clause, unlike in `a cake and a pie without nuts`. */
function isSetOff({ kind, text, start }: Constraint, sentence: string): boolean {
  const joined = /^(?:but|aber|mais)\b/i;
  return (
    kind === 'without' && (joined.test(text) || /(?:[,;.:(]|\b(?:but|aber|mais))\s*$/i.test(sentence.slice(0, start)))
  );
}

interface Turns {
  candidates: FoundProduct[];
  /** For each need, the positions of its candidates. */
  indexes: number[][];
}

/**
 * Takes the best candidates of the needs in turn, each variant once. Also returns, for each need, the positions of its
 * candidates.
 */
function inTurn(found: FindResult[], limit: number): Turns {
  const candidates: FoundProduct[] = [];
  const indexes = found.map((): number[] => []);
  const longest = Math.max(...found.map((one) => one.candidates.length));
  for (let rank = 0; rank < longest; rank += 1) {
    for (const [need, one] of found.entries()) {
      const candidate = one.candidates[rank];
      if (!candidate) continue;
      const known = candidates.findIndex(({ variant }) => variant.id === candidate.variant.id);
      if (known < 0 && candidates.length >= limit) continue;
      if (known < 0) candidates.push(candidate);
      indexes[need]?.push(known < 0 ? candidates.length - 1 : known);
    }
  }
  return { candidates, indexes };
}

/** Sorts a choice across all needs, if the sentence requests the cheapest or the most expensive. */
function sortedTogether({ candidates, indexes }: Turns, found: FindResult[]): Turns {
  const sort = found.flatMap(({ understood }) => understood.find(({ kind }) => kind === 'sort')?.value ?? [])[0];
  if (sort !== 'price_asc' && sort !== 'price_desc') return { candidates, indexes };
  const price = (at: number) => (sort === 'price_asc' ? 1 : -1) * Number(candidates[at]?.variant.price);
  const order = candidates.map((_each, at) => at).sort((a, b) => price(a) - price(b));
  return {
    candidates: order.flatMap((at) => candidates[at] ?? []),
    indexes: indexes.map((own) => own.map((at) => order.indexOf(at)).sort((a, b) => a - b)),
  };
}

/** Adds limits of the sentence that no part has reported, marked as `not_available`. */
function withUnreported(understood: Understood[], constraints: Constraint[]): Understood[] {
  const isLimitOfAll = (each: Constraint) => isLimit(each) || each.kind === 'without';
  // A part may state a limit in other words, for example if a negation is repeated for each of two colours.
  const isReported = (each: Constraint) =>
    understood.some(
      ({ kind, text, value }) =>
        kind === each.kind && (text.includes(each.text) || each.text.includes(text) || (value && value === each.value)),
    );
  const unreported = constraints.filter((each) => isLimitOfAll(each) && !isReported(each));
  return [...understood, ...unreported.map((each) => reportedAs(each, 'not_available'))].slice(0, MAX_UNDERSTOOD);
}

function reportedAs(constraint: Constraint, fate: Understood['fate']): Understood {
  const { kind, text, start, end, min = null, max = null, currency = null, value = null } = constraint;
  return { kind, text, start, end, min, max, currency, value, fate };
}

/**
 * Joins the interpretations of all parts, and adds the total price. A total that was not checked is reported as such.
 */
function together(
  found: FindResult[],
  isTotal: boolean,
  total: (Constraint & Pick<Understood, 'fate'>) | undefined,
): Understood[] {
  const parts = found.flatMap(({ understood }) => understood);
  const all = total ? [...parts.filter(({ kind }) => kind !== 'price'), reportedAs(total, total.fate)] : parts;
  const key = ({ kind, text, value, min, max, fate }: Understood) =>
    JSON.stringify([kind, text, value, min, max, fate]);
  return [...new Map(all.map((each) => [key(each), each])).values()]
    .map((each) => (isTotal && !total && each.kind === 'price' ? { ...each, fate: 'not_available' as const } : each))
    .slice(0, MAX_UNDERSTOOD);
}
