import type { Knex } from 'knex';

/**
 * Each member of staff has a role; those who are there already are owners. People are invited by mail: only the hash of the
 * link's secret is kept, and it is looked up before the shop is known. The audit tells what a call of staff or of an API key was
 * about and which fields it changed, and a key, who made and who ended it. What happened before this has none of that.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;
    alter table commerce.staff_memberships
      add column role text not null default 'owner' check (role in ('owner', 'manager', 'fulfilment', 'support', 'viewer')),
      add column joined_at timestamptz,
      add column invited_by uuid references commerce.staff (id);
    alter table commerce.staff_memberships alter column role drop default, alter column joined_at set default now();

    create table commerce.staff_invitations (
      site_id uuid not null references commerce.sites (site_id),
      id uuid not null,
      email text not null,
      role text not null check (role in ('owner', 'manager', 'fulfilment', 'support', 'viewer')),
      -- Of the link in the last mail; none until one was written.
      token_hash bytea unique,
      invited_by uuid not null references commerce.staff (id),
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      -- When it was accepted or withdrawn.
      ended_at timestamptz,
      primary key (site_id, id)
    );
    create unique index one_invitation_per_address on commerce.staff_invitations (site_id, lower(email)) where ended_at is null;
    create index staff_invitations_expiry on commerce.staff_invitations (expires_at);
    grant select, insert, update, delete on commerce.staff_invitations to commerce_app;
    grant select, delete on commerce.staff_invitations to commerce_sweep;

    alter table commerce.audit_events
      add column targets uuid[] not null default '{}',
      add column fields text[] not null default '{}';
    alter table commerce.tokens add column created_by uuid, add column revoked_by uuid;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    alter table commerce.tokens drop column created_by, drop column revoked_by;
    alter table commerce.audit_events drop column targets, drop column fields;
    drop table commerce.staff_invitations;
    alter table commerce.staff_memberships drop column role, drop column joined_at, drop column invited_by;
  `);
}
