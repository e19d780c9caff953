import type { Knex } from 'knex';

/**
 * The amount due that a return settled, if it was less than the price of the returned pieces: an edit can leave such an
 * amount on a paid order. The refund of the return is reduced by this amount. `return_lines.credited` counts the pieces
 * whose whole price was settled.
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
