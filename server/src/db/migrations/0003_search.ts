import type { Knex } from 'knex';

/**
 * What the shopper's search reads. Full-text and trigram operators are not leakproof, so under row-level security they
 * could use no index; the search functions therefore run as commerce_search, whose policy lets it read product_search
 * alone, and name the tenant themselves.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create text search configuration commerce.shop (copy = pg_catalog.english);
    alter text search configuration commerce.shop
      alter mapping for hword, hword_part, word with public.unaccent, english_stem;

    -- Punctuation separates words, here and in queries; PostgreSQL's parser would read "BTL-1" as "btl" and "-1".
    create function commerce.words(given text, weight "char") returns tsvector language sql immutable parallel safe
      return setweight(to_tsvector('commerce.shop',
        regexp_replace(given, '[\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e]+', ' ', 'g')), weight);

    create table commerce.product_search (
      site_id uuid not null,
      product_id uuid not null,
      title text not null,
      skus text[] not null,
      document tsvector not null,
      primary key (site_id, product_id),
      foreign key (site_id, product_id) references commerce.products on delete cascade
    );
    create index product_search_document on commerce.product_search using gin (site_id, document);
    create index product_search_title on commerce.product_search using gin (site_id, title gin_trgm_ops);
    create index product_search_skus on commerce.product_search using gin (site_id, skus);
    call commerce.protect('commerce.product_search');
    create policy search_reads on commerce.product_search for select to commerce_search using (true);
    grant usage on schema commerce to commerce_search;
    grant select on commerce.product_search to commerce_search;
  `);

  // SKU first, then words (the last one as a prefix), then what is spelled alike.
  await knex.raw(`
    create function commerce.search_products(words text, last_word_prefix tsquery, folded text)
    returns table (product_id uuid, rank real)
    language sql stable security definer set search_path = commerce, public, pg_temp
    set pg_trgm.strict_word_similarity_threshold = 0.35
    begin atomic
      with by_sku as (
        select s.product_id, 10::real as rank from commerce.product_search s
        where s.site_id = (select commerce.current_site()) and s.skus @> array[folded]
      ), by_words as (
        select s.product_id, ts_rank_cd('{0.05, 0.2, 0.5, 1}', s.document, last_word_prefix, 1)
          + ts_rank('{0.05, 0.2, 0.5, 1}', s.document, last_word_prefix) as rank
        from commerce.product_search s
        where s.site_id = (select commerce.current_site()) and s.document @@ last_word_prefix
        order by 2 desc limit 10000
      ), alike as (
        select s.product_id, (strict_word_similarity(words, s.title) * 0.01)::real as rank
        from commerce.product_search s
        where s.site_id = (select commerce.current_site()) and words <<% s.title
          and not exists (select from by_words) and not exists (select from by_sku)
        order by 2 desc limit 200
      )
      select f.product_id, max(f.rank) from
        (select * from by_sku union all select * from by_words union all select * from alike) f
      group by f.product_id;
    end;
    grant create on schema commerce to commerce_search;
    alter function commerce.search_products owner to commerce_search;
    revoke create on schema commerce from commerce_search;
    grant execute on function commerce.search_products to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function commerce.search_products;
    drop table commerce.product_search;
    drop function commerce.words;
    drop text search configuration commerce.shop;
  `);
}
