import type { Knex } from 'knex';

/** A product's description may be formatted, and search engines may be told another title and description. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.products
      add column description_html text, add column seo_title text, add column seo_description text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.products
      drop column description_html, drop column seo_title, drop column seo_description;
  `);
}
