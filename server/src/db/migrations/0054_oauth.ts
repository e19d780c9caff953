import type { Knex } from 'knex';

/**
 * The authorization code of OAuth (RFC 6749 §4.1, with PKCE) beside the device grant. A request of either kind is a row of
 * `agent_consents`, which the customer decides on; what leads to it differs: a device_code and the code that people compare, or
 * the address that the browser was sent to. Clients have no secret; they are registered, or described by a document at the
 * address that is their id. Both expire.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;
    select set_config('app.site_id', '00000000-0000-0000-0000-000000000000', true);

    -- An authorization request has no code that people compare, and may leave the budget to the customer.
    alter table commerce.agent_consents
      alter column user_code_hash drop not null,
      alter column budget_cents drop not null,
      add constraint budget_once_decided check (budget_cents is not null or status in ('pending', 'denied'));

    create table commerce.oauth_clients (
      site_id uuid not null references commerce.sites,
      client_id text not null,
      client_name text not null,
      redirect_uris text[] not null,
      -- Whether it is described by the document at its id.
      from_document boolean not null,
      created_at timestamptz not null default now(),
      -- Of a registration: later with each token. Of a document: when it is fetched again.
      expires_at timestamptz not null,
      primary key (site_id, client_id)
    );
    create index oauth_clients_age on commerce.oauth_clients (expires_at);
    call commerce.protect('commerce.oauth_clients');
    grant select, delete on commerce.oauth_clients to commerce_sweep;
    create policy sweep on commerce.oauth_clients to commerce_sweep using (expires_at <= now() - interval '1 day');

    create table commerce.authorization_requests (
      site_id uuid not null,
      consent_id uuid not null,
      -- Of the secret in the address of the page where the customer decides.
      request_hash bytea not null,
      client_id text not null,
      -- Where the document of the client is, which is who the client is; null for registered clients, which can be anybody.
      client_host text,
      redirect_uri text not null,
      code_challenge text not null,
      resource text,
      state text,
      issuer text not null,
      -- None until the customer approves. It expires with the request.
      code_hash bytea,
      primary key (site_id, consent_id),
      constraint one_authorization_per_address unique (site_id, request_hash),
      constraint one_authorization_per_code unique (site_id, code_hash),
      foreign key (site_id, consent_id) references commerce.agent_consents on delete cascade
    );
    call commerce.protect('commerce.authorization_requests');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    drop table commerce.authorization_requests, commerce.oauth_clients;
    alter table commerce.agent_consents no force row level security;
    delete from commerce.agent_consents where user_code_hash is null;
    alter table commerce.agent_consents force row level security;
    alter table commerce.agent_consents
      drop constraint budget_once_decided,
      alter column user_code_hash set not null,
      alter column budget_cents set not null;
  `);
}
