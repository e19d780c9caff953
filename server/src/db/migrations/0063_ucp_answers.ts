import type { Knex } from 'knex';

/** A copy of a request over UCP is given the answer that the first one was given, not what has become of the matter since. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Under a key that follows from the Idempotency-Key itself, of which the database has only a hash.
    alter table commerce.ucp_requests add column answer bytea;
    alter table commerce.ucp_requests drop column resource_id;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.ucp_requests add column resource_id uuid;
    alter table commerce.ucp_requests drop column answer;
  `);
}
