import type { Knex } from 'knex';

/** Hosts of sites, such as shop.example: in lower case, in ASCII, without a port. Operators add them; requests only read them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.site_domains (
      host text primary key check (host ~ '^[a-z0-9-]+([.][a-z0-9-]+)+$' and length(host) <= 253),
      site_id uuid not null references commerce.sites,
      -- Where the pages of the site are, and where its links lead.
      is_primary boolean not null default false,
      created_at timestamptz not null default now()
    );
    create index domains_of_site on commerce.site_domains (site_id);
    create unique index one_primary_domain on commerce.site_domains (site_id) where is_primary;
    revoke insert, update, delete on commerce.site_domains from commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table commerce.site_domains');
}
