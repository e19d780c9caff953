import type { Knex } from 'knex';

/**
 * Binds a checkout to the browser in which somebody filled it in on the hosted page, and a guest agent's cart or
 * checkout to the agent profile that created it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.carts add column guest_profile_id uuid;
    alter table commerce.checkouts
      -- SHA-256 of the browser's cookie and the checkout's id. Null until the first accepted post from the hosted page.
      add column bound_browser bytea check (length(bound_browser) = 32),
      -- The profile of the agent without a token that made it. No foreign key, like in the audit.
      add column guest_profile_id uuid,
      add constraint guest_agents_have_no_token
        check (guest_profile_id is null or (source = 'agent' and agent_token_id is null));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.checkouts drop constraint guest_agents_have_no_token, drop column guest_profile_id,
      drop column bound_browser;
    alter table commerce.carts drop column guest_profile_id;
  `);
}
