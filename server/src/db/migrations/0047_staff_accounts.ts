import type { Knex } from 'knex';

/**
 * The accounts of staff: when a session last proved who it is, links to set a new password, and second factors. Like staff
 * they belong to no tenant.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.staff_sessions
      -- When the password or a second factor was last given.
      add column confirmed_at timestamptz,
      add column last_used_at timestamptz,
      add column ip text,
      add column user_agent text;
    update commerce.staff_sessions set confirmed_at = created_at, last_used_at = created_at;
    alter table commerce.staff_sessions
      alter column confirmed_at set default now(), alter column confirmed_at set not null,
      alter column last_used_at set default now(), alter column last_used_at set not null;
    create index staff_sessions_of on commerce.staff_sessions (staff_id);

    -- At most one per person: a newer link replaces the one before it.
    create table commerce.staff_resets (
      staff_id uuid primary key references commerce.staff,
      token_hash bytea not null unique,
      expires_at timestamptz not null
    );
    grant select, insert, update, delete on commerce.staff_resets to commerce_app;

    create table commerce.staff_second_factors (
      staff_id uuid primary key references commerce.staff,
      -- Sealed.
      secret bytea not null,
      -- Null until a first code is confirmed.
      turned_on_at timestamptz,
      -- The time step of the last code that was used: each works once.
      last_step integer not null default 0
    );
    grant select, insert, update, delete on commerce.staff_second_factors to commerce_app;

    create table commerce.staff_recovery_codes (
      staff_id uuid not null references commerce.staff_second_factors on delete cascade,
      code_hash bytea not null,
      used_at timestamptz,
      primary key (staff_id, code_hash)
    );
    grant select, insert, update, delete on commerce.staff_recovery_codes to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table commerce.staff_recovery_codes, commerce.staff_second_factors, commerce.staff_resets;
    drop index commerce.staff_sessions_of;
    alter table commerce.staff_sessions drop column confirmed_at, drop column last_used_at, drop column ip,
      drop column user_agent;
  `);
}
