import type { Knex } from 'knex';

/** The name of a file is part of a path in the store. Rows come from other servers, too: with `..` one would be that of another shop. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.files add constraint files_name_check check (name ~ '^[0-9a-f]{32}$');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.files drop constraint files_name_check;
  `);
}
