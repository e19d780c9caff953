import type { Knex } from 'knex';

/**
 * An address may be registered several times before anyone proves to read it. Each request keeps its own password and has
 * its own link, so that opening a link never brings somebody else's password.
 */
export async function up(knex: Knex): Promise<void> {
  await unguarded(knex, async () => {
    await knex.raw(`
      alter table commerce.customer_registrations add column id uuid not null default commerce.uuid_v7();
      alter table commerce.customer_registrations alter column id drop default,
        drop constraint customer_registrations_pkey, add primary key (site_id, id);
      create index customer_registrations_of on commerce.customer_registrations (site_id, email);

      -- A used link stays when its registration is gone: whoever opens it again is told what became of it.
      alter table commerce.customer_codes add column registration_id uuid,
        add foreign key (site_id, registration_id) references commerce.customer_registrations on delete set null (registration_id);
      update commerce.customer_codes c set registration_id = r.id from commerce.customer_registrations r
        where r.site_id = c.site_id and r.email = c.email and c.purpose = 'register' and c.used_at is null;
      drop index commerce.one_code_per_purpose;
      create unique index one_code_per_purpose on commerce.customer_codes (site_id, purpose, customer_id);
      create unique index one_code_per_registration on commerce.customer_codes (site_id, registration_id);
      create index customer_codes_to on commerce.customer_codes (site_id, email);
    `);
  });
}

/** Of the registrations of one address the newest stays. */
export async function down(knex: Knex): Promise<void> {
  await unguarded(knex, async () => {
    await knex.raw(`
      delete from commerce.customer_codes c where c.purpose = 'register' and exists (
        select from commerce.customer_codes newer
        where newer.site_id = c.site_id and newer.purpose = 'register' and newer.email = c.email
          and (newer.created_at, newer.token_hash) > (c.created_at, c.token_hash));
      drop index commerce.customer_codes_to;
      drop index commerce.one_code_per_registration;
      drop index commerce.one_code_per_purpose;
      create unique index one_code_per_purpose
        on commerce.customer_codes (site_id, purpose, coalesce(customer_id::text, email));
      alter table commerce.customer_codes drop column registration_id;

      delete from commerce.customer_registrations r where exists (
        select from commerce.customer_registrations newer
        where newer.site_id = r.site_id and newer.email = r.email
          and (newer.created_at, newer.id) > (r.created_at, r.id));
      drop index commerce.customer_registrations_of;
      alter table commerce.customer_registrations drop constraint customer_registrations_pkey, drop column id,
        add primary key (site_id, email);
    `);
  });
}

/** Row-level security is forced on the owner, too: to see the rows of all tenants it is lifted for a moment. */
async function unguarded(knex: Knex, work: () => Promise<void>): Promise<void> {
  const tables = ['commerce.customer_registrations', 'commerce.customer_codes'];
  for (const table of tables) await knex.raw(`alter table ${table} no force row level security`);
  await work();
  for (const table of tables) await knex.raw(`alter table ${table} force row level security`);
}
