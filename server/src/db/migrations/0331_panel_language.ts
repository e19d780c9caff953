import type { Knex } from 'knex';

/** Adds the language in which a staff member uses the panel; null if the panel uses the browser's. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "alter table commerce.staff_memberships add column language text check (language in ('en', 'de', 'fr'))",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.staff_memberships drop column language');
}
