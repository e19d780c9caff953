import type { Knex } from 'knex';

/**
 * Payment terms: a customer with `payment_terms_days` may pay by invoice, up to `credit_limit`.
 * `orders.payment_terms_days` marks such an order; `payment_due_at` is its deadline, and `captured` the money that was
 * recorded for it. Each entry of a bank statement is recorded at most once (`order_payments.entry`).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.customers
      add column payment_terms_days integer check (payment_terms_days between 0 and 365),
      add column credit_limit numeric check (credit_limit >= 0);
    alter table commerce.orders
      add column payment_terms_days integer,
      add constraint terms_of_invoice check (payment_terms_days is null or payment_method = 'manual');
    create index orders_on_terms on commerce.orders (site_id, customer_id)
      where payment_terms_days is not null and payment_status = 'pending';
    create index invoices_to_remind on commerce.orders (payment_reminder_at, site_id)
      where payment_terms_days is not null and payment_status = 'pending' and payment_reminded_at is null;
    drop policy due on commerce.orders;
    create policy due on commerce.orders as permissive for select to commerce_sweep
      using ((payment_status = 'awaiting_payment'
          and (payment_due_at <= now() or (payment_reminded_at is null and payment_reminder_at <= now())))
        or (payment_terms_days is not null and payment_status = 'pending' and payment_reminded_at is null
          and payment_reminder_at <= now()));
    alter table commerce.order_payments add column entry text;
    create unique index statement_entry_recorded on commerce.order_payments (site_id, entry) where entry is not null;
    alter table commerce.checkouts
      drop constraint checkouts_payment_method_check,
      add constraint checkouts_payment_method_check
        check (payment_method in ('bank_transfer', 'card', 'manual', 'invoice', 'free'));
    alter table commerce.site_settings add column mail_overdue_invoices boolean not null default true;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.site_settings drop column mail_overdue_invoices;
    -- A migration changes rows of all tenants.
    alter table commerce.checkouts no force row level security;
    update commerce.checkouts set payment_method = 'manual' where payment_method = 'invoice';
    alter table commerce.checkouts force row level security;
    alter table commerce.checkouts
      drop constraint checkouts_payment_method_check,
      add constraint checkouts_payment_method_check check (payment_method in ('bank_transfer', 'card', 'manual', 'free'));
    alter table commerce.order_payments drop column entry;
    drop policy due on commerce.orders;
    create policy due on commerce.orders as permissive for select to commerce_sweep
      using (payment_status = 'awaiting_payment'
        and (payment_due_at <= now() or (payment_reminded_at is null and payment_reminder_at <= now())));
    alter table commerce.orders drop column payment_terms_days;
    alter table commerce.customers drop column credit_limit, drop column payment_terms_days;
  `);
}
