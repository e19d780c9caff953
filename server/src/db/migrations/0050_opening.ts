import type { Knex } from 'knex';

/** What staff are shown of a day: orders that nobody has finished are counted by an index of their own. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index orders_open on commerce.orders (site_id, fulfillment_status, payment_status)
      where status in ('pending', 'confirmed', 'processing');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index commerce.orders_open');
}
