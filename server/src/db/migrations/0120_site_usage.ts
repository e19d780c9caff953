import type { Knex } from 'knex';

/**
 * What sites use by month. Processes count calls and deliveries, and add them every few seconds; products and storage are the most
 * that was seen.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;

    create table commerce.site_usage (
      site_id uuid not null references commerce.sites,
      -- Its first day, by UTC.
      month date not null check (extract(day from month) = 1),
      calls bigint not null default 0,
      deliveries bigint not null default 0,
      products bigint not null default 0,
      storage_bytes bigint not null default 0,
      primary key (site_id, month)
    );
    call commerce.protect('commerce.site_usage');
    grant select, insert, update, delete on commerce.site_usage to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table commerce.site_usage');
}
