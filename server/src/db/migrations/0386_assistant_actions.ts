import type { Knex } from 'knex';

/** Calls that assistants want to make for staff, who confirm or decline each within 15 minutes. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.assistant_actions (
      site_id uuid not null,
      id uuid not null,
      assistant_id uuid not null,
      staff_id uuid not null,
      operation text not null,
      -- The exact path parameters and body of the call.
      request jsonb not null,
      -- The version that the assistant has read; null if the operation has no If-Match.
      if_match text,
      target text,
      before jsonb not null,
      status text not null default 'pending' check (status in ('pending', 'running', 'done', 'failed', 'declined')),
      -- When the member decided. A server that stops while the call runs leaves the status at running.
      taken_at timestamptz,
      -- The Idempotency-Key of the confirmed call. Assistants know the id, but not this key, so they cannot use it before.
      run_key uuid not null default gen_random_uuid(),
      result jsonb,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (site_id, id),
      constraint action_has_run check ((result is not null) = (status in ('done', 'failed'))),
      foreign key (site_id, assistant_id) references commerce.assistants (site_id, id) on delete cascade
    );
    create index assistant_actions_of on commerce.assistant_actions (site_id, assistant_id);
    create index assistant_actions_ended on commerce.assistant_actions (expires_at);
    call commerce.protect('commerce.assistant_actions');
    create policy sweep on commerce.assistant_actions to commerce_sweep using (expires_at <= now() - interval '1 day');
    grant select, delete on commerce.assistant_actions to commerce_sweep;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table commerce.assistant_actions');
}
