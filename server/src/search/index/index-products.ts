import type { SearchSynonyms } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { arrayText } from '../../db/array-text.ts';
import type { RowOf } from '../../db/row-of.ts';
import type { SearchDb } from '../search-db.ts';
import { synonymTerms } from '../words/synonyms.ts';
import { type Posting, postingsOf, type SearchDocument } from './postings.ts';

/** Increment this when postings change; products that an older release indexed are then reindexed. */
export const INDEX_VERSION = 6;

interface Source {
  product_id: string;
  source: SearchDocument;
  fingerprint: string;
}

/**
 * Updates the search index for products, in the transaction that changed them. Call it once, after the last change. The
 * number of statements does not depend on the number of products. Ignores ids of deleted products.
 */
export async function indexProducts(db: SearchDb, product_ids: string[]): Promise<void> {
  if (product_ids.length === 0) return;
  // Locks the products before they are read, so that none can be deleted before its postings are written. Locks in id
  // order, so that two calls for the same products cannot deadlock.
  await db.run(
    sql`with kept as materialized (
        select id from products where site_id = ${db.siteId} and id = any((select ${product_ids}::uuid[])::uuid[])
        order by id for key share
      )
      select from product_search
      where site_id = ${db.siteId} and product_id = any(array(select id from kept)) order by product_id for update`,
  );
  await writeIndex(db, await sourcesOf(db, product_ids), true);
}

/**
 * Indexes products that this transaction created. No other transaction sees them, so nothing has to be locked or
 * checked for changes.
 */
export async function indexNewProducts(db: SearchDb, product_ids: string[]): Promise<void> {
  if (product_ids.length === 0) return;
  await writeIndex(db, await sourcesOf(db, product_ids), false);
}

async function sourcesOf(db: SearchDb, product_ids: string[]): Promise<Source[]> {
  const rows = await db.rows<{ product_id: string; source: string; fingerprint: string }>(
    sql`select product_id, source, md5(source) as fingerprint from (
        select product_id, source::text as source
        from search_sources(${db.siteId}, (select ${product_ids}::uuid[])) offset 0) as s`,
  );
  return rows.map((row) => ({ ...row, source: JSON.parse(row.source) as SearchDocument }));
}

interface IndexedProduct extends Source {
  postings: Posting[];
}

async function writeIndex(db: SearchDb, sources: Source[], wereIndexed: boolean): Promise<void> {
  if (sources.length === 0) return;
  const products = sources.map((product) => ({ ...product, postings: postingsOf(product.source) }));
  await writePostings(db, products, wereIndexed);
  await writeSummaries(db, products);
}

async function writePostings(db: SearchDb, products: IndexedProduct[], wereIndexed: boolean): Promise<void> {
  const ids = products.map(({ product_id }) => product_id);
  const all = products.flatMap(({ postings }) => postings);
  const places = products.flatMap(({ postings }, i) => postings.map(() => i + 1));
  const given = sql`(select (${ids}::uuid[])[product] as product_id, term, impact, place
      from unnest(${arrayText(places)}::int[], ${arrayText(all.map(({ term }) => term))}::text[],
        ${arrayText(all.map(({ impact }) => impact))}::real[], ${arrayText(all.map(({ place }) => place))}::smallint[])
        as u (product, term, impact, place)) as g`;
  const insertion = sql`insert into search_postings as p (site_id, product_id, term, impact, place)
    select ${db.siteId}, product_id, term, impact, place`;
  await db.run(
    wereIndexed
      ? sql`with given as materialized (select * from ${given}), gone as (${removalOfOthers(db, ids)})
          ${insertion} from given ${whereChanged}`
      : sql`${insertion} from ${given}`,
  );
}

/** Rewrites only changed postings. The comparison costs no more than a lookup in the index. */
const whereChanged = sql`on conflict (site_id, product_id, term)
  do update set impact = excluded.impact, place = excluded.place
  where (p.impact, p.place) is distinct from (excluded.impact, excluded.place)`;

