import type { Knex } from 'knex';

/**
 * What a change of stock sets off costs less. The log of product changes was written by a trigger on whole statements, which joined
 * what a statement changed with what was there before, also for a sale, which changes nothing that others see. Now two triggers on
 * rows write it, and their conditions say what counts. The event about stock is looked for at the end of a transaction only if
 * something was changed by then that it tells of; the condition is that of `tell_inventory`, by what `keep_stock` has kept of the
 * state before. An order event is put together only where somebody listens, and an order's mails are queued by one function, not
 * by one that calls another.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.note_variant() returns trigger language plpgsql as $$
    begin
      insert into commerce.product_changes as c (site_id, product_id, seen)
      values (new.site_id, new.product_id, coalesce((
        select commerce.is_visible(p.status, p.published_at) from commerce.products p
        where p.site_id = new.site_id and p.id = new.product_id), false))
      on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      return null;
    end $$;
    drop trigger note_update on commerce.variants;
    drop function commerce.note_variants;
    create trigger note_content after update of ${CONTENT} on commerce.variants
      for each row when (${contentDiffers}) execute function commerce.note_variant();
    create trigger note_stock after update of on_hand, reserved on commerce.variants
      for each row when (old.on_hand - old.reserved <> new.on_hand - new.reserved) execute function commerce.note_variant();

    drop trigger tell_inventory on commerce.variants;
    create constraint trigger tell_inventory
      after update of on_hand, reserved, track_inventory, inventory_policy, low_stock_threshold on commerce.variants
      deferrable initially deferred for each row when (${isWorthTelling}) execute function commerce.tell_inventory();

    create function commerce.is_told(site uuid) returns boolean language sql stable
      return exists (select from commerce.webhooks where site_id = site)
        or exists (select from commerce.event_listeners where site_id = site and expires_at > now());
  `);
  await knex.raw(tellOrder('if not commerce.is_told(new.site_id) then return null; end if;'));
  await knex.raw(`
    create or replace function commerce.enqueue_all(task text, payloads json[], run_at timestamptz) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      if cardinality(payloads) = 0 then return; end if;
      insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts)
        select t.id, j.payload, enqueue_all.run_at, 12
        from unnest(payloads) as j (payload)
        join graphile_worker._private_tasks t on t.identifier = task;
      if not found then
        perform commerce.add_jobs(task, payloads, run_at, 12, array_fill(0::smallint, array[cardinality(payloads)]));
        return;
      end if;
      raise notice using errcode = 'CJ001', message = 'jobs added', detail = cardinality(payloads)::text;
    end $$;
  `);
}

/** All that a variant shows but its stock. */
const CONTENT = `id, product_id, position, sku, barcode, option1, option2, option3, price, compare_at_price, cost_per_item,
  track_inventory, inventory_policy, low_stock_threshold, weight, weight_unit, requires_shipping, image_url, created_at,
  updated_at`;

const contentDiffers = `(${contentOf('old')}) is distinct from (${contentOf('new')})`;

function contentOf(row: string): string {
  return CONTENT.split(/,\s*/)
    .map((column) => `${row}.${column}`)
    .join(', ');
}

const quantity = 'new.on_hand - new.reserved';

/** Of a row whose stock was changed in this transaction: what `keep_stock` has kept is of no earlier one. */
const isWorthTelling = `new.stock_changed_in = pg_current_xact_id() and (
  new.available_before <> (not new.track_inventory or new.inventory_policy = 'continue' or ${quantity} > 0)
  or (new.track_inventory
    and (new.quantity_before <= new.low_stock_threshold) <> (${quantity} <= new.low_stock_threshold))
  or abs(${quantity} - new.quantity_before) >= greatest(5, 0.2 * abs(new.quantity_before)))`;

function tellOrder(first: string): string {
  return `
    create or replace function commerce.tell_order() returns trigger language plpgsql as $$
    declare
      o commerce.orders;
    begin
      ${first}
      select * into o from commerce.orders where site_id = new.site_id and id = new.order_id;
      perform commerce.emit(o.site_id, case new.type
          when 'created' then 'order.created'
          when 'payment_confirmed' then 'order.paid'
          when 'payment_expired' then 'order.payment_expired'
          when 'fulfilled' then 'order.fulfilled'
          when 'delivered' then 'order.delivered'
          when 'cancelled' then 'order.cancelled'
          when 'refunded' then 'order.refunded'
        end, o.id,
        jsonb_build_object('id', o.id, 'order_number', o.order_number, 'status', o.status,
          'payment_status', o.payment_status, 'fulfillment_status', o.fulfillment_status, 'total', o.total::text,
          'currency', o.currency, 'source', o.source, 'reference', o.external_reference, 'customer_id', o.customer_id,
          'updated_at', commerce.iso(o.updated_at)));
      return null;
    end $$;
  `;
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function commerce.enqueue_all(task text, payloads json[], run_at timestamptz) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
      select commerce.add_jobs(task, payloads, run_at, 12, array_fill(0::smallint, array[cardinality(payloads)]))
        where cardinality(payloads) > 0;
    $$;
  `);
  await knex.raw(tellOrder(''));
  await knex.raw(`
    drop function commerce.is_told;

    drop trigger tell_inventory on commerce.variants;
    create constraint trigger tell_inventory
      after update of on_hand, reserved, track_inventory, inventory_policy on commerce.variants
      deferrable initially deferred for each row when (
        old.on_hand - old.reserved <> new.on_hand - new.reserved or old.track_inventory <> new.track_inventory
        or old.inventory_policy <> new.inventory_policy) execute function commerce.tell_inventory();

    drop trigger note_stock on commerce.variants;
    drop trigger note_content on commerce.variants;
    drop function commerce.note_variant;
    create function commerce.note_variants() returns trigger language plpgsql as $$
    begin
      insert into commerce.product_changes as c (site_id, product_id, seen)
      select n.site_id, n.product_id, coalesce(bool_or(commerce.is_visible(p.status, p.published_at)), false)
      from new_rows n join old_rows o on o.site_id = n.site_id and o.id = n.id
      left join commerce.products p on p.site_id = n.site_id and p.id = n.product_id
      where n.on_hand - n.reserved <> o.on_hand - o.reserved or (${contentOf('o')}) is distinct from (${contentOf('n')})
      group by n.site_id, n.product_id
      on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      return null;
    end $$;
    create trigger note_update after update on commerce.variants referencing old table as old_rows new table as new_rows
      for each statement execute function commerce.note_variants();
  `);
}
