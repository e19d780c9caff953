import type { Knex } from 'knex';

/** Whether an order is sent or fetched is kept with it. Of orders from before nobody wrote it down: null. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `alter table commerce.orders add column shipping_kind text check (shipping_kind in ('delivery', 'pickup'))`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.orders drop column shipping_kind');
}
