import type { Knex } from 'knex';

/**
 * Agents that speak UCP. Those without a token are known by the profile that they name, of which what matters is kept; and a key of
 * theirs may not be used again for another request.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;

    create table commerce.agent_profiles (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      url text not null,
      host text not null,
      version text not null,
      -- The versions of each capability, by its name.
      capabilities jsonb not null,
      fetched_at timestamptz not null default now(),
      -- When it is fetched again.
      expires_at timestamptz not null,
      primary key (site_id, id),
      constraint one_profile_per_url unique (site_id, url)
    );

    create table commerce.ucp_requests (
      site_id uuid not null references commerce.sites,
      caller_hash bytea not null,
      key_hash bytea not null,
      request_hash bytea not null,
      -- What it made or changed, once that is done.
      resource_id uuid,
      created_at timestamptz not null default now(),
      primary key (site_id, caller_hash, key_hash)
    );
    create index ucp_requests_age on commerce.ucp_requests (created_at);

    call commerce.protect('commerce.agent_profiles');
    call commerce.protect('commerce.ucp_requests');
    grant select, insert, update, delete on commerce.agent_profiles, commerce.ucp_requests to commerce_app;
    grant select, delete on commerce.ucp_requests to commerce_sweep;
    create policy sweep on commerce.ucp_requests for all to commerce_sweep
      using (created_at <= now() - interval '25 hours');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    drop table commerce.ucp_requests, commerce.agent_profiles;
  `);
}
