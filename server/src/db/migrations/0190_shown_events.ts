import type { Knex } from 'knex';

/**
 * Webhooks of integrations are told only of products that customers see, or saw until this change, as the sync surface is: an event
 * about a draft would name a product that is not announced yet. `shown` says so; events about anything else are shown.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function commerce.emit(uuid, text, uuid, jsonb);
    drop function commerce.emit_product(text, commerce.products);
    drop function commerce.fan_out(uuid, uuid, text);
    ${functions({ parameter: ', shown boolean default true', passed: ', shown', filter: 'and (shown or w.sync_key_id is null)' })}

    -- Whether customers saw a product before this transaction or after it. The log of changes has noted it.
    create function commerce.is_shown(site uuid, product uuid) returns boolean language sql stable
      return exists (select from commerce.product_changes c where c.site_id = site and c.product_id = product
        and c.era = commerce.change_era() and c.changed_in = pg_current_xact_id()::text::bigint and c.seen);
    -- The same of any time.
    create function commerce.was_shown(site uuid, product uuid) returns boolean language sql stable
      return exists (select from commerce.product_changes c where c.site_id = site and c.product_id = product and c.seen);
    ${tellProduct({ deleted: ', commerce.was_shown(site, old.id)', changed: ', commerce.is_shown(site, p.id)' })}
    ${tellInventory(`, (
            select commerce.is_visible(p.status, p.published_at) from commerce.products p
            where p.site_id = v.site_id and p.id = v.product_id)`)}
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function commerce.emit(uuid, text, uuid, jsonb, boolean);
    drop function commerce.emit_product(text, commerce.products, boolean);
    drop function commerce.fan_out(uuid, uuid, text, boolean);
    ${functions({ parameter: '', passed: '', filter: '' })}
    ${tellProduct({ deleted: '', changed: '' })}
    ${tellInventory('')}
    drop function commerce.is_shown;
    drop function commerce.was_shown;
  `);
}

function functions({ parameter, passed, filter }: { parameter: string; passed: string; filter: string }): string {
  return `
    create function commerce.fan_out(site uuid, of_event uuid, event_type text${parameter}) returns void language sql as $$
      with made as (
        insert into commerce.webhook_deliveries (site_id, id, webhook_id, event_id, type, status, next_attempt_at,
          completed_at)
        select site, commerce.uuid_v7(), w.id, of_event, event_type,
          case w.status when 'active' then 'pending' else 'failed' end,
          case w.status when 'active' then now() end, case w.status when 'disabled' then now() end
        from commerce.webhooks w where w.site_id = site and commerce.takes(w.events, event_type) ${filter}
        returning id, status
      )
      select commerce.enqueue_deliveries(site, array_agg(id), now()) from made where status = 'pending'
      having count(*) > 0;
    $$;

    create function commerce.emit(site uuid, event_type text, subject uuid, event_data jsonb${parameter}) returns void
      language plpgsql as $$
    declare
      event_id uuid := commerce.uuid_v7();
    begin
      if not (
        exists (select from commerce.webhooks w where w.site_id = site and commerce.takes(w.events, event_type) ${filter})
        or exists (select from commerce.event_listeners
          where site_id = site and expires_at > now() and commerce.takes(events, event_type))) then
        return;
      end if;
      insert into commerce.events (site_id, id, type, subject_id, payload)
        values (site, event_id, event_type, subject, format('{"type":%s,"timestamp":%s,"site_id":%s,"merchant_id":%s,"data":%s}', to_json(event_type),
            to_json(commerce.iso(now())), to_json(site),
            to_json((select merchant_id from commerce.sites where site_id = site)), event_data))
        on conflict (site_id, subject_id, type, made_in) do nothing;
      if found then perform commerce.fan_out(site, event_id, event_type${passed}); end if;
    end $$;

    create function commerce.emit_product(event_type text, p commerce.products${parameter}) returns void language sql as $$
      select commerce.emit(p.site_id, event_type, p.id, jsonb_build_object('id', p.id, 'slug', p.slug, 'name', p.name,
        'status', p.status, 'published_at', commerce.iso(p.published_at), 'updated_at', commerce.iso(p.updated_at))${passed});
    $$;
  `;
}

function tellProduct({ deleted, changed }: { deleted: string; changed: string }): string {
  return `
    create or replace function commerce.tell_product() returns trigger language plpgsql as $$
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
          'deleted_at', commerce.iso(now()))${deleted});
        return null;
      end if;
      select * into p from commerce.products where site_id = site and id = new.id;
      if not found then return null; end if;
      -- Made in this very transaction: product.created tells it all.
      if tg_op = 'UPDATE' and p.created_at = now() then return null; end if;
      perform commerce.emit_product(told, p${changed});
      return null;
    end $$;
  `;
}

function tellInventory(shown: string): string {
  return `
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
          'available', is_available, 'reasons', reasons)${shown});
      end if;
      return null;
    end $$;
  `;
}
