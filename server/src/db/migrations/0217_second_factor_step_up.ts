import type { Knex } from 'knex';

/** Stores when a second-factor code was last entered in a session. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.staff_sessions add column second_factor_at timestamptz;');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.staff_sessions drop column second_factor_at;');
}
