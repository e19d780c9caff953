import type { Knex } from 'knex';

/** A used code stays until it is swept away: whoever opens its link again is told what became of it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.customer_codes add column used_at timestamptz');
}

/** Used codes have expired as well, so that none works again. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.customer_codes drop column used_at');
}
