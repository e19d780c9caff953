import type { Knex } from 'knex';

/** Whether the merchant has said how the shop is taxed: a rate of 0 may be their decision, or that nobody has decided yet. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.site_settings add column tax_decided boolean not null default false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.site_settings drop column tax_decided');
}
