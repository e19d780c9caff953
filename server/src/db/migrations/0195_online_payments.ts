import type { Knex } from 'knex';

/** An order may be paid by what is no card and yet settled by a provider, such as a direct debit. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.orders
      drop constraint orders_payment_method_check,
      add constraint orders_payment_method_check
        check (payment_method in ('bank_transfer', 'card', 'online', 'manual', 'free'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Whoever mends rows of all tenants must see them.
    alter table commerce.orders no force row level security;
    update commerce.orders set payment_method = 'card' where payment_method = 'online';
    alter table commerce.orders force row level security;
    alter table commerce.orders
      drop constraint orders_payment_method_check,
      add constraint orders_payment_method_check check (payment_method in ('bank_transfer', 'card', 'manual', 'free'));
  `);
}
