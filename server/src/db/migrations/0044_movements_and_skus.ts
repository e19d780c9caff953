import type { Knex } from 'knex';

/**
 * What stock moved for: a checkout, an order, a refund or an import. Unknown for movements before this.
 *
 * And SKUs are unique whatever their case. Of those that shops have already in several spellings, the oldest keeps others from
 * being like it; the later ones are marked, and stay until they are changed.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;
    alter table commerce.stock_movements add column reference_id uuid, add column reference_type text
      check (reference_type in ('checkout', 'order', 'refund', 'import'));
    alter table commerce.variants add column sku_twin boolean not null default false;
    -- The rows that are there are marked by the table's owner, who must see them all.
    alter table commerce.variants no force row level security;
    update commerce.variants v set sku_twin = true
    where exists (
      select from commerce.variants o where o.site_id = v.site_id and lower(o.sku) = lower(v.sku)
        and (o.created_at, o.id) < (v.created_at, v.id));
    alter table commerce.variants force row level security;
    create unique index sku_taken_in_any_case on commerce.variants (site_id, lower(sku)) where sku is not null and not sku_twin;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    drop index commerce.sku_taken_in_any_case;
    alter table commerce.variants drop column sku_twin;
    alter table commerce.stock_movements drop column reference_type, drop column reference_id;
  `);
}
