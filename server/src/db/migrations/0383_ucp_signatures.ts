import type { Knex } from 'knex';

/**
 * The public keys in the profiles of agents, and whether a shop serves only UCP requests that are signed with one of
 * them. A profile that an older release cached has no keys (null) and no `webhook_url`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.agent_profiles add column keys jsonb;
    alter table commerce.site_settings add column require_ucp_signatures boolean not null default false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.agent_profiles drop column keys;
    alter table commerce.site_settings drop column require_ucp_signatures;
  `);
}
