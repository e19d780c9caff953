import type { Knex } from 'knex';

/** Webhooks, events and their deliveries. */
export async function createWebhooks(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.webhooks (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      url text not null,
      events text[] not null,
      description text,
      status text not null default 'active' check (status in ('active', 'disabled')),
      disabled_reason text check (disabled_reason in ('staff', 'gone', 'failing')),
      disabled_at timestamptz,
      failing_since timestamptz,
      last_success_at timestamptz,
      -- Encrypted with SECRET_KEY, because signing needs them in clear. The hashes show whether one was replaced.
      secret bytea not null,
      secret_hash bytea not null,
      previous_secret bytea,
      previous_secret_expires_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      sync_key_id uuid,
      primary key (site_id, id),
      foreign key (site_id, sync_key_id) references commerce.tokens,
      constraint webhooks_check check ((status = 'disabled') = (disabled_reason is not null)),
      constraint webhooks_check1 check ((previous_secret is null) = (previous_secret_expires_at is null))
    );
    call commerce.protect('commerce.webhooks');

    create table commerce.event_listeners (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      events text[] not null,
      secret_hash bytea not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (site_id, id)
    );
    call commerce.protect('commerce.event_listeners');
    create policy sweep on commerce.event_listeners to commerce_sweep using (expires_at <= now() - interval '1 hour');

    create table commerce.events (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      type text not null,
      subject_id uuid,
      -- The exact bytes that are sent and signed.
      payload text not null check (octet_length(payload) < 20480),
      made_in xid8 not null default pg_current_xact_id(),
      created_at timestamptz not null default now(),
      primary key (site_id, id)
    );
    -- One event of a type per subject and transaction.
    create unique index one_event_per_change on commerce.events (site_id, subject_id, type, made_in);
    create index events_in_order on commerce.events (site_id, made_in, id);
    create index events_by_age on commerce.events (created_at);
    call commerce.protect('commerce.events');
    create policy sweep on commerce.events to commerce_sweep using (created_at <= now() - interval '30 days');

    create table commerce.webhook_deliveries (
      site_id uuid not null,
      id uuid not null,
      webhook_id uuid not null,
      event_id uuid not null,
      type text not null,
      status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
      attempts_count integer not null default 0,
      -- Attempts since the start or the last replay: the position in the retry schedule.
      tries integer not null default 0,
      next_attempt_at timestamptz default now(),
      response_status integer,
      created_at timestamptz not null default now(),
      completed_at timestamptz,
      payload text check (octet_length(payload) <= 69632),
      primary key (site_id, id),
      unique (site_id, event_id, webhook_id),
      foreign key (site_id, webhook_id) references commerce.webhooks on delete cascade,
      foreign key (site_id, event_id) references commerce.events on delete cascade,
      constraint webhook_deliveries_check check ((status = 'pending') = (completed_at is null)),
      constraint webhook_deliveries_check1 check ((status = 'pending') = (next_attempt_at is not null))
    );
    create index webhook_deliveries_of on commerce.webhook_deliveries (site_id, webhook_id, id desc);
    create index webhook_deliveries_failed on commerce.webhook_deliveries (site_id, completed_at) where status = 'failed';
    create index webhook_deliveries_due on commerce.webhook_deliveries (next_attempt_at) where status = 'pending';
    create index webhook_deliveries_pending on commerce.webhook_deliveries (site_id) where status = 'pending';
    call commerce.protect('commerce.webhook_deliveries');
    -- The sweep must see which events still have pending deliveries. The table has only ids and states.
    create policy sweep on commerce.webhook_deliveries for select to commerce_sweep using (true);

    create table commerce.webhook_attempts (
      site_id uuid not null,
      delivery_id uuid not null,
      number integer not null,
      attempted_at timestamptz not null,
      duration_ms integer not null,
      outcome text not null,
      response_status integer,
      response_body text check (octet_length(response_body) <= 4096),
      primary key (site_id, delivery_id, number),
      foreign key (site_id, delivery_id) references commerce.webhook_deliveries on delete cascade
    );
    call commerce.protect('commerce.webhook_attempts');
  `);
}
