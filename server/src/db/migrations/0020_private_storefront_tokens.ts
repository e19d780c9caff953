import type { Knex } from 'knex';

/** Storefront tokens of a shop's own server, which may name the buyer's address; and that address on record. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.tokens add column private boolean not null default false
      constraint only_storefront_tokens_are_private check (not private or kind = 'storefront');
    alter table commerce.audit_events add column buyer_ip text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.audit_events drop column buyer_ip;
    alter table commerce.tokens drop column private;
  `);
}
