import type { Knex } from 'knex';

/**
 * The catalogue's version depends on the version of each stripe instead of their sum. Transactions become visible on a
 * primary in a different order than on its standbys, which follow the WAL, so equal sums could stand for different
 * changes (db/standby.ts). A hash costs the look-ups as little as the sum did; a list of the stripes would cost 12 µs.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function commerce.catalog_version(site uuid) returns text language sql stable
      return (select max(era) from commerce.change_eras)
        || '.' || (select coalesce(sum(hashint8extended(version, stripe)), 0) from commerce.catalog_versions where site_id = site)
        || '.' || (select count(*) from commerce.catalog_schedule where site_id = site and publish_at > now());
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function commerce.catalog_version(site uuid) returns text language sql stable
      return (select max(era) from commerce.change_eras)
        || '.' || (select coalesce(sum(version), 0) from commerce.catalog_versions where site_id = site)
        || '.' || (select count(*) from commerce.catalog_schedule where site_id = site and publish_at > now());
  `);
}
