import type { Knex } from 'knex';

/** Finds products by a part of an SKU or barcode, with the trigram index of the stock list. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.search_codes(pattern text, most integer) returns table (product_id uuid)
    language sql stable security definer rows 200 set search_path = commerce, public, pg_temp
    begin atomic
      (select v.product_id from commerce.variants v
        where v.site_id = (select commerce.current_site()) and v.sku ilike pattern
        limit most)
      union (select v.product_id from commerce.variants v
        where v.site_id = (select commerce.current_site()) and v.barcode ilike pattern
        limit most);
    end;
    grant execute on function commerce.search_codes to commerce_app;
    grant create on schema commerce to commerce_search;
    alter function commerce.search_codes owner to commerce_search;
    revoke create on schema commerce from commerce_search;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function commerce.search_codes(text, integer)');
}
