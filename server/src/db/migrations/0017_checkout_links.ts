import type { Knex } from 'knex';

/**
 * A checkout may have several links. Their secrets follow from SECRET_KEY: when that is changed, an open checkout gets one
 * more, and those that were given out go on leading to it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.checkout_links drop constraint checkout_links_pkey,
      add primary key (site_id, checkout_id, token_hash);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from commerce.checkout_links l using commerce.checkout_links other
      where other.site_id = l.site_id and other.checkout_id = l.checkout_id and other.token_hash > l.token_hash;
    alter table commerce.checkout_links drop constraint checkout_links_pkey,
      add primary key (site_id, checkout_id);
  `);
}
