import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import type { SearchDb } from '../search-db.ts';
import { embed, type Model } from './latent.ts';
import { productVectorBytes, termVector, termVectorBytes } from './latent-index.ts';
import { type ProductText, weightsOf } from './latent-text.ts';
import { startTraining } from './latent-thread.ts';

/** A smaller shop has too little text for training, and few enough products that ranking matters less. */
const MIN_PRODUCTS = 1_000;
/** More texts take longer and improve the model little. */
const MAX_SAMPLE = 20_000;
/** The model is retrained when this share of the products was added or changed since the last training. */
const CHANGED_SHARE = 0.2;
/**
 * The number of products or terms per statement. Small, because the process serves no requests while it parses the
 * result of a statement.
 */
const BATCH = 20;

/** Runs a function in a new transaction of the shop. */
export type InTransaction = <T>(work: (db: SearchDb) => Promise<T>) => Promise<T>;

interface State {
  /** The current model, if there is one. */
  model_id: string | null;
  /** The number of products when the model was trained, and the number of changes since then. */
  trained_products: number;
  changed: number;
  products: number;
}

/**
 * Updates a shop's latent semantic model. Trains it if there is none or much has changed, and then computes the vectors
 * of new and changed products. Returns the number of products that it updated. Uses many short transactions, so that it
 * does not block requests. Concurrent runs only repeat work.
 */
export async function learnMeanings(inTransaction: InTransaction): Promise<number> {
  const state = await inTransaction(readState);
  if (state.products < MIN_PRODUCTS) return 0;
  const outdated = state.model_id === null || changesOf(state) >= CHANGED_SHARE * state.trained_products;
  const model_id = outdated ? await retrain(inTransaction, state.products) : state.model_id;
  return model_id === null ? 0 : embedProducts(inTransaction, model_id);
}

function changesOf({ products, trained_products, changed }: State): number {
  return changed + Math.max(0, products - trained_products);
}

async function readState(db: SearchDb): Promise<State> {
  const state = await db.one<State>(
    sql`select m.id as model_id, coalesce(m.products, 0) as trained_products, coalesce(m.changed, 0) as changed,
        (select count(*) from product_search where site_id = ${db.siteId}) as products
      from (select 1) as always left join search_models m on m.site_id = ${db.siteId}`,
  );
  if (!state) throw new Error('The state of the model was not read.');
  return state;
}

async function retrain(inTransaction: InTransaction, products: number): Promise<string> {
  const training = await startTraining();
  try {
    const ids = await inTransaction(readSample);
    for (let from = 0; from < ids.length; from += BATCH) {
      training.add(await inTransaction((db) => readTexts(db, ids.slice(from, from + BATCH))));
    }
    const model = await training.train();
    return await inTransaction((db) => writeModel(db, model, products));
  } finally {
    await training.end();
  }
}

/** Chooses a random sample of the catalogue. Fingerprints are hashes, so sorting by them is as good as random. */
async function readSample(db: SearchDb): Promise<string[]> {
  const rows = await db.rows<RowOf<'product_search', 'product_id'>>(
    sql`select product_id from product_search where site_id = ${db.siteId}
      order by fingerprint, product_id limit ${MAX_SAMPLE}`,
  );
  return rows.map(({ product_id }) => product_id);
}

interface SourceText extends ProductText, Record<string, unknown> {
  product_id: string;
  fingerprint: string;
}

function readTexts(db: SearchDb, ids: string[]): Promise<SourceText[]> {
  return db.rows<SourceText>(
    sql`select p.id as product_id, s.fingerprint, p.name, p.vendor, p.product_type, p.description
      from products p join product_search s on s.site_id = p.site_id and s.product_id = p.id
      where p.site_id = ${db.siteId} and p.id = any(${ids}::uuid[])`,
  );
}

async function writeModel(db: SearchDb, model: Model, products: number): Promise<string> {
  const id = uuidv7();
  await db.run(
    sql`insert into search_models (site_id, id, products) values (${db.siteId}, ${id}, ${products})
      on conflict (site_id) do update set id = excluded.id, products = excluded.products, changed = 0, learnt_at = now()`,
  );
  await db.run(sql`delete from search_word_vectors where site_id = ${db.siteId}`);
  const entries = [...model];
  for (let from = 0; from < entries.length; from += BATCH) {
    const batch = entries.slice(from, from + BATCH);
    await db.run(
      sql`insert into search_word_vectors (site_id, term, vector)
        select ${db.siteId}, term, vector
        from unnest(${batch.map(([term]) => term)}::text[], ${batch.map(([, vector]) => termVectorBytes(vector))}::bytea[])
          as v (term, vector)`,
    );
  }
  return id;
}

