import type { Knex } from 'knex';

/**
 * What the database does for each row that an import writes, and need not do for each. A product has some 35 postings, and a
 * foreign key looks the product up for each of them: instead, whoever writes postings locks their products, once, against
 * deletion, and a product that is deleted takes its postings along.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.search_postings drop constraint search_postings_site_id_product_id_fkey;
    create function commerce.delete_postings() returns trigger language plpgsql as $$
    begin
      delete from commerce.search_postings p using old_rows o where p.site_id = o.site_id and p.product_id = o.id;
      return null;
    end $$;
    create trigger delete_postings after delete on commerce.products referencing old table as old_rows
      for each statement execute function commerce.delete_postings();
  `);
  await searchSources(knex);
  await notePartsOnce(knex);
  await tellListenersAlone(knex);
}

/** What many products are indexed from, in one statement that PostgreSQL plans with the one that asks. */
async function searchSources(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.search_sources(site uuid, products uuid[]) returns table (product_id uuid, source jsonb)
    language sql stable begin atomic
      select p.id, jsonb_build_object('name', p.name, 'description', left(p.description, 10000), 'vendor', p.vendor,
          'product_type', p.product_type, 'tags', p.tags, 'metadata', p.metadata,
          'options', (select coalesce(jsonb_agg(value order by o.position, place), '[]')
            from commerce.product_options o, unnest(o.values) with ordinality as v (value, place)
            where o.site_id = site and o.product_id = p.id),
          'codes', (select coalesce(jsonb_agg(code order by code), '[]') from (
            select distinct lower(code) as code from commerce.variants v, unnest(array[v.sku, v.barcode]) as code
            where v.site_id = site and v.product_id = p.id and code is not null) as codes))
        from commerce.products p where p.site_id = site and p.id = any(products);
    end;
    create or replace function commerce.search_source(site uuid, product uuid) returns jsonb language sql stable
      return (select s.source from commerce.search_sources(site, array[product]) s);
  `);
}

/** Parts of a product that has been noted in this transaction, as those of a new one, need not be noted again. */
async function notePartsOnce(knex: Knex): Promise<void> {
  // Subqueries in the list, so that each product is looked up by its key, whatever was known of the tables when this was planned.
  const noteOf = (rows: string) => `
    insert into commerce.product_changes as c (site_id, product_id, seen)
    select site_id, product_id, is_visible from (
      select site_id, product_id, coalesce((select commerce.is_visible(p.status, p.published_at) from commerce.products p
          where p.site_id = part.site_id and p.id = part.product_id), false) as is_visible,
        (select n.seen from commerce.product_changes n where n.site_id = part.site_id and n.era = present_era
          and n.changed_in = present_transaction and n.product_id = part.product_id) as was_seen
      from (select distinct site_id, product_id from ${rows}) as part) as changed
    where was_seen is null or (is_visible and not was_seen)
    on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;`;
  await knex.raw(`
    create or replace function commerce.note_product_parts() returns trigger language plpgsql as $$
    declare
      present_era integer := commerce.change_era();
      present_transaction bigint := pg_current_xact_id()::text::bigint;
    begin
      if tg_op = 'DELETE' then ${noteOf('old_rows')}
      else ${noteOf('new_rows')}
      end if;
      return null;
    end $$;
  `);
}

/** Most shops have nobody who listens: they need not compose what would be told. */
async function tellListenersAlone(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function commerce.tell_product() returns trigger language plpgsql as $$
    declare
      site uuid := coalesce(new.site_id, old.site_id);
      told text := case tg_op when 'INSERT' then 'product.created' when 'UPDATE' then 'product.updated'
        else 'product.deleted' end;
      p commerce.products;
    begin
      if not exists (select from commerce.webhooks where site_id = site and told = any(events))
        and not exists (select from commerce.event_listeners
          where site_id = site and expires_at > now() and told = any(events)) then
        return null;
      end if;
      if tg_op = 'DELETE' then
        perform commerce.emit(site, told, old.id, jsonb_build_object('id', old.id, 'slug', old.slug,
          'deleted_at', commerce.iso(now())));
        return null;
      end if;
      select * into p from commerce.products where site_id = site and id = new.id;
      if not found then return null; end if;
      -- Made in this very transaction: product.created tells it all.
      if tg_op = 'UPDATE' and p.created_at = now() then return null; end if;
      perform commerce.emit_product(told, p);
      return null;
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
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

    create or replace function commerce.note_product_parts() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select part.site_id, part.product_id, coalesce(bool_or(commerce.is_visible(p.status, p.published_at)), false)
        from old_rows part left join commerce.products p on p.site_id = part.site_id and p.id = part.product_id
        group by part.site_id, part.product_id
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      else
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select part.site_id, part.product_id, coalesce(bool_or(commerce.is_visible(p.status, p.published_at)), false)
        from new_rows part left join commerce.products p on p.site_id = part.site_id and p.id = part.product_id
        group by part.site_id, part.product_id
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      end if;
      return null;
    end $$;

    create or replace function commerce.search_source(site uuid, product uuid) returns jsonb language sql stable
      return (select jsonb_build_object('name', p.name, 'description', left(p.description, 10000), 'vendor', p.vendor,
          'product_type', p.product_type, 'tags', p.tags, 'metadata', p.metadata,
          'options', (select coalesce(jsonb_agg(value order by o.position, place), '[]')
            from commerce.product_options o, unnest(o.values) with ordinality as v (value, place)
            where o.site_id = site and o.product_id = product),
          'codes', (select coalesce(jsonb_agg(code order by code), '[]') from (
            select distinct lower(code) as code from commerce.variants v, unnest(array[v.sku, v.barcode]) as code
            where v.site_id = site and v.product_id = product and code is not null) as codes))
        from commerce.products p where p.site_id = site and p.id = product);
    drop function commerce.search_sources;
    drop trigger delete_postings on commerce.products;
    drop function commerce.delete_postings;
    -- The new key is held against all rows, of which row-level security would show none.
    alter table commerce.products no force row level security;
    alter table commerce.search_postings no force row level security;
    alter table commerce.search_postings add foreign key (site_id, product_id)
      references commerce.products (site_id, id) on delete cascade;
    alter table commerce.search_postings force row level security;
    alter table commerce.products force row level security;
  `);
}
