import type { Knex } from 'knex';

/**
 * Taxes shipping at the rates of the goods, for new and existing shops. If goods have several rates, the shipping cost
 * is split: `orders.shipping_taxes` replaces `shipping_tax` and `shipping_tax_rate`, which remain for earlier orders.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.site_settings
      add column shipping_tax text not null default 'goods' check (shipping_tax in ('goods', 'class'));
    alter table commerce.orders add column shipping_taxes jsonb;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.orders drop column shipping_taxes;
    alter table commerce.site_settings drop column shipping_tax;
  `);
}
