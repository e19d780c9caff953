import type { Knex } from 'knex';

/**
 * Indexes for statements that read a whole table: sweeps, the links of an account, the staff of a shop. What is due of one site
 * is told from what is due of all others in the index, without a look at the rows.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.customer_tokens_age;
    create index customer_tokens_ended on commerce.customer_tokens (least(expires_at, revoked_at));
    create index staff_sessions_ended on commerce.staff_sessions (least(expires_at, revoked_at));
    create index login_throttles_age on commerce.login_throttles (expires_at);
    create index catalog_schedule_age on commerce.catalog_schedule (publish_at);
    create index login_unlocks_of on commerce.login_unlocks (key_hash);
    create index staff_memberships_of on commerce.staff_memberships (site_id);

    drop index commerce.carts_to_expire, commerce.orders_due, commerce.orders_to_remind;
    create index carts_to_expire on commerce.carts (expires_at, site_id) where status = 'active';
    create index orders_due on commerce.orders (payment_due_at, site_id) where payment_status = 'awaiting_payment';
    create index orders_to_remind on commerce.orders (payment_reminder_at, site_id)
      where payment_status = 'awaiting_payment' and payment_reminded_at is null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.carts_to_expire, commerce.orders_due, commerce.orders_to_remind;
    create index carts_to_expire on commerce.carts (expires_at) where status = 'active';
    create index orders_due on commerce.orders (payment_due_at) where payment_status = 'awaiting_payment';
    create index orders_to_remind on commerce.orders (payment_reminder_at)
      where payment_status = 'awaiting_payment' and payment_reminded_at is null;
    drop index commerce.staff_memberships_of, commerce.login_unlocks_of, commerce.catalog_schedule_age,
      commerce.login_throttles_age, commerce.staff_sessions_ended, commerce.customer_tokens_ended;
    create index customer_tokens_age on commerce.customer_tokens (expires_at);
  `);
}
