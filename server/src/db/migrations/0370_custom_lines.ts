import type { Knex } from 'knex';

/**
 * Custom lines of draft orders: a name and a price without a variant. Only custom lines have `custom_tax_class`; their
 * `variant_id` and `product_id` are the id of the line, so that they refer to nothing, like those of a deleted product.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.cart_items
      add column custom_tax_class text,
      add column custom_shipped boolean,
      add constraint custom_line check (case when custom_tax_class is null then custom_shipped is null
        else custom_shipped is not null and fixed_price is not null and variant_id = id and product_id = id end);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.cart_items drop column custom_tax_class, drop column custom_shipped');
}
