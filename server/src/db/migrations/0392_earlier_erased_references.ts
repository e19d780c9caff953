import type { Knex } from 'knex';

/**
 * Removes the references of payments and the reasons of discounts of customers who were anonymised before migration
 * 0374. Later erasures remove them. Reasons of drafts without an order stay, because nothing names their customer any
 * more.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    do $$
    declare
      site uuid;
    begin
      for site in select site_id from commerce.sites order by site_id loop
        perform set_config('app.site_id', site::text, true);
        perform commerce.erase_payment_references(site, array(
          select o.id from commerce.orders o join commerce.customers c on c.site_id = o.site_id and c.id = o.customer_id
            where o.site_id = site and c.anonymized_at is not null));
        update commerce.draft_orders d set discount_reason = null
          from commerce.checkouts k join commerce.orders o on o.site_id = k.site_id and o.id = k.order_id
          join commerce.customers c on c.site_id = o.site_id and c.id = o.customer_id
          where d.site_id = site and k.site_id = d.site_id and k.id = d.checkout_id and d.discount_reason is not null
            and c.anonymized_at is not null;
      end loop;
      perform set_config('app.site_id', '', true);
    end
    $$;
  `);
}

export async function down(): Promise<void> {
  // The removed texts cannot be restored.
}
