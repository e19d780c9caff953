import type { Knex } from 'knex';

/**
 * The tax class of a product, with the rate of each line that is ordered; where an option of delivery goes to, and how long it
 * takes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.products add column tax_class text not null default 'standard'
      check (tax_class ~ '^[a-z0-9][a-z0-9_-]{0,31}$');
    -- Null for lines whose rate nobody knows: of orders made before, and of those that an integration brought.
    alter table commerce.order_lines add column tax_class text, add column tax_rate numeric(6,4);
    alter table commerce.orders add column shipping_tax numeric, add column shipping_tax_rate numeric(6,4);

    alter table commerce.shipping_options
      add column states text[] not null default '{}',
      add column postcode_prefixes text[] not null default '{}',
      add column minimum_weight_grams bigint check (minimum_weight_grams >= 0),
      add column maximum_weight_grams bigint check (maximum_weight_grams >= 0),
      add column estimated_days_min smallint check (estimated_days_min >= 0),
      add column estimated_days_max smallint check (estimated_days_max >= estimated_days_min);

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
        from new_rows n join old_rows o on o.site_id = n.site_id and o.id = n.id where (o.id,o.name,o.slug,o.description,o.vendor,o.product_type,o.tags,o.status,o.published_at,o.metadata,o.track_inventory,o.has_variants,o.price,o.price_max,o.compare_at_price,o.cost_per_item,o.created_at,o.updated_at) is distinct from (n.id,n.name,n.slug,n.description,n.vendor,n.product_type,n.tags,n.status,n.published_at,n.metadata,n.track_inventory,n.has_variants,n.price,n.price_max,n.compare_at_price,n.cost_per_item,n.created_at,n.updated_at)
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      else
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select o.site_id, o.id, commerce.is_visible(o.status, o.published_at) from old_rows o
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      end if;
      return null;
    end $function$;
    alter table commerce.shipping_options drop column states, drop column postcode_prefixes,
      drop column minimum_weight_grams, drop column maximum_weight_grams, drop column estimated_days_min,
      drop column estimated_days_max;
    alter table commerce.orders drop column shipping_tax, drop column shipping_tax_rate;
    alter table commerce.order_lines drop column tax_class, drop column tax_rate;
    alter table commerce.products drop column tax_class;
  `);
}
