import type { SearchSynonyms } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { SearchDb } from '../search-db.ts';
import { synonymTerms } from '../words/synonyms.ts';
import { type Posting, postingsOf, type SearchDocument } from './postings.ts';

/** Increment it when postings change: products indexed by an older release are then reindexed. */
export const INDEX_VERSION = 3;

/**
 * Updates the search index for products, in the transaction that changed them. Call it once, after the last change. Two
 * statements, however many products there are; ids of deleted products are ignored.
 */
export async function indexProducts(db: SearchDb, product_ids: string[]): Promise<void> {
  if (product_ids.length === 0) return;
  // Rows are locked in id order, so that two calls for the same products cannot deadlock.
  const sources = await db.rows<{ product_id: string; source: SearchDocument; fingerprint: string }>(
    sql`select s.product_id, t.source, md5(t.source::text) as fingerprint
      from (select site_id, product_id from product_search
        where site_id = ${db.siteId} and product_id = any(${product_ids}::uuid[])
        order by product_id for update) as s,
        lateral (select search_source(s.site_id, s.product_id) as source) as t`,
  );
  if (sources.length === 0) return;
  const products = sources.map(({ product_id, fingerprint }) => ({ product_id, fingerprint }));
  const postings = sources.flatMap(({ product_id, source }) =>
    postingsOf(source).map((posting) => ({ product_id, ...posting })),
  );
  await write(db, products, postings);
}

/** Unchanged postings are not rewritten. */
async function write(
  db: SearchDb,
  products: { product_id: string; fingerprint: string }[],
  postings: ({ product_id: string } & Posting)[],
): Promise<void> {
  const column = <Key extends keyof Posting | 'product_id'>(key: Key) => postings.map((posting) => posting[key]);
  const ids = products.map(({ product_id }) => product_id);
  await db.run(
    sql`with given as materialized (
        select * from unnest(${column('product_id')}::uuid[], ${column('term')}::text[], ${column('impact')}::real[],
          ${column('place')}::smallint[]) as g (product_id, term, impact, place)
      ), gone as (
        delete from search_postings p where p.site_id = ${db.siteId} and p.product_id = any(${ids}::uuid[])
          and not exists (select from given g where g.product_id = p.product_id and g.term = p.term)
      ), indexed as (
        update product_search s set fingerprint = i.fingerprint, index_version = ${INDEX_VERSION},
          posting_count = (select count(*) from given g where g.product_id = i.product_id)
        from unnest(${ids}::uuid[], ${products.map(({ fingerprint }) => fingerprint)}::text[]) as i (product_id, fingerprint)
        where s.site_id = ${db.siteId} and s.product_id = i.product_id
      )
      insert into search_postings as p (site_id, product_id, term, impact, place)
      select ${db.siteId}, product_id, term, impact, place from given
      on conflict (site_id, product_id, term) do update set impact = excluded.impact, place = excluded.place
      where (p.impact, p.place) is distinct from (excluded.impact, excluded.place)`,
  );
}

const BATCH = 200;

/**
 * Reindexes a batch of the products that an older release indexed. Returns their number; zero when none is left. It also
 * marks the latent semantic model for retraining, since terms may have changed, and invalidates cached answers.
 */
export async function indexOutdated(db: SearchDb): Promise<number> {
  // Locked before it is read, so that a concurrent change to a product is seen.
  const rows = await db.rows<{ product_id: string }>(
    sql`select product_id from product_search
      where site_id = ${db.siteId} and index_version <> ${INDEX_VERSION} order by product_id limit ${BATCH} for update`,
  );
  if (rows.length === 0) return 0;
  await indexProducts(
    db,
    rows.map(({ product_id }) => product_id),
  );
  await db.run(sql`update search_models set changed = products where site_id = ${db.siteId}`);
  // Every change of the settings counts up the catalogue version (0002_catalogue), which cached answers depend on.
  await db.run(sql`update site_settings set updated_at = updated_at where site_id = ${db.siteId}`);
  return rows.length;
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
