import type { Knex } from 'knex';

/**
 * Links that let one browser log in to one account although strangers have guessed at its password. Like the counts of failures
 * they belong to no tenant: staff work for several.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.login_throttles add column mailed_at timestamptz;

    create table commerce.login_unlocks (
      token_hash bytea primary key,
      -- The account, as login_throttles has it.
      key_hash bytea not null,
      -- What the browser holds that has used the link.
      pass_hash bytea unique,
      used_at timestamptz,
      expires_at timestamptz not null
    );
    create index login_unlocks_expiry on commerce.login_unlocks (expires_at);
    grant select, insert, update, delete on commerce.login_unlocks to commerce_app;
    grant select, delete on commerce.login_unlocks to commerce_sweep;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table commerce.login_unlocks;
    alter table commerce.login_throttles drop column mailed_at;
  `);
}
