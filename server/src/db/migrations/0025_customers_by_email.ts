import type { Knex } from 'knex';

/**
 * Customers are found by the address as it is kept, in lower case, which a constraint now holds. A condition on `lower(email)`
 * cannot use an index under row-level security, since `lower` is not leakproof: each login read all customers of the shop.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Whoever mends rows of all tenants must see them.
    alter table commerce.customers no force row level security;
    update commerce.customers set email = lower(email) where email <> lower(email);
    alter table commerce.customers force row level security;
    alter table commerce.customers add constraint email_in_lower_case check (email = lower(email));
    create index customers_by_email on commerce.customers (site_id, email);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.customers_by_email;
    alter table commerce.customers drop constraint email_in_lower_case;
  `);
}
