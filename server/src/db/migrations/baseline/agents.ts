import type { Knex } from 'knex';

/** Agents: consents, tokens, OAuth clients and UCP requests. */
export async function createAgents(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.agent_consents (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      user_code_hash bytea,
      agent_name text not null,
      scopes text[] not null,
      budget_cents bigint check (budget_cents >= 0),
      categories text[] not null,
      token_expires_at timestamptz not null,
      -- Expired requests have no status of their own, because expires_at shows them.
      status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'consumed')),
      -- The customer who decided.
      customer_id uuid,
      ip text,
      user_agent text,
      -- Seconds between two polls. Each poll that is too early raises it (RFC 8628 3.5).
      interval_seconds integer not null default 5,
      last_polled_at timestamptz,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null default now() + '00:15:00'::interval,
      max_per_order_cents bigint check (max_per_order_cents >= 0),
      budget_period text not null default 'once' check (budget_period in ('once', 'week', 'month')),
      approved_at timestamptz,
      -- The token that the new one replaces.
      replaces_token_id uuid,
      primary key (site_id, id),
      constraint one_request_per_user_code unique (site_id, user_code_hash),
      foreign key (site_id, customer_id) references commerce.customers,
      constraint agent_consents_check check ((status not in ('approved', 'consumed')) or customer_id is not null),
      constraint budget_once_decided check (budget_cents is not null or (status in ('pending', 'denied')))
    );
    create index agent_consents_age on commerce.agent_consents (expires_at);
    create index agent_consents_of on commerce.agent_consents (site_id, customer_id) where customer_id is not null;
    create index agent_consents_replacing on commerce.agent_consents (site_id, replaces_token_id)
      where replaces_token_id is not null;
    call commerce.protect('commerce.agent_consents');
    create policy sweep on commerce.agent_consents to commerce_sweep using (expires_at <= now() - interval '1 day');

    -- No row-level security: looked up by the hash of the device_code before the tenant is known.
    create table commerce.agent_consent_links (
      site_id uuid not null,
      consent_id uuid not null,
      token_hash bytea not null unique,
      primary key (site_id, consent_id),
      foreign key (site_id, consent_id) references commerce.agent_consents on delete cascade
    );

    create table commerce.agent_tokens (
      site_id uuid not null,
      id uuid not null,
      consent_id uuid not null,
      budget_cents bigint not null,
      budget_used_cents bigint not null default 0,
      revoked_by text check (revoked_by in ('customer', 'merchant', 'agent', 'system')),
      budget_held_cents bigint not null default 0,
      max_per_order_cents bigint check (max_per_order_cents >= 0),
      budget_period text not null default 'once' check (budget_period in ('once', 'week', 'month')),
      -- When the customer consented. Budget periods are counted from here.
      budget_since timestamptz not null default now(),
      -- The period of budget_used_cents. In a later period, nothing has been used yet.
      period_number integer not null default 0 check (period_number >= 0),
      spent_total_cents bigint not null default 0 check (spent_total_cents >= 0),
      primary key (site_id, id),
      constraint one_token_per_consent unique (site_id, consent_id),
      foreign key (site_id, id) references commerce.tokens,
      constraint within_budget check (budget_used_cents >= 0 and budget_held_cents >= 0
        and (budget_used_cents + budget_held_cents) <= budget_cents)
    );
    call commerce.protect('commerce.agent_tokens');

    create table commerce.oauth_clients (
      site_id uuid not null references commerce.sites,
      client_id text not null,
      client_name text not null,
      redirect_uris text[] not null,
      -- Whether the document at the client's id describes it.
      from_document boolean not null,
      created_at timestamptz not null default now(),
      -- For a registration, each new token extends it. For a document, the time to fetch it again.
      expires_at timestamptz not null,
      primary key (site_id, client_id)
    );
    create index oauth_clients_age on commerce.oauth_clients (expires_at);
    call commerce.protect('commerce.oauth_clients');
    create policy sweep on commerce.oauth_clients to commerce_sweep using (expires_at <= now() - interval '1 day');

    create table commerce.authorization_requests (
      site_id uuid not null,
      consent_id uuid not null,
      -- The hash of the secret in the URL of the consent page.
      request_hash bytea not null,
      client_id text not null,
      -- The URL of the client's document, which identifies it. Null for registered clients, whose identity nobody verified.
      client_host text,
      redirect_uri text not null,
      code_challenge text not null,
      resource text,
      state text,
      issuer text not null,
      -- Null until the customer approves. It expires with the request.
      code_hash bytea,
      primary key (site_id, consent_id),
      constraint one_authorization_per_address unique (site_id, request_hash),
      constraint one_authorization_per_code unique (site_id, code_hash),
      foreign key (site_id, consent_id) references commerce.agent_consents on delete cascade
    );
    call commerce.protect('commerce.authorization_requests');

    create table commerce.agent_profiles (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      url text not null,
      host text not null,
      version text not null,
      -- Versions by capability name.
      capabilities jsonb not null,
      fetched_at timestamptz not null default now(),
      -- When to fetch it again.
      expires_at timestamptz not null,
      primary key (site_id, id),
      constraint one_profile_per_url unique (site_id, url)
    );
    call commerce.protect('commerce.agent_profiles');

    create table commerce.ucp_requests (
      site_id uuid not null references commerce.sites,
      caller_hash bytea not null,
      key_hash bytea not null,
      request_hash bytea not null,
      created_at timestamptz not null default now(),
      -- Encrypted with a key derived from the Idempotency-Key, of which the database has only a hash.
      answer bytea,
      primary key (site_id, caller_hash, key_hash)
    );
    create index ucp_requests_age on commerce.ucp_requests (created_at);
    call commerce.protect('commerce.ucp_requests');
    create policy sweep on commerce.ucp_requests for all to commerce_sweep
      using (created_at <= now() - interval '25 hours');
  `);
}
