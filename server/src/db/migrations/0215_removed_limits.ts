import type { Knex } from 'knex';

/** Removes rate limits that could reject all valid calls of a shop, and the sites' own values for them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    update commerce.sites set limits = limits - array['consent_request_site', 'client_registration_site']
    where jsonb_exists_any(limits, array['consent_request_site', 'client_registration_site']);
  `);
}

export async function down(): Promise<void> {
  // The sites' values cannot be restored.
}
