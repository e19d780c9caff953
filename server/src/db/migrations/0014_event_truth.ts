import type { Knex } from 'knex';

/**
 * No event without a change, no change without its event: what is told of a product and of stock, to webhooks that are
 * disabled as well, and which events the sweeper takes away.
 */
export async function up(knex: Knex): Promise<void> {
  await subscriptions(knex);
  await knex.raw(PRODUCT_NEWS);
  await inventoryNews(knex);
  await knex.raw(`
    -- It holds ids and states and no more: the sweeper has to see which events are still on their way.
    create policy sweep on commerce.webhook_deliveries for select to commerce_sweep using (true);
  `);
}

async function subscriptions(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The sync key that registered the webhook, if one did: integrations manage the webhooks of integrations alone. Who
    -- looks whether the rows that are there refer to tokens must see those of all tenants.
    alter table commerce.webhooks no force row level security;
    alter table commerce.tokens no force row level security;
    alter table commerce.webhooks add column sync_key_id uuid,
      add foreign key (site_id, sync_key_id) references commerce.tokens;
    alter table commerce.webhooks force row level security;
    alter table commerce.tokens force row level security;

    create index webhook_deliveries_pending on commerce.webhook_deliveries (site_id) where status = 'pending';
    -- Of a shop that has a hundred deliveries under way, further ones let those of other shops go first (hazards §4.7).
    create function commerce.enqueue_deliveries(site uuid, deliveries uuid[], run_at timestamptz) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    declare
      under_way integer;
    begin
      select count(*) into under_way from (
        select from commerce.webhook_deliveries where site_id = site and status = 'pending' and id <> all(deliveries)
        limit 100) as others;
      perform graphile_worker.add_jobs(array(
        select ('deliver_webhook', json_build_object('site_id', site, 'delivery_id', delivery.id), null,
          enqueue_deliveries.run_at, 100, null, case when under_way + place > 100 then 1 else 0 end, null)
          ::graphile_worker.job_spec
        from unnest(deliveries) with ordinality as delivery (id, place)));
    end $$;
    revoke execute on function commerce.enqueue_deliveries from public;
    grant execute on function commerce.enqueue_deliveries to commerce_app;

    ${emit('')}
    -- What happens while a webhook is disabled is kept for it as given up, and so can be replayed.
    create or replace function commerce.fan_out(site uuid, of_event uuid, event_type text) returns void language sql as $$
      with made as (
        insert into commerce.webhook_deliveries (site_id, id, webhook_id, event_id, type, status, next_attempt_at,
          completed_at)
        select site, commerce.uuid_v7(), w.id, of_event, event_type,
          case w.status when 'active' then 'pending' else 'failed' end,
          case w.status when 'active' then now() end, case w.status when 'disabled' then now() end
        from commerce.webhooks w where w.site_id = site and event_type = any(w.events)
        returning id, status
      )
      select commerce.enqueue_deliveries(site, array_agg(id), now()) from made where status = 'pending'
      having count(*) > 0;
    $$;
  `);
}

/** Tells an event to those who asked for it. Where nobody did, it costs two look-ups and leaves nothing. */
function emit(listening: string): string {
  return `
    create or replace function commerce.emit(site uuid, event_type text, subject uuid, event_data jsonb) returns void
      language plpgsql as $$
    declare
      event_id uuid := commerce.uuid_v7();
    begin
      if not exists (select from commerce.webhooks where site_id = site ${listening} and event_type = any(events))
        and not exists (select from commerce.event_listeners
          where site_id = site and expires_at > now() and event_type = any(events)) then
        return;
      end if;
      insert into commerce.events (site_id, id, type, subject_id, payload)
        values (site, event_id, event_type, subject, format('{"type":%s,"timestamp":%s,"data":%s}', to_json(event_type),
          to_json(commerce.iso(now())), event_data))
        on conflict (site_id, subject_id, type, made_in) do nothing;
      if found then perform commerce.fan_out(site, event_id, event_type); end if;
    end $$;
  `;
}

/** A product has changed when its updated_at has; that it was sold again, say, is none of its changes. */
const PRODUCT_NEWS = `
  create function commerce.emit_product(event_type text, p commerce.products) returns void language sql as $$
    select commerce.emit(p.site_id, event_type, p.id, jsonb_build_object('id', p.id, 'slug', p.slug, 'name', p.name,
      'status', p.status, 'published_at', commerce.iso(p.published_at), 'updated_at', commerce.iso(p.updated_at)));
  $$;

  create or replace function commerce.tell_product() returns trigger language plpgsql as $$
  declare
    p commerce.products;
  begin
    if tg_op = 'DELETE' then
      perform commerce.emit(old.site_id, 'product.deleted', old.id, jsonb_build_object('id', old.id, 'slug', old.slug,
        'deleted_at', commerce.iso(now())));
      return null;
    end if;
    select * into p from commerce.products where site_id = new.site_id and id = new.id;
    if not found then return null; end if;
    -- Made in this very transaction: product.created tells it all.
    if tg_op = 'UPDATE' and p.created_at = now() then return null; end if;
    perform commerce.emit_product(case tg_op when 'INSERT' then 'product.created' else 'product.updated' end, p);
    return null;
  end $$;
  drop trigger tell_product on commerce.products;
  create constraint trigger tell_product after insert or delete on commerce.products
    deferrable initially deferred for each row execute function commerce.tell_product();
  create constraint trigger tell_product_change after update on commerce.products
    deferrable initially deferred for each row when (old.updated_at is distinct from new.updated_at)
    execute function commerce.tell_product();
`;

const STOCK_CHANGED = `(old.on_hand - old.reserved <> new.on_hand - new.reserved
  or old.track_inventory <> new.track_inventory or old.inventory_policy <> new.inventory_policy)`;

/**
 * Stock may change several times in one transaction: what an overdue checkout held is released, and held again. What others
 * saw before and after is told, so the first of these changes keeps what there was before.
 */
async function inventoryNews(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.variants add column stock_changed_in xid8, add column quantity_before integer,
      add column available_before boolean;
    create function commerce.keep_stock() returns trigger language plpgsql as $$
    begin
      if old.stock_changed_in is distinct from pg_current_xact_id() then
        new.stock_changed_in := pg_current_xact_id();
        new.quantity_before := old.on_hand - old.reserved;
        new.available_before := not old.track_inventory or old.inventory_policy = 'continue'
          or old.on_hand - old.reserved > 0;
      end if;
      return new;
    end $$;
    create trigger keep_stock before update of on_hand, reserved, track_inventory, inventory_policy on commerce.variants
      for each row when ${STOCK_CHANGED} execute function commerce.keep_stock();

    -- Significant: it can be bought again or no longer, it crossed its threshold, or it changed by at least five pieces
    -- and a fifth.
    create or replace function commerce.tell_inventory() returns trigger language plpgsql as $$
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
          'available', is_available, 'reasons', reasons));
      end if;
      return null;
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop policy sweep on commerce.webhook_deliveries');
  await inventoryNewsBefore(knex);
  await productNewsBefore(knex);
  await subscriptionsBefore(knex);
}

async function subscriptionsBefore(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.webhooks drop column sync_key_id;
    ${emit(`and status = 'active'`)}
    create or replace function commerce.fan_out(site uuid, of_event uuid, event_type text) returns void language sql as $$
      with due as (
        insert into commerce.webhook_deliveries (site_id, id, webhook_id, event_id, type)
        select site, commerce.uuid_v7(), w.id, of_event, event_type from commerce.webhooks w
        where w.site_id = site and w.status = 'active' and event_type = any(w.events)
        returning id
      )
      select commerce.enqueue_delivery(site, due.id, now()) from due;
    $$;
    drop function commerce.enqueue_deliveries;
    drop index commerce.webhook_deliveries_pending;
  `);
}

