import type { Knex } from 'knex';

/**
 * Orders show what was bought for as long as they are kept. Whether any shows a picture is asked once, when nothing else does any
 * more; then this says so.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.files add column in_orders boolean not null default false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.files drop column in_orders');
}
