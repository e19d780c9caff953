import type { Knex } from 'knex';

/** Sites with their credentials and limits, operators, and the audit log. */
export async function createSites(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.sites (
      site_id uuid primary key,
      merchant_id uuid not null unique,
      merchant_name text not null,
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      currency_digits smallint not null check (currency_digits between 0 and 3),
      -- Web origins whose pages may call the storefront; empty means any.
      allowed_origins text[] not null default '{}',
      created_at timestamptz not null default now(),
      limits jsonb not null default '{}' check (jsonb_typeof(limits) = 'object'),
      show_stock text not null default 'exact' check (show_stock in ('exact', 'low_only', 'never')),
      suspended_at timestamptz,
      suspended_reason text,
      delete_at timestamptz,
      delete_forced boolean not null default false,
      delete_begun_at timestamptz,
      constraint suspended_until_deleted check (delete_at is null or suspended_at is not null),
      constraint suspended_while_deleted check (delete_begun_at is null or suspended_at is not null)
    );

    create table commerce.site_settings (
      site_id uuid primary key references commerce.sites,
      name text not null,
      prices_include_tax boolean not null default true,
      default_tax_rate numeric(6,4) not null default 0 check (default_tax_rate between 0 and 1),
      tax_rates jsonb not null default '[]',
      bank_details jsonb,
      payment_deadline_hours integer not null default 168 check (payment_deadline_hours between 1 and 720),
      low_stock_threshold integer not null default 5 check (low_stock_threshold >= 0),
      agent_policy jsonb not null default
        '{"enabled": true, "max_budget_cents": 100000, "max_lifetime_days": 90, "password_above_cents": null}',
      updated_at timestamptz not null default now(),
      -- One-directional: a search for the term also finds the synonyms. [{"term": "sofa", "synonyms": ["couch"]}]
      search_synonyms jsonb not null default '[]',
      -- Normalized form of the synonyms, for comparison: {"sofa": ["couch"]}.
      search_synonym_terms jsonb not null default '{}',
      payment_capture text not null default 'automatic' check (payment_capture in ('automatic', 'manual')),
      default_locale text not null default 'en' check (default_locale ~ '^(en|de|fr)(-[A-Z]{2}){0,1}$'),
      time_zone text not null default 'UTC',
      brand jsonb not null default '{}',
      legal jsonb not null default '{}',
      storefront_url text,
      mail_new_orders boolean not null default true,
      ask_for_marketing boolean not null default false,
      tax_decided boolean not null default false
    );
    call commerce.protect('commerce.site_settings');

    create table commerce.site_domains (
      host text primary key check (host ~ '^[a-z0-9-]+([.][a-z0-9-]+)+$' and length(host) <= 253),
      site_id uuid not null references commerce.sites,
      -- The host of the site's pages and links.
      is_primary boolean not null default false,
      created_at timestamptz not null default now()
    );
    create index domains_of_site on commerce.site_domains (site_id);
    create unique index one_primary_domain on commerce.site_domains (site_id) where is_primary;

    create table commerce.site_usage (
      site_id uuid not null references commerce.sites,
      -- Its first day, in UTC.
      month date not null check (extract(day from month) = 1),
      calls bigint not null default 0,
      deliveries bigint not null default 0,
      products bigint not null default 0,
      storage_bytes bigint not null default 0,
      primary key (site_id, month)
    );
    call commerce.protect('commerce.site_usage');

    create table commerce.tokens (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      kind text not null check (kind in ('storefront', 'api_key', 'sync', 'agent')),
      token_hash bytea not null unique,
      secret_prefix text not null,
      description text not null,
      scopes text[] not null,
      -- For storefront tokens. Empty means those of the site.
      allowed_origins text[] not null default '{}',
      created_at timestamptz not null default now(),
      last_used_at timestamptz,
      expires_at timestamptz,
      revoked_at timestamptz,
      -- For agent tokens: their customer (null after the account is closed), and the allowed categories (empty means all).
      customer_id uuid,
      categories text[] not null default '{}',
      private boolean not null default false,
      created_by uuid,
      revoked_by uuid,
      primary key (site_id, id),
      constraint tokens_check check (kind = 'agent' or customer_id is null),
      constraint only_storefront_tokens_are_private check (not private or kind = 'storefront')
    );
    create index tokens_by_kind on commerce.tokens (site_id, kind, created_at);
    create index tokens_of_customer on commerce.tokens (site_id, customer_id, created_at) where customer_id is not null;

    -- Has no effect while row-level security is off. The replaced migrations left it so, and the schema is exactly theirs.
    alter table commerce.tokens force row level security;

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
    create policy sweep on commerce.idempotency_keys to commerce_sweep
      using (completed_at <= now() - interval '24 hours');

    -- Counters of the rate limits that all processes share.
    create table commerce.rate_counts (
      key_hash bytea primary key,
      points integer not null,
      expires_at timestamptz not null
    );
    create index rate_counts_age on commerce.rate_counts (expires_at);

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
      -- As in the URL: may name no site, and stays when the site is deleted.
      about_site uuid,
      status smallint not null,
      request_id text not null,
      ip text,
      created_at timestamptz not null default now()
    );

    create table commerce.audit_keys (
      id uuid primary key,
      sealed bytea not null,
      created_at timestamptz not null default now()
    );

    create table commerce.audit_events (
      site_id uuid not null,
      id uuid not null,
      actor_type text not null,
      actor_id uuid not null,
      action text not null,
      status smallint not null,
      payload_hash bytea not null,
      ip text,
      user_agent text,
      correlation_id text not null,
      created_at timestamptz not null default now(),
      buyer_ip text,
      targets uuid[] not null default '{}'::uuid[],
      fields text[] not null default '{}',
      -- The customer of the agent. Erasing the customer empties the details.
      customer_id uuid,
      -- JSON. The row's HMAC covers the salted hash, which stays.
      details text check (octet_length(details) <= 1024),
      details_salt bytea,
      details_hash bytea,
      key_id uuid,
      hmac bytea,
      primary key (site_id, id)
    );
    create index audit_events_of on commerce.audit_events (site_id, actor_id, id desc);
    -- For the sealing job, which reads the newest rows of all sites. Rows are added in order of time, so it is cheap.
    create index audit_events_by_time on commerce.audit_events using brin (created_at)
      with (pages_per_range = 32, autosummarize = on);
    create index audit_events_of_target on commerce.audit_events (site_id, (targets[1]), id desc)
      where status < 300 and actor_type in ('staff', 'api_key');
    create index audit_events_of_settings on commerce.audit_events (site_id, id desc)
      where status < 300 and actor_type in ('staff', 'api_key') and action = 'dashboard.updateSettings';
    call commerce.protect('commerce.audit_events');
    create policy due on commerce.audit_events for select to commerce_sweep using (true);

    create table commerce.audit_seals (
      site_id uuid not null references commerce.sites,
      seq integer not null check (seq > 0),
      first uuid not null,
      last uuid not null,
      count integer not null,
      -- The sealed rows. A row that commits late is in a later seal although its id is lower.
      ids uuid[] not null,
      digest bytea not null,
      previous bytea,
      hmac bytea not null,
      key_id uuid not null,
      -- The time of the newest row that was sealed together with these, of any site.
      through timestamptz not null,
      sealed_at timestamptz not null default now(),
      primary key (site_id, seq),
      constraint audit_seals_check check (count = cardinality(ids)),
      constraint audit_seals_check1 check ((previous is null) = (seq = 1))
    );
    create index audit_seals_through on commerce.audit_seals (through);
    call commerce.protect('commerce.audit_seals');
    create policy sweep on commerce.audit_seals to commerce_sweep using (true);
  `);
}
