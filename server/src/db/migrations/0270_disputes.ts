import type { Knex } from 'knex';

/**
 * Adds chargebacks, which a payment provider reports. `orders.disputed` is the amount of the open and lost chargebacks.
 * A constraint keeps refunds and disputes together within the received amount.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.disputes (
      site_id uuid not null,
      id uuid not null,
      order_id uuid not null,
      payment_id uuid not null,
      amount numeric not null check (amount > 0),
      status text not null check (status in ('open', 'won', 'lost')),
      reason text,
      -- The provider's id.
      reference text not null,
      respond_by timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      constraint one_dispute_per_reference unique (site_id, payment_id, reference),
      foreign key (site_id, order_id) references commerce.orders (site_id, id),
      foreign key (site_id, payment_id) references commerce.payments (site_id, id)
    );
    create index disputes_of on commerce.disputes (site_id, order_id, id);
    call commerce.protect('commerce.disputes');
    revoke delete on commerce.disputes from commerce_app;
    alter table commerce.orders
      add column disputed numeric not null default 0,
      drop constraint refunds_within_payment,
      add constraint refunds_within_payment check (refunds_begun >= 0 and disputed >= 0
        and refunds_begun + disputed <= coalesce(captured, total));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.orders
      drop constraint refunds_within_payment,
      add constraint refunds_within_payment check (refunds_begun >= 0 and refunds_begun <= coalesce(captured, total)),
      drop column disputed;
    drop table commerce.disputes;
  `);
}
