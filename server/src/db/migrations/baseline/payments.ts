import type { Knex } from 'knex';

/** Payments, and the accounts that receive them. */
export async function createPayments(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A payment attempt at a provider. Written before the provider is called, so that a charge just before a crash is found
    -- and refunded. The provider knows it by its id.
    create table commerce.payments (
      site_id uuid not null,
      id uuid not null,
      checkout_id uuid not null,
      -- Null until the order is created.
      order_id uuid,
      provider text not null,
      status text not null check (status in ('started', 'requires_action', 'pending', 'authorized', 'succeeded', 'failed',
        'abandoned', 'cancelled', 'refunded')),
      amount numeric not null check (amount > 0),
      card_hash bytea not null,
      reference text,
      failure_reason text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      -- How the shopper pays.
      kind text not null default 'card_token' check (kind in ('card_token', 'confirmation_token', 'page')),
      currency text,
      -- The priced checkout that becomes the order. Null for payments of earlier releases.
      frozen jsonb,
      -- The amount reserved in an agent's budget.
      held_cents bigint not null default 0 check (held_cents >= 0),
      -- The next step of the shopper, encrypted because it contains a secret of the provider.
      next_action bytea,
      -- Where the provider redirects the shopper, if the storefront set it.
      return_url text,
      expires_at timestamptz,
      -- When the provider stopped answering.
      unreachable_since timestamptz,
      captured_amount numeric check (captured_amount >= 0),
      primary key (site_id, id),
      unique (site_id, provider, reference),
      foreign key (site_id, checkout_id) references commerce.checkouts,
      foreign key (site_id, order_id) references commerce.orders
    );
    create index payments_of_order on commerce.payments (site_id, order_id);
    create unique index one_payment_at_a_time on commerce.payments (site_id, checkout_id)
      where status in ('started', 'requires_action', 'pending', 'authorized', 'succeeded');
    create index payments_to_settle on commerce.payments (updated_at)
      where status in ('pending', 'authorized', 'abandoned')
        or (order_id is null and status in ('started', 'requires_action', 'succeeded'));
    call commerce.protect('commerce.payments');
    create policy due on commerce.payments for select to commerce_sweep
      using (status in ('pending', 'authorized', 'abandoned')
        or (order_id is null and status in ('started', 'requires_action', 'succeeded')));

    -- Processed events of providers, so that an event sent twice changes nothing.
    create table commerce.payment_events (
      site_id uuid not null references commerce.sites,
      provider text not null,
      event_id text not null,
      received_at timestamptz not null default now(),
      primary key (site_id, provider, event_id)
    );
    call commerce.protect('commerce.payment_events');

    create table commerce.payment_accounts (
      site_id uuid primary key references commerce.sites,
      provider text not null check (provider = 'stripe'),
      mode text not null check (mode in ('live', 'test')),
      -- Encrypted. Null for a connected account, which uses the platform's key.
      secret_key bytea,
      connected_account text,
      -- Encrypted.
      webhook_secret bytea,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      constraint payment_accounts_check check ((secret_key is null) <> (connected_account is null))
    );
    call commerce.protect('commerce.payment_accounts');

    create table commerce.payment_moves (
      site_id uuid not null,
      -- For a refund, the id of the refund.
      id uuid not null,
      kind text not null check (kind in ('capture', 'refund')),
      payment_id uuid not null,
      order_id uuid not null,
      amount numeric not null check (amount > 0),
      status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
      reference text,
      failure_reason text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id, payment_id) references commerce.payments,
      foreign key (site_id, order_id) references commerce.orders
    );
    create unique index one_capture on commerce.payment_moves (site_id, payment_id)
      where kind = 'capture' and status <> 'failed';
    create index moves_to_finish on commerce.payment_moves (updated_at, site_id) where status = 'pending';
    create index moves_of_order on commerce.payment_moves (site_id, order_id);
    call commerce.protect('commerce.payment_moves');
    create policy due on commerce.payment_moves for select to commerce_sweep using (status = 'pending');

    create table commerce.test_payments (
      site_id uuid not null references commerce.sites,
      id uuid not null,
      scenario text not null,
      status text not null check (status in ('requires_action', 'pending', 'authorized', 'succeeded', 'failed', 'cancelled')),
      capture text not null check (capture in ('automatic', 'manual')),
      -- Minor units.
      amount bigint not null,
      captured bigint not null default 0,
      currency text not null,
      -- Refunded amounts by refund id.
      refunds jsonb not null default '{}',
      return_url text,
      cancel_url text,
      expires_at timestamptz not null,
      primary key (site_id, id)
    );
    call commerce.protect('commerce.test_payments');
  `);
}
