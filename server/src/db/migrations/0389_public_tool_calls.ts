import type { Knex } from 'knex';

/**
 * Adds the record of calls to the MCP endpoint without a token. The calls have no credential, so they are not in the
 * sealed audit; the job `retention` deletes them after 30 days. The server's login can insert and read them, but not
 * change or delete them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.public_tool_calls (
      site_id uuid not null,
      id uuid not null,
      -- Null if a proxy passed on an invalid address.
      address inet,
      -- Null for a tool that does not exist: its name is the caller's text.
      tool text,
      -- 'done', or the error code.
      outcome text not null,
      created_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id) references commerce.sites (site_id)
    );
    create index public_tool_calls_age on commerce.public_tool_calls (site_id, created_at);
    call commerce.protect('commerce.public_tool_calls');
    revoke update, delete on commerce.public_tool_calls from commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table commerce.public_tool_calls');
}
