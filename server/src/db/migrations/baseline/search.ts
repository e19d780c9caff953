import type { Knex } from 'knex';

/**
 * Search functions. Full-text and trigram operators are not leakproof, so under row-level security they cannot use an
 * index. These functions therefore run as commerce_search, whose policies let it read the searched tables of all
 * tenants, and compare `site_id` themselves.
 */
export async function createSearch(knex: Knex): Promise<void> {
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

    create function commerce.search_source(site uuid, product uuid) returns jsonb language sql stable
      return (select s.source from commerce.search_sources(site, array[product]) s);

    create function commerce.search_products(words text, last_word_prefix tsquery, folded text)
    returns table (product_id uuid, rank real)
    language sql stable security definer set search_path = commerce, public, pg_temp
    set pg_trgm.strict_word_similarity_threshold = 0.35
    begin atomic
      with by_sku as (
        select s.product_id, 10::real as rank from commerce.product_search s
        where s.site_id = (select commerce.current_site()) and s.skus @> array[folded]
      ), by_words as (
        select s.product_id, ts_rank_cd('{0.05, 0.2, 0.5, 1}', s.document, last_word_prefix, 1)
          + ts_rank('{0.05, 0.2, 0.5, 1}', s.document, last_word_prefix) as rank
        from commerce.product_search s
        where s.site_id = (select commerce.current_site()) and s.document @@ last_word_prefix
        order by 2 desc limit 10000
      ), alike as (
        select s.product_id, (strict_word_similarity(words, s.title) * 0.01)::real as rank
        from commerce.product_search s
        where s.site_id = (select commerce.current_site()) and words <<% s.title
          and not exists (select from by_words) and not exists (select from by_sku)
        order by 2 desc limit 200
      )
      select f.product_id, max(f.rank) from
        (select * from by_sku union all select * from by_words union all select * from alike) f
      group by f.product_id;
    end;

    -- Each branch returns at most this many ids. With more matches, the caller scans the table.
    create function commerce.search_orders(pattern text, most integer) returns table (order_id uuid)
    language sql stable security definer rows 200 set search_path = commerce, public, pg_temp
    begin atomic
      (select o.id from commerce.orders o
        where o.site_id = (select commerce.current_site()) and commerce.order_search_text(o.order_number, o.email,
          o.tracking_number, o.external_reference, o.shipping_address, o.billing_address) ilike pattern
          and position(E'\\x1f' in pattern) = 0
        limit most)
      union (select distinct l.order_id from commerce.order_lines l
        where l.site_id = (select commerce.current_site()) and l.sku ilike pattern
        limit most)
      union (select distinct f.order_id from commerce.fulfillments f
        where f.site_id = (select commerce.current_site()) and f.tracking_number ilike pattern
        limit most);
    end;

    create function commerce.search_customers(pattern text, most integer) returns table (customer_id uuid)
    language sql stable security definer rows 200 set search_path = commerce, public, pg_temp
    begin atomic
      select c.id from commerce.customers c
      where c.site_id = (select commerce.current_site())
        and commerce.customer_search_text(c.email, c.phone, c.first_name, c.last_name) ilike pattern
        and position(E'\\x1f' in pattern) = 0
      limit most;
    end;

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

    grant execute on function commerce.search_products, commerce.search_orders, commerce.search_customers,
      commerce.search_variants to commerce_app;
    grant create on schema commerce to commerce_search;
    alter function commerce.search_products owner to commerce_search;
    alter function commerce.search_orders owner to commerce_search;
    alter function commerce.search_customers owner to commerce_search;
    alter function commerce.search_variants owner to commerce_search;
    revoke create on schema commerce from commerce_search;
  `);
}
