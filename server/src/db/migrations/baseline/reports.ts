import type { Knex } from 'knex';

/** Reports on sites for operators, and the only function with which requests change audit rows. */
export async function createReports(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Read by shop/merchant/setup.ts and site-list.ts. Stock reserved by open checkouts counts, because it may be released.
    create function commerce.site_health(of uuid) returns table (is_published boolean, is_in_stock boolean, needs_delivery boolean,
      has_delivery boolean, has_pickup boolean, takes_transfers boolean, account_mode text, tax_decided boolean, storefront_url text,
      has_contact boolean, legal jsonb, webhooks_failing boolean)
    language plpgsql stable rows 1 set enable_seqscan = off as $$
    begin
      return query
        select exists (
            select from commerce.products p where p.site_id = of and p.status = 'active' and p.published_at <= now()),
          exists (
            select from commerce.products p join commerce.variants v on v.site_id = p.site_id and v.product_id = p.id
            where p.site_id = of and p.status = 'active' and p.published_at <= now()
              and (not v.track_inventory or v.inventory_policy = 'continue' or v.on_hand > 0)),
          exists (
            select from commerce.products p join commerce.variants v on v.site_id = p.site_id and v.product_id = p.id
            where p.site_id = of and p.status = 'active' and p.published_at <= now() and v.requires_shipping),
          exists (select from commerce.shipping_options o where o.site_id = of and o.active),
          exists (select from commerce.shipping_options o where o.site_id = of and o.active and o.kind = 'pickup'),
          t.bank_details is not null,
          (select a.mode from commerce.payment_accounts a where a.site_id = of),
          t.tax_decided or t.default_tax_rate > 0 or t.tax_rates <> '[]', t.storefront_url,
          coalesce(t.brand ->> 'support_email', t.brand ->> 'support_phone') is not null, t.legal,
          exists (
            select from commerce.webhooks w
            where w.site_id = of and (w.failing_since is not null or w.disabled_reason in ('failing', 'gone')))
        from commerce.site_settings t where t.site_id = of;
    end $$;

    -- Counts only the wanted columns; the others are null.
    create function commerce.site_counts(of uuid, wanted text[]) returns table (name text, products bigint, orders bigint,
      last_order_at timestamptz, storage_bytes bigint, calls bigint)
    language plpgsql stable rows 1 set enable_seqscan = off as $$
    begin
      return query
        select t.name,
          case when 'products' = any(wanted) then (select count(*) from commerce.products p where p.site_id = of) end,
          case when 'orders' = any(wanted) then (select count(*) from commerce.orders o where o.site_id = of) end,
          case when 'last_order_at' = any(wanted) then (
            select max(o.created_at) from commerce.orders o where o.site_id = of) end,
          case when 'storage_bytes' = any(wanted) then coalesce((
            select u.bytes from commerce.file_usage u where u.site_id = of), 0) end,
          case when 'calls' = any(wanted) then coalesce((
            select u.calls from commerce.site_usage u
            where u.site_id = of and u.month = date_trunc('month', now() at time zone 'UTC')::date), 0) end
        from commerce.site_settings t where t.site_id = of;
    end $$;

    -- The only way in which requests change rows of the audit.
    create function commerce.erase_audit_details(site uuid, actors uuid[]) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
      update commerce.audit_events set details = null, details_salt = null
        where site_id = site and actor_id = any(actors) and customer_id is not null and details is not null;
    $$;
    revoke execute on function commerce.erase_audit_details from public;
    grant execute on function commerce.erase_audit_details to commerce_app;
  `);
}
