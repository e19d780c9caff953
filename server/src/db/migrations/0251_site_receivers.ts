import type { Knex } from 'knex';

/** One-time keys to which another server encrypts the export of a site. Only the owner of the tables uses them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.site_receivers (
      public_key bytea primary key check (length(public_key) = 32),
      private_key bytea not null,
      created_at timestamptz not null default now()
    );
    revoke all on commerce.site_receivers from commerce_app;
    grant select on commerce.site_receivers to commerce_backup;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table commerce.site_receivers');
}
