import type { Knex } from 'knex';

/**
 * What a return took off the amount due of a paid order that was edited, if that is less than the price of its pieces. The refund
 * of the return is lower by it. `return_lines.credited` counts the pieces whose whole price was taken off.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.returns add column credited numeric not null default 0,
      add constraint credited_amount check (credited >= 0);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.returns drop column credited');
}
