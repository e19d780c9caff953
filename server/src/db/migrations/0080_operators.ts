import type { Knex } from 'knex';

/** Operators over HTTP: their keys, and what was called with them. Requests of shops have no right to either table. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.operator_keys (
      id uuid primary key,
      description text not null,
      token_hash bytea not null unique,
      secret_prefix text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      revoked_at timestamptz
    );
    create table commerce.operator_audit_events (
      id uuid primary key,
      key_id uuid not null references commerce.operator_keys,
      operation text not null,
      -- What the address named: it stays when the site is deleted, and may name none.
      about_site uuid,
      status smallint not null,
      request_id text not null,
      ip text,
      created_at timestamptz not null default now()
    );
    revoke all on commerce.operator_keys, commerce.operator_audit_events from commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table commerce.operator_audit_events, commerce.operator_keys');
}
