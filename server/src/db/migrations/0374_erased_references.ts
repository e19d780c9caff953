import type { Knex } from 'knex';

/**
 * Lets the erasure of a customer remove the references of recorded payments, which are often the text of a bank
 * transfer with the payer's name. The server's role can only add rows to `order_payments` and `order_events`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.erase_payment_references(site uuid, order_ids uuid[]) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
      update commerce.order_payments set reference = null
        where site_id = site and order_id = any(order_ids) and reference is not null;
      update commerce.order_events set context = context || '{"reference": null}'
        where site_id = site and order_id = any(order_ids) and context ->> 'reference' is not null
          and jsonb_exists(context, 'payment_id');
    $$;
    revoke execute on function commerce.erase_payment_references from public;
    grant execute on function commerce.erase_payment_references to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function commerce.erase_payment_references');
}
