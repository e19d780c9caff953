import type { Knex } from 'knex';

/**
 * What the words of a shop mean, as its own texts use them (search/latent.ts): a vector for each word and each product. A job
 * learns them; a search does without where there are none. The vectors of one learning say nothing beside those of another.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.search_models (
      site_id uuid primary key references commerce.sites,
      id uuid not null,
      -- How many products there were, and how many have changed since.
      products integer not null,
      changed integer not null default 0,
      learnt_at timestamptz not null default now()
    );

    create table commerce.search_word_vectors (
      site_id uuid not null references commerce.search_models on delete cascade,
      term text collate "C" not null,
      -- Numbers of four bytes, little-endian.
      vector bytea not null,
      primary key (site_id, term)
    );

    create table commerce.search_product_vectors (
      site_id uuid not null,
      product_id uuid not null,
      model_id uuid not null,
      -- Of what the vector was made from, as in product_search: a product that has changed is given another.
      fingerprint text not null,
      -- Signed numbers of one byte; null where the product has no word that is known.
      vector bytea,
      primary key (site_id, product_id),
      foreign key (site_id, product_id) references commerce.products on delete cascade
    );
    -- Products that are given a place are found in another order: cached answers are not (see 0002_catalogue).
    create constraint trigger bump_catalog after insert or update on commerce.search_product_vectors
      deferrable initially deferred for each row execute function commerce.bump_catalog();
    -- A search asks this of all that match and reads the row itself of the best alone.
    create index products_visible on commerce.products (site_id, id) include (published_at, price, price_max)
      where status = 'active';
    call commerce.protect('commerce.search_models');
    call commerce.protect('commerce.search_word_vectors');
    call commerce.protect('commerce.search_product_vectors');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.products_visible;
    drop table commerce.search_product_vectors;
    drop table commerce.search_word_vectors;
    drop table commerce.search_models;
  `);
}
