import type { Knex } from 'knex';

/**
 * How a shop speaks to its shoppers: language and time zone, brand, legal links and the way back to it; in which language each
 * shopper buys; and the links under which guests see their orders.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.site_settings
      add column default_locale text not null default 'en' check (default_locale ~ '^(en|de|fr)(-[A-Z]{2}){0,1}$'),
      add column time_zone text not null default 'UTC',
      add column brand jsonb not null default '{}',
      add column legal jsonb not null default '{}',
      add column storefront_url text;
    alter table commerce.carts add column locale text;
    alter table commerce.checkouts add column locale text, add column return_url text, add column cancel_url text;
    alter table commerce.customers add column locale text;
    -- Until now every order was confirmed in English.
    alter table commerce.orders add column locale text not null default 'en';

    create table commerce.order_links (
      site_id uuid not null,
      token_hash bytea not null,
      order_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (site_id, token_hash),
      foreign key (site_id, order_id) references commerce.orders
    );
    create index order_links_of on commerce.order_links (site_id, order_id);
    call commerce.protect('commerce.order_links');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table commerce.order_links;
    alter table commerce.orders drop column locale;
    alter table commerce.customers drop column locale;
    alter table commerce.checkouts drop column locale, drop column return_url, drop column cancel_url;
    alter table commerce.carts drop column locale;
    alter table commerce.site_settings drop column default_locale, drop column time_zone, drop column brand,
      drop column legal, drop column storefront_url;
  `);
}
