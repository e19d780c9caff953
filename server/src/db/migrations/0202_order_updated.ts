import type { Knex } from 'knex';

/** Sends order.updated for timeline entries of type `updated`, except if a mail was only sent again. */
export async function up(knex: Knex): Promise<void> {
  await tellOrder(knex, {
    writer: `
          when 'updated' then 'order.updated'`,
    type: ", 'updated'",
    filter: " and not jsonb_exists(new.context, 'mail')",
  });
}

export async function down(knex: Knex): Promise<void> {
  await tellOrder(knex, { writer: '', type: '', filter: '' });
}

async function tellOrder(knex: Knex, updated: { writer: string; type: string; filter: string }): Promise<void> {
  await knex.raw(`
    create or replace function commerce.tell_order() returns trigger language plpgsql as $$
    declare
      o commerce.orders;
    begin
      if not commerce.is_told(new.site_id) then return null; end if;
      select * into o from commerce.orders where site_id = new.site_id and id = new.order_id;
      perform commerce.emit(o.site_id, case new.type
          when 'created' then 'order.created'
          when 'payment_confirmed' then 'order.paid'
          when 'payment_expired' then 'order.payment_expired'
          when 'fulfilled' then 'order.fulfilled'
          when 'delivered' then 'order.delivered'
          when 'cancelled' then 'order.cancelled'
          when 'refunded' then 'order.refunded'${updated.writer}
        end, o.id,
        jsonb_build_object('id', o.id, 'order_number', o.order_number, 'status', o.status,
          'payment_status', o.payment_status, 'fulfillment_status', o.fulfillment_status, 'total', o.total::text,
          'currency', o.currency, 'source', o.source, 'reference', o.external_reference, 'customer_id', o.customer_id,
          'updated_at', commerce.iso(o.updated_at)));
      return null;
    end $$;
    drop trigger tell_order on commerce.order_events;
    create constraint trigger tell_order after insert on commerce.order_events deferrable initially deferred for each row
      when (new.type in ('created', 'payment_confirmed', 'payment_expired', 'fulfilled', 'delivered', 'cancelled',
        'refunded'${updated.type})${updated.filter})
      execute function commerce.tell_order();
  `);
}
