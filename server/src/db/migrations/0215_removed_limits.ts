import type { Knex } from 'knex';

/** Limits that refused valid calls of a whole shop no longer exist, so no site may have a value for them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    update commerce.sites set limits = limits - array['consent_request_site', 'client_registration_site']
    where jsonb_exists_any(limits, array['consent_request_site', 'client_registration_site']);
  `);
}

export async function down(): Promise<void> {
  // The values that sites had are gone.
}
