import type { Knex } from 'knex';

/**
 * Pieces that come back before their order is paid. `orders.credited` is their price, which the customer no longer
 * owes, and `return_lines.credited` their number. They count as refunded, although there is no refund.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.orders
      add column credited numeric not null default 0,
      add constraint credit_within_total check (credited between 0 and total);
    alter table commerce.return_lines
      add column credited integer not null default 0,
      add constraint pieces_credited check (credited between 0 and received_quantity);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.return_lines drop column credited;
    alter table commerce.orders drop column credited;
  `);
}
