import type { Knex } from 'knex';

/**
 * Lists of stock are in the order of names, and hold what is not for sale as well: without an index each sorts the whole shop.
 * And each picture asks which variants it shows, in most shops none.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.products_by_name;
    create index products_by_name on commerce.products (site_id, name, id);
    create index variants_with_picture on commerce.variants (site_id, product_id) where image_url is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.variants_with_picture;
    drop index commerce.products_by_name;
    create index products_by_name on commerce.products (site_id, name, id) where status = 'active'`);
}
