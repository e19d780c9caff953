import type { Knex } from 'knex';

/**
 * The resource for which an agent's token was issued (RFC 8707), as its path below the shop's issuer: '' is the API. A
 * token with null is valid at every resource of its shop.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.tokens
      add column resource text,
      add constraint tokens_resource_check check (resource in ('', '/mcp', '/ucp/mcp')),
      add constraint only_agent_tokens_have_resources check (resource is null or kind = 'agent');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.tokens drop column resource');
}
