import type { Knex } from 'knex';

/**
 * Records whether the agent named a budget and a lifetime of the token; otherwise the customer chooses them.
 * `client_id` is the client of a device request, whose registration is extended when the token is issued. Requests of
 * processes of an older version count as named. Those processes would grant the shop's limit for a null budget, so a
 * device request without a budget stores 0.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.agent_consents
      add column client_id text,
      add column lifetime_named boolean not null default true,
      add column budget_named boolean not null default true;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.agent_consents
      drop column client_id, drop column lifetime_named, drop column budget_named;
  `);
}
