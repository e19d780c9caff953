import type { Knex } from 'knex';

/**
 * Prepares the job `retention`, which deletes old data that no order refers to (docs/operators.md). The new indexes
 * contain only rows to delete, so that the job reads no others. A sale writes to only one of these indexes,
 * `stock_movements_to_delete`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index carts_to_delete on commerce.carts (site_id, expires_at) where status in ('expired', 'merged');
    create index checkouts_to_delete on commerce.checkouts (site_id, expires_at) where status in ('expired', 'cancelled');
    alter table commerce.checkouts add column cleared_at timestamptz;
    create index checkouts_to_clear on commerce.checkouts (site_id, expires_at)
      where status in ('expired', 'cancelled') and cleared_at is null;
    create index stock_movements_to_delete on commerce.stock_movements (site_id, created_at)
      where type in ('reservation', 'release');
    create index payment_events_age on commerce.payment_events (site_id, received_at);
    create index agent_profiles_age on commerce.agent_profiles (site_id, expires_at);
    -- Some of them were charged, and the provider rejected the refund. Which ones is not known, so all are kept.
    alter table commerce.payments no force row level security;
    update commerce.payments set captured_amount = amount
      where status = 'failed' and order_id is null and reference is not null;
    alter table commerce.payments force row level security;
    create index payments_of_checkout on commerce.payments (site_id, checkout_id);
    create index redemptions_of_cart on commerce.discount_redemptions (site_id, cart_id);
    create index checkouts_of_cart on commerce.checkouts (site_id, cart_id);

    create table commerce.audit_checkpoints (
      site_id uuid not null references commerce.sites (site_id),
      seq integer not null check (seq > 0),
      seal_hmac bytea not null,
      through timestamptz not null,
      deleted bigint not null,
      key_id uuid not null,
      hmac bytea not null,
      primary key (site_id)
    );
    call commerce.protect('commerce.audit_checkpoints');
    create policy backup on commerce.audit_checkpoints for select to commerce_backup using (true);
    grant select on commerce.audit_checkpoints to commerce_backup;
    revoke insert, update, delete on commerce.audit_checkpoints from commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table commerce.audit_checkpoints;
    drop index commerce.carts_to_delete, commerce.checkouts_to_delete, commerce.checkouts_to_clear,
      commerce.stock_movements_to_delete, commerce.payment_events_age, commerce.agent_profiles_age, commerce.payments_of_checkout,
      commerce.redemptions_of_cart, commerce.checkouts_of_cart;
    alter table commerce.checkouts drop column cleared_at;
  `);
}