function removalOfOthers(db: SearchDb, product_ids: string[]): Sql {
  return sql`delete from search_postings p
    where p.site_id = ${db.siteId} and p.product_id = any((select ${product_ids}::uuid[])::uuid[])
      and not exists (select from given g where g.product_id = p.product_id and g.term = p.term)`;
}

/**
 * Writes the text for the search in lists. Names weigh most (A), then vendor, type and option values (B), tags and
 * metadata (C), and the description (D). Also marks the postings as up to date. A second update would cost more,
 * because each new version of a row needs entries in all indexes of the table.
 */
async function writeSummaries(db: SearchDb, products: IndexedProduct[]): Promise<void> {
  const column = (of: (product: IndexedProduct) => string | number) => arrayText(products.map(of));
  await db.run(
    sql`insert into product_search as s (site_id, product_id, title, skus, document, fingerprint, index_version,
        posting_count)
      select p.site_id, p.id, unaccent(lower(p.name)), given.codes::text[],
        words(p.name, 'A')
        || words(concat_ws(' ', p.vendor, p.product_type, given.options), 'B')
        || words(concat_ws(' ', array_to_string(p.tags, ' '),
          (select string_agg(value, ' ') from jsonb_each_text(p.metadata))), 'C')
        || words(left(p.description, 10000), 'D'),
        given.fingerprint, ${INDEX_VERSION}, given.posting_count
      from unnest((select ${column(({ product_id }) => product_id)}::uuid[]), ${column(({ fingerprint }) => fingerprint)}::text[],
        ${column(({ postings }) => postings.length)}::int[], ${column(({ source }) => source.options.join(' '))}::text[],
        ${column(({ source }) => arrayText(source.codes))}::text[])
        as given (product_id, fingerprint, posting_count, options, codes)
      join products p on p.site_id = ${db.siteId} and p.id = given.product_id
      on conflict (site_id, product_id) do update
        set title = excluded.title, skus = excluded.skus, document = excluded.document,
          fingerprint = excluded.fingerprint, index_version = excluded.index_version,
          posting_count = excluded.posting_count
        where (s.fingerprint, s.index_version) is distinct from (excluded.fingerprint, excluded.index_version)`,
  );
}

/**
 * Number of products per batch. Small, because the process serves no requests while it computes postings, and because
 * writing them slows PostgreSQL down.
 */
const BATCH = 8;

/**
 * Reindexes a batch of products that an older release indexed. Returns their number; 0 when none is left. The last
 * batch also marks the latent semantic model for retraining, since terms may have changed, and invalidates cached
 * responses. If each batch did so, the shop would have no cache during the whole run.
 */
export async function indexOutdated(db: SearchDb): Promise<number> {
  const rows = await db.rows<RowOf<'product_search', 'product_id'>>(
    sql`select product_id from product_search
      where site_id = ${db.siteId} and index_version <> ${INDEX_VERSION} order by product_id limit ${BATCH + 1}`,
  );
  const batch = rows.slice(0, BATCH).map(({ product_id }) => product_id);
  if (batch.length === 0) return 0;
  await indexProducts(db, batch);
  if (rows.length <= BATCH) await announceNewIndex(db);
  return batch.length;
}

async function announceNewIndex(db: SearchDb): Promise<void> {
  await db.run(sql`update search_models set changed = products where site_id = ${db.siteId}`);
  // Any change of the settings increments the catalogue version (`commerce.bump_catalog`), on which cached responses
  // depend.
  await db.run(sql`update site_settings set updated_at = updated_at where site_id = ${db.siteId}`);
}

/** Recomputes the terms of the shop's synonyms, which an older release may have stemmed differently. */
export async function indexSynonyms(db: SearchDb): Promise<void> {
  const settings = await db.one<{ search_synonyms: SearchSynonyms[] }>(
    sql`select search_synonyms from site_settings where site_id = ${db.siteId} and search_synonyms <> '[]' for update`,
  );
  if (!settings) return;
  const terms = JSON.stringify(synonymTerms(settings.search_synonyms));
  await db.run(
    sql`update site_settings set search_synonym_terms = ${terms}::jsonb
      where site_id = ${db.siteId} and search_synonym_terms <> ${terms}::jsonb`,
  );
}
