import type { Knex } from 'knex';

/**
 * The host of the UCP platform to which a customer granted a token. It is stored with the authorization request, and
 * then with the token. Such a token works only over UCP, with a profile on that host.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.authorization_requests add column platform_host text;
    alter table commerce.tokens
      add column platform_host text,
      add constraint only_agent_tokens_have_platforms check (platform_host is null or kind = 'agent');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.authorization_requests drop column platform_host;
    alter table commerce.tokens drop column platform_host;
  `);
}
