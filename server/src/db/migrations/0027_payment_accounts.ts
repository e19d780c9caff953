import type { Knex } from 'knex';

/**
 * The accounts by which shops are paid, and the captures and refunds that go through a provider. A refund itself stays as it was
 * recorded; how far it has come at the provider is told beside it.
 */
export async function up(knex: Knex): Promise<void> {
  await accounts(knex);
  await moves(knex);
  await limits(knex);
}

async function accounts(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.site_settings add column payment_capture text not null default 'automatic'
      check (payment_capture in ('automatic', 'manual'));

    create table commerce.payment_accounts (
      site_id uuid primary key references commerce.sites,
      provider text not null check (provider = 'stripe'),
      mode text not null check (mode in ('live', 'test')),
      -- Sealed. Null for a connected account: the platform's key is then used.
      secret_key bytea,
      connected_account text,
      -- Sealed.
      webhook_secret bytea,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check ((secret_key is null) <> (connected_account is null))
    );
    call commerce.protect('commerce.payment_accounts');
    grant select, insert, update, delete on commerce.payment_accounts to commerce_app;
  `);
}

/** Each is on record before the provider is asked for it, under the id that makes it happen once. */
async function moves(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.payment_moves (
      site_id uuid not null,
      -- Of a refund, the id of the refund.
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
      foreign key (site_id, payment_id) references commerce.payments (site_id, id),
      foreign key (site_id, order_id) references commerce.orders (site_id, id)
    );
    create unique index one_capture on commerce.payment_moves (site_id, payment_id)
      where kind = 'capture' and status <> 'failed';
    create index moves_to_finish on commerce.payment_moves (updated_at, site_id) where status = 'pending';
    create index moves_of_order on commerce.payment_moves (site_id, order_id);
    call commerce.protect('commerce.payment_moves');
    grant select, insert, update, delete on commerce.payment_moves to commerce_app;
    grant select on commerce.payment_moves to commerce_sweep;
    create policy due on commerce.payment_moves for select to commerce_sweep using (status = 'pending');

    create table commerce.refund_items (
      site_id uuid not null,
      refund_id uuid not null,
      line_id uuid not null,
      quantity integer not null check (quantity > 0),
      restock boolean not null,
      primary key (site_id, refund_id, line_id),
      foreign key (site_id, refund_id) references commerce.refunds (site_id, id),
      foreign key (site_id, line_id) references commerce.order_lines (site_id, id)
    );
    call commerce.protect('commerce.refund_items');
    revoke update, delete on commerce.refund_items from commerce_app;
  `);
}

/** No more goes back than was taken, and no more pieces than were bought, whoever asks at the same time. */
async function limits(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.orders
      -- What refunds that have not failed come to.
      add column refunds_begun numeric not null default 0,
      -- What the provider took, if it was not the whole total.
      add column captured numeric;
    -- Whoever mends rows of all tenants must see them.
    alter table commerce.orders no force row level security;
    alter table commerce.refunds no force row level security;
    update commerce.orders o set refunds_begun = r.amount
      from (select site_id, order_id, sum(amount) as amount from commerce.refunds group by site_id, order_id) r
      where o.site_id = r.site_id and o.id = r.order_id;
    alter table commerce.refunds force row level security;
    alter table commerce.orders force row level security;
    alter table commerce.orders add constraint refunds_within_payment
      check (refunds_begun >= 0 and refunds_begun <= coalesce(captured, total));

    alter table commerce.order_lines
      add column refunded_quantity integer not null default 0 check (refunded_quantity between 0 and quantity),
      add column restocked integer not null default 0 check (restocked between 0 and quantity);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.order_lines drop column restocked, drop column refunded_quantity;
    alter table commerce.orders drop constraint refunds_within_payment, drop column captured, drop column refunds_begun;
    drop table commerce.refund_items, commerce.payment_moves, commerce.payment_accounts;
    alter table commerce.site_settings drop column payment_capture;
  `);
}
