import type { Knex } from 'knex';

/**
 * The index of the search: for each product its terms, each with how strongly it speaks of the product. Equality on uuid
 * and text is leakproof, so under row-level security a plain index serves. How many products have a term is counted when
 * it is asked for, from the postings themselves: no counter that concurrent writers would queue for, and one shop's
 * catalogue does not move another's ranking.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.search_postings (
      site_id uuid not null,
      product_id uuid not null,
      -- Bytes decide the order, so that the words with one beginning are neighbours whatever the locale.
      term text collate "C" not null,
      impact real not null,
      place smallint not null,
      primary key (site_id, product_id, term),
      foreign key (site_id, product_id) references commerce.products on delete cascade
    );
    create index search_postings_by_term on commerce.search_postings (site_id, term) include (product_id, impact, place);
    call commerce.protect('commerce.search_postings');

    -- From what the postings were made; products that an older release wrote are indexed by the job index_products.
    alter table commerce.product_search
      add column fingerprint text not null default '',
      add column index_version smallint not null default 0,
      add column posting_count integer not null default 0;
    create index product_search_by_version on commerce.product_search (site_id, index_version, product_id);

    -- One-directional: who searches for the term finds the synonyms, too. [{"term": "sofa", "synonyms": ["couch"]}]
    alter table commerce.site_settings
      add column search_synonyms jsonb not null default '[]',
      -- The same in the form in which words are compared: {"sofa": ["couch"]}.
      add column search_synonym_terms jsonb not null default '{}';
  `);

  // What the postings are made from, in one value, so that it can be told whether they are up to date.
  await knex.raw(`
    create function commerce.search_source(site uuid, product uuid) returns jsonb language sql stable
      return (select jsonb_build_object('name', p.name, 'description', left(p.description, 10000), 'vendor', p.vendor,
          'product_type', p.product_type, 'tags', p.tags, 'metadata', p.metadata,
          'options', (select coalesce(jsonb_agg(value order by o.position, place), '[]')
            from commerce.product_options o, unnest(o.values) with ordinality as v (value, place)
            where o.site_id = site and o.product_id = product),
          'codes', (select coalesce(jsonb_agg(code order by code), '[]') from (
            select distinct lower(code) as code from commerce.variants v, unnest(array[v.sku, v.barcode]) as code
            where v.site_id = site and v.product_id = product and code is not null) as codes))
        from commerce.products p where p.site_id = site and p.id = product);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function commerce.search_source;
    alter table commerce.site_settings drop column search_synonyms, drop column search_synonym_terms;
    alter table commerce.product_search drop column fingerprint, drop column index_version,
      drop column posting_count;
    drop table commerce.search_postings;
  `);
}
