import type { Knex } from 'knex';

/** Customers and their credentials. */
export async function createCustomers(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.customers (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      email text not null,
      password_hash text,
      first_name text,
      last_name text,
      phone text,
      marketing_opt_in boolean not null default false,
      email_verified_at timestamptz,
      metadata jsonb not null default '{}',
      note text,
      anonymized_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      locale text,
      imported_at timestamptz,
      primary key (site_id, id),
      constraint email_in_lower_case check (email = lower(email))
    );
    -- shop/emails.ts converts e-mail addresses to lower case.
    create unique index email_taken on commerce.customers (site_id, lower(email));
    create index customers_by_email on commerce.customers (site_id, email);
    create index customers_searched on commerce.customers using gin (site_id, commerce.customer_search_text(
      email, phone, first_name, last_name) gin_trgm_ops);
    call commerce.protect('commerce.customers');
    create policy search_reads on commerce.customers for select to commerce_search using (true);

    create table commerce.customer_addresses (
      site_id uuid not null,
      id uuid not null,
      customer_id uuid not null,
      address jsonb not null,
      is_default boolean not null default false,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id, customer_id) references commerce.customers
    );
    create index customer_addresses_of on commerce.customer_addresses (site_id, customer_id, created_at);
    create unique index one_default_address on commerce.customer_addresses (site_id, customer_id) where is_default;
    call commerce.protect('commerce.customer_addresses');

    -- No row-level security: looked up by the hash of the secret before the tenant is known. A session
    -- is the tokens of one login: each renewal adds a token, and the previous one stays valid for a moment.
    create table commerce.customer_tokens (
      site_id uuid not null,
      id uuid not null,
      session_id uuid not null,
      customer_id uuid not null,
      token_hash bytea not null unique,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      renewable_until timestamptz not null,
      replaced_at timestamptz,
      revoked_at timestamptz,
      primary key (site_id, id),
      foreign key (site_id, customer_id) references commerce.customers
    );
    create index customer_tokens_of on commerce.customer_tokens (site_id, customer_id);
    create index customer_tokens_ended on commerce.customer_tokens (least(expires_at, revoked_at));

    -- Registrations whose e-mail address is not confirmed yet. The newest one of an address counts.
    create table commerce.customer_registrations (
      site_id uuid not null references commerce.sites,
      email text not null,
      password_hash text not null,
      profile jsonb not null,
      created_at timestamptz not null default now(),
      id uuid not null,
      primary key (site_id, id)
    );
    create index customer_registrations_of on commerce.customer_registrations (site_id, email);
    call commerce.protect('commerce.customer_registrations');
    create policy sweep on commerce.customer_registrations to commerce_sweep using (created_at <= now() - interval '7 days');

    -- Links in mails, each of which works once. Links to register have no customer.
    create table commerce.customer_codes (
      site_id uuid not null,
      token_hash bytea not null,
      purpose text not null check (purpose in ('register', 'verify_email', 'reset_password')),
      customer_id uuid,
      email text not null,
      expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      used_at timestamptz,
      -- A used link stays after its registration is deleted, so that opening it again shows the result.
      registration_id uuid,
      primary key (site_id, token_hash),
      foreign key (site_id, customer_id) references commerce.customers,
      foreign key (site_id, registration_id) references commerce.customer_registrations on delete set null (registration_id),
      constraint customer_codes_check check ((purpose = 'register') = (customer_id is null))
    );
    create unique index one_code_per_purpose on commerce.customer_codes (site_id, purpose, customer_id);
    create unique index one_code_per_registration on commerce.customer_codes (site_id, registration_id);
    create index customer_codes_to on commerce.customer_codes (site_id, email);
    call commerce.protect('commerce.customer_codes');
    create policy sweep on commerce.customer_codes to commerce_sweep using (expires_at <= now() - interval '1 day');

    create table commerce.marketing_consents (
      site_id uuid not null,
      id uuid not null,
      -- Null for guests, who consent at checkout.
      customer_id uuid,
      email text not null check (email = lower(email)),
      granted boolean not null,
      source text not null check (source in ('registration', 'checkout', 'account', 'dashboard', 'import')),
      wording text,
      order_id uuid,
      recorded_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id, customer_id) references commerce.customers
    );
    create index marketing_consents_of on commerce.marketing_consents (site_id, customer_id, recorded_at, id);
    create index marketing_consents_by_email on commerce.marketing_consents (site_id, email);
    create index marketing_consents_of_order on commerce.marketing_consents (site_id, order_id) where order_id is not null;
    call commerce.protect('commerce.marketing_consents');
  `);
}
