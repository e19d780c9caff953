import type { Knex } from 'knex';

/** Whether the shop is told of each new order by mail. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.site_settings add column mail_new_orders boolean not null default true');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.site_settings drop column mail_new_orders');
}
