import type { Knex } from 'knex';

/**
 * The names of people who did something in a site and had left it when it came from another server: there they are no members, and here
 * they have no login.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;

    create table commerce.former_staff (
      site_id uuid not null references commerce.sites,
      staff_id uuid not null,
      name text not null,
      primary key (site_id, staff_id)
    );
    call commerce.protect('commerce.former_staff');
    grant select, insert, update, delete on commerce.former_staff to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    drop table commerce.former_staff;
  `);
}
