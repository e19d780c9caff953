import type { Knex } from 'knex';

/**
 * A payment may take a while, because a human must act at the provider. Meanwhile it keeps what it is for: its content is
 * frozen, and its cart, its checkout and an agent's budget know of it. The test provider remembers its payments, too.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.payments
      -- How the human pays.
      add column kind text not null default 'card_token' check (kind in ('card_token', 'confirmation_token', 'page')),
      add column currency text,
      -- The priced checkout that becomes the order. Null for payments of earlier releases.
      add column frozen jsonb,
      -- What is set aside of the budget of an agent.
      add column held_cents bigint not null default 0 check (held_cents >= 0),
      -- Sealed: what the human must do, with a secret of the provider in it.
      add column next_action bytea,
      -- Where the provider sends the human, if the storefront said so.
      add column return_url text,
      add column expires_at timestamptz,
      -- Since when the provider has not answered.
      add column unreachable_since timestamptz,
      add column captured_amount numeric check (captured_amount >= 0),
      drop constraint payments_status_check,
      add constraint payments_status_check check (status in ('started', 'requires_action', 'pending', 'authorized',
        'succeeded', 'failed', 'abandoned', 'cancelled', 'refunded'));
    drop index commerce.one_payment_at_a_time;
    create unique index one_payment_at_a_time on commerce.payments (site_id, checkout_id)
      where status in ('started', 'requires_action', 'pending', 'authorized', 'succeeded');
    drop policy due on commerce.payments;
    create policy due on commerce.payments for select to commerce_sweep
      using (status in ('pending', 'authorized', 'abandoned')
        or (order_id is null and status in ('started', 'requires_action', 'succeeded')));
    drop index commerce.payments_to_settle;
    create index payments_to_settle on commerce.payments (updated_at)
      where status in ('pending', 'authorized', 'abandoned')
        or (order_id is null and status in ('started', 'requires_action', 'succeeded'));

    alter table commerce.checkouts add column payment_id uuid,
      -- Why the last payment came to nothing, until something is changed.
      add column payment_failure text,
      add foreign key (site_id, payment_id) references commerce.payments (site_id, id),
      add constraint nothing_to_pay_for check (payment_id is null or status in ('open', 'ready', 'requires_escalation'));
    alter table commerce.carts add column payment_id uuid,
      add foreign key (site_id, payment_id) references commerce.payments (site_id, id);

    alter table commerce.agent_tokens add column budget_held_cents bigint not null default 0,
      drop constraint within_budget,
      add constraint within_budget check (budget_used_cents >= 0 and budget_held_cents >= 0
        and budget_used_cents + budget_held_cents <= budget_cents);

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
      -- The amounts given back, by the id of the refund.
      refunds jsonb not null default '{}',
      return_url text,
      cancel_url text,
      expires_at timestamptz not null,
      primary key (site_id, id)
    );
    alter table commerce.test_payments enable row level security;
    alter table commerce.test_payments force row level security;
    create policy tenant on commerce.test_payments using (site_id = (select commerce.current_site()));
    grant select, insert, update, delete on commerce.test_payments to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table commerce.test_payments;
    alter table commerce.agent_tokens drop constraint within_budget,
      add constraint within_budget check (budget_used_cents between 0 and budget_cents), drop column budget_held_cents;
    alter table commerce.carts drop column payment_id;
    alter table commerce.checkouts drop constraint nothing_to_pay_for, drop column payment_failure, drop column payment_id;
    -- Whoever mends rows of all tenants must see them.
    alter table commerce.payments no force row level security;
    update commerce.payments set status = case status when 'refunded' then 'cancelled' else 'abandoned' end
      where status in ('requires_action', 'refunded');
    alter table commerce.payments force row level security;
    drop index commerce.one_payment_at_a_time, commerce.payments_to_settle;
    drop policy due on commerce.payments;
    create policy due on commerce.payments for select to commerce_sweep
      using (status in ('pending', 'authorized', 'abandoned')
        or (order_id is null and status in ('started', 'succeeded')));
    create index payments_to_settle on commerce.payments (updated_at)
      where status in ('pending', 'authorized', 'abandoned')
        or (order_id is null and status in ('started', 'succeeded'));
    create unique index one_payment_at_a_time on commerce.payments (site_id, checkout_id)
      where status in ('started', 'pending', 'authorized', 'succeeded');
    alter table commerce.payments drop constraint payments_status_check,
      add constraint payments_status_check check (status in ('started', 'pending', 'authorized', 'succeeded', 'failed',
        'abandoned', 'cancelled')),
      drop column captured_amount, drop column unreachable_since, drop column expires_at, drop column return_url,
      drop column next_action, drop column held_cents, drop column frozen, drop column currency, drop column kind;
  `);
}
