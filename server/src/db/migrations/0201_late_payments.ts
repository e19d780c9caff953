import type { Knex } from 'knex';

/**
 * Adds payments that were recorded by hand for an order. `orders.captured` is now the received amount if it differs
 * from the total of a paid order: the amount that a provider captured, or the sum of the recorded payments.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.order_payments (
      site_id uuid not null,
      id uuid not null,
      order_id uuid not null,
      amount numeric not null check (amount > 0),
      method text not null check (method in ('bank_transfer', 'cash', 'card', 'other')),
      received_at timestamptz not null,
      reference text,
      actor_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (site_id, id),
      foreign key (site_id, order_id) references commerce.orders (site_id, id)
    );
    create index order_payments_of on commerce.order_payments (site_id, order_id, id);
    call commerce.protect('commerce.order_payments');
    revoke update, delete on commerce.order_payments from commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table commerce.order_payments');
}
