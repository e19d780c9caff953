import type { Knex } from 'knex';

/** Triggers that write webhook events. They are deferred, so that each event describes the state at the commit. */
export async function createEvents(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.is_told(site uuid) returns boolean language sql stable
      return exists (select from commerce.webhooks where site_id = site)
        or exists (select from commerce.event_listeners where site_id = site and expires_at > now());

    -- Whether customers saw a product before or after this transaction, by the log of product changes.
    create function commerce.is_shown(site uuid, product uuid) returns boolean language sql stable
      return exists (select from commerce.product_changes c where c.site_id = site and c.product_id = product
        and c.era = commerce.change_era() and c.changed_in = pg_current_xact_id()::text::bigint and c.seen);

    -- Whether customers ever saw a product, by the log of product changes.
    create function commerce.was_shown(site uuid, product uuid) returns boolean language sql stable
      return exists (select from commerce.product_changes c where c.site_id = site and c.product_id = product and c.seen);

    -- Deliveries to a disabled webhook are stored as failed, so that they can be replayed.
    create function commerce.fan_out(site uuid, of_event uuid, event_type text, shown boolean default true) returns void language sql as $$
      with made as (
        insert into commerce.webhook_deliveries (site_id, id, webhook_id, event_id, type, status, next_attempt_at,
          completed_at)
        select site, commerce.uuid_v7(), w.id, of_event, event_type,
          case w.status when 'active' then 'pending' else 'failed' end,
          case w.status when 'active' then now() end, case w.status when 'disabled' then now() end
        from commerce.webhooks w where w.site_id = site and commerce.takes(w.events, event_type) and (shown or w.sync_key_id is null)
        returning id, status
      )
      select commerce.enqueue_deliveries(site, array_agg(id), now()) from made where status = 'pending'
      having count(*) > 0;
    $$;

    -- Writes an event if a webhook or listener subscribes to it. Otherwise it costs two look-ups.
    create function commerce.emit(site uuid, event_type text, subject uuid, event_data jsonb, shown boolean default true) returns void
      language plpgsql as $$
    declare
      event_id uuid := commerce.uuid_v7();
    begin
      if not (
        exists (select from commerce.webhooks w where w.site_id = site and commerce.takes(w.events, event_type) and (shown or w.sync_key_id is null))
        or exists (select from commerce.event_listeners
          where site_id = site and expires_at > now() and commerce.takes(events, event_type))) then
        return;
      end if;
      insert into commerce.events (site_id, id, type, subject_id, payload)
        values (site, event_id, event_type, subject, format('{"type":%s,"timestamp":%s,"site_id":%s,"merchant_id":%s,"data":%s}', to_json(event_type),
            to_json(commerce.iso(now())), to_json(site),
            to_json((select merchant_id from commerce.sites where site_id = site)), event_data))
        on conflict (site_id, subject_id, type, made_in) do nothing;
      if found then perform commerce.fan_out(site, event_id, event_type, shown); end if;
    end $$;

    create function commerce.emit_product(event_type text, p commerce.products, shown boolean default true) returns void language sql as $$
      select commerce.emit(p.site_id, event_type, p.id, jsonb_build_object('id', p.id, 'slug', p.slug, 'name', p.name,
        'status', p.status, 'published_at', commerce.iso(p.published_at), 'updated_at', commerce.iso(p.updated_at)), shown);
    $$;

    create function commerce.tell_product() returns trigger language plpgsql as $$
    declare
      site uuid := coalesce(new.site_id, old.site_id);
      told text := case tg_op when 'INSERT' then 'product.created' when 'UPDATE' then 'product.updated'
        else 'product.deleted' end;
      p commerce.products;
    begin
      if not (
        exists (select from commerce.webhooks where site_id = site and commerce.takes(events, told))
        or exists (select from commerce.event_listeners
          where site_id = site and expires_at > now() and commerce.takes(events, told))) then
        return null;
      end if;
      if tg_op = 'DELETE' then
        perform commerce.emit(site, told, old.id, jsonb_build_object('id', old.id, 'slug', old.slug,
          'deleted_at', commerce.iso(now())), commerce.was_shown(site, old.id));
        return null;
      end if;
      select * into p from commerce.products where site_id = site and id = new.id;
      if not found then return null; end if;
      -- Made in this very transaction: product.created tells it all.
      if tg_op = 'UPDATE' and p.created_at = now() then return null; end if;
      perform commerce.emit_product(told, p, commerce.is_shown(site, p.id));
      return null;
    end $$;
    create constraint trigger tell_product after insert or delete on commerce.products
      deferrable initially deferred for each row execute function commerce.tell_product();
    create constraint trigger tell_product_change after update on commerce.products deferrable initially deferred for each row
      when (old.updated_at is distinct from new.updated_at) execute function commerce.tell_product();

    -- Sends significant changes: availability changed, the low-stock threshold was crossed, or stock changed by at least
    -- five pieces and a fifth.
    create function commerce.tell_inventory() returns trigger language plpgsql as $$
    declare
      v commerce.variants;
      after integer;
      is_available boolean;
      reasons text[];
    begin
      select * into v from commerce.variants where site_id = new.site_id and id = new.id;
      if not found then return null; end if;
      after := v.on_hand - v.reserved;
      is_available := not v.track_inventory or v.inventory_policy = 'continue' or after > 0;
      reasons := array_remove(array[
        case when v.available_before <> is_available then 'availability' end,
        case when v.track_inventory
          and (v.quantity_before <= v.low_stock_threshold) <> (after <= v.low_stock_threshold) then 'low_stock' end,
        case when abs(after - v.quantity_before) >= greatest(5, 0.2 * abs(v.quantity_before)) then 'amount' end], null);
      if reasons <> '{}' then
        perform commerce.emit(v.site_id, 'inventory.changed', v.id, jsonb_build_object('variant_id', v.id,
          'product_id', v.product_id, 'sku', v.sku, 'inventory_quantity', after, 'previous_quantity', v.quantity_before,
          'available', is_available, 'reasons', reasons), (
            select commerce.is_visible(p.status, p.published_at) from commerce.products p
            where p.site_id = v.site_id and p.id = v.product_id));
      end if;
      return null;
    end $$;
    create constraint trigger tell_inventory after update of on_hand, reserved, track_inventory, inventory_policy,
        low_stock_threshold on commerce.variants deferrable initially deferred for each row
      when (new.stock_changed_in = pg_current_xact_id() and ( new.available_before <> (not new.track_inventory or
        new.inventory_policy = 'continue' or new.on_hand - new.reserved > 0) or (new.track_inventory and (new.quantity_before <=
        new.low_stock_threshold) <> (new.on_hand - new.reserved <= new.low_stock_threshold)) or abs(new.on_hand - new.reserved -
        new.quantity_before) >= greatest(5, 0.2 * abs(new.quantity_before)))) execute function commerce.tell_inventory();

    -- Called for each entry in the timeline of an order.
    create function commerce.tell_order() returns trigger language plpgsql as $$
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
          when 'refunded' then 'order.refunded'
        end, o.id,
        jsonb_build_object('id', o.id, 'order_number', o.order_number, 'status', o.status,
          'payment_status', o.payment_status, 'fulfillment_status', o.fulfillment_status, 'total', o.total::text,
          'currency', o.currency, 'source', o.source, 'reference', o.external_reference, 'customer_id', o.customer_id,
          'updated_at', commerce.iso(o.updated_at)));
      return null;
    end $$;
    create constraint trigger tell_order after insert on commerce.order_events deferrable initially deferred for each row
      when (new.type in ('created', 'payment_confirmed', 'payment_expired', 'fulfilled', 'delivered', 'cancelled', 'refunded'))
      execute function commerce.tell_order();

    create function commerce.tell_customer() returns trigger language plpgsql as $$
    begin
      perform commerce.emit(new.site_id, 'customer.created', new.id,
        jsonb_build_object('id', new.id, 'created_at', commerce.iso(new.created_at)));
      return null;
    end $$;
    create constraint trigger tell_customer after insert on commerce.customers deferrable initially deferred for each row
      when (new.imported_at is null) execute function commerce.tell_customer();

    create function commerce.tell_agent_token() returns trigger language plpgsql as $$
    declare
      t commerce.tokens;
    begin
      select * into t from commerce.tokens where site_id = new.site_id and id = new.id;
      if not found or t.customer_id is null then return null; end if;
      perform commerce.emit(t.site_id, case when t.revoked_at is null then 'agent.token_issued'
          else 'agent.token_revoked' end, t.id,
        jsonb_build_object('id', t.id, 'customer_id', t.customer_id, 'agent_name', t.description,
          'expires_at', commerce.iso(t.expires_at), 'revoked_at', commerce.iso(t.revoked_at)));
      return null;
    end $$;
    create constraint trigger tell_agent_revocation after update of revoked_at on commerce.tokens
      deferrable initially deferred for each row
      when (new.kind = 'agent' and old.revoked_at is null and new.revoked_at is not null)
      execute function commerce.tell_agent_token();
    create constraint trigger tell_agent_token after insert on commerce.tokens deferrable initially deferred for each row
      when (new.kind = 'agent') execute function commerce.tell_agent_token();
  `);
}
