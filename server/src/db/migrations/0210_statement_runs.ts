import type { Knex } from 'knex';

/** Stores which bank statement run marked an order as paid, so that a run can be undone for all its orders. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.orders add column statement_run_id uuid;
    create index orders_of_statement_run on commerce.orders (site_id, statement_run_id) where statement_run_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table commerce.orders drop column statement_run_id`);
}
