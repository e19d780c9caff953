import type { Knex } from 'knex';

/**
 * What staff type above the lists of orders and customers is found by index. `ilike` is not leakproof, so under row-level security
 * it could use none; the functions therefore run as commerce_search and name the tenant themselves, as in 0003. All that is looked
 * at in an order stands in one indexed text, which costs a purchase one entry instead of six.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;

    -- Between two texts stands a character that none of them may have; whoever looks for it finds nothing.
    create function commerce.order_search_text(order_number text, email text, tracking_number text, external_reference text,
      shipping_address jsonb, billing_address jsonb)
    returns text language sql immutable parallel safe
    return order_number || E'\\x1f' || coalesce(email, '') || E'\\x1f' || coalesce(tracking_number, '') || E'\\x1f'
      || coalesce(external_reference, '') || E'\\x1f'
      || coalesce((shipping_address->>'first_name') || ' ' || (shipping_address->>'last_name'),
        shipping_address->>'first_name', shipping_address->>'last_name', '') || E'\\x1f'
      || coalesce((billing_address->>'first_name') || ' ' || (billing_address->>'last_name'),
        billing_address->>'first_name', billing_address->>'last_name', '');
    create function commerce.customer_search_text(email text, phone text, first_name text, last_name text)
    returns text language sql immutable parallel safe
    return coalesce(email, '') || E'\\x1f' || coalesce(phone, '') || E'\\x1f'
      || coalesce(first_name || ' ' || last_name, first_name, last_name, '');

    create index orders_searched on commerce.orders using gin (site_id, commerce.order_search_text(
      order_number, email, tracking_number, external_reference, shipping_address, billing_address) gin_trgm_ops);
    create index order_lines_searched on commerce.order_lines using gin (site_id, sku gin_trgm_ops) where sku is not null;
    create index fulfillments_searched on commerce.fulfillments using gin (site_id, tracking_number gin_trgm_ops)
      where tracking_number is not null;
    create index customers_searched on commerce.customers using gin (site_id, commerce.customer_search_text(
      email, phone, first_name, last_name) gin_trgm_ops);

    create policy search_reads on commerce.orders for select to commerce_search using (true);
    create policy search_reads on commerce.order_lines for select to commerce_search using (true);
    create policy search_reads on commerce.fulfillments for select to commerce_search using (true);
    create policy search_reads on commerce.customers for select to commerce_search using (true);
    grant select on commerce.orders, commerce.order_lines, commerce.fulfillments, commerce.customers to commerce_search;

    -- At most so many, for whoever finds more looks through all.
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
    grant create on schema commerce to commerce_search;
    alter function commerce.search_orders owner to commerce_search;
    alter function commerce.search_customers owner to commerce_search;
    revoke create on schema commerce from commerce_search;
    grant execute on function commerce.search_orders, commerce.search_customers to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    drop function commerce.search_orders, commerce.search_customers;
    revoke select on commerce.orders, commerce.order_lines, commerce.fulfillments, commerce.customers from commerce_search;
    drop policy search_reads on commerce.orders;
    drop policy search_reads on commerce.order_lines;
    drop policy search_reads on commerce.fulfillments;
    drop policy search_reads on commerce.customers;
    drop index commerce.orders_searched, commerce.order_lines_searched, commerce.fulfillments_searched,
      commerce.customers_searched;
    drop function commerce.order_search_text, commerce.customer_search_text;
  `);
}
