import type { Knex } from 'knex';

/** Each type of event is written out where it is emitted, so that a search for `order.fulfilled` finds its writer. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    tellOrder(`case new.type
          when 'created' then 'order.created'
          when 'payment_confirmed' then 'order.paid'
          when 'payment_expired' then 'order.payment_expired'
          when 'fulfilled' then 'order.fulfilled'
          when 'delivered' then 'order.delivered'
          when 'cancelled' then 'order.cancelled'
          when 'refunded' then 'order.refunded'
        end`),
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(tellOrder(`case new.type when 'payment_confirmed' then 'order.paid' else 'order.' || new.type end`));
}

function tellOrder(type: string): string {
  return `
    create or replace function commerce.tell_order() returns trigger language plpgsql as $$
    declare
      o commerce.orders;
    begin
      select * into o from commerce.orders where site_id = new.site_id and id = new.order_id;
      perform commerce.emit(o.site_id, ${type}, o.id,
        jsonb_build_object('id', o.id, 'order_number', o.order_number, 'status', o.status,
          'payment_status', o.payment_status, 'fulfillment_status', o.fulfillment_status, 'total', o.total::text,
          'currency', o.currency, 'source', o.source, 'reference', o.external_reference, 'customer_id', o.customer_id,
          'updated_at', commerce.iso(o.updated_at)));
      return null;
    end $$;`;
}