/**
 * Computes the vectors of all outdated products. Each batch is written in the transaction that reads the next one,
 * which shows whether the batch is the last.
 */
async function embedProducts(inTransaction: InTransaction, model_id: string): Promise<number> {
  let embedded = 0;
  let { texts, last } = await inTransaction((db) => readOutdated(db, model_id, FIRST));
  const model = last === undefined ? undefined : await inTransaction(readModel);
  while (model && last !== undefined) {
    const vectors = texts.map((text) => ({ ...text, vector: embed(model, weightsOf(text)) }));
    const after = last;
    const next = await inTransaction(async (db) => {
      const found = await readOutdated(db, model_id, after);
      const current = await writeVectors(db, model_id, vectors);
      if (current && found.last === undefined) await complete(db, model_id);
      return current ? found : undefined;
    });
    // Another run may have replaced the model meanwhile; that run then computes all vectors.
    if (!next) return embedded;
    embedded += texts.length;
    ({ texts, last } = next);
  }
  return embedded;
}

/** Invalidates cached responses, so that searches use the new vectors. */
async function complete(db: SearchDb, model_id: string): Promise<void> {
  await db.run(sql`update search_models set completed_at = now() where site_id = ${db.siteId} and id = ${model_id}`);
}

/** A product id lower than all others. */
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Reads the next products whose vectors are outdated, and the last id among them. Skips products up to `after`, which
 * were already checked in this run; if they change again, the next run updates them. Without `after`, each query would
 * pass over more finished products than the one before. Vectors are looked up by id instead of joined, because
 * PostgreSQL's statistics of a new table may still describe an empty one.
 */
async function readOutdated(
  db: SearchDb,
  model_id: string,
  after: string,
): Promise<{ texts: SourceText[]; last: string | undefined }> {
  const rows = await db.rows<RowOf<'product_search', 'product_id'>>(
    sql`select s.product_id from product_search s
      left join lateral (
        select model_id, fingerprint from search_product_vectors
        where site_id = ${db.siteId} and product_id = s.product_id limit 1) v on true
      where s.site_id = ${db.siteId} and s.product_id > ${after}
        and (v.model_id is distinct from ${model_id} or v.fingerprint is distinct from s.fingerprint)
      order by s.product_id limit ${BATCH}`,
  );
  const ids = rows.map(({ product_id }) => product_id);
  return { texts: ids.length > 0 ? await readTexts(db, ids) : [], last: ids.at(-1) };
}

async function readModel(db: SearchDb): Promise<Model> {
  const rows = await db.rows<RowOf<'search_word_vectors', 'term' | 'vector'>>(
    sql`select term, vector from search_word_vectors where site_id = ${db.siteId}`,
  );
  return new Map(rows.map(({ term, vector }) => [term, termVector(vector)]));
}

/** Writes vectors if the model is still the current one. Returns whether it still is. */
async function writeVectors(
  db: SearchDb,
  model_id: string,
  vectors: (SourceText & { vector: Float32Array | undefined })[],
): Promise<boolean> {
  const models = await db.rows(
    sql`with present as (
        update search_models m set changed = m.changed + (select count(*) from search_product_vectors v
          where v.site_id = ${db.siteId} and v.model_id = ${model_id}
            and v.product_id = any(${vectors.map(({ product_id }) => product_id)}::uuid[]))
        where m.site_id = ${db.siteId} and m.id = ${model_id} returning m.id
      ), written as (
        insert into search_product_vectors (site_id, product_id, model_id, fingerprint, vector)
        select ${db.siteId}, g.product_id, present.id, g.fingerprint, g.vector
        from present cross join unnest(${vectors.map(({ product_id }) => product_id)}::uuid[],
          ${vectors.map(({ fingerprint }) => fingerprint)}::text[],
          ${vectors.map(({ vector }) => vector && productVectorBytes(vector))}::bytea[]) as g (product_id, fingerprint, vector)
        join products p on p.site_id = ${db.siteId} and p.id = g.product_id
        on conflict (site_id, product_id) do update
          set model_id = excluded.model_id, fingerprint = excluded.fingerprint, vector = excluded.vector
      )
      select id from present`,
  );
  return models.length > 0;
}
