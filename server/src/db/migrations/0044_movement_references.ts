import type { Knex } from 'knex';

/** What stock moved for: a checkout, an order, a refund or an import. Unknown for movements before this. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.stock_movements add column reference_id uuid, add column reference_type text
      check (reference_type in ('checkout', 'order', 'refund', 'import'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.stock_movements drop column reference_type, drop column reference_id');
}
