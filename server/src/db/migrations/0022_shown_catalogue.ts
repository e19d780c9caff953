import type { Knex } from 'knex';

/**
 * What a sale changes is kept apart from what the catalogue says: stock that is reserved or sold moves neither the site's
 * catalogue version, unless a variant can be bought again or no longer, nor the log of product changes, unless the quantity
 * that others see changes. What was sold is written down per order, and added to `products.sales_count` by a job.
 */
export async function up(knex: Knex): Promise<void> {
  await productSales(knex);
  await knex.raw(`
    -- Marked stable, since to_char is: so it is expanded where it is called, which takes a fifth of the time of a call.
    create or replace function commerce.iso(moment timestamptz) returns text language sql stable parallel safe
      return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

    drop trigger bump_catalog on commerce.variants;
    create constraint trigger bump_catalog after insert or delete on commerce.variants
      deferrable initially deferred for each row execute function commerce.bump_catalog();
    create constraint trigger bump_catalog_by_change after update on commerce.variants
      deferrable initially deferred for each row when (${differs(VARIANT_CONTENT)} or ${available('old')} <> ${available('new')})
      execute function commerce.bump_catalog();

    drop trigger note_update on commerce.variants;
    create function commerce.note_variants() returns trigger language plpgsql as $$
    begin
      insert into commerce.product_changes as c (site_id, product_id, seen)
      select n.site_id, n.product_id, coalesce(bool_or(commerce.is_visible(p.status, p.published_at)), false)
      from new_rows n join old_rows o on o.site_id = n.site_id and o.id = n.id
      left join commerce.products p on p.site_id = n.site_id and p.id = n.product_id
      where n.on_hand - n.reserved <> o.on_hand - o.reserved or ${differs(VARIANT_CONTENT, 'o', 'n')}
      group by n.site_id, n.product_id
      on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      return null;
    end $$;
    create trigger note_update after update on commerce.variants referencing old table as old_rows new table as new_rows
      for each statement execute function commerce.note_variants();
  `);
  await noteProducts(knex, `where ${differs(PRODUCT_CONTENT, 'o', 'n')}`);
}

/** All that a variant shows but its stock. */
const VARIANT_CONTENT = `id, product_id, position, sku, barcode, option1, option2, option3, price, compare_at_price,
  cost_per_item, track_inventory, inventory_policy, low_stock_threshold, weight, weight_unit, requires_shipping, image_url,
  created_at, updated_at`;

/** All that a product shows, and what of its variants stands there, too. */
const PRODUCT_CONTENT = `id, name, slug, description, vendor, product_type, tags, status, published_at, metadata,
  track_inventory, has_variants, price, price_max, compare_at_price, cost_per_item, created_at, updated_at`;

function differs(columns: string, old = 'old', now = 'new'): string {
  const of = (row: string) => `(${columns.split(/,\s*/).map((column) => `${row}.${column}`)})`;
  return `${of(old)} is distinct from ${of(now)}`;
}

function available(row: string): string {
  return `(not ${row}.track_inventory or ${row}.inventory_policy = 'continue' or ${row}.on_hand > ${row}.reserved)`;
}

/** Nobody waits for another to write here: best sellers do not make their buyers queue. */
async function productSales(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.product_sales (
      site_id uuid not null references commerce.sites,
      order_id uuid not null,
      product_id uuid not null,
      quantity bigint not null,
      primary key (site_id, order_id, product_id)
    );
    call commerce.protect('commerce.product_sales');
    grant select on commerce.product_sales to commerce_sweep;
    create policy due on commerce.product_sales for select to commerce_sweep using (true);
  `);
}

async function noteProducts(knex: Knex, ofUpdates: string): Promise<void> {
  const entries = 'insert into commerce.product_changes as c (site_id, product_id, seen)';
  const again =
    'on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen';
  await knex.raw(`
    create or replace function commerce.note_products() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        ${entries}
        select n.site_id, n.id, commerce.is_visible(n.status, n.published_at) from new_rows n
        ${again};
      elsif tg_op = 'UPDATE' then
        ${entries}
        select n.site_id, n.id, commerce.is_visible(n.status, n.published_at) or commerce.is_visible(o.status, o.published_at)
        from new_rows n join old_rows o on o.site_id = n.site_id and o.id = n.id ${ofUpdates}
        ${again};
      else
        ${entries}
        select o.site_id, o.id, commerce.is_visible(o.status, o.published_at) from old_rows o
        ${again};
      end if;
      return null;
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await noteProducts(knex, '');
  // First, for it locks commerce.sites, which readers lock before the variants.
  await knex.raw('drop table commerce.product_sales');
  await knex.raw(`
    drop trigger note_update on commerce.variants;
    drop function commerce.note_variants;
    create trigger note_update after update on commerce.variants referencing old table as old_rows new table as new_rows
      for each statement execute function commerce.note_product_parts();
    drop trigger bump_catalog_by_change on commerce.variants;
    drop trigger bump_catalog on commerce.variants;
    create constraint trigger bump_catalog after insert or update or delete on commerce.variants
      deferrable initially deferred for each row execute function commerce.bump_catalog();
    create or replace function commerce.iso(moment timestamptz) returns text language sql immutable parallel safe
      return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  `);
}