async function productNewsBefore(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger tell_product_change on commerce.products;
    drop trigger tell_product on commerce.products;
    create or replace function commerce.tell_product() returns trigger language plpgsql as $$
    declare
      p commerce.products;
    begin
      if tg_op = 'DELETE' then
        perform commerce.emit(old.site_id, 'product.deleted', old.id, jsonb_build_object('id', old.id, 'slug', old.slug,
          'deleted_at', commerce.iso(now())));
        return null;
      end if;
      select * into p from commerce.products where site_id = new.site_id and id = new.id;
      if not found then return null; end if;
      if tg_op = 'UPDATE' and p.created_at = now() then return null; end if;
      perform commerce.emit(p.site_id, case tg_op when 'INSERT' then 'product.created' else 'product.updated' end, p.id,
        jsonb_build_object('id', p.id, 'slug', p.slug, 'name', p.name, 'status', p.status,
          'published_at', commerce.iso(p.published_at), 'updated_at', commerce.iso(p.updated_at)));
      return null;
    end $$;
    create constraint trigger tell_product after insert or update or delete on commerce.products
      deferrable initially deferred for each row execute function commerce.tell_product();
    drop function commerce.emit_product;
  `);
}

async function inventoryNewsBefore(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function commerce.tell_inventory() returns trigger language plpgsql as $$
    declare
      v commerce.variants;
      before integer := old.on_hand - old.reserved;
      after integer;
      was_available boolean := not old.track_inventory or old.inventory_policy = 'continue' or before > 0;
      is_available boolean;
      reasons text[];
    begin
      select * into v from commerce.variants where site_id = new.site_id and id = new.id;
      if not found then return null; end if;
      after := v.on_hand - v.reserved;
      is_available := not v.track_inventory or v.inventory_policy = 'continue' or after > 0;
      reasons := array_remove(array[
        case when was_available <> is_available then 'availability' end,
        case when v.track_inventory
          and (before <= v.low_stock_threshold) <> (after <= v.low_stock_threshold) then 'low_stock' end,
        case when abs(after - before) >= greatest(5, 0.2 * abs(before)) then 'amount' end], null);
      if reasons <> '{}' then
        perform commerce.emit(v.site_id, 'inventory.changed', v.id, jsonb_build_object('variant_id', v.id,
          'product_id', v.product_id, 'sku', v.sku, 'inventory_quantity', after, 'previous_quantity', before,
          'available', is_available, 'reasons', reasons));
      end if;
      return null;
    end $$;
    drop trigger keep_stock on commerce.variants;
    drop function commerce.keep_stock;
    alter table commerce.variants drop column stock_changed_in, drop column quantity_before, drop column available_before;
  `);
}
