import type { Knex } from 'knex';

/** Foreign keys to tables that are created after the referring table. */
export async function createLaterReferences(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.tokens add constraint tokens_site_id_customer_id_fkey
      foreign key (site_id, customer_id) references commerce.customers;
    alter table commerce.product_images add constraint product_images_site_id_file_id_fkey
      foreign key (site_id, file_id) references commerce.files;
    alter table commerce.marketing_consents add constraint marketing_consents_site_id_order_id_fkey
      foreign key (site_id, order_id) references commerce.orders;
    alter table commerce.carts add constraint carts_site_id_agent_token_id_fkey
      foreign key (site_id, agent_token_id) references commerce.agent_tokens;
    alter table commerce.carts add constraint carts_site_id_payment_id_fkey
      foreign key (site_id, payment_id) references commerce.payments;
    alter table commerce.checkouts add constraint checkouts_site_id_agent_token_id_fkey
      foreign key (site_id, agent_token_id) references commerce.agent_tokens;
    alter table commerce.checkouts add constraint checkouts_site_id_payment_id_fkey
      foreign key (site_id, payment_id) references commerce.payments;
    alter table commerce.orders add constraint orders_site_id_agent_token_id_fkey
      foreign key (site_id, agent_token_id) references commerce.agent_tokens;
    alter table commerce.agent_consents add constraint agent_consents_site_id_replaces_token_id_fkey
      foreign key (site_id, replaces_token_id) references commerce.agent_tokens;
  `);
}
