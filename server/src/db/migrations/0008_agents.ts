import type { Knex } from 'knex';

/** Agents: requests for consent, the tokens that come of them with their budgets, and what is made with a token. */
export async function up(knex: Knex): Promise<void> {
  // New references are validated by a look at the tables, whose policies want some tenant to be named. No row has one yet.
  await knex.raw(`select set_config('app.site_id', '00000000-0000-0000-0000-000000000000', true)`);
  await consents(knex);
  await tokens(knex);
  await madeByAgents(knex);
  await knex.raw(`
    alter table commerce.site_settings alter column agent_policy
      set default '{"enabled": true, "max_budget_cents": 100000, "max_lifetime_days": 90, "password_above_cents": null}';
  `);
}

async function consents(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.agent_consents (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      user_code_hash bytea not null,
      agent_name text not null,
      scopes text[] not null,
      budget_cents bigint not null check (budget_cents >= 0),
      categories text[] not null,
      token_expires_at timestamptz not null,
      -- A request that nobody decided on in time is expired by expires_at alone.
      status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'consumed')),
      -- Who decided.
      customer_id uuid,
      ip text,
      user_agent text,
      -- What the agent is to wait between two polls: longer for good after each one too early (RFC 8628 3.5).
      interval_seconds integer not null default 5,
      last_polled_at timestamptz,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null default now() + interval '900 seconds',
      primary key (site_id, id),
      constraint one_request_per_user_code unique (site_id, user_code_hash),
      foreign key (site_id, customer_id) references commerce.customers,
      check (status not in ('approved', 'consumed') or customer_id is not null)
    );
    create index agent_consents_age on commerce.agent_consents (expires_at);
    create index agent_consents_of on commerce.agent_consents (site_id, customer_id) where customer_id is not null;
    call commerce.protect('commerce.agent_consents');

    -- Found by the hash of the device_code before a tenant is set, as tokens are; hence without row-level security.
    create table commerce.agent_consent_links (
      site_id uuid not null,
      consent_id uuid not null,
      token_hash bytea not null unique,
      primary key (site_id, consent_id),
      foreign key (site_id, consent_id) references commerce.agent_consents on delete cascade
    );

    grant select, delete on commerce.agent_consents to commerce_sweep;
    create policy sweep on commerce.agent_consents to commerce_sweep using (expires_at <= now() - interval '1 day');
  `);
}

/** The secret and what it opens stand in the directory of all tokens; what it may spend, behind the tenant's wall. */
async function tokens(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.tokens drop constraint tokens_kind_check;
    alter table commerce.tokens add constraint tokens_kind_check
      check (kind in ('storefront', 'api_key', 'sync', 'agent'));
    -- Of agents' tokens: for whom they act (null once that account is closed), and in which categories; empty means all.
    alter table commerce.tokens add column customer_id uuid;
    alter table commerce.tokens add column categories text[] not null default '{}';
    alter table commerce.tokens add foreign key (site_id, customer_id) references commerce.customers;
    alter table commerce.tokens add check (kind = 'agent' or customer_id is null);
    create index tokens_of_customer on commerce.tokens (site_id, customer_id, created_at) where customer_id is not null;

    create table commerce.agent_tokens (
      site_id uuid not null,
      id uuid not null,
      consent_id uuid not null,
      budget_cents bigint not null,
      budget_used_cents bigint not null default 0,
      revoked_by text check (revoked_by in ('customer', 'merchant', 'agent', 'system')),
      primary key (site_id, id),
      constraint one_token_per_consent unique (site_id, consent_id),
      foreign key (site_id, id) references commerce.tokens,
      constraint within_budget check (budget_used_cents between 0 and budget_cents)
    );
    call commerce.protect('commerce.agent_tokens');
  `);
}

async function madeByAgents(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.carts add column agent_token_id uuid;
    alter table commerce.carts add foreign key (site_id, agent_token_id) references commerce.agent_tokens;
    -- What agents fill does not stand in the way of the customer's own cart.
    drop index commerce.one_active_cart_per_customer;
    create unique index one_active_cart_per_customer on commerce.carts (site_id, customer_id)
      where status = 'active' and agent_token_id is null;

    alter table commerce.checkouts add column agent_token_id uuid;
    alter table commerce.checkouts add foreign key (site_id, agent_token_id) references commerce.agent_tokens;
    alter table commerce.checkouts add check (agent_token_id is null or source = 'agent');
    create index checkouts_of_agent on commerce.checkouts (site_id, agent_token_id) where agent_token_id is not null;

    alter table commerce.orders add column agent_token_id uuid;
    -- What the order takes of the agent's budget: its total, or 0 once that has been given back.
    alter table commerce.orders add column agent_spent_cents bigint not null default 0;
    alter table commerce.orders add foreign key (site_id, agent_token_id) references commerce.agent_tokens;
    alter table commerce.orders add check (agent_spent_cents >= 0 and (agent_spent_cents = 0 or agent_token_id is not null));
    create index orders_of_agent on commerce.orders (site_id, agent_token_id) where agent_token_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.orders drop column agent_token_id, drop column agent_spent_cents;
    alter table commerce.checkouts drop column agent_token_id;
    drop index commerce.one_active_cart_per_customer;
    alter table commerce.carts no force row level security;
    update commerce.carts set status = 'expired' where status = 'active' and agent_token_id is not null;
    alter table commerce.carts force row level security;
    alter table commerce.carts drop column agent_token_id;
    create unique index one_active_cart_per_customer on commerce.carts (site_id, customer_id) where status = 'active';
    drop table commerce.agent_tokens, commerce.agent_consent_links, commerce.agent_consents;
    delete from commerce.tokens where kind = 'agent';
    alter table commerce.tokens drop constraint tokens_kind_check, drop column customer_id, drop column categories;
    alter table commerce.tokens add constraint tokens_kind_check check (kind in ('storefront', 'api_key', 'sync'));
    alter table commerce.site_settings alter column agent_policy
      set default '{"enabled": true, "max_budget_cents": 100000, "max_lifetime_days": 90}';
  `);
}
