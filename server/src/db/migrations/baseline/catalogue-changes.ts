import type { Knex } from 'knex';

/** Triggers that record catalogue changes: the version, the log of product changes, stock and files. */
export async function createCatalogueChanges(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.catalog_version(site uuid) returns text language sql stable
      return (select coalesce(sum(version), 0) from commerce.catalog_versions where site_id = site)
        || '.' || (select count(*) from commerce.catalog_schedule where site_id = site and publish_at > now());

    create function commerce.bump_catalog() returns trigger language plpgsql as $$
    begin
      if current_setting('app.catalog_bumped', true) is distinct from pg_current_xact_id()::text then
        insert into commerce.catalog_versions as v (site_id, stripe)
          values (coalesce(new.site_id, old.site_id), pg_backend_pid() % 16)
          on conflict (site_id, stripe) do update set version = v.version + 1;
        perform set_config('app.catalog_bumped', pg_current_xact_id()::text, true);
      end if;
      return null;
    end $$;
    create constraint trigger bump_catalog after insert or update or delete on commerce.collection_products
      deferrable initially deferred for each row execute function commerce.bump_catalog();
    create constraint trigger bump_catalog after insert or update or delete on commerce.collections
      deferrable initially deferred for each row execute function commerce.bump_catalog();
    create constraint trigger bump_catalog after insert or update or delete on commerce.product_images
      deferrable initially deferred for each row execute function commerce.bump_catalog();
    create constraint trigger bump_catalog after insert or update or delete on commerce.product_options
      deferrable initially deferred for each row execute function commerce.bump_catalog();
    create constraint trigger bump_catalog after insert or update or delete on commerce.products
      deferrable initially deferred for each row execute function commerce.bump_catalog();
    create constraint trigger bump_catalog after update of completed_at on commerce.search_models
      deferrable initially deferred for each row execute function commerce.bump_catalog();
    create constraint trigger bump_catalog after insert or update or delete on commerce.site_settings
      deferrable initially deferred for each row execute function commerce.bump_catalog();
    create constraint trigger bump_catalog after insert or delete on commerce.variants
      deferrable initially deferred for each row execute function commerce.bump_catalog();
    create constraint trigger bump_catalog_by_content after update of id, product_id, position, sku, barcode, option1, option2,
        option3, price, compare_at_price, cost_per_item, track_inventory, inventory_policy, low_stock_threshold, weight,
        weight_unit, requires_shipping, image_url, created_at, updated_at on commerce.variants
      deferrable initially deferred for each row
      when ((old.id, old.product_id, old.position, old.sku, old.barcode, old.option1, old.option2, old.option3, old.price,
        old.compare_at_price, old.cost_per_item, old.track_inventory, old.inventory_policy, old.low_stock_threshold, old.weight,
        old.weight_unit, old.requires_shipping, old.image_url, old.created_at, old.updated_at) is distinct from (new.id,
        new.product_id, new.position, new.sku, new.barcode, new.option1, new.option2, new.option3, new.price,
        new.compare_at_price, new.cost_per_item, new.track_inventory, new.inventory_policy, new.low_stock_threshold, new.weight,
        new.weight_unit, new.requires_shipping, new.image_url, new.created_at, new.updated_at))
      execute function commerce.bump_catalog();
    create constraint trigger bump_catalog_by_stock after update of on_hand, reserved, track_inventory, inventory_policy on
        commerce.variants deferrable initially deferred for each row
      when ((not old.track_inventory or old.inventory_policy = 'continue' or old.on_hand > old.reserved) <> (not
        new.track_inventory or new.inventory_policy = 'continue' or new.on_hand > new.reserved))
      execute function commerce.bump_catalog();

    create function commerce.schedule_publication() returns trigger language plpgsql as $$
    begin
      insert into commerce.catalog_schedule (site_id, publish_at) values (new.site_id, new.published_at)
        on conflict do nothing;
      return null;
    end $$;
    create trigger schedule_publication after insert or update of published_at on commerce.collections for each row
      when (new.published_at > now()) execute function commerce.schedule_publication();
    create trigger schedule_publication after insert or update of published_at on commerce.products for each row
      when (new.published_at > now()) execute function commerce.schedule_publication();

    -- A job records a product that becomes visible at its publication time.
    create function commerce.schedule_change() returns trigger language plpgsql as $$
    begin
      perform commerce.enqueue('note_publication', json_build_object('site_id', new.site_id, 'product_id', new.id),
        new.published_at);
      return null;
    end $$;
    create trigger schedule_change after insert or update of published_at on commerce.products for each row
      when (new.published_at > now()) execute function commerce.schedule_change();

    create function commerce.note_products() returns trigger language plpgsql as $function$
    begin
      if tg_op = 'INSERT' then
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select n.site_id, n.id, commerce.is_visible(n.status, n.published_at) from new_rows n
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      elsif tg_op = 'UPDATE' then
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select n.site_id, n.id, commerce.is_visible(n.status, n.published_at) or commerce.is_visible(o.status, o.published_at)
        from new_rows n join old_rows o on o.site_id = n.site_id and o.id = n.id where (o.id,o.name,o.slug,o.description,o.vendor,o.product_type,o.tags,o.status,o.published_at,o.metadata,o.track_inventory,o.has_variants,o.price,o.price_max,o.compare_at_price,o.cost_per_item,o.tax_class,o.description_html,o.seo_title,o.seo_description,o.created_at,o.updated_at) is distinct from (n.id,n.name,n.slug,n.description,n.vendor,n.product_type,n.tags,n.status,n.published_at,n.metadata,n.track_inventory,n.has_variants,n.price,n.price_max,n.compare_at_price,n.cost_per_item,n.tax_class,n.description_html,n.seo_title,n.seo_description,n.created_at,n.updated_at)
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      else
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select o.site_id, o.id, commerce.is_visible(o.status, o.published_at) from old_rows o
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      end if;
      return null;
    end $function$;
    create trigger note_delete after delete on commerce.products referencing old table as old_rows for each statement
      execute function commerce.note_products();
    create trigger note_insert after insert on commerce.products referencing new table as new_rows for each statement
      execute function commerce.note_products();
    create trigger note_update after update on commerce.products referencing old table as old_rows new table as new_rows
      for each statement execute function commerce.note_products();

    create function commerce.note_product_parts() returns trigger language plpgsql as $$
    declare
      present_era integer := commerce.change_era();
      present_transaction bigint := pg_current_xact_id()::text::bigint;
    begin
      if tg_op = 'DELETE' then 
    insert into commerce.product_changes as c (site_id, product_id, seen)
    select site_id, product_id, is_visible from (
      select site_id, product_id, coalesce((select commerce.is_visible(p.status, p.published_at) from commerce.products p
          where p.site_id = part.site_id and p.id = part.product_id), false) as is_visible,
        (select n.seen from commerce.product_changes n where n.site_id = part.site_id and n.era = present_era
          and n.changed_in = present_transaction and n.product_id = part.product_id) as was_seen
      from (select distinct site_id, product_id from old_rows) as part) as changed
    where was_seen is null or (is_visible and not was_seen)
    on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      else 
    insert into commerce.product_changes as c (site_id, product_id, seen)
    select site_id, product_id, is_visible from (
      select site_id, product_id, coalesce((select commerce.is_visible(p.status, p.published_at) from commerce.products p
          where p.site_id = part.site_id and p.id = part.product_id), false) as is_visible,
        (select n.seen from commerce.product_changes n where n.site_id = part.site_id and n.era = present_era
          and n.changed_in = present_transaction and n.product_id = part.product_id) as was_seen
      from (select distinct site_id, product_id from new_rows) as part) as changed
    where was_seen is null or (is_visible and not was_seen)
    on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      end if;
      return null;
    end $$;
    create trigger note_delete after delete on commerce.product_images referencing old table as old_rows for each statement
      execute function commerce.note_product_parts();
    create trigger note_insert after insert on commerce.product_images referencing new table as new_rows for each statement
      execute function commerce.note_product_parts();
    create trigger note_update after update on commerce.product_images referencing old table as old_rows new table as new_rows
      for each statement execute function commerce.note_product_parts();
    create trigger note_delete after delete on commerce.product_options referencing old table as old_rows for each statement
      execute function commerce.note_product_parts();
    create trigger note_insert after insert on commerce.product_options referencing new table as new_rows for each statement
      execute function commerce.note_product_parts();
    create trigger note_update after update on commerce.product_options referencing old table as old_rows new table as new_rows
      for each statement execute function commerce.note_product_parts();
    create trigger note_delete after delete on commerce.variants referencing old table as old_rows for each statement
      execute function commerce.note_product_parts();
    create trigger note_insert after insert on commerce.variants referencing new table as new_rows for each statement
      execute function commerce.note_product_parts();

    create function commerce.note_variant() returns trigger language plpgsql as $$
    begin
      insert into commerce.product_changes as c (site_id, product_id, seen)
      values (new.site_id, new.product_id, coalesce((
        select commerce.is_visible(p.status, p.published_at) from commerce.products p
        where p.site_id = new.site_id and p.id = new.product_id), false))
      on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      return null;
    end $$;
    create trigger note_content after update of id, product_id, position, sku, barcode, option1, option2, option3, price,
        compare_at_price, cost_per_item, track_inventory, inventory_policy, low_stock_threshold, weight, weight_unit,
        requires_shipping, image_url, created_at, updated_at on commerce.variants for each row
      when ((old.id, old.product_id, old.position, old.sku, old.barcode, old.option1, old.option2, old.option3, old.price,
        old.compare_at_price, old.cost_per_item, old.track_inventory, old.inventory_policy, old.low_stock_threshold, old.weight,
        old.weight_unit, old.requires_shipping, old.image_url, old.created_at, old.updated_at) is distinct from (new.id,
        new.product_id, new.position, new.sku, new.barcode, new.option1, new.option2, new.option3, new.price,
        new.compare_at_price, new.cost_per_item, new.track_inventory, new.inventory_policy, new.low_stock_threshold, new.weight,
        new.weight_unit, new.requires_shipping, new.image_url, new.created_at, new.updated_at))
      execute function commerce.note_variant();
    create trigger note_stock after update of on_hand, reserved on commerce.variants for each row
      when (old.on_hand - old.reserved <> new.on_hand - new.reserved) execute function commerce.note_variant();

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
      for each row
      when (old.on_hand - old.reserved <> new.on_hand - new.reserved or old.track_inventory <> new.track_inventory or
        old.inventory_policy <> new.inventory_policy) execute function commerce.keep_stock();

    create function commerce.note_low_stock() returns trigger language plpgsql as $$
    begin
      insert into commerce.low_stock_notices (site_id, variant_id) values (new.site_id, new.id) on conflict do nothing;
      -- The first of its transaction has all of them told.
      if found and not exists (
        select from commerce.low_stock_notices
        where site_id = new.site_id and variant_id <> new.id and made_in = pg_current_xact_id()
      ) then
        perform commerce.enqueue('tell_low_stock', json_build_object('site_id', new.site_id), now() + interval '15 minutes');
      end if;
      return null;
    end $$;
    create trigger note_low_stock after update of on_hand on commerce.variants for each row
      when (new.track_inventory and old.on_hand > old.low_stock_threshold and new.on_hand <= new.low_stock_threshold)
      execute function commerce.note_low_stock();

    create function commerce.count_files() returns trigger language plpgsql as $$
    declare
      site uuid := coalesce(new.site_id, old.site_id);
      added integer := coalesce(new.held_bytes, 0) - coalesce(old.held_bytes, 0);
    begin
      if added <> 0 then
        insert into commerce.file_usage as u (site_id, bytes) values (site, added)
          on conflict (site_id) do update set bytes = u.bytes + added;
      end if;
      return null;
    end $$;
    create trigger count_files after insert or delete or update of held_bytes on commerce.files for each row
      execute function commerce.count_files();

    create function commerce.delete_postings() returns trigger language plpgsql as $$
    begin
      delete from commerce.search_postings p using old_rows o where p.site_id = o.site_id and p.product_id = o.id;
      return null;
    end $$;
    create trigger delete_postings after delete on commerce.products referencing old table as old_rows for each statement
      execute function commerce.delete_postings();
  `);
}
