import type { Knex } from 'knex';

/** A product's description may be formatted, and search engines may be told another title and description. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.products
      add column description_html text, add column seo_title text, add column seo_description text;

    create or replace function commerce.note_products() returns trigger language plpgsql as $function$
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
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function commerce.note_products() returns trigger language plpgsql as $function$
    begin
      if tg_op = 'INSERT' then
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select n.site_id, n.id, commerce.is_visible(n.status, n.published_at) from new_rows n
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      elsif tg_op = 'UPDATE' then
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select n.site_id, n.id, commerce.is_visible(n.status, n.published_at) or commerce.is_visible(o.status, o.published_at)
        from new_rows n join old_rows o on o.site_id = n.site_id and o.id = n.id where (o.id,o.name,o.slug,o.description,o.vendor,o.product_type,o.tags,o.status,o.published_at,o.metadata,o.track_inventory,o.has_variants,o.price,o.price_max,o.compare_at_price,o.cost_per_item,o.tax_class,o.created_at,o.updated_at) is distinct from (n.id,n.name,n.slug,n.description,n.vendor,n.product_type,n.tags,n.status,n.published_at,n.metadata,n.track_inventory,n.has_variants,n.price,n.price_max,n.compare_at_price,n.cost_per_item,n.tax_class,n.created_at,n.updated_at)
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      else
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select o.site_id, o.id, commerce.is_visible(o.status, o.published_at) from old_rows o
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      end if;
      return null;
    end $function$;
    alter table commerce.products
      drop column description_html, drop column seo_title, drop column seo_description;
  `);
}
