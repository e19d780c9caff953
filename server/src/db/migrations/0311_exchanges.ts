import type { Knex } from 'knex';

/**
 * Exchanges. `exchange_credit` is the money that an exchange moved from the order `exchange_of` to this one, as the
 * price of the pieces that came back.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.orders
      add column exchange_of uuid,
      add column exchange_credit numeric not null default 0,
      add constraint exchange_of_order foreign key (site_id, exchange_of) references commerce.orders (site_id, id),
      add constraint credit_of_exchange check (exchange_credit >= 0 and (exchange_credit = 0 or exchange_of is not null));
    create index orders_of_exchange on commerce.orders (site_id, exchange_of) where exchange_of is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.orders_of_exchange;
    alter table commerce.orders drop column exchange_credit, drop column exchange_of;
  `);
}
