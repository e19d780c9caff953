import type { Knex } from 'knex';

/**
 * Custom lines store the reason why they may be excluded from the right of withdrawal, because they have no product
 * that contains it. In `order_lines`, only custom lines have `custom_exempt`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.cart_items
      add column custom_exempt text,
      add constraint custom_exempt_of_custom_line check (custom_exempt is null or custom_tax_class is not null
        and custom_exempt in ('none', 'custom_made', 'perishable', 'sealed_hygiene', 'digital'));
    alter table commerce.order_lines
      add column custom_exempt text,
      add constraint custom_exempt_of_custom_line check (custom_exempt is null or variant_id is null and product_id is null
        and custom_exempt in ('none', 'custom_made', 'perishable', 'sealed_hygiene', 'digital'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.cart_items drop column custom_exempt;
    alter table commerce.order_lines drop column custom_exempt;
  `);
}
