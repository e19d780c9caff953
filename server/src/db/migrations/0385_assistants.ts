import type { Knex } from 'knex';

/**
 * Assistants that staff have connected over MCP. The row is created when the member approves the assistant;
 * `token_hash` is set when the client exchanges its code. A token or a code is looked up before the site is known, so
 * there is no row-level security. The row is deleted with the membership, so the assistants of a removed member lose
 * access immediately, and stay removed if the member is invited again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.assistants (
      site_id uuid not null references commerce.sites (site_id),
      id uuid not null,
      staff_id uuid not null,
      client_name text not null,
      client_host text,
      -- Client ids are long, because they contain the registration.
      client_hash bytea not null,
      redirect_uri text not null,
      code_challenge text not null,
      code_hash bytea not null,
      code_expires_at timestamptz not null,
      scopes text[] not null check (cardinality(scopes) > 0),
      token_hash bytea,
      created_at timestamptz not null default now(),
      last_used_at timestamptz,
      expires_at timestamptz not null,
      primary key (site_id, id),
      constraint assistants_code_hash_key unique (code_hash),
      constraint assistants_token_hash_key unique (token_hash),
      foreign key (staff_id, site_id) references commerce.staff_memberships (staff_id, site_id) on delete cascade
    );
    create index assistants_of on commerce.assistants (staff_id, site_id);
    create index assistants_ended on commerce.assistants (expires_at);
    grant select, delete on commerce.assistants to commerce_sweep;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table commerce.assistants');
}
