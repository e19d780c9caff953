import type { Knex } from 'knex';

/** The log of product changes, and the search index. */
export async function createProductSearch(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.change_eras (
      era integer primary key,
      history text not null,
      begun_at timestamptz not null default now()
    );

    create function commerce.change_era() returns integer language sql stable
      return (select max(era) from commerce.change_eras);

    create procedure commerce.begin_change_era() language plpgsql as $$
    declare
      present text := (select system_identifier from pg_control_system()) || '.' || (select timeline_id from pg_control_checkpoint());
    begin
      insert into commerce.change_eras (era, history)
      select coalesce(max(era), 0) + 1, present from commerce.change_eras
      having coalesce((array_agg(history order by era desc))[1], '') <> present;
    end $$;

    create table commerce.product_changes (
      site_id uuid not null,
      era integer not null default commerce.change_era(),
      changed_in bigint not null default pg_current_xact_id()::text::bigint,
      product_id uuid not null,
      -- Whether customers saw the product before or after the change. If so, its removal is reported.
      seen boolean not null,
      changed_at timestamptz not null default clock_timestamp(),
      primary key (site_id, era, changed_in, product_id)
    );
    create index product_changes_of on commerce.product_changes (site_id, product_id, era, changed_in);
    create index product_changes_age on commerce.product_changes (changed_at);
    call commerce.protect('commerce.product_changes');
    create policy sweep on commerce.product_changes to commerce_sweep using (true);

    create table commerce.product_search (
      site_id uuid not null,
      product_id uuid not null,
      title text not null,
      skus text[] not null,
      document tsvector not null,
      -- Hash of the indexed text. The job index_products indexes products that an older release wrote.
      fingerprint text not null default '',
      index_version smallint not null default 0,
      posting_count integer not null default 0,
      primary key (site_id, product_id),
      foreign key (site_id, product_id) references commerce.products on delete cascade
    ) with (autovacuum_analyze_scale_factor = 0.5);
    create index product_search_document on commerce.product_search using gin (site_id, document);
    create index product_search_title on commerce.product_search using gin (site_id, title gin_trgm_ops);
    create index product_search_skus on commerce.product_search using gin (site_id, skus);
    create index product_search_by_version on commerce.product_search (site_id, index_version, product_id);
    call commerce.protect('commerce.product_search');
    create policy search_reads on commerce.product_search for select to commerce_search using (true);

    create table commerce.search_postings (
      site_id uuid not null,
      product_id uuid not null,
      -- Byte order, so that words with the same prefix are neighbours in every locale.
      term text collate "C" not null,
      impact real not null,
      place smallint not null,
      primary key (site_id, product_id, term)
    ) with (autovacuum_analyze_scale_factor = 0.5);
    create index search_postings_by_term on commerce.search_postings (site_id, term) include (product_id, impact, place);
    create index search_postings_in_names on commerce.search_postings (site_id, term, product_id) where place & 1 > 0;
    call commerce.protect('commerce.search_postings');

    create table commerce.search_models (
      site_id uuid primary key references commerce.sites,
      id uuid not null,
      -- Products at the time of learning, and changes since.
      products integer not null,
      changed integer not null default 0,
      learnt_at timestamptz not null default now(),
      -- When all products had their vectors.
      completed_at timestamptz
    );
    call commerce.protect('commerce.search_models');

    create table commerce.search_word_vectors (
      site_id uuid not null references commerce.search_models on delete cascade,
      term text collate "C" not null,
      -- Numbers of four bytes, little-endian.
      vector bytea not null,
      primary key (site_id, term)
    );
    call commerce.protect('commerce.search_word_vectors');

    create table commerce.search_product_vectors (
      site_id uuid not null,
      product_id uuid not null,
      model_id uuid not null,
      -- Hash of the text behind the vector, as in product_search. A changed product gets a new vector.
      fingerprint text not null,
      -- Signed numbers of one byte. Null if the product has no known word.
      vector bytea,
      primary key (site_id, product_id),
      foreign key (site_id, product_id) references commerce.products on delete cascade
    );
    call commerce.protect('commerce.search_product_vectors');
  `);
}
