import type { Knex } from 'knex';

/**
 * Adds the terms `@name:value` to the search index for attribute filters. Products that are already indexed get them
 * here, so that filters are exact immediately. The job that reindexes products of an older release writes the same
 * terms.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.site_settings add column product_url_template text;

    alter table commerce.products no force row level security;
    alter table commerce.product_search no force row level security;
    alter table commerce.search_postings no force row level security;
    insert into commerce.search_postings (site_id, product_id, term, impact, place)
      select distinct p.site_id, p.id, '@' || lower(btrim(m.key)) || ':' || lower(btrim(one.value)), 1::real, 0::smallint
      from commerce.products p
      join commerce.product_search s on s.site_id = p.site_id and s.product_id = p.id
      cross join jsonb_each_text(p.metadata) as m
      cross join unnest(array[m.value] || string_to_array(m.value, ', ')) as one (value)
      where one.value is not null
      on conflict do nothing;
    alter table commerce.search_postings force row level security;
    alter table commerce.product_search force row level security;
    alter table commerce.products force row level security;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.search_postings no force row level security;
    delete from commerce.search_postings where starts_with(term, '@');
    alter table commerce.search_postings force row level security;
    alter table commerce.site_settings drop column product_url_template;
  `);
}
