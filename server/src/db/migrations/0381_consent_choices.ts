import type { Knex } from 'knex';

/**
 * What an agent left to its customer: the budget, or the lifetime of the token. The client of a device request is noted, so that its
 * registration is extended when the token is issued. In requests of older processes everything counts as named. They would grant
 * the limit of the shop for a budget that is null, so that a budget left to the customer is 0.
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
