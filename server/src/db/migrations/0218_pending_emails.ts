import type { Knex } from 'knex';

/**
 * Stores an e-mail address that staff entered for a customer with an account. It applies after the customer has
 * confirmed it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.customers add column pending_email text,
      add constraint pending_email_in_lower_case check (pending_email = lower(pending_email));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table commerce.customers drop column pending_email;');
}
