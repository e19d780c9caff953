import type { Knex } from 'knex';

/**
 * Adds a function that returns the oldest release that runs on this schema. A migration that removes or renames
 * something that an older release uses must replace it with one that returns a newer release. Releases before this
 * migration do not start on a newer schema at all.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.minimum_release() returns text language sql immutable parallel safe return '1.0.0';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function commerce.minimum_release()');
}
