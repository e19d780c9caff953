import type { Knex } from 'knex';

/**
 * The ground that every surface stands on: the two roles, the tenant directory, staff and credentials, idempotency keys.
 * The tables of this file without row-level security are those that find the tenant (sites, tokens, staff…): they are
 * read before a tenant is known. Later tables are walled off each, but for the two that hold a site's catalogue version,
 * which is read with the credential.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create extension if not exists pg_trgm;
    create extension if not exists unaccent;
    create extension if not exists fuzzystrmatch;
    create extension if not exists btree_gin;
  `);

  // commerce_app runs every request and owns nothing; commerce_search owns the search function alone (see 0003).
  await knex.raw(`
    do $$ begin
      if not exists (select from pg_roles where rolname = 'commerce_app') then create role commerce_app nologin; end if;
      if not exists (select from pg_roles where rolname = 'commerce_search') then create role commerce_search nologin; end if;
    exception when duplicate_object or unique_violation then null;
    end $$;
    -- Where the roles were made beforehand, the login may be a member without being allowed to grant them.
    do $$ begin grant commerce_app to current_user; exception when insufficient_privilege then null; end $$;
    do $$ begin grant commerce_search to current_user; exception when insufficient_privilege then null; end $$;
    create schema if not exists commerce;
    grant usage on schema commerce to commerce_app;
    grant select on public.commerce_migrations to commerce_app;
    alter default privileges in schema commerce grant select, insert, update, delete on tables to commerce_app;
    alter default privileges in schema commerce grant usage on sequences to commerce_app;
  `);

  // A statement that reaches a tenant table without a tenant fails: an unset or empty setting is no uuid.
  await knex.raw(`
    create function commerce.current_site() returns uuid language sql stable parallel safe
      return current_setting('app.site_id')::uuid;

    create function commerce.iso(moment timestamptz) returns text language sql immutable parallel safe
      return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

    create procedure commerce.protect(tenant_table regclass) language plpgsql as $$
    begin
      execute format('alter table %s enable row level security', tenant_table);
      execute format('alter table %s force row level security', tenant_table);
      execute format('create policy tenant on %s using (site_id = (select commerce.current_site()))', tenant_table);
    end $$;
  `);

  await knex.raw(`
    create table commerce.sites (
      site_id uuid primary key,
      merchant_id uuid not null unique,
      merchant_name text not null,
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      currency_digits smallint not null check (currency_digits between 0 and 3),
      -- Web origins whose pages may call the storefront; empty means any.
      allowed_origins text[] not null default '{}',
      created_at timestamptz not null default now()
    );

    create table commerce.site_settings (
      site_id uuid primary key references commerce.sites,
      name text not null,
      prices_include_tax boolean not null default true,
      default_tax_rate numeric(6, 4) not null default 0 check (default_tax_rate between 0 and 1),
      tax_rates jsonb not null default '[]',
      bank_details jsonb,
      payment_deadline_hours integer not null default 168 check (payment_deadline_hours between 1 and 720),
      low_stock_threshold integer not null default 5 check (low_stock_threshold >= 0),
      agent_policy jsonb not null default '{"enabled": true, "max_budget_cents": 100000, "max_lifetime_days": 90}',
      updated_at timestamptz not null default now()
    );
    call commerce.protect('commerce.site_settings');

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
      primary key (staff_id, site_id)
    );

    create table commerce.staff_sessions (
      id uuid primary key,
      staff_id uuid not null references commerce.staff,
      token_hash bytea not null unique,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      revoked_at timestamptz
    );

    create table commerce.login_throttles (
      key_hash bytea primary key,
      failures integer not null,
      next_attempt_at timestamptz not null,
      expires_at timestamptz not null
    );
  `);

  // One directory of every secret that names a tenant: storefront tokens, API keys, sync keys.
  await knex.raw(`
    create table commerce.tokens (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      kind text not null check (kind in ('storefront', 'api_key', 'sync')),
      token_hash bytea not null unique,
      secret_prefix text not null,
      description text not null,
      scopes text[] not null,
      -- Of storefront tokens: empty means those of the site.
      allowed_origins text[] not null default '{}',
      created_at timestamptz not null default now(),
      last_used_at timestamptz,
      expires_at timestamptz,
      revoked_at timestamptz,
      primary key (site_id, id)
    );
    create index tokens_by_kind on commerce.tokens (site_id, kind, created_at);
  `);

  // request_hash is keyed by the raw Idempotency-Key, which is not stored: nothing in this table can be guessed back.
  await knex.raw(`
    create table commerce.idempotency_keys (
      site_id uuid not null,
      principal_id uuid not null,
      operation_id text not null,
      key_hash bytea not null,
      request_hash bytea not null,
      status smallint,
      body bytea,
      encrypted boolean not null default false,
      completed_at timestamptz not null default now(),
      primary key (site_id, principal_id, operation_id, key_hash)
    );
    create index idempotency_keys_age on commerce.idempotency_keys (completed_at);
    call commerce.protect('commerce.idempotency_keys');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop schema commerce cascade');
}
