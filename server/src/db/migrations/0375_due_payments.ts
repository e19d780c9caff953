import type { Knex } from 'knex';

/**
 * Lets customers pay the amount due of an order at the provider, after an edit or an exchange. Such a payment has an
 * order and no checkout. Its money is a row of `order_payments`, like money that staff record.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.payments
      alter column checkout_id drop not null,
      add column purpose text not null default 'checkout',
      add constraint payments_purpose_check check (purpose in ('checkout', 'amount_due')),
      add constraint payment_of_checkout_or_order check (
        case when purpose = 'checkout' then checkout_id is not null else checkout_id is null and order_id is not null end);
    create unique index one_due_payment_at_a_time on commerce.payments (site_id, order_id)
      where purpose = 'amount_due' and status in ('started', 'requires_action', 'pending', 'authorized');
    create index due_payments_to_settle on commerce.payments (updated_at)
      where purpose = 'amount_due' and status in ('started', 'requires_action');
    drop policy due on commerce.payments;
    create policy due on commerce.payments for select to commerce_sweep
      using (status in ('pending', 'authorized', 'abandoned')
        or (order_id is null and status in ('started', 'requires_action', 'succeeded'))
        or (purpose = 'amount_due' and status in ('started', 'requires_action')));
    alter table commerce.order_payments
      add column payment_id uuid,
      add foreign key (site_id, payment_id) references commerce.payments;
    create unique index online_payment_recorded on commerce.order_payments (site_id, payment_id)
      where payment_id is not null;
  `);
}

/** Fails if there is a payment of an amount due, because the older schema cannot contain it. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop policy due on commerce.payments;
    create policy due on commerce.payments for select to commerce_sweep
      using (status in ('pending', 'authorized', 'abandoned')
        or (order_id is null and status in ('started', 'requires_action', 'succeeded')));
    alter table commerce.order_payments drop column payment_id;
    drop index commerce.due_payments_to_settle;
    drop index commerce.one_due_payment_at_a_time;
    alter table commerce.payments drop constraint payment_of_checkout_or_order, drop column purpose,
      alter column checkout_id set not null;
  `);
}
