import type { Knex } from 'knex';

/**
 * What staff type above the list of stock is found by index, as in 0100. Selling changes no text of a variant, so that it writes
 * nothing to these.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;
    create index variants_searched on commerce.variants
      using gin (site_id, sku gin_trgm_ops, barcode gin_trgm_ops) where sku is not null or barcode is not null;
    create index products_searched on commerce.products using gin (site_id, name gin_trgm_ops);
    create policy search_reads on commerce.products for select to commerce_search using (true);
    create policy search_reads on commerce.variants for select to commerce_search using (true);
    grant select on commerce.products, commerce.variants to commerce_search;

    create function commerce.search_variants(pattern text, most integer) returns table (variant_id uuid)
    language sql stable security definer rows 200 set search_path = commerce, public, pg_temp
    begin atomic
      (select v.id from commerce.variants v
        where v.site_id = (select commerce.current_site()) and v.sku ilike pattern
        limit most)
      union (select v.id from commerce.variants v
        where v.site_id = (select commerce.current_site()) and v.barcode ilike pattern
        limit most)
      union (select v.id from commerce.products p
        join commerce.variants v on v.site_id = p.site_id and v.product_id = p.id
        where p.site_id = (select commerce.current_site()) and p.name ilike pattern
        limit most);
    end;
    grant create on schema commerce to commerce_search;
    alter function commerce.search_variants owner to commerce_search;
    revoke create on schema commerce from commerce_search;
    grant execute on function commerce.search_variants to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    drop function commerce.search_variants;
    revoke select on commerce.products, commerce.variants from commerce_search;
    drop policy search_reads on commerce.products;
    drop policy search_reads on commerce.variants;
    drop index commerce.variants_searched, commerce.products_searched;
  `);
}
