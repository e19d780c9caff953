import type { Knex } from 'knex';

/** Staff and their accounts. Staff may work for several sites, so most of these tables have no row-level security. */
export async function createStaff(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.staff (
      id uuid primary key,
      email text not null,
      name text not null,
      password_hash text not null,
      created_at timestamptz not null default now()
    );
    create unique index staff_email on commerce.staff (lower(email));

    create table commerce.staff_memberships (
      staff_id uuid not null references commerce.staff,
      site_id uuid not null references commerce.sites,
      role text not null check (role in ('owner', 'manager', 'fulfilment', 'support', 'viewer')),
      joined_at timestamptz default now(),
      invited_by uuid references commerce.staff,
      mail_new_orders boolean,
      mail_low_stock boolean not null default true,
      mail_disabled_webhooks boolean not null default true,
      primary key (staff_id, site_id)
    );
    create index staff_memberships_of on commerce.staff_memberships (site_id);

    create table commerce.staff_sessions (
      id uuid primary key,
      staff_id uuid not null references commerce.staff,
      token_hash bytea not null unique,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      revoked_at timestamptz,
      -- When the password or a second factor was last given.
      confirmed_at timestamptz not null default now(),
      last_used_at timestamptz not null default now(),
      ip text,
      user_agent text
    );
    create index staff_sessions_ended on commerce.staff_sessions (least(expires_at, revoked_at));
    create index staff_sessions_of on commerce.staff_sessions (staff_id);

    create table commerce.staff_invitations (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      email text not null,
      role text not null check (role in ('owner', 'manager', 'fulfilment', 'support', 'viewer')),
      -- The hash of the link in the last mail; null before the first mail.
      token_hash bytea unique,
      invited_by uuid not null references commerce.staff,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      -- When it was accepted or withdrawn.
      ended_at timestamptz,
      primary key (site_id, id)
    );
    create unique index one_invitation_per_address on commerce.staff_invitations (site_id, lower(email)) where ended_at is null;
    create index staff_invitations_expiry on commerce.staff_invitations (expires_at);

    -- At most one per person: a newer link replaces the previous one.
    create table commerce.staff_resets (
      staff_id uuid primary key references commerce.staff,
      token_hash bytea not null unique,
      expires_at timestamptz not null
    );

    create table commerce.staff_second_factors (
      staff_id uuid primary key references commerce.staff,
      -- Encrypted.
      secret bytea not null,
      -- Null until the first code is confirmed.
      turned_on_at timestamptz,
      -- The time step of the last used code, because each code works once.
      last_step integer not null default 0
    );

    create table commerce.staff_recovery_codes (
      staff_id uuid not null references commerce.staff_second_factors on delete cascade,
      code_hash bytea not null,
      used_at timestamptz,
      primary key (staff_id, code_hash)
    );

    create table commerce.former_staff (
      site_id uuid not null references commerce.sites,
      staff_id uuid not null,
      name text not null,
      primary key (site_id, staff_id)
    );
    call commerce.protect('commerce.former_staff');

    create table commerce.login_throttles (
      key_hash bytea primary key,
      failures integer not null,
      next_attempt_at timestamptz not null,
      expires_at timestamptz not null,
      mailed_at timestamptz
    );
    create index login_throttles_age on commerce.login_throttles (expires_at);

    create table commerce.login_unlocks (
      token_hash bytea primary key,
      -- The account, hashed as in login_throttles.
      key_hash bytea not null,
      -- The hash of the secret in the browser that used the link.
      pass_hash bytea unique,
      used_at timestamptz,
      expires_at timestamptz not null,
      -- Null for staff, who may work for several sites.
      site_id uuid
    );
    create index login_unlocks_expiry on commerce.login_unlocks (expires_at);
    create index login_unlocks_of on commerce.login_unlocks (key_hash);
  `);
}
