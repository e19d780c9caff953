import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { SearchDb } from '../search-db.ts';
import { type Model, placeOf } from './latent.ts';
import { productBytes, wordBytes, wordVector } from './latent-index.ts';
import { type Text, weightsOf } from './latent-text.ts';
import { startLearning } from './latent-thread.ts';

/** With fewer products there is too little to learn from, and little to put in order. */
const LEAST_PRODUCTS = 1_000;
/** More texts take longer and teach little more. */
const MOST_LEARNT_FROM = 20_000;
/** When so many products, of those there were, have changed or come, the words may mean something else. */
const CHANGED_SHARE = 0.2;
/** So many products or words go with one statement. */
const BATCH = 200;

/** Runs work in the shop in a transaction of its own. */
export type InShop = <T>(work: (db: SearchDb) => Promise<T>) => Promise<T>;

interface State extends Record<string, unknown> {
  /** The present model, if there is one, with how many products there were then, and how many have changed since. */
  model_id: string | null;
  then: number;
  changed: number;
  products: number;
}

/**
 * Brings what the words of a shop mean up to date: learns it where that was never done or much has changed since, and gives
 * products that are new or have changed their place. Answers for how many products. In many short transactions, so that it
 * holds up nobody; one that is repeated or runs twice at once does the work again and no harm.
 */
export async function learnMeanings(inShop: InShop): Promise<number> {
  const state = await inShop(readState);
  if (state.products < LEAST_PRODUCTS) return 0;
  const outdated = state.model_id === null || newsOf(state) >= CHANGED_SHARE * state.then;
  const model_id = outdated ? await learnAnew(inShop, state.products) : state.model_id;
  return model_id === null ? 0 : placeProducts(inShop, model_id);
}

function newsOf({ products, then, changed }: State): number {
  return changed + Math.max(0, products - then);
}

async function readState(db: SearchDb): Promise<State> {
  const state = await db.one<State>(
    sql`select m.id as model_id, coalesce(m.products, 0) as then, coalesce(m.changed, 0) as changed,
        (select count(*) from product_search where site_id = ${db.siteId}) as products
      from (select 1) as always left join search_models m on m.site_id = ${db.siteId}`,
  );
  if (!state) throw new Error('A row without a model is a row, too.');
  return state;
}

async function learnAnew(inShop: InShop, products: number): Promise<string> {
  const learning = await startLearning();
  try {
    const ids = await inShop(readSample);
    for (let from = 0; from < ids.length; from += BATCH) {
      learning.add(await inShop((db) => readTexts(db, ids.slice(from, from + BATCH))));
    }
    const model = await learning.learn();
    return await inShop((db) => writeModel(db, model, products));
  } finally {
    await learning.end();
  }
}

/** Products from all over the catalogue: fingerprints are as good as drawn by lot. */
async function readSample(db: SearchDb): Promise<string[]> {
  const rows = await db.rows<{ product_id: string }>(
    sql`select product_id from product_search where site_id = ${db.siteId}
      order by fingerprint, product_id limit ${MOST_LEARNT_FROM}`,
  );
  return rows.map(({ product_id }) => product_id);
}

interface SourceText extends Text, Record<string, unknown> {
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
        from unnest(${batch.map(([term]) => term)}::text[], ${batch.map(([, vector]) => wordBytes(vector))}::bytea[])
          as v (term, vector)`,
    );
  }
  return id;
}

async function placeProducts(inShop: InShop, model_id: string): Promise<number> {
  let [model, placed]: [Model | undefined, number] = [undefined, 0];
  for (;;) {
    const texts = await inShop((db) => readUnplaced(db, model_id));
    if (texts.length === 0) return placed;
    model ??= await inShop(readModel);
    const places = texts.map((text) => ({ ...text, place: placeOf(model ?? new Map(), weightsOf(text)) }));
    // Another run may have learnt anew meanwhile; then it places them all.
    if (!(await inShop((db) => writePlaces(db, model_id, places)))) return placed;
    placed += texts.length;
  }
}

async function readUnplaced(db: SearchDb, model_id: string): Promise<SourceText[]> {
  const rows = await db.rows<{ product_id: string }>(
    sql`select s.product_id from product_search s
      left join search_product_vectors v on v.site_id = s.site_id and v.product_id = s.product_id
      where s.site_id = ${db.siteId}
        and (v.model_id is distinct from ${model_id} or v.fingerprint is distinct from s.fingerprint) limit ${BATCH}`,
  );
  return readTexts(
    db,
    rows.map(({ product_id }) => product_id),
  );
}

async function readModel(db: SearchDb): Promise<Model> {
  const rows = await db.rows<{ term: string; vector: Buffer }>(
    sql`select term, vector from search_word_vectors where site_id = ${db.siteId}`,
  );
  return new Map(rows.map(({ term, vector }) => [term, wordVector(vector)]));
}

/** Answers whether the model is still the present one; else nothing is written. */
async function writePlaces(
  db: SearchDb,
  model_id: string,
  places: (SourceText & { place: Float32Array | undefined })[],
): Promise<boolean> {
  const models = await db.rows(
    sql`with present as (
        update search_models m set changed = m.changed + (select count(*) from search_product_vectors v
          where v.site_id = ${db.siteId} and v.model_id = ${model_id}
            and v.product_id = any(${places.map(({ product_id }) => product_id)}::uuid[]))
        where m.site_id = ${db.siteId} and m.id = ${model_id} returning m.id
      ), written as (
        insert into search_product_vectors (site_id, product_id, model_id, fingerprint, vector)
        select ${db.siteId}, g.product_id, present.id, g.fingerprint, g.vector
        from present cross join unnest(${places.map(({ product_id }) => product_id)}::uuid[],
          ${places.map(({ fingerprint }) => fingerprint)}::text[],
          ${places.map(({ place }) => place && productBytes(place))}::bytea[]) as g (product_id, fingerprint, vector)
        join products p on p.site_id = ${db.siteId} and p.id = g.product_id
        on conflict (site_id, product_id) do update
          set model_id = excluded.model_id, fingerprint = excluded.fingerprint, vector = excluded.vector
      )
      select id from present`,
  );
  return models.length > 0;
}
