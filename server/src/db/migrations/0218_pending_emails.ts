import type { Knex } from 'knex';

/** The e-mail that staff entered for a customer with an account; it counts once its owner has confirmed it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.customers add column pending_email text,
      add constraint pending_email_in_lower_case check (pending_email = lower(pending_email));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.customers drop column pending_email;');
}
