-- Generated from the migrations by `npm run schema --workspace server`. Do not edit.

CREATE OR REPLACE FUNCTION commerce.add_jobs(task text, payloads json[], run_at timestamp with time zone, max_attempts integer, priorities smallint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    begin
      insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, priority)
        select t.id, commerce.with_trace(j.payload), add_jobs.run_at, add_jobs.max_attempts, j.priority
        from unnest(payloads, priorities) as j (payload, priority)
        join graphile_worker._private_tasks t on t.identifier = task;
      if not found then
        -- Its first job: no worker has written the task down.
        perform graphile_worker.add_jobs(array(
          select (task, commerce.with_trace(j.payload), null, add_jobs.run_at, add_jobs.max_attempts, null, j.priority, null)
            ::graphile_worker.job_spec
          from unnest(payloads, priorities) as j (payload, priority)));
        return;
      end if;
      raise notice using errcode = 'CJ001', message = 'jobs added', detail = cardinality(payloads)::text;
    end $function$
;

CREATE OR REPLACE PROCEDURE commerce.begin_change_era()
 LANGUAGE plpgsql
AS $procedure$
    begin
      call commerce.begin_era();
    end $procedure$
;

CREATE OR REPLACE PROCEDURE commerce.begin_era(IN skipped integer DEFAULT 1000, IN forced boolean DEFAULT false)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $procedure$
    declare
      present text;
      site_before text := coalesce(current_setting('app.site_id', true), '');
      site uuid;
    begin
      lock table commerce.change_eras in share row exclusive mode;
      present := (select system_identifier from pg_control_system()) || '.'
        || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
      -- Seconds since 2020: the number is higher than the number of an era that was lost with its database.
      insert into commerce.change_eras (era, history, skipped)
        select greatest(coalesce(max(era), 0) + 1, (extract(epoch from now())::bigint - 1577836800)::integer), present, begin_era.skipped
        from commerce.change_eras
        having forced or present is distinct from (array_agg(history order by era desc))[1];
      if not found then return; end if;
      for site in select site_id from commerce.sites where delete_begun_at is null order by site_id loop
        perform set_config('app.site_id', site::text, true);
        insert into commerce.order_numbers as n (site_id, last_number) values (site, 1000 + skipped - 1)
          on conflict (site_id) do update set last_number = n.last_number + skipped - 1;
      end loop;
      perform set_config('app.site_id', site_before, true);
    end $procedure$
;

CREATE OR REPLACE FUNCTION commerce.budget_period_at(period text, since timestamp with time zone, moment timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE period WHEN 'week'::text THEN GREATEST(0, (floor((EXTRACT(epoch FROM (moment - since)) / (604800)::numeric)))::integer) WHEN 'month'::text THEN (SELECT GREATEST(0, (counted.months - (((utc.began + ((counted.months)::double precision * '1 mon'::interval)) > utc.present))::integer)) AS "greatest" FROM ((SELECT (budget_period_at.since AT TIME ZONE 'UTC'::text) AS began, (budget_period_at.moment AT TIME ZONE 'UTC'::text) AS present) utc CROSS JOIN LATERAL (SELECT (((((EXTRACT(year FROM utc.present) - EXTRACT(year FROM utc.began)) * (12)::numeric) + EXTRACT(month FROM utc.present)) - EXTRACT(month FROM utc.began)))::integer AS months) counted)) ELSE 0 END
;

CREATE OR REPLACE FUNCTION commerce.budget_period_start(period text, since timestamp with time zone, number integer)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE period WHEN 'week'::text THEN (((since AT TIME ZONE 'UTC'::text) + ((number)::double precision * '7 days'::interval)) AT TIME ZONE 'UTC'::text) WHEN 'month'::text THEN (((since AT TIME ZONE 'UTC'::text) + ((number)::double precision * '1 mon'::interval)) AT TIME ZONE 'UTC'::text) ELSE NULL::timestamp with time zone END
;

CREATE OR REPLACE FUNCTION commerce.bump_catalog()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if current_setting('app.catalog_bumped', true) is distinct from pg_current_xact_id()::text then
        insert into commerce.catalog_versions as v (site_id, stripe)
          values (coalesce(new.site_id, old.site_id), pg_backend_pid() % 16)
          on conflict (site_id, stripe) do update set version = v.version + 1;
        perform set_config('app.catalog_bumped', pg_current_xact_id()::text, true);
      end if;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.catalog_version(site uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN (((((SELECT max(change_eras.era) AS max FROM commerce.change_eras) || '.'::text) || (SELECT COALESCE(sum(hashint8extended(catalog_versions.version, (catalog_versions.stripe)::bigint)), (0)::numeric) AS "coalesce" FROM commerce.catalog_versions WHERE (catalog_versions.site_id = catalog_version.site))) || '.'::text) || (SELECT count(*) AS count FROM commerce.catalog_schedule WHERE ((catalog_schedule.site_id = catalog_version.site) AND (catalog_schedule.publish_at > now()))))
;

CREATE OR REPLACE FUNCTION commerce.change_era()
 RETURNS integer
 LANGUAGE sql
 STABLE
RETURN (SELECT max(change_eras.era) AS max FROM commerce.change_eras)
;

CREATE OR REPLACE FUNCTION commerce.count_files()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      site uuid := coalesce(new.site_id, old.site_id);
      added integer := coalesce(new.held_bytes, 0) - coalesce(old.held_bytes, 0);
    begin
      if added <> 0 then
        insert into commerce.file_usage as u (site_id, bytes) values (site, added)
          on conflict (site_id) do update set bytes = u.bytes + added;
      end if;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.count_fulfilled()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      update commerce.order_lines l set fulfilled = shipped.quantity
        from (
          select i.site_id, i.line_id, sum(i.quantity)::int as quantity from commerce.fulfillment_items i
          where (i.site_id, i.line_id) in (select site_id, line_id from added) group by 1, 2
        ) shipped
        where l.site_id = shipped.site_id and l.id = shipped.line_id and l.fulfilled <> shipped.quantity;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.current_site()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (current_setting('app.site_id'::text))::uuid
;

CREATE OR REPLACE FUNCTION commerce.customer_search_text(email text, phone text, first_name text, last_name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((((COALESCE(email, ''::text) || ''::text) || COALESCE(phone, ''::text)) || ''::text) || COALESCE(((first_name || ' '::text) || last_name), first_name, last_name, ''::text))
;

CREATE OR REPLACE FUNCTION commerce.delete_postings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      delete from commerce.search_postings p using old_rows o where p.site_id = o.site_id and p.product_id = o.id;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.emit(site uuid, event_type text, subject uuid, event_data jsonb, shown boolean DEFAULT true)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
    declare
      event_id uuid := commerce.uuid_v7();
    begin
      if not (
        exists (select from commerce.webhooks w where w.site_id = site and commerce.takes(w.events, event_type) and (shown or w.sync_key_id is null))
        or exists (select from commerce.event_listeners
          where site_id = site and expires_at > now() and commerce.takes(events, event_type))
        or commerce.platform_of(site, event_type, subject) is not null) then
        return;
      end if;
      insert into commerce.events (site_id, id, type, subject_id, payload)
        values (site, event_id, event_type, subject, format('{"type":%s,"timestamp":%s,"site_id":%s,"merchant_id":%s,"data":%s}', to_json(event_type),
            to_json(commerce.iso(now())), to_json(site),
            to_json((select merchant_id from commerce.sites where site_id = site)), event_data))
        on conflict (site_id, subject_id, type, made_in) do nothing;
      if found then perform commerce.fan_out(site, event_id, event_type, shown); end if;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.emit_product(event_type text, p commerce.products, shown boolean DEFAULT true)
 RETURNS void
 LANGUAGE sql
AS $function$
      select commerce.emit(p.site_id, event_type, p.id, jsonb_build_object('id', p.id, 'slug', p.slug, 'name', p.name,
        'status', p.status, 'published_at', commerce.iso(p.published_at), 'updated_at', commerce.iso(p.updated_at)), shown);
    $function$
;

CREATE OR REPLACE FUNCTION commerce.enqueue(task text, payload json, run_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
      select commerce.add_jobs(task, array[payload], run_at, 12, '{0}');
    $function$
;

CREATE OR REPLACE FUNCTION commerce.enqueue_all(task text, payloads json[], run_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    begin
      if cardinality(payloads) = 0 then return; end if;
      insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts)
        select t.id, commerce.with_trace(j.payload), enqueue_all.run_at, 12
        from unnest(payloads) as j (payload)
        join graphile_worker._private_tasks t on t.identifier = task;
      if not found then
        perform commerce.add_jobs(task, payloads, run_at, 12, array_fill(0::smallint, array[cardinality(payloads)]));
        return;
      end if;
      raise notice using errcode = 'CJ001', message = 'jobs added', detail = cardinality(payloads)::text;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.enqueue_deliveries(site uuid, deliveries uuid[], run_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    declare
      under_way integer;
    begin
      select count(*) into under_way from (
        select from commerce.webhook_deliveries where site_id = site and status = 'pending' and id <> all(deliveries)
        limit 100) as others;
      perform commerce.add_jobs('deliver_webhook',
        array_agg(json_build_object('site_id', site, 'delivery_id', delivery.id) order by place),
        enqueue_deliveries.run_at, 100,
        array_agg((case when under_way + place > 100 then 1 else 0 end)::smallint order by place))
      from unnest(deliveries) with ordinality as delivery (id, place);
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.enqueue_delivery(site uuid, delivery uuid, run_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
      select commerce.add_jobs('deliver_webhook', array[json_build_object('site_id', site, 'delivery_id', delivery)],
        run_at, 100, '{0}');
    $function$
;

CREATE OR REPLACE FUNCTION commerce.enqueue_file(site uuid, file uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
      select commerce.add_jobs('process_file', array[json_build_object('site_id', site, 'file_id', file)], now(), 12,
        array[(select count(*) from (
          select from commerce.files where site_id = site and status = 'processing' and id <> file limit 1000
        ) as others)::smallint]);
    $function$
;

CREATE OR REPLACE FUNCTION commerce.erase_audit_details(site uuid, actors uuid[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
      update commerce.audit_events set details = null, details_salt = null
        where site_id = site and actor_id = any(actors) and customer_id is not null and details is not null;
    $function$
;

CREATE OR REPLACE FUNCTION commerce.erase_payment_references(site uuid, order_ids uuid[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
      update commerce.order_payments set reference = null
        where site_id = site and order_id = any(order_ids) and reference is not null;
      update commerce.order_events set context = context || '{"reference": null}'
        where site_id = site and order_id = any(order_ids) and context ->> 'reference' is not null
          and jsonb_exists(context, 'payment_id');
    $function$
;

CREATE OR REPLACE FUNCTION commerce.fan_out(site uuid, of_event uuid, event_type text, shown boolean DEFAULT true)
 RETURNS void
 LANGUAGE sql
AS $function$
      with made as (
        insert into commerce.webhook_deliveries (site_id, id, webhook_id, event_id, type, status, next_attempt_at,
          completed_at)
        select site, commerce.uuid_v7(), w.id, of_event, event_type,
          case w.status when 'active' then 'pending' else 'failed' end,
          case w.status when 'active' then now() end, case w.status when 'disabled' then now() end
        from commerce.webhooks w where w.site_id = site and commerce.takes(w.events, event_type) and (shown or w.sync_key_id is null)
        returning id, status
      ), to_platform as (
        insert into commerce.webhook_deliveries (site_id, id, platform_id, event_id, type, status)
        select site, commerce.uuid_v7(), p.id, of_event, event_type, 'pending'
        from commerce.events e
        join commerce.agent_profiles p on p.site_id = e.site_id and p.id = commerce.platform_of(site, event_type, e.subject_id)
        where e.site_id = site and e.id = of_event
        returning id
      )
      select commerce.enqueue_deliveries(site, array_agg(id), now()) from made where status = 'pending'
      having count(*) > 0
      union all
      select commerce.enqueue('deliver_to_platform', json_build_object('site_id', site, 'delivery_id', id), now()) from to_platform;
    $function$
;

CREATE OR REPLACE FUNCTION commerce.is_shown(site uuid, product uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM commerce.product_changes c WHERE ((c.site_id = is_shown.site) AND (c.product_id = is_shown.product) AND (c.era = commerce.change_era()) AND (c.changed_in = ((pg_current_xact_id())::text)::bigint) AND c.seen)))
;

CREATE OR REPLACE FUNCTION commerce.is_told(site uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN ((EXISTS (SELECT FROM commerce.webhooks WHERE (webhooks.site_id = is_told.site))) OR (EXISTS (SELECT FROM commerce.event_listeners WHERE ((event_listeners.site_id = is_told.site) AND (event_listeners.expires_at > now())))))
;

CREATE OR REPLACE FUNCTION commerce.is_visible(status text, published_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN COALESCE(((status = 'active'::text) AND (published_at <= now())), false)
;

CREATE OR REPLACE FUNCTION commerce.iso(moment timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN to_char((moment AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text)
;

CREATE OR REPLACE FUNCTION commerce.keep_stock()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if old.stock_changed_in is distinct from pg_current_xact_id() then
        new.stock_changed_in := pg_current_xact_id();
        new.quantity_before := old.on_hand - old.reserved;
        new.available_before := not old.track_inventory or old.inventory_policy = 'continue'
          or old.on_hand - old.reserved > 0;
      end if;
      return new;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.minimum_release()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '1.0.0'::text
;

CREATE OR REPLACE FUNCTION commerce.note_low_stock()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into commerce.low_stock_notices (site_id, variant_id) values (new.site_id, new.id) on conflict do nothing;
      -- The first of its transaction has all of them told.
      if found and not exists (
        select from commerce.low_stock_notices
        where site_id = new.site_id and variant_id <> new.id and made_in = pg_current_xact_id()
      ) then
        perform commerce.enqueue('tell_low_stock', json_build_object('site_id', new.site_id), now() + interval '15 minutes');
      end if;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.note_product_parts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      present_era integer := commerce.change_era();
      present_transaction bigint := pg_current_xact_id()::text::bigint;
    begin
      if tg_op = 'DELETE' then 
    insert into commerce.product_changes as c (site_id, product_id, seen)
    select site_id, product_id, is_visible from (
      select site_id, product_id, coalesce((select commerce.is_visible(p.status, p.published_at) from commerce.products p
          where p.site_id = part.site_id and p.id = part.product_id), false) as is_visible,
        (select n.seen from commerce.product_changes n where n.site_id = part.site_id and n.era = present_era
          and n.changed_in = present_transaction and n.product_id = part.product_id) as was_seen
      from (select distinct site_id, product_id from old_rows) as part) as changed
    where was_seen is null or (is_visible and not was_seen)
    on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      else 
    insert into commerce.product_changes as c (site_id, product_id, seen)
    select site_id, product_id, is_visible from (
      select site_id, product_id, coalesce((select commerce.is_visible(p.status, p.published_at) from commerce.products p
          where p.site_id = part.site_id and p.id = part.product_id), false) as is_visible,
        (select n.seen from commerce.product_changes n where n.site_id = part.site_id and n.era = present_era
          and n.changed_in = present_transaction and n.product_id = part.product_id) as was_seen
      from (select distinct site_id, product_id from new_rows) as part) as changed
    where was_seen is null or (is_visible and not was_seen)
    on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      end if;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.note_products()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select n.site_id, n.id, commerce.is_visible(n.status, n.published_at) from new_rows n
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      elsif tg_op = 'UPDATE' then
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select n.site_id, n.id, commerce.is_visible(n.status, n.published_at) or commerce.is_visible(o.status, o.published_at)
        from new_rows n join old_rows o on o.site_id = n.site_id and o.id = n.id where (o.id,o.withdrawal_exempt,o.returnable,o.name,o.slug,o.description,o.vendor,o.product_type,o.tags,o.status,o.published_at,o.metadata,o.track_inventory,o.has_variants,o.price,o.price_max,o.compare_at_price,o.cost_per_item,o.tax_class,o.description_html,o.seo_title,o.seo_description,o.created_at,o.updated_at) is distinct from (n.id,n.withdrawal_exempt,n.returnable,n.name,n.slug,n.description,n.vendor,n.product_type,n.tags,n.status,n.published_at,n.metadata,n.track_inventory,n.has_variants,n.price,n.price_max,n.compare_at_price,n.cost_per_item,n.tax_class,n.description_html,n.seo_title,n.seo_description,n.created_at,n.updated_at)
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      else
        insert into commerce.product_changes as c (site_id, product_id, seen)
        select o.site_id, o.id, commerce.is_visible(o.status, o.published_at) from old_rows o
        on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      end if;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.note_variant()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into commerce.product_changes as c (site_id, product_id, seen)
      values (new.site_id, new.product_id, coalesce((
        select commerce.is_visible(p.status, p.published_at) from commerce.products p
        where p.site_id = new.site_id and p.id = new.product_id), false))
      on conflict (site_id, era, changed_in, product_id) do update set seen = true where excluded.seen and not c.seen;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.notice_documents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if exists (select from commerce.documents d where d.site_id = new.site_id and d.order_id = new.id)
        or exists (
          select from commerce.site_settings t where t.site_id = new.site_id and t.invoicing <> '{}'
            and case coalesce(t.invoicing ->> 'issue', 'on_fulfillment')
              when 'on_fulfillment' then new.fulfillment_status in ('fulfilled', 'delivered')
                and new.fulfillment_status is distinct from old.fulfillment_status
              when 'on_payment' then new.payment_status in ('paid', 'partially_refunded')
                and coalesce(old.payment_status, '') not in ('paid', 'partially_refunded', 'refunded')
              else false end)
      then
        perform commerce.enqueue('issue_documents', json_build_object('site_id', new.site_id, 'order_id', new.id), now());
      end if;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.order_search_text(order_number text, email text, tracking_number text, external_reference text, shipping_address jsonb, billing_address jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((((((((((order_number || ''::text) || COALESCE(email, ''::text)) || ''::text) || COALESCE(tracking_number, ''::text)) || ''::text) || COALESCE(external_reference, ''::text)) || ''::text) || COALESCE((((shipping_address ->> 'first_name'::text) || ' '::text) || (shipping_address ->> 'last_name'::text)), (shipping_address ->> 'first_name'::text), (shipping_address ->> 'last_name'::text), ''::text)) || ''::text) || COALESCE((((billing_address ->> 'first_name'::text) || ' '::text) || (billing_address ->> 'last_name'::text)), (billing_address ->> 'first_name'::text), (billing_address ->> 'last_name'::text), ''::text))
;

CREATE OR REPLACE FUNCTION commerce.platform_of(site uuid, event_type text, subject uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE
RETURN (SELECT p.id FROM ((commerce.orders o JOIN commerce.checkouts k ON (((k.site_id = o.site_id) AND (k.id = o.checkout_id)))) JOIN commerce.agent_profiles p ON (((p.site_id = k.site_id) AND (p.id = k.platform_id)))) WHERE ((o.site_id = platform_of.site) AND (o.id = platform_of.subject) AND (platform_of.event_type ~~ 'order.%'::text) AND (p.webhook_url IS NOT NULL)))
;

CREATE OR REPLACE PROCEDURE commerce.protect(IN tenant_table regclass)
 LANGUAGE plpgsql
AS $procedure$
    begin
      execute format('alter table %s enable row level security', tenant_table);
      execute format('alter table %s force row level security', tenant_table);
      execute format('create policy tenant on %s using (site_id = (select commerce.current_site()))', tenant_table);
    end $procedure$
;

CREATE OR REPLACE FUNCTION commerce.queue_state()
 RETURNS TABLE(job text, waiting integer, oldest_seconds integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    begin
      return query select t.identifier, count(*)::integer, extract(epoch from now() - min(j.run_at))::integer
        from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where j.is_available and j.run_at <= now() group by t.identifier order by t.identifier;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.refuse_history()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
    begin
      if pg_is_in_recovery() then
        raise exception 'the database is a standby' using errcode = 'read_only_sql_transaction';
      end if;
      raise exception 'the database continues another history' using errcode = 'CE001';
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.schedule_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      perform commerce.enqueue('note_publication', json_build_object('site_id', new.site_id, 'product_id', new.id),
        new.published_at);
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.schedule_publication()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      insert into commerce.catalog_schedule (site_id, publish_at) values (new.site_id, new.published_at)
        on conflict do nothing;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.search_codes(pattern text, most integer)
 RETURNS TABLE(product_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 200
 SET search_path TO 'commerce', 'public', 'pg_temp'
BEGIN ATOMIC
( SELECT v.product_id
    FROM commerce.variants v
   WHERE ((v.site_id = ( SELECT commerce.current_site() AS current_site)) AND (v.sku ~~* search_codes.pattern))
  LIMIT search_codes.most)
 UNION
 ( SELECT v.product_id
    FROM commerce.variants v
   WHERE ((v.site_id = ( SELECT commerce.current_site() AS current_site)) AND (v.barcode ~~* search_codes.pattern))
  LIMIT search_codes.most);
END
;

CREATE OR REPLACE FUNCTION commerce.search_customers(pattern text, most integer)
 RETURNS TABLE(customer_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 200
 SET search_path TO 'commerce', 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT c.id
    FROM commerce.customers c
   WHERE ((c.site_id = ( SELECT commerce.current_site() AS current_site)) AND (commerce.customer_search_text(c.email, c.phone, c.first_name, c.last_name) ~~* search_customers.pattern) AND (POSITION((''::text) IN (search_customers.pattern)) = 0))
  LIMIT search_customers.most;
END
;

CREATE OR REPLACE FUNCTION commerce.search_orders(pattern text, most integer)
 RETURNS TABLE(order_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 200
 SET search_path TO 'commerce', 'public', 'pg_temp'
BEGIN ATOMIC
( SELECT o.id
    FROM commerce.orders o
   WHERE ((o.site_id = ( SELECT commerce.current_site() AS current_site)) AND (commerce.order_search_text(o.order_number, o.email, o.tracking_number, o.external_reference, o.shipping_address, o.billing_address) ~~* search_orders.pattern) AND (POSITION((''::text) IN (search_orders.pattern)) = 0))
  LIMIT search_orders.most)
 UNION
 ( SELECT DISTINCT l.order_id
    FROM commerce.order_lines l
   WHERE ((l.site_id = ( SELECT commerce.current_site() AS current_site)) AND (l.sku ~~* search_orders.pattern))
  LIMIT search_orders.most)
 UNION
 ( SELECT DISTINCT f.order_id
    FROM commerce.fulfillments f
   WHERE ((f.site_id = ( SELECT commerce.current_site() AS current_site)) AND (f.tracking_number ~~* search_orders.pattern))
  LIMIT search_orders.most);
END
;

CREATE OR REPLACE FUNCTION commerce.search_products(words text, last_word_prefix tsquery, folded text)
 RETURNS TABLE(product_id uuid, rank real)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'commerce', 'public', 'pg_temp'
 SET "pg_trgm.strict_word_similarity_threshold" TO '0.35'
BEGIN ATOMIC
 WITH by_sku AS (
          SELECT s.product_id,
             (10)::real AS rank
            FROM commerce.product_search s
           WHERE ((s.site_id = ( SELECT commerce.current_site() AS current_site)) AND (s.skus @> ARRAY[search_products.folded]))
         ), by_words AS (
          SELECT s.product_id,
             (ts_rank_cd('{0.05,0.2,0.5,1}'::real[], s.document, search_products.last_word_prefix, 1) + ts_rank('{0.05,0.2,0.5,1}'::real[], s.document, search_products.last_word_prefix)) AS rank
            FROM commerce.product_search s
           WHERE ((s.site_id = ( SELECT commerce.current_site() AS current_site)) AND (s.document @@ search_products.last_word_prefix))
           ORDER BY (ts_rank_cd('{0.05,0.2,0.5,1}'::real[], s.document, search_products.last_word_prefix, 1) + ts_rank('{0.05,0.2,0.5,1}'::real[], s.document, search_products.last_word_prefix)) DESC
          LIMIT 10000
         ), alike AS (
          SELECT s.product_id,
             ((public.strict_word_similarity(search_products.words, s.title) * (0.01)::double precision))::real AS rank
            FROM commerce.product_search s
           WHERE ((s.site_id = ( SELECT commerce.current_site() AS current_site)) AND (search_products.words OPERATOR(public.<<%) s.title) AND (NOT (EXISTS ( SELECT
                    FROM by_words))) AND (NOT (EXISTS ( SELECT
                    FROM by_sku))))
           ORDER BY (((public.strict_word_similarity(search_products.words, s.title) * (0.01)::double precision))::real) DESC
          LIMIT 200
         )
  SELECT f.product_id,
     max(f.rank) AS max
    FROM ( SELECT by_sku.product_id,
             by_sku.rank
            FROM by_sku
         UNION ALL
          SELECT by_words.product_id,
             by_words.rank
            FROM by_words
         UNION ALL
          SELECT alike.product_id,
             alike.rank
            FROM alike) f
   GROUP BY f.product_id;
END
;

CREATE OR REPLACE FUNCTION commerce.search_source(site uuid, product uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
RETURN (SELECT s.source FROM commerce.search_sources(search_source.site, ARRAY[search_source.product]) s(product_id, source))
;

CREATE OR REPLACE FUNCTION commerce.search_sources(site uuid, products uuid[])
 RETURNS TABLE(product_id uuid, source jsonb)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT p.id,
     jsonb_build_object('name', p.name, 'description', "left"(p.description, 10000), 'vendor', p.vendor, 'product_type', p.product_type, 'tags', p.tags, 'metadata', p.metadata, 'options', ( SELECT COALESCE(jsonb_agg(v.value ORDER BY o."position", v.place), '[]'::jsonb) AS "coalesce"
            FROM commerce.product_options o,
             LATERAL unnest(o."values") WITH ORDINALITY v(value, place)
           WHERE ((o.site_id = search_sources.site) AND (o.product_id = p.id))), 'codes', ( SELECT COALESCE(jsonb_agg(codes.code ORDER BY codes.code), '[]'::jsonb) AS "coalesce"
            FROM ( SELECT DISTINCT lower(code.code) AS code
                    FROM commerce.variants v,
                     LATERAL unnest(ARRAY[v.sku, v.barcode]) code(code)
                   WHERE ((v.site_id = search_sources.site) AND (v.product_id = p.id) AND (code.code IS NOT NULL))) codes)) AS jsonb_build_object
    FROM commerce.products p
   WHERE ((p.site_id = search_sources.site) AND (p.id = ANY (search_sources.products)));
END
;

CREATE OR REPLACE FUNCTION commerce.search_variants(pattern text, most integer)
 RETURNS TABLE(variant_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 200
 SET search_path TO 'commerce', 'public', 'pg_temp'
BEGIN ATOMIC
( SELECT v.id
    FROM commerce.variants v
   WHERE ((v.site_id = ( SELECT commerce.current_site() AS current_site)) AND (v.sku ~~* search_variants.pattern))
  LIMIT search_variants.most)
 UNION
 ( SELECT v.id
    FROM commerce.variants v
   WHERE ((v.site_id = ( SELECT commerce.current_site() AS current_site)) AND (v.barcode ~~* search_variants.pattern))
  LIMIT search_variants.most)
 UNION
 ( SELECT v.id
    FROM (commerce.products p
      JOIN commerce.variants v ON (((v.site_id = p.site_id) AND (v.product_id = p.id))))
   WHERE ((p.site_id = ( SELECT commerce.current_site() AS current_site)) AND (p.name ~~* search_variants.pattern))
  LIMIT search_variants.most);
END
;

CREATE OR REPLACE FUNCTION commerce.shipping_charged(cost numeric, tax_included boolean, tax numeric, taxes jsonb)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
      select cost + case when tax_included then 0
        else coalesce((select sum((part ->> 'tax')::numeric) from jsonb_array_elements(taxes) part), tax, 0) end
    $function$
;

CREATE OR REPLACE FUNCTION commerce.site_counts(of uuid, wanted text[])
 RETURNS TABLE(name text, products bigint, orders bigint, last_order_at timestamp with time zone, storage_bytes bigint, calls bigint)
 LANGUAGE plpgsql
 STABLE ROWS 1
 SET enable_seqscan TO 'off'
AS $function$
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
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.site_health(of uuid)
 RETURNS TABLE(is_published boolean, is_in_stock boolean, needs_delivery boolean, has_delivery boolean, has_pickup boolean, takes_transfers boolean, account_mode text, tax_decided boolean, storefront_url text, has_contact boolean, legal jsonb, webhooks_failing boolean)
 LANGUAGE plpgsql
 STABLE ROWS 1
 SET enable_seqscan TO 'off'
AS $function$
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
          exists (select from commerce.shipping_options o where o.site_id = of and o.active and (o.kind = 'pickup' or o.cash_on_delivery_fee is not null)),
          t.bank_details is not null,
          (select a.mode from commerce.payment_accounts a where a.site_id = of),
          t.tax_decided or t.default_tax_rate > 0 or t.tax_rates <> '[]', t.storefront_url,
          coalesce(t.brand ->> 'support_email', t.brand ->> 'support_phone') is not null, t.legal || (
            select coalesce(jsonb_object_agg(split_part(name, '_', 1) || '_url', true), '{}')
            from jsonb_object_keys(t.legal_texts) name),
          exists (
            select from commerce.webhooks w
            where w.site_id = of and (w.failing_since is not null or w.disabled_reason in ('failing', 'gone')))
        from commerce.site_settings t where t.site_id = of;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.standby_state()
 RETURNS TABLE(standby text, sync_state text, lag_bytes bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
      select application_name, sync_state, pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce(replay_lsn, write_lsn, sent_lsn))::bigint
        from pg_stat_replication
        where not pg_is_in_recovery() and state in ('streaming', 'catchup') and application_name not like 'pg_basebackup%'
        order by application_name
    $function$
;

CREATE OR REPLACE FUNCTION commerce.takes(events text[], event_type text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (events && ARRAY[event_type, (split_part(event_type, '.'::text, 1) || '.*'::text), '*'::text])
;

CREATE OR REPLACE FUNCTION commerce.tell_agent_token()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      t commerce.tokens;
    begin
      select * into t from commerce.tokens where site_id = new.site_id and id = new.id;
      if not found or t.customer_id is null then return null; end if;
      perform commerce.emit(t.site_id, case when t.revoked_at is null then 'agent.token_issued'
          else 'agent.token_revoked' end, t.id,
        jsonb_build_object('id', t.id, 'customer_id', t.customer_id, 'agent_name', t.description,
          'expires_at', commerce.iso(t.expires_at), 'revoked_at', commerce.iso(t.revoked_at)));
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.tell_customer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      perform commerce.emit(new.site_id, 'customer.created', new.id,
        jsonb_build_object('id', new.id, 'created_at', commerce.iso(new.created_at)));
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.tell_customer_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
      c commerce.customers;
    begin
      select * into c from commerce.customers where site_id = (changed ->> 'site_id')::uuid
        and id = coalesce(changed ->> 'customer_id', changed ->> 'id')::uuid;
      if not found or c.anonymized_at is not null or now() in (c.created_at, c.imported_at) then return null; end if;
      perform commerce.emit(c.site_id, 'customer.updated', c.id,
        jsonb_build_object('id', c.id, 'created_at', commerce.iso(c.created_at)));
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.tell_document()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      perform commerce.emit(new.site_id, 'document.issued', new.id,
        jsonb_build_object('id', new.id, 'kind', new.kind, 'number', new.number, 'order_id', new.order_id,
          'order_number', new.content -> 'order' ->> 'number', 'issued_at', commerce.iso(new.issued_at)));
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.tell_inventory()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      v commerce.variants;
      after integer;
      is_available boolean;
      reasons text[];
    begin
      select * into v from commerce.variants where site_id = new.site_id and id = new.id;
      if not found then return null; end if;
      after := v.on_hand - v.reserved;
      is_available := not v.track_inventory or v.inventory_policy = 'continue' or after > 0;
      reasons := array_remove(array[
        case when v.available_before <> is_available then 'availability' end,
        case when v.track_inventory
          and (v.quantity_before <= v.low_stock_threshold) <> (after <= v.low_stock_threshold) then 'low_stock' end,
        case when abs(after - v.quantity_before) >= greatest(5, 0.2 * abs(v.quantity_before)) then 'amount' end], null);
      if reasons <> '{}' then
        perform commerce.emit(v.site_id, 'inventory.changed', v.id, jsonb_build_object('variant_id', v.id,
          'product_id', v.product_id, 'sku', v.sku, 'inventory_quantity', after, 'previous_quantity', v.quantity_before,
          'available', is_available, 'reasons', reasons), (
            select commerce.is_visible(p.status, p.published_at) from commerce.products p
            where p.site_id = v.site_id and p.id = v.product_id));
      end if;
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.tell_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      o commerce.orders;
    begin
      if not commerce.is_told(new.site_id)
        and commerce.platform_of(new.site_id, 'order.' || new.type, new.order_id) is null then return null; end if;
      select * into o from commerce.orders where site_id = new.site_id and id = new.order_id;
      perform commerce.emit(o.site_id, case new.type
          when 'created' then 'order.created'
          when 'payment_confirmed' then 'order.paid'
          when 'payment_expired' then 'order.payment_expired'
          when 'fulfilled' then 'order.fulfilled'
          when 'delivered' then 'order.delivered'
          when 'cancelled' then 'order.cancelled'
          when 'refunded' then 'order.refunded'
          when 'updated' then 'order.updated'
        end, o.id,
        jsonb_build_object('id', o.id, 'order_number', o.order_number, 'status', o.status,
          'payment_status', o.payment_status, 'fulfillment_status', o.fulfillment_status, 'total', o.total::text,
          'currency', o.currency, 'source', o.source, 'reference', o.external_reference, 'customer_id', o.customer_id,
          'updated_at', commerce.iso(o.updated_at)));
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.tell_product()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      site uuid := coalesce(new.site_id, old.site_id);
      told text := case tg_op when 'INSERT' then 'product.created' when 'UPDATE' then 'product.updated'
        else 'product.deleted' end;
      p commerce.products;
    begin
      if not (
        exists (select from commerce.webhooks where site_id = site and commerce.takes(events, told))
        or exists (select from commerce.event_listeners
          where site_id = site and expires_at > now() and commerce.takes(events, told))) then
        return null;
      end if;
      if tg_op = 'DELETE' then
        perform commerce.emit(site, told, old.id, jsonb_build_object('id', old.id, 'slug', old.slug,
          'deleted_at', commerce.iso(now())), commerce.was_shown(site, old.id));
        return null;
      end if;
      select * into p from commerce.products where site_id = site and id = new.id;
      if not found then return null; end if;
      -- Made in this very transaction: product.created tells it all.
      if tg_op = 'UPDATE' and p.created_at = now() then return null; end if;
      perform commerce.emit_product(told, p, commerce.is_shown(site, p.id));
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.tell_return()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      r commerce.returns;
      o commerce.orders;
    begin
      if not commerce.is_told(new.site_id) then return null; end if;
      select * into r from commerce.returns where site_id = new.site_id and id = (new.context ->> 'return_id')::uuid;
      select * into o from commerce.orders where site_id = r.site_id and id = r.order_id;
      perform commerce.emit(r.site_id, case new.context ->> 'event'
          when 'requested' then 'return.requested'
          when 'approved' then 'return.approved'
          when 'declined' then 'return.declined'
          when 'received' then 'return.received'
          when 'closed' then 'return.closed'
          when 'cancelled' then 'return.cancelled'
        end, r.id,
        jsonb_build_object('id', r.id, 'number', o.order_number || '-R' || r.ordinal, 'order_id', o.id,
          'order_number', o.order_number, 'status', r.status, 'kind', r.kind, 'updated_at', commerce.iso(r.updated_at)));
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION commerce.uuid_v7()
 RETURNS uuid
 LANGUAGE sql
 PARALLEL SAFE
RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send(((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid
;

CREATE OR REPLACE FUNCTION commerce.was_shown(site uuid, product uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM commerce.product_changes c WHERE ((c.site_id = was_shown.site) AND (c.product_id = was_shown.product) AND c.seen)))
;

CREATE OR REPLACE FUNCTION commerce.with_trace(payload json)
 RETURNS json
 LANGUAGE sql
 STABLE
RETURN CASE WHEN ((COALESCE(current_setting('app.traceparent'::text, true), ''::text) = ''::text) OR (json_typeof(payload) <> 'object'::text)) THEN payload ELSE (((payload)::jsonb || jsonb_build_object('traceparent', current_setting('app.traceparent'::text, true))))::json END
;

CREATE OR REPLACE FUNCTION commerce.words(given text, weight "char")
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN setweight(to_tsvector('commerce.shop'::regconfig, regexp_replace(given, '[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]+'::text, ' '::text, 'g'::text)), weight)
;

create table commerce.agent_consent_links (
  site_id uuid not null,
  consent_id uuid not null,
  token_hash bytea not null,
  constraint agent_consent_links_pkey PRIMARY KEY (site_id, consent_id),
  constraint agent_consent_links_token_hash_key UNIQUE (token_hash),
  constraint agent_consent_links_site_id_consent_id_fkey FOREIGN KEY (site_id, consent_id) REFERENCES commerce.agent_consents(site_id, id) ON DELETE CASCADE
);

create table commerce.agent_consents (
  site_id uuid not null,
  id uuid not null,
  user_code_hash bytea,
  agent_name text not null,
  scopes text[] not null,
  budget_cents bigint,
  categories text[] not null,
  token_expires_at timestamp with time zone not null,
  status text not null default 'pending'::text,
  customer_id uuid,
  ip text,
  user_agent text,
  interval_seconds integer not null default 5,
  last_polled_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null default (now() + '00:15:00'::interval),
  max_per_order_cents bigint,
  budget_period text not null default 'once'::text,
  approved_at timestamp with time zone,
  replaces_token_id uuid,
  client_id text,
  lifetime_named boolean not null default true,
  budget_named boolean not null default true,
  constraint agent_consents_pkey PRIMARY KEY (site_id, id),
  constraint one_request_per_user_code UNIQUE (site_id, user_code_hash),
  constraint agent_consents_site_id_customer_id_fkey FOREIGN KEY (site_id, customer_id) REFERENCES commerce.customers(site_id, id),
  constraint agent_consents_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint agent_consents_site_id_replaces_token_id_fkey FOREIGN KEY (site_id, replaces_token_id) REFERENCES commerce.agent_tokens(site_id, id),
  constraint agent_consents_budget_cents_check CHECK ((budget_cents >= 0)),
  constraint agent_consents_budget_period_check CHECK ((budget_period = ANY (ARRAY['once'::text, 'week'::text, 'month'::text]))),
  constraint agent_consents_check CHECK (((status <> ALL (ARRAY['approved'::text, 'consumed'::text])) OR (customer_id IS NOT NULL))),
  constraint agent_consents_max_per_order_cents_check CHECK ((max_per_order_cents >= 0)),
  constraint agent_consents_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text, 'consumed'::text]))),
  constraint budget_once_decided CHECK (((budget_cents IS NOT NULL) OR (status = ANY (ARRAY['pending'::text, 'denied'::text]))))
);
CREATE INDEX agent_consents_age ON commerce.agent_consents USING btree (expires_at);
CREATE INDEX agent_consents_of ON commerce.agent_consents USING btree (site_id, customer_id) WHERE (customer_id IS NOT NULL);
CREATE INDEX agent_consents_replacing ON commerce.agent_consents USING btree (site_id, replaces_token_id) WHERE (replaces_token_id IS NOT NULL);
alter table commerce.agent_consents enable row level security, force row level security;

create table commerce.agent_profiles (
  site_id uuid not null,
  id uuid not null,
  url text not null,
  host text not null,
  version text not null,
  capabilities jsonb not null,
  fetched_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  webhook_url text,
  webhook_refused text,
  keys jsonb,
  constraint agent_profiles_pkey PRIMARY KEY (site_id, id),
  constraint one_profile_per_url UNIQUE (site_id, url),
  constraint agent_profiles_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
CREATE INDEX agent_profiles_age ON commerce.agent_profiles USING btree (site_id, expires_at);
alter table commerce.agent_profiles enable row level security, force row level security;

create table commerce.agent_tokens (
  site_id uuid not null,
  id uuid not null,
  consent_id uuid not null,
  budget_cents bigint not null,
  budget_used_cents bigint not null default 0,
  revoked_by text,
  budget_held_cents bigint not null default 0,
  max_per_order_cents bigint,
  budget_period text not null default 'once'::text,
  budget_since timestamp with time zone not null default now(),
  period_number integer not null default 0,
  spent_total_cents bigint not null default 0,
  constraint agent_tokens_pkey PRIMARY KEY (site_id, id),
  constraint one_token_per_consent UNIQUE (site_id, consent_id),
  constraint agent_tokens_site_id_id_fkey FOREIGN KEY (site_id, id) REFERENCES commerce.tokens(site_id, id),
  constraint agent_tokens_budget_period_check CHECK ((budget_period = ANY (ARRAY['once'::text, 'week'::text, 'month'::text]))),
  constraint agent_tokens_max_per_order_cents_check CHECK ((max_per_order_cents >= 0)),
  constraint agent_tokens_period_number_check CHECK ((period_number >= 0)),
  constraint agent_tokens_revoked_by_check CHECK ((revoked_by = ANY (ARRAY['customer'::text, 'merchant'::text, 'agent'::text, 'system'::text]))),
  constraint agent_tokens_spent_total_cents_check CHECK ((spent_total_cents >= 0)),
  constraint within_budget CHECK (((budget_used_cents >= 0) AND (budget_held_cents >= 0) AND ((budget_used_cents + budget_held_cents) <= budget_cents)))
);
alter table commerce.agent_tokens enable row level security, force row level security;

create table commerce.assistant_actions (
  site_id uuid not null,
  id uuid not null,
  assistant_id uuid not null,
  staff_id uuid not null,
  operation text not null,
  request jsonb not null,
  if_match text,
  target text,
  before jsonb not null,
  status text not null default 'pending'::text,
  taken_at timestamp with time zone,
  run_key uuid not null default gen_random_uuid(),
  result jsonb,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint assistant_actions_pkey PRIMARY KEY (site_id, id),
  constraint assistant_actions_site_id_assistant_id_fkey FOREIGN KEY (site_id, assistant_id) REFERENCES commerce.assistants(site_id, id) ON DELETE CASCADE,
  constraint action_has_run CHECK (((result IS NOT NULL) = (status = ANY (ARRAY['done'::text, 'failed'::text])))),
  constraint assistant_actions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'done'::text, 'failed'::text, 'declined'::text])))
);
CREATE INDEX assistant_actions_ended ON commerce.assistant_actions USING btree (expires_at);
CREATE INDEX assistant_actions_of ON commerce.assistant_actions USING btree (site_id, assistant_id);
alter table commerce.assistant_actions enable row level security, force row level security;

create table commerce.assistants (
  site_id uuid not null,
  id uuid not null,
  staff_id uuid not null,
  client_name text not null,
  client_host text,
  client_hash bytea not null,
  redirect_uri text not null,
  code_challenge text not null,
  code_hash bytea not null,
  code_expires_at timestamp with time zone not null,
  scopes text[] not null,
  token_hash bytea,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  constraint assistants_pkey PRIMARY KEY (site_id, id),
  constraint assistants_code_hash_key UNIQUE (code_hash),
  constraint assistants_token_hash_key UNIQUE (token_hash),
  constraint assistants_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint assistants_staff_id_site_id_fkey FOREIGN KEY (staff_id, site_id) REFERENCES commerce.staff_memberships(staff_id, site_id) ON DELETE CASCADE,
  constraint assistants_scopes_check CHECK ((cardinality(scopes) > 0))
);
CREATE INDEX assistants_ended ON commerce.assistants USING btree (expires_at);
CREATE INDEX assistants_of ON commerce.assistants USING btree (staff_id, site_id);

create table commerce.audit_checkpoints (
  site_id uuid not null,
  seq integer not null,
  seal_hmac bytea not null,
  through timestamp with time zone not null,
  deleted bigint not null,
  key_id uuid not null,
  hmac bytea not null,
  constraint audit_checkpoints_pkey PRIMARY KEY (site_id),
  constraint audit_checkpoints_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint audit_checkpoints_seq_check CHECK ((seq > 0))
);
alter table commerce.audit_checkpoints enable row level security, force row level security;

create table commerce.audit_events (
  site_id uuid not null,
  id uuid not null,
  actor_type text not null,
  actor_id uuid not null,
  action text not null,
  status smallint not null,
  payload_hash bytea not null,
  ip text,
  user_agent text,
  correlation_id text not null,
  created_at timestamp with time zone not null default now(),
  buyer_ip text,
  targets uuid[] not null default '{}'::uuid[],
  fields text[] not null default '{}'::text[],
  customer_id uuid,
  details text,
  details_salt bytea,
  details_hash bytea,
  key_id uuid,
  hmac bytea,
  constraint audit_events_pkey PRIMARY KEY (site_id, id),
  constraint audit_events_details_check CHECK ((octet_length(details) <= 4096)) NOT VALID
);
CREATE INDEX audit_events_by_staff ON commerce.audit_events USING btree (site_id, id DESC) WHERE (actor_type = ANY (ARRAY['staff'::text, 'api_key'::text]));
CREATE INDEX audit_events_by_time ON commerce.audit_events USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX audit_events_of ON commerce.audit_events USING btree (site_id, actor_id, id DESC);
CREATE INDEX audit_events_of_settings ON commerce.audit_events USING btree (site_id, id DESC) WHERE ((status < 300) AND (actor_type = ANY (ARRAY['staff'::text, 'api_key'::text])) AND (action = 'dashboard.updateSettings'::text));
CREATE INDEX audit_events_of_target ON commerce.audit_events USING btree (site_id, (targets[1]), id DESC) WHERE ((status < 300) AND (actor_type = ANY (ARRAY['staff'::text, 'api_key'::text])));
alter table commerce.audit_events enable row level security, force row level security;

create table commerce.audit_keys (
  id uuid not null,
  sealed bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint audit_keys_pkey PRIMARY KEY (id)
);

create table commerce.audit_seals (
  site_id uuid not null,
  seq integer not null,
  first uuid not null,
  last uuid not null,
  count integer not null,
  ids uuid[] not null,
  digest bytea not null,
  previous bytea,
  hmac bytea not null,
  key_id uuid not null,
  through timestamp with time zone not null,
  sealed_at timestamp with time zone not null default now(),
  constraint audit_seals_pkey PRIMARY KEY (site_id, seq),
  constraint audit_seals_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint audit_seals_check CHECK ((count = cardinality(ids))),
  constraint audit_seals_check1 CHECK (((previous IS NULL) = (seq = 1))),
  constraint audit_seals_seq_check CHECK ((seq > 0))
);
CREATE INDEX audit_seals_through ON commerce.audit_seals USING btree (through);
alter table commerce.audit_seals enable row level security, force row level security;

create table commerce.authorization_requests (
  site_id uuid not null,
  consent_id uuid not null,
  request_hash bytea not null,
  client_id text not null,
  client_host text,
  redirect_uri text not null,
  code_challenge text not null,
  resource text,
  state text,
  issuer text not null,
  code_hash bytea,
  platform_host text,
  constraint authorization_requests_pkey PRIMARY KEY (site_id, consent_id),
  constraint one_authorization_per_address UNIQUE (site_id, request_hash),
  constraint one_authorization_per_code UNIQUE (site_id, code_hash),
  constraint authorization_requests_site_id_consent_id_fkey FOREIGN KEY (site_id, consent_id) REFERENCES commerce.agent_consents(site_id, id) ON DELETE CASCADE
);
alter table commerce.authorization_requests enable row level security, force row level security;

create table commerce.cart_items (
  site_id uuid not null,
  id uuid not null,
  cart_id uuid not null,
  variant_id uuid not null,
  product_id uuid not null,
  name text not null,
  variant_name text,
  quantity integer not null,
  price_seen numeric not null,
  created_at timestamp with time zone not null default now(),
  fixed_price numeric,
  custom_tax_class text,
  custom_shipped boolean,
  custom_exempt text,
  constraint cart_items_pkey PRIMARY KEY (site_id, id),
  constraint one_line_per_variant UNIQUE (site_id, cart_id, variant_id),
  constraint cart_items_site_id_cart_id_fkey FOREIGN KEY (site_id, cart_id) REFERENCES commerce.carts(site_id, id) ON DELETE CASCADE,
  constraint cart_items_fixed_price_check CHECK ((fixed_price >= (0)::numeric)),
  constraint cart_items_quantity_check CHECK (((quantity >= 1) AND (quantity <= 999))),
  constraint custom_exempt_of_custom_line CHECK (((custom_exempt IS NULL) OR ((custom_tax_class IS NOT NULL) AND (custom_exempt = ANY (ARRAY['none'::text, 'custom_made'::text, 'perishable'::text, 'sealed_hygiene'::text, 'digital'::text]))))),
  constraint custom_line CHECK (
CASE
    WHEN (custom_tax_class IS NULL) THEN (custom_shipped IS NULL)
    ELSE ((custom_shipped IS NOT NULL) AND (fixed_price IS NOT NULL) AND (variant_id = id) AND (product_id = id))
END)
);
alter table commerce.cart_items enable row level security, force row level security;

create table commerce.carts (
  site_id uuid not null,
  id uuid not null,
  customer_id uuid,
  status text not null default 'active'::text,
  merged_into uuid,
  expires_at timestamp with time zone not null default (now() + '30 days'::interval),
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  agent_token_id uuid,
  payment_id uuid,
  locale text,
  attribution jsonb,
  reorder_of uuid,
  guest_profile_id uuid,
  is_draft boolean not null default false,
  constraint carts_pkey PRIMARY KEY (site_id, id),
  constraint carts_site_id_agent_token_id_fkey FOREIGN KEY (site_id, agent_token_id) REFERENCES commerce.agent_tokens(site_id, id),
  constraint carts_site_id_customer_id_fkey FOREIGN KEY (site_id, customer_id) REFERENCES commerce.customers(site_id, id),
  constraint carts_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint carts_site_id_merged_into_fkey FOREIGN KEY (site_id, merged_into) REFERENCES commerce.carts(site_id, id),
  constraint carts_site_id_payment_id_fkey FOREIGN KEY (site_id, payment_id) REFERENCES commerce.payments(site_id, id),
  constraint carts_check CHECK (((status = 'merged'::text) = (merged_into IS NOT NULL))),
  constraint carts_status_check CHECK ((status = ANY (ARRAY['active'::text, 'converted'::text, 'merged'::text, 'expired'::text])))
);
CREATE INDEX carts_being_paid ON commerce.carts USING btree (site_id, payment_id) WHERE (payment_id IS NOT NULL);
CREATE INDEX carts_merged ON commerce.carts USING btree (site_id, merged_into) WHERE (merged_into IS NOT NULL);
CREATE INDEX carts_of_customer ON commerce.carts USING btree (site_id, customer_id);
CREATE INDEX carts_to_delete ON commerce.carts USING btree (site_id, expires_at) WHERE (status = ANY (ARRAY['expired'::text, 'merged'::text]));
CREATE INDEX carts_to_expire ON commerce.carts USING btree (expires_at, site_id) WHERE (status = 'active'::text);
CREATE UNIQUE INDEX one_active_cart_per_customer ON commerce.carts USING btree (site_id, customer_id) WHERE ((status = 'active'::text) AND (agent_token_id IS NULL));
CREATE UNIQUE INDEX one_cart_per_reorder ON commerce.carts USING btree (site_id, reorder_of) WHERE ((reorder_of IS NOT NULL) AND (status = 'active'::text));
alter table commerce.carts enable row level security, force row level security;

create table commerce.catalog_schedule (
  site_id uuid not null,
  publish_at timestamp with time zone not null,
  constraint catalog_schedule_pkey PRIMARY KEY (site_id, publish_at),
  constraint catalog_schedule_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
CREATE INDEX catalog_schedule_age ON commerce.catalog_schedule USING btree (publish_at);

create table commerce.catalog_versions (
  site_id uuid not null,
  stripe smallint not null,
  version bigint not null default 1,
  constraint catalog_versions_pkey PRIMARY KEY (site_id, stripe),
  constraint catalog_versions_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);

create table commerce.change_eras (
  era integer not null,
  history text not null,
  begun_at timestamp with time zone not null default now(),
  skipped integer not null default 1,
  constraint change_eras_pkey PRIMARY KEY (era)
);

create table commerce.checkout_links (
  site_id uuid not null,
  checkout_id uuid not null,
  token_hash bytea not null,
  constraint checkout_links_pkey PRIMARY KEY (site_id, checkout_id, token_hash),
  constraint checkout_links_token_hash_key UNIQUE (token_hash),
  constraint checkout_links_site_id_checkout_id_fkey FOREIGN KEY (site_id, checkout_id) REFERENCES commerce.checkouts(site_id, id)
);

create table commerce.checkouts (
  site_id uuid not null,
  id uuid not null,
  cart_id uuid not null,
  customer_id uuid,
  status text not null default 'open'::text,
  source text not null default 'storefront'::text,
  email text,
  phone text,
  shipping_address jsonb,
  billing_address jsonb,
  shipping_option_id uuid,
  payment_method text,
  note text,
  shown_total numeric not null default 0,
  shown_prices jsonb not null default '{}'::jsonb,
  told_prices jsonb,
  reserved_until timestamp with time zone,
  expires_at timestamp with time zone not null,
  order_id uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  agent_token_id uuid,
  payment_id uuid,
  payment_failure text,
  locale text,
  return_url text,
  cancel_url text,
  marketing_opt_in boolean not null default false,
  marketing_wording text,
  attribution jsonb,
  bound_browser bytea,
  guest_profile_id uuid,
  cleared_at timestamp with time zone,
  digital_consent_wording text,
  platform_id uuid,
  constraint checkouts_pkey PRIMARY KEY (site_id, id),
  constraint checkouts_site_id_agent_token_id_fkey FOREIGN KEY (site_id, agent_token_id) REFERENCES commerce.agent_tokens(site_id, id),
  constraint checkouts_site_id_cart_id_fkey FOREIGN KEY (site_id, cart_id) REFERENCES commerce.carts(site_id, id),
  constraint checkouts_site_id_payment_id_fkey FOREIGN KEY (site_id, payment_id) REFERENCES commerce.payments(site_id, id),
  constraint checkouts_bound_browser_check CHECK ((length(bound_browser) = 32)),
  constraint checkouts_check CHECK (((status = 'completed'::text) = (order_id IS NOT NULL))),
  constraint checkouts_check1 CHECK (((agent_token_id IS NULL) OR (source = 'agent'::text))),
  constraint checkouts_payment_method_check CHECK ((payment_method = ANY (ARRAY['bank_transfer'::text, 'card'::text, 'manual'::text, 'invoice'::text, 'free'::text]))),
  constraint checkouts_source_check CHECK ((source = ANY (ARRAY['storefront'::text, 'agent'::text, 'ai_widget'::text, 'dashboard'::text]))),
  constraint checkouts_status_check CHECK ((status = ANY (ARRAY['open'::text, 'ready'::text, 'requires_escalation'::text, 'completed'::text, 'expired'::text, 'cancelled'::text]))),
  constraint guest_agents_have_no_token CHECK (((guest_profile_id IS NULL) OR ((source = 'agent'::text) AND (agent_token_id IS NULL)))),
  constraint nothing_to_pay_for CHECK (((payment_id IS NULL) OR (status = ANY (ARRAY['open'::text, 'ready'::text, 'requires_escalation'::text]))))
);
CREATE INDEX checkouts_being_paid ON commerce.checkouts USING btree (site_id, payment_id) WHERE (payment_id IS NOT NULL);
CREATE INDEX checkouts_of_agent ON commerce.checkouts USING btree (site_id, agent_token_id) WHERE (agent_token_id IS NOT NULL);
CREATE INDEX checkouts_of_cart ON commerce.checkouts USING btree (site_id, cart_id);
CREATE INDEX checkouts_of_customer ON commerce.checkouts USING btree (site_id, customer_id) WHERE (status = ANY (ARRAY['open'::text, 'ready'::text, 'requires_escalation'::text]));
CREATE INDEX checkouts_to_clear ON commerce.checkouts USING btree (site_id, expires_at) WHERE ((status = ANY (ARRAY['expired'::text, 'cancelled'::text])) AND (cleared_at IS NULL));
CREATE INDEX checkouts_to_delete ON commerce.checkouts USING btree (site_id, expires_at) WHERE (status = ANY (ARRAY['expired'::text, 'cancelled'::text]));
CREATE INDEX checkouts_to_expire ON commerce.checkouts USING btree (expires_at) WHERE (status = ANY (ARRAY['open'::text, 'ready'::text, 'requires_escalation'::text]));
CREATE INDEX checkouts_to_release ON commerce.checkouts USING btree (reserved_until) WHERE (reserved_until IS NOT NULL);
CREATE UNIQUE INDEX one_checkout_per_cart ON commerce.checkouts USING btree (site_id, cart_id) WHERE (status <> ALL (ARRAY['expired'::text, 'cancelled'::text]));
alter table commerce.checkouts enable row level security, force row level security;

create table commerce.collection_products (
  site_id uuid not null,
  collection_id uuid not null,
  product_id uuid not null,
  position integer not null,
  constraint collection_products_pkey PRIMARY KEY (site_id, collection_id, product_id),
  constraint collection_products_site_id_collection_id_fkey FOREIGN KEY (site_id, collection_id) REFERENCES commerce.collections(site_id, id) ON DELETE CASCADE,
  constraint collection_products_site_id_product_id_fkey FOREIGN KEY (site_id, product_id) REFERENCES commerce.products(site_id, id) ON DELETE CASCADE
);
CREATE INDEX collection_products_by_product ON commerce.collection_products USING btree (site_id, product_id);
alter table commerce.collection_products enable row level security, force row level security;

create table commerce.collections (
  site_id uuid not null,
  id uuid not null,
  title text not null,
  description text,
  handle text not null,
  type text not null,
  rules jsonb,
  rules_match text,
  image_url text,
  sort_order text not null,
  published boolean not null,
  published_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint collections_pkey PRIMARY KEY (site_id, id),
  constraint handle_taken UNIQUE (site_id, handle),
  constraint collections_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint collections_check CHECK (((type = 'automatic'::text) = (rules IS NOT NULL))),
  constraint collections_rules_match_check CHECK ((rules_match = ANY (ARRAY['all'::text, 'any'::text]))),
  constraint collections_type_check CHECK ((type = ANY (ARRAY['manual'::text, 'automatic'::text])))
);
alter table commerce.collections enable row level security, force row level security;

create table commerce.customer_addresses (
  site_id uuid not null,
  id uuid not null,
  customer_id uuid not null,
  address jsonb not null,
  is_default boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint customer_addresses_pkey PRIMARY KEY (site_id, id),
  constraint customer_addresses_site_id_customer_id_fkey FOREIGN KEY (site_id, customer_id) REFERENCES commerce.customers(site_id, id)
);
CREATE INDEX customer_addresses_of ON commerce.customer_addresses USING btree (site_id, customer_id, created_at);
CREATE UNIQUE INDEX one_default_address ON commerce.customer_addresses USING btree (site_id, customer_id) WHERE is_default;
alter table commerce.customer_addresses enable row level security, force row level security;

create table commerce.customer_codes (
  site_id uuid not null,
  token_hash bytea not null,
  purpose text not null,
  customer_id uuid,
  email text not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone,
  registration_id uuid,
  constraint customer_codes_pkey PRIMARY KEY (site_id, token_hash),
  constraint customer_codes_site_id_customer_id_fkey FOREIGN KEY (site_id, customer_id) REFERENCES commerce.customers(site_id, id),
  constraint customer_codes_site_id_registration_id_fkey FOREIGN KEY (site_id, registration_id) REFERENCES commerce.customer_registrations(site_id, id) ON DELETE SET NULL (registration_id),
  constraint customer_codes_check CHECK (((purpose = 'register'::text) = (customer_id IS NULL))),
  constraint customer_codes_purpose_check CHECK ((purpose = ANY (ARRAY['register'::text, 'verify_email'::text, 'reset_password'::text])))
);
CREATE INDEX customer_codes_to ON commerce.customer_codes USING btree (site_id, email);
CREATE UNIQUE INDEX one_code_per_purpose ON commerce.customer_codes USING btree (site_id, purpose, customer_id);
CREATE UNIQUE INDEX one_code_per_registration ON commerce.customer_codes USING btree (site_id, registration_id);
alter table commerce.customer_codes enable row level security, force row level security;

create table commerce.customer_registrations (
  site_id uuid not null,
  email text not null,
  password_hash text not null,
  profile jsonb not null,
  created_at timestamp with time zone not null default now(),
  id uuid not null,
  constraint customer_registrations_pkey PRIMARY KEY (site_id, id),
  constraint customer_registrations_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
CREATE INDEX customer_registrations_of ON commerce.customer_registrations USING btree (site_id, email);
alter table commerce.customer_registrations enable row level security, force row level security;

create table commerce.customer_tokens (
  site_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  customer_id uuid not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  renewable_until timestamp with time zone not null,
  replaced_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint customer_tokens_pkey PRIMARY KEY (site_id, id),
  constraint customer_tokens_token_hash_key UNIQUE (token_hash),
  constraint customer_tokens_site_id_customer_id_fkey FOREIGN KEY (site_id, customer_id) REFERENCES commerce.customers(site_id, id)
);
CREATE INDEX customer_tokens_ended ON commerce.customer_tokens USING btree (LEAST(expires_at, revoked_at));
CREATE INDEX customer_tokens_of ON commerce.customer_tokens USING btree (site_id, customer_id);

create table commerce.customers (
  site_id uuid not null,
  id uuid not null,
  email text not null,
  password_hash text,
  first_name text,
  last_name text,
  phone text,
  marketing_opt_in boolean not null default false,
  email_verified_at timestamp with time zone,
  metadata jsonb not null default '{}'::jsonb,
  note text,
  anonymized_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  locale text,
  imported_at timestamp with time zone,
  pending_email text,
  payment_terms_days integer,
  credit_limit numeric,
  constraint customers_pkey PRIMARY KEY (site_id, id),
  constraint customers_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint customers_credit_limit_check CHECK ((credit_limit >= (0)::numeric)),
  constraint customers_payment_terms_days_check CHECK (((payment_terms_days >= 0) AND (payment_terms_days <= 365))),
  constraint email_in_lower_case CHECK ((email = lower(email))),
  constraint pending_email_in_lower_case CHECK ((pending_email = lower(pending_email)))
);
CREATE INDEX customers_by_email ON commerce.customers USING btree (site_id, email);
CREATE INDEX customers_searched ON commerce.customers USING gin (site_id, commerce.customer_search_text(email, phone, first_name, last_name) public.gin_trgm_ops);
CREATE UNIQUE INDEX email_taken ON commerce.customers USING btree (site_id, lower(email));
alter table commerce.customers enable row level security, force row level security;

create table commerce.discount_redemptions (
  site_id uuid not null,
  id uuid not null,
  discount_id uuid not null,
  code text not null,
  cart_id uuid not null,
  order_id uuid,
  customer_id uuid,
  email text,
  status text not null,
  amount_off numeric not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint discount_redemptions_pkey PRIMARY KEY (site_id, id),
  constraint discount_redemptions_site_id_cart_id_fkey FOREIGN KEY (site_id, cart_id) REFERENCES commerce.carts(site_id, id),
  constraint discount_redemptions_site_id_discount_id_fkey FOREIGN KEY (site_id, discount_id) REFERENCES commerce.discounts(site_id, id),
  constraint discount_redemptions_amount_off_check CHECK ((amount_off >= (0)::numeric)),
  constraint discount_redemptions_status_check CHECK ((status = ANY (ARRAY['reserved'::text, 'redeemed'::text, 'released'::text])))
);
CREATE UNIQUE INDEX one_code_per_cart ON commerce.discount_redemptions USING btree (site_id, cart_id) WHERE (status <> 'released'::text);
CREATE INDEX redemptions_of_cart ON commerce.discount_redemptions USING btree (site_id, cart_id);
CREATE INDEX redemptions_of_customer ON commerce.discount_redemptions USING btree (site_id, discount_id, customer_id) WHERE (status <> 'released'::text);
CREATE INDEX redemptions_of_discount ON commerce.discount_redemptions USING btree (site_id, discount_id, id DESC);
CREATE INDEX redemptions_of_email ON commerce.discount_redemptions USING btree (site_id, discount_id, lower(email)) WHERE (status <> 'released'::text);
CREATE INDEX redemptions_to_release ON commerce.discount_redemptions USING btree (expires_at) WHERE (status = 'reserved'::text);
alter table commerce.discount_redemptions enable row level security, force row level security;

create table commerce.discounts (
  site_id uuid not null,
  id uuid not null,
  code text not null,
  kind text not null,
  value numeric not null,
  description text,
  active boolean not null default true,
  starts_at timestamp with time zone,
  ends_at timestamp with time zone,
  minimum_subtotal numeric,
  minimum_quantity integer,
  product_ids uuid[] not null default '{}'::uuid[],
  collection_ids uuid[] not null default '{}'::uuid[],
  usage_limit integer,
  usage_limit_per_customer integer,
  usage_count integer not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint discounts_pkey PRIMARY KEY (site_id, id),
  constraint discounts_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint discount_usage_limit_reached CHECK (((usage_limit IS NULL) OR (usage_count <= usage_limit))),
  constraint discounts_check CHECK (((kind <> 'percentage'::text) OR (value <= (100)::numeric))),
  constraint discounts_kind_check CHECK ((kind = ANY (ARRAY['percentage'::text, 'fixed_amount'::text, 'free_shipping'::text]))),
  constraint discounts_minimum_quantity_check CHECK ((minimum_quantity >= 1)),
  constraint discounts_minimum_subtotal_check CHECK ((minimum_subtotal >= (0)::numeric)),
  constraint discounts_usage_count_check CHECK ((usage_count >= 0)),
  constraint discounts_usage_limit_check CHECK ((usage_limit >= 1)),
  constraint discounts_usage_limit_per_customer_check CHECK ((usage_limit_per_customer >= 1)),
  constraint discounts_value_check CHECK (((value >= (0)::numeric) AND (value < '1000000000000'::numeric)))
);
CREATE UNIQUE INDEX discount_code_taken ON commerce.discounts USING btree (site_id, lower(code));
alter table commerce.discounts enable row level security, force row level security;

create table commerce.disputes (
  site_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  payment_id uuid not null,
  amount numeric not null,
  status text not null,
  reason text,
  reference text not null,
  respond_by timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint disputes_pkey PRIMARY KEY (site_id, id),
  constraint one_dispute_per_reference UNIQUE (site_id, payment_id, reference),
  constraint disputes_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id),
  constraint disputes_site_id_payment_id_fkey FOREIGN KEY (site_id, payment_id) REFERENCES commerce.payments(site_id, id),
  constraint disputes_amount_check CHECK ((amount > (0)::numeric)),
  constraint disputes_status_check CHECK ((status = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text])))
);
CREATE INDEX disputes_of ON commerce.disputes USING btree (site_id, order_id, id);
alter table commerce.disputes enable row level security, force row level security;

create table commerce.document_counters (
  site_id uuid not null,
  series text not null,
  last integer not null,
  constraint document_counters_pkey PRIMARY KEY (site_id, series),
  constraint document_counters_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint document_counters_last_check CHECK ((last > 0))
);
alter table commerce.document_counters enable row level security, force row level security;

create table commerce.documents (
  site_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  kind text not null,
  number text not null,
  invoice_id uuid,
  issued_at timestamp with time zone not null default now(),
  locale text not null,
  content jsonb not null,
  sha256 text not null,
  constraint documents_pkey PRIMARY KEY (site_id, id),
  constraint document_number_taken UNIQUE (site_id, number),
  constraint documents_site_id_invoice_id_fkey FOREIGN KEY (site_id, invoice_id) REFERENCES commerce.documents(site_id, id),
  constraint documents_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id),
  constraint credit_note_of_invoice CHECK (((kind = 'credit_note'::text) = (invoice_id IS NOT NULL))),
  constraint documents_kind_check CHECK ((kind = ANY (ARRAY['invoice'::text, 'credit_note'::text])))
);
CREATE INDEX documents_issued ON commerce.documents USING btree (site_id, issued_at);
CREATE INDEX documents_of ON commerce.documents USING btree (site_id, order_id, id);
alter table commerce.documents enable row level security, force row level security;

create table commerce.draft_orders (
  site_id uuid not null,
  id uuid not null,
  cart_id uuid not null,
  checkout_id uuid not null,
  discount_type text,
  discount_value numeric,
  discount_reason text,
  reserve boolean not null default false,
  sent_at timestamp with time zone,
  actor_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint draft_orders_pkey PRIMARY KEY (site_id, id),
  constraint one_draft_per_cart UNIQUE (site_id, cart_id),
  constraint one_draft_per_checkout UNIQUE (site_id, checkout_id),
  constraint draft_orders_site_id_cart_id_fkey FOREIGN KEY (site_id, cart_id) REFERENCES commerce.carts(site_id, id) ON DELETE CASCADE,
  constraint draft_orders_site_id_checkout_id_fkey FOREIGN KEY (site_id, checkout_id) REFERENCES commerce.checkouts(site_id, id) ON DELETE CASCADE,
  constraint draft_discount CHECK (((discount_type IS NULL) = (discount_value IS NULL))),
  constraint draft_orders_discount_type_check CHECK ((discount_type = ANY (ARRAY['percentage'::text, 'fixed_amount'::text]))),
  constraint draft_orders_discount_value_check CHECK ((discount_value > (0)::numeric))
);
alter table commerce.draft_orders enable row level security, force row level security;

create table commerce.event_listeners (
  site_id uuid not null,
  id uuid not null,
  events text[] not null,
  secret_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint event_listeners_pkey PRIMARY KEY (site_id, id),
  constraint event_listeners_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
alter table commerce.event_listeners enable row level security, force row level security;

create table commerce.events (
  site_id uuid not null,
  id uuid not null,
  type text not null,
  subject_id uuid,
  payload text not null,
  made_in xid8 not null default pg_current_xact_id(),
  created_at timestamp with time zone not null default now(),
  constraint events_pkey PRIMARY KEY (site_id, id),
  constraint events_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint events_payload_check CHECK ((octet_length(payload) < 20480))
);
CREATE INDEX events_by_age ON commerce.events USING btree (created_at);
CREATE INDEX events_in_order ON commerce.events USING btree (site_id, made_in, id);
CREATE UNIQUE INDEX one_event_per_change ON commerce.events USING btree (site_id, subject_id, type, made_in);
alter table commerce.events enable row level security, force row level security;

create table commerce.file_usage (
  site_id uuid not null,
  bytes bigint not null default 0,
  limit_bytes bigint not null default '5368709120'::bigint,
  constraint file_usage_pkey PRIMARY KEY (site_id),
  constraint file_usage_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint file_room CHECK ((bytes <= limit_bytes))
);
alter table commerce.file_usage enable row level security, force row level security;

create table commerce.files (
  site_id uuid not null,
  id uuid not null,
  filename text not null,
  content_type text not null,
  bytes integer not null,
  sha256 text not null,
  status text not null default 'awaiting_upload'::text,
  failure text,
  held_bytes integer not null,
  name text not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  url text,
  width integer,
  height integer,
  sources jsonb not null default '[]'::jsonb,
  created_at timestamp with time zone not null default now(),
  changed_at timestamp with time zone not null default now(),
  unused_since timestamp with time zone,
  in_orders boolean not null default false,
  constraint files_pkey PRIMARY KEY (site_id, id),
  constraint file_upload UNIQUE (site_id, token_hash),
  constraint files_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint files_bytes_check CHECK ((bytes > 0)),
  constraint files_content_type_check CHECK ((content_type = ANY (ARRAY['image/jpeg'::text, 'image/png'::text, 'image/webp'::text]))),
  constraint files_failure_check CHECK ((failure = ANY (ARRAY['unreadable'::text, 'wrong_type'::text, 'too_large'::text, 'no_room'::text, 'not_processed'::text]))),
  constraint files_name_check CHECK ((name ~ '^[0-9a-f]{32}$'::text)),
  constraint files_status_check CHECK ((status = ANY (ARRAY['awaiting_upload'::text, 'processing'::text, 'ready'::text, 'failed'::text])))
);
CREATE INDEX files_by_url ON commerce.files USING btree (site_id, url) WHERE (url IS NOT NULL);
CREATE INDEX files_under_way ON commerce.files USING btree (site_id) WHERE (status = 'processing'::text);
alter table commerce.files enable row level security, force row level security;

create table commerce.former_staff (
  site_id uuid not null,
  staff_id uuid not null,
  name text not null,
  constraint former_staff_pkey PRIMARY KEY (site_id, staff_id),
  constraint former_staff_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
alter table commerce.former_staff enable row level security, force row level security;

create table commerce.fulfillment_items (
  site_id uuid not null,
  fulfillment_id uuid not null,
  line_id uuid not null,
  quantity integer not null,
  constraint fulfillment_items_pkey PRIMARY KEY (site_id, fulfillment_id, line_id),
  constraint fulfillment_items_site_id_fulfillment_id_fkey FOREIGN KEY (site_id, fulfillment_id) REFERENCES commerce.fulfillments(site_id, id),
  constraint fulfillment_items_site_id_line_id_fkey FOREIGN KEY (site_id, line_id) REFERENCES commerce.order_lines(site_id, id),
  constraint fulfillment_items_quantity_check CHECK ((quantity > 0))
);
CREATE INDEX fulfillment_items_of ON commerce.fulfillment_items USING btree (site_id, line_id);
alter table commerce.fulfillment_items enable row level security, force row level security;

create table commerce.fulfillments (
  site_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  carrier text,
  tracking_number text,
  tracking_url text,
  created_at timestamp with time zone not null default now(),
  delivered_at timestamp with time zone,
  constraint fulfillments_pkey PRIMARY KEY (site_id, id),
  constraint fulfillments_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id)
);
CREATE INDEX fulfillments_of ON commerce.fulfillments USING btree (site_id, order_id, created_at);
CREATE INDEX fulfillments_searched ON commerce.fulfillments USING gin (site_id, tracking_number public.gin_trgm_ops) WHERE (tracking_number IS NOT NULL);
alter table commerce.fulfillments enable row level security, force row level security;

create table commerce.idempotency_keys (
  site_id uuid not null,
  principal_id uuid not null,
  operation_id text not null,
  key_hash bytea not null,
  request_hash bytea not null,
  status smallint,
  body bytea,
  encrypted boolean not null default false,
  completed_at timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (site_id, principal_id, operation_id, key_hash)
);
CREATE INDEX idempotency_keys_age ON commerce.idempotency_keys USING btree (completed_at);
alter table commerce.idempotency_keys enable row level security, force row level security;

create table commerce.login_throttles (
  key_hash bytea not null,
  failures integer not null,
  next_attempt_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  mailed_at timestamp with time zone,
  constraint login_throttles_pkey PRIMARY KEY (key_hash)
);
CREATE INDEX login_throttles_age ON commerce.login_throttles USING btree (expires_at);

create table commerce.login_unlocks (
  token_hash bytea not null,
  key_hash bytea not null,
  pass_hash bytea,
  used_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  site_id uuid,
  constraint login_unlocks_pkey PRIMARY KEY (token_hash),
  constraint login_unlocks_pass_hash_key UNIQUE (pass_hash)
);
CREATE INDEX login_unlocks_expiry ON commerce.login_unlocks USING btree (expires_at);
CREATE INDEX login_unlocks_of ON commerce.login_unlocks USING btree (key_hash);

create table commerce.low_stock_notices (
  site_id uuid not null,
  variant_id uuid not null,
  made_in xid8 not null default pg_current_xact_id(),
  constraint low_stock_notices_pkey PRIMARY KEY (site_id, variant_id),
  constraint low_stock_notices_site_id_variant_id_fkey FOREIGN KEY (site_id, variant_id) REFERENCES commerce.variants(site_id, id) ON DELETE CASCADE
);
alter table commerce.low_stock_notices enable row level security, force row level security;

create table commerce.marketing_consents (
  site_id uuid not null,
  id uuid not null,
  customer_id uuid,
  email text not null,
  granted boolean not null,
  source text not null,
  wording text,
  order_id uuid,
  recorded_at timestamp with time zone not null default now(),
  constraint marketing_consents_pkey PRIMARY KEY (site_id, id),
  constraint marketing_consents_site_id_customer_id_fkey FOREIGN KEY (site_id, customer_id) REFERENCES commerce.customers(site_id, id),
  constraint marketing_consents_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id),
  constraint marketing_consents_email_check CHECK ((email = lower(email))),
  constraint marketing_consents_source_check CHECK ((source = ANY (ARRAY['registration'::text, 'checkout'::text, 'account'::text, 'dashboard'::text, 'import'::text])))
);
CREATE INDEX marketing_consents_by_email ON commerce.marketing_consents USING btree (site_id, email);
CREATE INDEX marketing_consents_of ON commerce.marketing_consents USING btree (site_id, customer_id, recorded_at, id);
CREATE INDEX marketing_consents_of_order ON commerce.marketing_consents USING btree (site_id, order_id) WHERE (order_id IS NOT NULL);
alter table commerce.marketing_consents enable row level security, force row level security;

create table commerce.oauth_clients (
  site_id uuid not null,
  client_id text not null,
  client_name text not null,
  redirect_uris text[] not null,
  from_document boolean not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint oauth_clients_pkey PRIMARY KEY (site_id, client_id),
  constraint oauth_clients_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
CREATE INDEX oauth_clients_age ON commerce.oauth_clients USING btree (expires_at);
alter table commerce.oauth_clients enable row level security, force row level security;

create table commerce.operator_audit_events (
  id uuid not null,
  key_id uuid not null,
  operation text not null,
  about_site uuid,
  status smallint not null,
  request_id text not null,
  ip text,
  created_at timestamp with time zone not null default now(),
  constraint operator_audit_events_pkey PRIMARY KEY (id),
  constraint operator_audit_events_key_id_fkey FOREIGN KEY (key_id) REFERENCES commerce.operator_keys(id)
);

create table commerce.operator_keys (
  id uuid not null,
  description text not null,
  token_hash bytea not null,
  secret_prefix text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  constraint operator_keys_pkey PRIMARY KEY (id),
  constraint operator_keys_token_hash_key UNIQUE (token_hash)
);

create table commerce.order_events (
  site_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  type text not null,
  message text not null,
  context jsonb not null default '{}'::jsonb,
  actor_type text not null,
  actor_id uuid,
  created_at timestamp with time zone not null default now(),
  constraint order_events_pkey PRIMARY KEY (site_id, id),
  constraint order_events_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id)
);
CREATE INDEX order_events_of ON commerce.order_events USING btree (site_id, order_id, id);
alter table commerce.order_events enable row level security, force row level security;

create table commerce.order_lines (
  site_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  position integer not null,
  name text not null,
  quantity integer not null,
  price numeric not null,
  total numeric not null,
  variant_id uuid,
  product_id uuid,
  sku text,
  option1 text,
  option2 text,
  option3 text,
  variant_name text,
  image_url text,
  discount numeric not null default 0,
  tax numeric not null default 0,
  stock_taken boolean not null default false,
  refunded_quantity integer not null default 0,
  restocked integer not null default 0,
  tax_class text,
  tax_rate numeric(6,4),
  fulfilled integer not null default 0,
  removed integer not null default 0,
  returned integer not null default 0,
  in_returns integer not null default 0,
  refunded_unreturned integer not null default 0,
  withheld integer not null default 0,
  requires_shipping boolean not null default true,
  custom_exempt text,
  constraint order_lines_pkey PRIMARY KEY (site_id, id),
  constraint order_lines_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id),
  constraint custom_exempt_of_custom_line CHECK (((custom_exempt IS NULL) OR ((variant_id IS NULL) AND (product_id IS NULL) AND (custom_exempt = ANY (ARRAY['none'::text, 'custom_made'::text, 'perishable'::text, 'sealed_hygiene'::text, 'digital'::text]))))),
  constraint order_lines_check1 CHECK (((restocked >= 0) AND (restocked <= quantity))),
  constraint order_lines_quantity_check CHECK ((quantity >= 0)),
  constraint pieces_in_stock CHECK ((((fulfilled + restocked) - returned) <= quantity)),
  constraint pieces_refunded CHECK (((removed <= refunded_quantity) AND (refunded_quantity <= quantity) AND ((refunded_quantity - removed) <= fulfilled))),
  constraint pieces_returned CHECK (((returned >= 0) AND (in_returns >= 0) AND (refunded_unreturned >= 0) AND (((returned + in_returns) + refunded_unreturned) <= fulfilled))),
  constraint pieces_to_fulfill CHECK (((fulfilled >= 0) AND (removed >= 0) AND (withheld >= 0) AND (((fulfilled + removed) + withheld) <= quantity)))
);
CREATE INDEX order_lines_of ON commerce.order_lines USING btree (site_id, order_id, "position");
CREATE INDEX order_lines_searched ON commerce.order_lines USING gin (site_id, sku public.gin_trgm_ops) WHERE (sku IS NOT NULL);
alter table commerce.order_lines enable row level security, force row level security;

create table commerce.order_links (
  site_id uuid not null,
  token_hash bytea not null,
  order_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint order_links_pkey PRIMARY KEY (site_id, token_hash),
  constraint order_links_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id)
);
CREATE INDEX order_links_age ON commerce.order_links USING btree (created_at);
CREATE INDEX order_links_of ON commerce.order_links USING btree (site_id, order_id);
alter table commerce.order_links enable row level security, force row level security;

create table commerce.order_numbers (
  site_id uuid not null,
  last_number bigint not null default 1000,
  constraint order_numbers_pkey PRIMARY KEY (site_id),
  constraint order_numbers_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
alter table commerce.order_numbers enable row level security, force row level security;

create table commerce.order_payments (
  site_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  amount numeric not null,
  method text not null,
  received_at timestamp with time zone not null,
  reference text,
  actor_id uuid not null,
  created_at timestamp with time zone not null default now(),
  entry text,
  payment_id uuid,
  constraint order_payments_pkey PRIMARY KEY (site_id, id),
  constraint order_payments_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id),
  constraint order_payments_site_id_payment_id_fkey FOREIGN KEY (site_id, payment_id) REFERENCES commerce.payments(site_id, id),
  constraint order_payments_amount_check CHECK ((amount > (0)::numeric)),
  constraint order_payments_method_check CHECK ((method = ANY (ARRAY['bank_transfer'::text, 'cash'::text, 'card'::text, 'other'::text])))
);
CREATE UNIQUE INDEX online_payment_recorded ON commerce.order_payments USING btree (site_id, payment_id) WHERE (payment_id IS NOT NULL);
CREATE INDEX order_payments_of ON commerce.order_payments USING btree (site_id, order_id, id);
CREATE UNIQUE INDEX statement_entry_recorded ON commerce.order_payments USING btree (site_id, entry) WHERE (entry IS NOT NULL);
alter table commerce.order_payments enable row level security, force row level security;

create table commerce.order_versions (
  site_id uuid not null,
  order_id uuid not null,
  version integer not null,
  content jsonb not null,
  total numeric not null,
  received numeric not null,
  actor_type text not null,
  actor_id uuid,
  replaced_at timestamp with time zone not null default now(),
  constraint order_versions_pkey PRIMARY KEY (site_id, order_id, version),
  constraint order_versions_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id),
  constraint order_versions_version_check CHECK ((version > 0))
);
alter table commerce.order_versions enable row level security, force row level security;

create table commerce.orders (
  site_id uuid not null,
  id uuid not null,
  order_number text not null,
  checkout_id uuid,
  customer_id uuid,
  email text,
  phone text,
  subtotal numeric not null,
  discount numeric not null default 0,
  shipping_cost numeric not null default 0,
  tax numeric not null default 0,
  tax_included boolean not null default false,
  total numeric not null,
  currency text not null,
  status text not null,
  payment_status text not null,
  fulfillment_status text not null,
  payment_method text,
  billing_address jsonb,
  shipping_address jsonb,
  shipping_method text,
  tracking_number text,
  tracking_url text,
  source text not null,
  external_reference text,
  discount_code text,
  bank_details jsonb,
  note text,
  staff_note text,
  metadata jsonb not null default '{}'::jsonb,
  cancel_reason text,
  payment_due_at timestamp with time zone,
  payment_reminder_at timestamp with time zone,
  payment_reminded_at timestamp with time zone,
  payment_confirmed_at timestamp with time zone,
  shipped_at timestamp with time zone,
  delivered_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  agent_token_id uuid,
  agent_spent_cents bigint not null default 0,
  shipping_kind text,
  refunds_begun numeric not null default 0,
  captured numeric,
  locale text not null default 'en'::text,
  shipping_tax numeric,
  shipping_tax_rate numeric(6,4),
  attribution jsonb,
  agent_period_number integer not null default 0,
  retained numeric not null default 0,
  statement_run_id uuid,
  shipping_taxes jsonb,
  shipping_refunded numeric not null default 0,
  disputed numeric not null default 0,
  credited numeric not null default 0,
  payment_terms_days integer,
  edits integer not null default 0,
  released numeric,
  exchange_of uuid,
  exchange_credit numeric not null default 0,
  digital_consent_wording text,
  constraint orders_pkey PRIMARY KEY (site_id, id),
  constraint external_reference_taken UNIQUE (site_id, external_reference),
  constraint one_order_per_checkout UNIQUE (site_id, checkout_id),
  constraint orders_site_id_order_number_key UNIQUE (site_id, order_number),
  constraint exchange_of_order FOREIGN KEY (site_id, exchange_of) REFERENCES commerce.orders(site_id, id),
  constraint orders_site_id_agent_token_id_fkey FOREIGN KEY (site_id, agent_token_id) REFERENCES commerce.agent_tokens(site_id, id),
  constraint orders_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint credit_of_exchange CHECK (((exchange_credit >= (0)::numeric) AND ((exchange_credit = (0)::numeric) OR (exchange_of IS NOT NULL)))),
  constraint credit_within_total CHECK (((credited >= (0)::numeric) AND (credited <= total))),
  constraint orders_check CHECK ((total = (((subtotal - discount) + shipping_cost) +
CASE
    WHEN tax_included THEN (0)::numeric
    ELSE tax
END))),
  constraint orders_check1 CHECK (((agent_spent_cents >= 0) AND ((agent_spent_cents = 0) OR (agent_token_id IS NOT NULL)))),
  constraint orders_discount_check CHECK ((discount >= (0)::numeric)),
  constraint orders_fulfillment_status_check CHECK ((fulfillment_status = ANY (ARRAY['unfulfilled'::text, 'partially_fulfilled'::text, 'fulfilled'::text, 'delivered'::text, 'returned'::text]))),
  constraint orders_payment_method_check CHECK ((payment_method = ANY (ARRAY['bank_transfer'::text, 'card'::text, 'online'::text, 'manual'::text, 'free'::text]))),
  constraint orders_payment_status_check CHECK ((payment_status = ANY (ARRAY['pending'::text, 'awaiting_payment'::text, 'authorized'::text, 'paid'::text, 'partially_refunded'::text, 'refunded'::text, 'failed'::text, 'expired'::text, 'voided'::text]))),
  constraint orders_retained_check CHECK ((retained >= (0)::numeric)),
  constraint orders_shipping_cost_check CHECK ((shipping_cost >= (0)::numeric)),
  constraint orders_shipping_kind_check CHECK ((shipping_kind = ANY (ARRAY['delivery'::text, 'pickup'::text]))),
  constraint orders_source_check CHECK ((source = ANY (ARRAY['storefront'::text, 'agent'::text, 'ai_widget'::text, 'dashboard'::text, 'import'::text]))),
  constraint orders_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'confirmed'::text, 'processing'::text, 'completed'::text, 'cancelled'::text]))),
  constraint orders_subtotal_check CHECK ((subtotal >= (0)::numeric)),
  constraint orders_tax_check CHECK ((tax >= (0)::numeric)),
  constraint orders_total_check CHECK ((total >= (0)::numeric)),
  constraint refunds_within_payment CHECK (((refunds_begun >= (0)::numeric) AND (disputed >= (0)::numeric) AND ((refunds_begun + disputed) <= COALESCE(captured, total)))),
  constraint shipping_refunded_at_most CHECK (((shipping_refunded >= (0)::numeric) AND (shipping_refunded <= commerce.shipping_charged(shipping_cost, tax_included, shipping_tax, shipping_taxes)))),
  constraint terms_of_invoice CHECK (((payment_terms_days IS NULL) OR (payment_method = 'manual'::text)))
);
CREATE INDEX invoices_to_remind ON commerce.orders USING btree (payment_reminder_at, site_id) WHERE ((payment_terms_days IS NOT NULL) AND (payment_status = 'pending'::text) AND (payment_reminded_at IS NULL));
CREATE INDEX orders_due ON commerce.orders USING btree (payment_due_at, site_id) WHERE (payment_status = 'awaiting_payment'::text);
CREATE INDEX orders_newest ON commerce.orders USING btree (site_id, created_at DESC, id);
CREATE INDEX orders_numbered ON commerce.orders USING btree (site_id, lower(order_number));
CREATE INDEX orders_of_agent ON commerce.orders USING btree (site_id, agent_token_id) WHERE (agent_token_id IS NOT NULL);
CREATE INDEX orders_of_customer ON commerce.orders USING btree (site_id, customer_id, created_at DESC);
CREATE INDEX orders_of_exchange ON commerce.orders USING btree (site_id, exchange_of) WHERE (exchange_of IS NOT NULL);
CREATE INDEX orders_of_guests ON commerce.orders USING btree (site_id, lower(email)) WHERE (customer_id IS NULL);
CREATE INDEX orders_of_statement_run ON commerce.orders USING btree (site_id, statement_run_id) WHERE (statement_run_id IS NOT NULL);
CREATE INDEX orders_on_terms ON commerce.orders USING btree (site_id, customer_id) WHERE ((payment_terms_days IS NOT NULL) AND (payment_status = 'pending'::text));
CREATE INDEX orders_open ON commerce.orders USING btree (site_id, fulfillment_status, payment_status) WHERE (status = ANY (ARRAY['pending'::text, 'confirmed'::text, 'processing'::text]));
CREATE INDEX orders_searched ON commerce.orders USING gin (site_id, commerce.order_search_text(order_number, email, tracking_number, external_reference, shipping_address, billing_address) public.gin_trgm_ops);
CREATE INDEX orders_to_remind ON commerce.orders USING btree (payment_reminder_at, site_id) WHERE ((payment_status = 'awaiting_payment'::text) AND (payment_reminded_at IS NULL));
alter table commerce.orders enable row level security, force row level security;

create table commerce.payment_accounts (
  site_id uuid not null,
  provider text not null,
  mode text not null,
  secret_key bytea,
  connected_account text,
  webhook_secret bytea,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint payment_accounts_pkey PRIMARY KEY (site_id),
  constraint payment_accounts_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint payment_accounts_check CHECK (((secret_key IS NULL) <> (connected_account IS NULL))),
  constraint payment_accounts_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint payment_accounts_provider_check CHECK ((provider = 'stripe'::text))
);
alter table commerce.payment_accounts enable row level security, force row level security;

create table commerce.payment_events (
  site_id uuid not null,
  provider text not null,
  event_id text not null,
  received_at timestamp with time zone not null default now(),
  constraint payment_events_pkey PRIMARY KEY (site_id, provider, event_id),
  constraint payment_events_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
CREATE INDEX payment_events_age ON commerce.payment_events USING btree (site_id, received_at);
alter table commerce.payment_events enable row level security, force row level security;

create table commerce.payment_moves (
  site_id uuid not null,
  id uuid not null,
  kind text not null,
  payment_id uuid not null,
  order_id uuid not null,
  amount numeric not null,
  status text not null default 'pending'::text,
  reference text,
  failure_reason text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint payment_moves_pkey PRIMARY KEY (site_id, id),
  constraint payment_moves_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id),
  constraint payment_moves_site_id_payment_id_fkey FOREIGN KEY (site_id, payment_id) REFERENCES commerce.payments(site_id, id),
  constraint payment_moves_amount_check CHECK ((amount > (0)::numeric)),
  constraint payment_moves_kind_check CHECK ((kind = ANY (ARRAY['capture'::text, 'refund'::text]))),
  constraint payment_moves_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])))
);
CREATE INDEX moves_of_order ON commerce.payment_moves USING btree (site_id, order_id);
CREATE INDEX moves_to_finish ON commerce.payment_moves USING btree (updated_at, site_id) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX one_capture ON commerce.payment_moves USING btree (site_id, payment_id) WHERE ((kind = 'capture'::text) AND (status <> 'failed'::text));
alter table commerce.payment_moves enable row level security, force row level security;

create table commerce.payments (
  site_id uuid not null,
  id uuid not null,
  checkout_id uuid,
  order_id uuid,
  provider text not null,
  status text not null,
  amount numeric not null,
  card_hash bytea not null,
  reference text,
  failure_reason text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  kind text not null default 'card_token'::text,
  currency text,
  frozen jsonb,
  held_cents bigint not null default 0,
  next_action bytea,
  return_url text,
  expires_at timestamp with time zone,
  unreachable_since timestamp with time zone,
  captured_amount numeric,
  purpose text not null default 'checkout'::text,
  constraint payments_pkey PRIMARY KEY (site_id, id),
  constraint payments_site_id_provider_reference_key UNIQUE (site_id, provider, reference),
  constraint payments_site_id_checkout_id_fkey FOREIGN KEY (site_id, checkout_id) REFERENCES commerce.checkouts(site_id, id),
  constraint payments_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id),
  constraint payment_of_checkout_or_order CHECK (
CASE
    WHEN (purpose = 'checkout'::text) THEN (checkout_id IS NOT NULL)
    ELSE ((checkout_id IS NULL) AND (order_id IS NOT NULL))
END),
  constraint payments_amount_check CHECK ((amount > (0)::numeric)),
  constraint payments_captured_amount_check CHECK ((captured_amount >= (0)::numeric)),
  constraint payments_held_cents_check CHECK ((held_cents >= 0)),
  constraint payments_kind_check CHECK ((kind = ANY (ARRAY['card_token'::text, 'confirmation_token'::text, 'page'::text]))),
  constraint payments_purpose_check CHECK ((purpose = ANY (ARRAY['checkout'::text, 'amount_due'::text]))),
  constraint payments_status_check CHECK ((status = ANY (ARRAY['started'::text, 'requires_action'::text, 'pending'::text, 'authorized'::text, 'succeeded'::text, 'failed'::text, 'abandoned'::text, 'cancelled'::text, 'refunded'::text])))
);
CREATE INDEX due_payments_to_settle ON commerce.payments USING btree (updated_at) WHERE ((purpose = 'amount_due'::text) AND (status = ANY (ARRAY['started'::text, 'requires_action'::text])));
CREATE UNIQUE INDEX one_due_payment_at_a_time ON commerce.payments USING btree (site_id, order_id) WHERE ((purpose = 'amount_due'::text) AND (status = ANY (ARRAY['started'::text, 'requires_action'::text, 'pending'::text, 'authorized'::text])));
CREATE UNIQUE INDEX one_payment_at_a_time ON commerce.payments USING btree (site_id, checkout_id) WHERE (status = ANY (ARRAY['started'::text, 'requires_action'::text, 'pending'::text, 'authorized'::text, 'succeeded'::text]));
CREATE INDEX payments_of_checkout ON commerce.payments USING btree (site_id, checkout_id);
CREATE INDEX payments_of_order ON commerce.payments USING btree (site_id, order_id);
CREATE INDEX payments_to_settle ON commerce.payments USING btree (updated_at) WHERE ((status = ANY (ARRAY['pending'::text, 'authorized'::text, 'abandoned'::text])) OR ((order_id IS NULL) AND (status = ANY (ARRAY['started'::text, 'requires_action'::text, 'succeeded'::text]))));
alter table commerce.payments enable row level security, force row level security;

create table commerce.pending_images (
  site_id uuid not null,
  id uuid not null,
  product_id uuid not null,
  file_id uuid not null,
  alt text,
  position integer not null,
  created_at timestamp with time zone not null default now(),
  constraint pending_images_pkey PRIMARY KEY (site_id, id),
  constraint pending_images_site_id_file_id_fkey FOREIGN KEY (site_id, file_id) REFERENCES commerce.files(site_id, id) ON DELETE CASCADE,
  constraint pending_images_site_id_product_id_fkey FOREIGN KEY (site_id, product_id) REFERENCES commerce.products(site_id, id) ON DELETE CASCADE
);
CREATE INDEX pending_images_of_file ON commerce.pending_images USING btree (site_id, file_id);
CREATE INDEX pending_images_of_product ON commerce.pending_images USING btree (site_id, product_id);
alter table commerce.pending_images enable row level security, force row level security;

create table commerce.product_changes (
  site_id uuid not null,
  era integer not null default commerce.change_era(),
  changed_in bigint not null default ((pg_current_xact_id())::text)::bigint,
  product_id uuid not null,
  seen boolean not null,
  changed_at timestamp with time zone not null default clock_timestamp(),
  constraint product_changes_pkey PRIMARY KEY (site_id, era, changed_in, product_id)
);
CREATE INDEX product_changes_age ON commerce.product_changes USING btree (changed_at);
CREATE INDEX product_changes_of ON commerce.product_changes USING btree (site_id, product_id, era, changed_in);
alter table commerce.product_changes enable row level security, force row level security;

create table commerce.product_images (
  site_id uuid not null,
  id uuid not null,
  product_id uuid not null,
  url text not null,
  alt text,
  position integer not null,
  width integer,
  height integer,
  file_id uuid,
  sources jsonb,
  constraint product_images_pkey PRIMARY KEY (site_id, id),
  constraint product_images_site_id_file_id_fkey FOREIGN KEY (site_id, file_id) REFERENCES commerce.files(site_id, id),
  constraint product_images_site_id_product_id_fkey FOREIGN KEY (site_id, product_id) REFERENCES commerce.products(site_id, id) ON DELETE CASCADE
) with (autovacuum_analyze_scale_factor=0.5);
CREATE INDEX product_images_by_product ON commerce.product_images USING btree (site_id, product_id, "position");
CREATE INDEX product_images_of_file ON commerce.product_images USING btree (site_id, file_id) WHERE (file_id IS NOT NULL);
alter table commerce.product_images enable row level security, force row level security;

create table commerce.product_options (
  site_id uuid not null,
  id uuid not null,
  product_id uuid not null,
  name text not null,
  position smallint not null,
  values text[] not null,
  constraint product_options_pkey PRIMARY KEY (site_id, id),
  constraint option_position UNIQUE (site_id, product_id, "position") DEFERRABLE INITIALLY DEFERRED,
  constraint product_options_site_id_product_id_fkey FOREIGN KEY (site_id, product_id) REFERENCES commerce.products(site_id, id) ON DELETE CASCADE,
  constraint product_options_position_check CHECK ((("position" >= 1) AND ("position" <= 3)))
) with (autovacuum_analyze_scale_factor=0.5);
CREATE UNIQUE INDEX option_name_taken ON commerce.product_options USING btree (site_id, product_id, lower(name));
alter table commerce.product_options enable row level security, force row level security;

create table commerce.product_sales (
  site_id uuid not null,
  order_id uuid not null,
  product_id uuid not null,
  quantity bigint not null,
  constraint product_sales_pkey PRIMARY KEY (site_id, order_id, product_id)
);
alter table commerce.product_sales enable row level security, force row level security;

create table commerce.product_search (
  site_id uuid not null,
  product_id uuid not null,
  title text not null,
  skus text[] not null,
  document tsvector not null,
  fingerprint text not null default ''::text,
  index_version smallint not null default 0,
  posting_count integer not null default 0,
  constraint product_search_pkey PRIMARY KEY (site_id, product_id),
  constraint product_search_site_id_product_id_fkey FOREIGN KEY (site_id, product_id) REFERENCES commerce.products(site_id, id) ON DELETE CASCADE
) with (autovacuum_analyze_scale_factor=0.5);
CREATE INDEX product_search_by_version ON commerce.product_search USING btree (site_id, index_version, product_id);
CREATE INDEX product_search_document ON commerce.product_search USING gin (site_id, document);
CREATE INDEX product_search_skus ON commerce.product_search USING gin (site_id, skus);
CREATE INDEX product_search_title ON commerce.product_search USING gin (site_id, title public.gin_trgm_ops);
alter table commerce.product_search enable row level security, force row level security;

create table commerce.product_tombstones (
  site_id uuid not null,
  product_id uuid not null,
  slug text not null,
  deleted_at timestamp with time zone not null default now(),
  constraint product_tombstones_pkey PRIMARY KEY (site_id, product_id),
  constraint product_tombstones_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
alter table commerce.product_tombstones enable row level security, force row level security;

create table commerce.products (
  site_id uuid not null,
  id uuid not null,
  name text not null,
  slug text not null,
  description text not null default ''::text,
  vendor text,
  product_type text,
  tags text[] not null default '{}'::text[],
  status text not null,
  published_at timestamp with time zone,
  metadata jsonb not null default '{}'::jsonb,
  track_inventory boolean not null default true,
  has_variants boolean not null,
  price numeric not null,
  price_max numeric not null,
  compare_at_price numeric,
  cost_per_item numeric,
  sales_count bigint not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  tax_class text not null default 'standard'::text,
  description_html text,
  seo_title text,
  seo_description text,
  returnable boolean not null default true,
  withdrawal_exempt text not null default 'none'::text,
  constraint products_pkey PRIMARY KEY (site_id, id),
  constraint slug_taken UNIQUE (site_id, slug),
  constraint products_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint products_price_check CHECK (((price >= (0)::numeric) AND (price < '1000000000000'::numeric))),
  constraint products_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'archived'::text]))),
  constraint products_tax_class_check CHECK ((tax_class ~ '^[a-z0-9][a-z0-9_-]{0,31}$'::text)),
  constraint products_withdrawal_exempt_check CHECK ((withdrawal_exempt = ANY (ARRAY['none'::text, 'custom_made'::text, 'perishable'::text, 'sealed_hygiene'::text, 'digital'::text])))
) with (autovacuum_analyze_scale_factor=0.5);
CREATE INDEX products_best_selling ON commerce.products USING btree (site_id, sales_count DESC, id) INCLUDE (published_at, price, price_max) WHERE (status = 'active'::text);
CREATE INDEX products_by_change ON commerce.products USING btree (site_id, GREATEST(updated_at, published_at)) WHERE (status = 'active'::text);
CREATE INDEX products_by_created ON commerce.products USING btree (site_id, created_at DESC, id);
CREATE INDEX products_by_name ON commerce.products USING btree (site_id, name, id);
CREATE INDEX products_by_price ON commerce.products USING btree (site_id, price, id) WHERE (status = 'active'::text);
CREATE INDEX products_hidden ON commerce.products USING btree (site_id, id) WHERE ((status <> 'active'::text) OR (published_at IS NULL));
CREATE INDEX products_newest ON commerce.products USING btree (site_id, published_at DESC, id) WHERE (status = 'active'::text);
CREATE INDEX products_searched ON commerce.products USING gin (site_id, name public.gin_trgm_ops);
CREATE INDEX products_visible ON commerce.products USING btree (site_id, id) INCLUDE (published_at, price, price_max) WHERE (status = 'active'::text);
alter table commerce.products enable row level security, force row level security;

create table commerce.public_tool_calls (
  site_id uuid not null,
  id uuid not null,
  address inet,
  tool text,
  outcome text not null,
  created_at timestamp with time zone not null default now(),
  constraint public_tool_calls_pkey PRIMARY KEY (site_id, id),
  constraint public_tool_calls_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
CREATE INDEX public_tool_calls_age ON commerce.public_tool_calls USING btree (site_id, created_at);
alter table commerce.public_tool_calls enable row level security, force row level security;

create table commerce.rate_counts (
  key_hash bytea not null,
  points integer not null,
  expires_at timestamp with time zone not null,
  constraint rate_counts_pkey PRIMARY KEY (key_hash)
);
CREATE INDEX rate_counts_age ON commerce.rate_counts USING btree (expires_at);

create table commerce.refund_items (
  site_id uuid not null,
  refund_id uuid not null,
  line_id uuid not null,
  quantity integer not null,
  restock boolean not null,
  shipped boolean not null,
  unreturned integer not null default 0,
  constraint refund_items_pkey PRIMARY KEY (site_id, refund_id, line_id, shipped),
  constraint refund_items_site_id_line_id_fkey FOREIGN KEY (site_id, line_id) REFERENCES commerce.order_lines(site_id, id),
  constraint refund_items_site_id_refund_id_fkey FOREIGN KEY (site_id, refund_id) REFERENCES commerce.refunds(site_id, id),
  constraint refund_items_check CHECK (((unreturned >= 0) AND (unreturned <= quantity))),
  constraint refund_items_quantity_check CHECK ((quantity > 0))
);
alter table commerce.refund_items enable row level security, force row level security;

create table commerce.refunds (
  site_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  amount numeric not null,
  reason text,
  note text,
  actor_id uuid not null,
  created_at timestamp with time zone not null default now(),
  return_id uuid,
  shipping numeric not null default 0,
  overpaid numeric not null default 0,
  constraint refunds_pkey PRIMARY KEY (site_id, id),
  constraint refunds_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id),
  constraint refunds_site_id_return_id_fkey FOREIGN KEY (site_id, return_id) REFERENCES commerce.returns(site_id, id),
  constraint overpaid_at_most CHECK (((overpaid >= (0)::numeric) AND (overpaid <= amount))),
  constraint refunds_amount_check CHECK ((amount > (0)::numeric)),
  constraint refunds_check CHECK (((shipping >= (0)::numeric) AND (shipping <= amount)))
);
CREATE INDEX refunds_of ON commerce.refunds USING btree (site_id, order_id, created_at);
CREATE INDEX refunds_of_return ON commerce.refunds USING btree (site_id, return_id) WHERE (return_id IS NOT NULL);
alter table commerce.refunds enable row level security, force row level security;

create table commerce.return_lines (
  site_id uuid not null,
  id uuid not null,
  return_id uuid not null,
  line_id uuid not null,
  position integer not null,
  quantity integer not null,
  reason text not null,
  note text,
  received_quantity integer not null default 0,
  condition text,
  restocked integer not null default 0,
  credited integer not null default 0,
  constraint return_lines_pkey PRIMARY KEY (site_id, id),
  constraint one_return_line_per_order_line UNIQUE (site_id, return_id, line_id),
  constraint return_lines_site_id_line_id_fkey FOREIGN KEY (site_id, line_id) REFERENCES commerce.order_lines(site_id, id),
  constraint return_lines_site_id_return_id_fkey FOREIGN KEY (site_id, return_id) REFERENCES commerce.returns(site_id, id),
  constraint pieces_credited CHECK (((credited >= 0) AND (credited <= received_quantity))),
  constraint pieces_received CHECK (((received_quantity >= 0) AND (received_quantity <= quantity))),
  constraint pieces_restocked CHECK (((restocked >= 0) AND (restocked <= received_quantity))),
  constraint return_lines_condition_check CHECK ((condition = ANY (ARRAY['resellable'::text, 'damaged'::text, 'missing'::text]))),
  constraint return_lines_quantity_check CHECK ((quantity > 0))
);
CREATE INDEX return_lines_of ON commerce.return_lines USING btree (site_id, line_id);
alter table commerce.return_lines enable row level security, force row level security;

create table commerce.returns (
  site_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  ordinal integer not null,
  kind text not null,
  status text not null,
  late boolean not null default false,
  resolution text not null,
  keep_goods boolean not null default false,
  fee numeric not null default 0,
  label_url text,
  carrier text,
  tracking_number text,
  customer_note text,
  staff_note text,
  decline_reason text,
  close_reason text,
  exchange_order_id uuid,
  created_by text not null,
  actor_id uuid,
  requested_at timestamp with time zone not null default now(),
  decided_at timestamp with time zone,
  received_at timestamp with time zone,
  closed_at timestamp with time zone,
  updated_at timestamp with time zone not null default now(),
  credited numeric not null default 0,
  constraint returns_pkey PRIMARY KEY (site_id, id),
  constraint return_number_taken UNIQUE (site_id, order_id, ordinal),
  constraint returns_site_id_exchange_order_id_fkey FOREIGN KEY (site_id, exchange_order_id) REFERENCES commerce.orders(site_id, id),
  constraint returns_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id),
  constraint credited_amount CHECK ((credited >= (0)::numeric)),
  constraint return_declined CHECK (((status = 'declined'::text) = (decline_reason IS NOT NULL))),
  constraint return_ended CHECK (((status = ANY (ARRAY['closed'::text, 'cancelled'::text])) = (closed_at IS NOT NULL))),
  constraint returns_fee_check CHECK ((fee >= (0)::numeric)),
  constraint returns_kind_check CHECK ((kind = ANY (ARRAY['return'::text, 'withdrawal'::text, 'exchange'::text]))),
  constraint returns_ordinal_check CHECK ((ordinal > 0)),
  constraint returns_resolution_check CHECK ((resolution = ANY (ARRAY['refund'::text, 'exchange'::text]))),
  constraint returns_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'approved'::text, 'declined'::text, 'in_transit'::text, 'received'::text, 'closed'::text, 'cancelled'::text]))),
  constraint withdrawal_without_fee CHECK (((kind <> 'withdrawal'::text) OR (fee = (0)::numeric)))
);
CREATE INDEX returns_by_status ON commerce.returns USING btree (site_id, status, id DESC);
CREATE INDEX returns_newest ON commerce.returns USING btree (site_id, id DESC);
alter table commerce.returns enable row level security, force row level security;

create table commerce.search_models (
  site_id uuid not null,
  id uuid not null,
  products integer not null,
  changed integer not null default 0,
  learnt_at timestamp with time zone not null default now(),
  completed_at timestamp with time zone,
  constraint search_models_pkey PRIMARY KEY (site_id),
  constraint search_models_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
alter table commerce.search_models enable row level security, force row level security;

create table commerce.search_postings (
  site_id uuid not null,
  product_id uuid not null,
  term text not null,
  impact real not null,
  place smallint not null,
  constraint search_postings_pkey PRIMARY KEY (site_id, product_id, term)
) with (autovacuum_analyze_scale_factor=0.5);
CREATE INDEX search_postings_by_term ON commerce.search_postings USING btree (site_id, term) INCLUDE (product_id, impact, place);
CREATE INDEX search_postings_in_names ON commerce.search_postings USING btree (site_id, term, product_id) WHERE (((place)::integer & 1) > 0);
CREATE INDEX search_postings_of_heads ON commerce.search_postings USING btree (site_id, term) WHERE (((place)::integer & 2) > 0);
alter table commerce.search_postings enable row level security, force row level security;

create table commerce.search_product_vectors (
  site_id uuid not null,
  product_id uuid not null,
  model_id uuid not null,
  fingerprint text not null,
  vector bytea,
  constraint search_product_vectors_pkey PRIMARY KEY (site_id, product_id),
  constraint search_product_vectors_site_id_product_id_fkey FOREIGN KEY (site_id, product_id) REFERENCES commerce.products(site_id, id) ON DELETE CASCADE
);
alter table commerce.search_product_vectors enable row level security, force row level security;

create table commerce.search_word_vectors (
  site_id uuid not null,
  term text not null,
  vector bytea not null,
  constraint search_word_vectors_pkey PRIMARY KEY (site_id, term),
  constraint search_word_vectors_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.search_models(site_id) ON DELETE CASCADE
);
alter table commerce.search_word_vectors enable row level security, force row level security;

create table commerce.shipping_options (
  site_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  kind text not null,
  price numeric not null,
  countries text[] not null default '{}'::text[],
  minimum_subtotal numeric,
  maximum_subtotal numeric,
  position integer not null default 1,
  active boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  states text[] not null default '{}'::text[],
  postcode_prefixes text[] not null default '{}'::text[],
  minimum_weight_grams bigint,
  maximum_weight_grams bigint,
  estimated_days_min smallint,
  estimated_days_max smallint,
  cash_on_delivery_fee numeric,
  constraint shipping_options_pkey PRIMARY KEY (site_id, id),
  constraint shipping_options_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint cash_on_delivery_is_delivered CHECK (((cash_on_delivery_fee IS NULL) OR (kind = 'delivery'::text))),
  constraint shipping_options_cash_on_delivery_fee_check CHECK (((cash_on_delivery_fee >= (0)::numeric) AND (cash_on_delivery_fee < ('1000000000000'::bigint)::numeric))),
  constraint shipping_options_check CHECK ((estimated_days_max >= estimated_days_min)),
  constraint shipping_options_estimated_days_min_check CHECK ((estimated_days_min >= 0)),
  constraint shipping_options_kind_check CHECK ((kind = ANY (ARRAY['delivery'::text, 'pickup'::text]))),
  constraint shipping_options_maximum_subtotal_check CHECK ((maximum_subtotal >= (0)::numeric)),
  constraint shipping_options_maximum_weight_grams_check CHECK ((maximum_weight_grams >= 0)),
  constraint shipping_options_minimum_subtotal_check CHECK ((minimum_subtotal >= (0)::numeric)),
  constraint shipping_options_minimum_weight_grams_check CHECK ((minimum_weight_grams >= 0)),
  constraint shipping_options_price_check CHECK (((price >= (0)::numeric) AND (price < '1000000000000'::numeric)))
);
alter table commerce.shipping_options enable row level security, force row level security;

create table commerce.signing_keys (
  site_id uuid not null,
  kid text not null,
  public_key jsonb not null,
  sealed bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint signing_keys_pkey PRIMARY KEY (site_id, kid),
  constraint signing_keys_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
alter table commerce.signing_keys enable row level security, force row level security;

create table commerce.site_domains (
  host text not null,
  site_id uuid not null,
  is_primary boolean not null default false,
  created_at timestamp with time zone not null default now(),
  constraint site_domains_pkey PRIMARY KEY (host),
  constraint site_domains_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint site_domains_host_check CHECK (((host ~ '^[a-z0-9-]+([.][a-z0-9-]+)+$'::text) AND (length(host) <= 253)))
);
CREATE INDEX domains_of_site ON commerce.site_domains USING btree (site_id);
CREATE UNIQUE INDEX one_primary_domain ON commerce.site_domains USING btree (site_id) WHERE is_primary;

create table commerce.site_receivers (
  public_key bytea not null,
  private_key bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint site_receivers_pkey PRIMARY KEY (public_key),
  constraint site_receivers_public_key_check CHECK ((length(public_key) = 32))
);

create table commerce.site_settings (
  site_id uuid not null,
  name text not null,
  prices_include_tax boolean not null default true,
  default_tax_rate numeric(6,4) not null default 0,
  tax_rates jsonb not null default '[]'::jsonb,
  bank_details jsonb,
  payment_deadline_hours integer not null default 168,
  low_stock_threshold integer not null default 5,
  agent_policy jsonb not null default '{"enabled": true, "max_budget_cents": 100000, "max_lifetime_days": 90, "password_above_cents": null}'::jsonb,
  updated_at timestamp with time zone not null default now(),
  search_synonyms jsonb not null default '[]'::jsonb,
  search_synonym_terms jsonb not null default '{}'::jsonb,
  payment_capture text not null default 'automatic'::text,
  default_locale text not null default 'en'::text,
  time_zone text not null default 'UTC'::text,
  brand jsonb not null default '{}'::jsonb,
  legal jsonb not null default '{}'::jsonb,
  storefront_url text,
  mail_new_orders boolean not null default true,
  ask_for_marketing boolean not null default false,
  tax_decided boolean not null default false,
  shipping_tax text not null default 'goods'::text,
  product_url_template text,
  return_policy jsonb not null default '{}'::jsonb,
  withdrawal_page boolean,
  invoicing jsonb not null default '{}'::jsonb,
  mail_overdue_invoices boolean not null default true,
  legal_texts jsonb not null default '{}'::jsonb,
  require_ucp_signatures boolean not null default false,
  constraint site_settings_pkey PRIMARY KEY (site_id),
  constraint site_settings_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint site_settings_default_locale_check CHECK ((default_locale ~ '^(en|de|fr)(-[A-Z]{2}){0,1}$'::text)),
  constraint site_settings_default_tax_rate_check CHECK (((default_tax_rate >= (0)::numeric) AND (default_tax_rate <= (1)::numeric))),
  constraint site_settings_legal_texts_check CHECK ((jsonb_typeof(legal_texts) = 'object'::text)),
  constraint site_settings_low_stock_threshold_check CHECK ((low_stock_threshold >= 0)),
  constraint site_settings_payment_capture_check CHECK ((payment_capture = ANY (ARRAY['automatic'::text, 'manual'::text]))),
  constraint site_settings_payment_deadline_hours_check CHECK (((payment_deadline_hours >= 1) AND (payment_deadline_hours <= 720))),
  constraint site_settings_shipping_tax_check CHECK ((shipping_tax = ANY (ARRAY['goods'::text, 'class'::text])))
);
alter table commerce.site_settings enable row level security, force row level security;

create table commerce.site_usage (
  site_id uuid not null,
  month date not null,
  calls bigint not null default 0,
  deliveries bigint not null default 0,
  products bigint not null default 0,
  storage_bytes bigint not null default 0,
  constraint site_usage_pkey PRIMARY KEY (site_id, month),
  constraint site_usage_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint site_usage_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
);
alter table commerce.site_usage enable row level security, force row level security;

create table commerce.sites (
  site_id uuid not null,
  merchant_id uuid not null,
  merchant_name text not null,
  currency text not null,
  currency_digits smallint not null,
  allowed_origins text[] not null default '{}'::text[],
  created_at timestamp with time zone not null default now(),
  limits jsonb not null default '{}'::jsonb,
  show_stock text not null default 'exact'::text,
  suspended_at timestamp with time zone,
  suspended_reason text,
  delete_at timestamp with time zone,
  delete_forced boolean not null default false,
  delete_begun_at timestamp with time zone,
  moved_at timestamp with time zone,
  closed text generated always as (
CASE
    WHEN (moved_at IS NOT NULL) THEN 'moved'::text
    WHEN (suspended_at IS NOT NULL) THEN 'suspended'::text
    ELSE NULL::text
END) stored,
  constraint sites_pkey PRIMARY KEY (site_id),
  constraint sites_merchant_id_key UNIQUE (merchant_id),
  constraint sites_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint sites_currency_digits_check CHECK (((currency_digits >= 0) AND (currency_digits <= 3))),
  constraint sites_limits_check CHECK ((jsonb_typeof(limits) = 'object'::text)),
  constraint sites_show_stock_check CHECK ((show_stock = ANY (ARRAY['exact'::text, 'low_only'::text, 'never'::text]))),
  constraint suspended_until_deleted CHECK (((delete_at IS NULL) OR (suspended_at IS NOT NULL))),
  constraint suspended_while_deleted CHECK (((delete_begun_at IS NULL) OR (suspended_at IS NOT NULL)))
);

create table commerce.staff (
  id uuid not null,
  email text not null,
  name text not null,
  password_hash text not null,
  created_at timestamp with time zone not null default now(),
  constraint staff_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX staff_email ON commerce.staff USING btree (lower(email));

create table commerce.staff_invitations (
  site_id uuid not null,
  id uuid not null,
  email text not null,
  role text not null,
  token_hash bytea,
  invited_by uuid not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint staff_invitations_pkey PRIMARY KEY (site_id, id),
  constraint staff_invitations_token_hash_key UNIQUE (token_hash),
  constraint staff_invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES commerce.staff(id),
  constraint staff_invitations_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint staff_invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'manager'::text, 'fulfilment'::text, 'support'::text, 'viewer'::text])))
);
CREATE UNIQUE INDEX one_invitation_per_address ON commerce.staff_invitations USING btree (site_id, lower(email)) WHERE (ended_at IS NULL);
CREATE INDEX staff_invitations_expiry ON commerce.staff_invitations USING btree (expires_at);

create table commerce.staff_memberships (
  staff_id uuid not null,
  site_id uuid not null,
  role text not null,
  joined_at timestamp with time zone default now(),
  invited_by uuid,
  mail_new_orders boolean,
  mail_low_stock boolean not null default true,
  mail_disabled_webhooks boolean not null default true,
  language text,
  constraint staff_memberships_pkey PRIMARY KEY (staff_id, site_id),
  constraint staff_memberships_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES commerce.staff(id),
  constraint staff_memberships_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint staff_memberships_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES commerce.staff(id),
  constraint staff_memberships_language_check CHECK ((language = ANY (ARRAY['en'::text, 'de'::text, 'fr'::text]))),
  constraint staff_memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'manager'::text, 'fulfilment'::text, 'support'::text, 'viewer'::text])))
);
CREATE INDEX staff_memberships_of ON commerce.staff_memberships USING btree (site_id);

create table commerce.staff_recovery_codes (
  staff_id uuid not null,
  code_hash bytea not null,
  used_at timestamp with time zone,
  constraint staff_recovery_codes_pkey PRIMARY KEY (staff_id, code_hash),
  constraint staff_recovery_codes_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES commerce.staff_second_factors(staff_id) ON DELETE CASCADE
);

create table commerce.staff_resets (
  staff_id uuid not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint staff_resets_pkey PRIMARY KEY (staff_id),
  constraint staff_resets_token_hash_key UNIQUE (token_hash),
  constraint staff_resets_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES commerce.staff(id)
);

create table commerce.staff_second_factors (
  staff_id uuid not null,
  secret bytea not null,
  turned_on_at timestamp with time zone,
  last_step integer not null default 0,
  constraint staff_second_factors_pkey PRIMARY KEY (staff_id),
  constraint staff_second_factors_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES commerce.staff(id)
);

create table commerce.staff_sessions (
  id uuid not null,
  staff_id uuid not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  confirmed_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone not null default now(),
  ip text,
  user_agent text,
  second_factor_at timestamp with time zone,
  constraint staff_sessions_pkey PRIMARY KEY (id),
  constraint staff_sessions_token_hash_key UNIQUE (token_hash),
  constraint staff_sessions_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES commerce.staff(id)
);
CREATE INDEX staff_sessions_ended ON commerce.staff_sessions USING btree (LEAST(expires_at, revoked_at));
CREATE INDEX staff_sessions_of ON commerce.staff_sessions USING btree (staff_id);

create table commerce.stock_movements (
  site_id uuid not null,
  id uuid not null,
  variant_id uuid not null,
  product_id uuid not null,
  type text not null,
  reason text,
  delta integer not null,
  on_hand_after integer not null,
  reserved_after integer not null,
  note text,
  actor_id uuid not null,
  created_at timestamp with time zone not null default now(),
  reference_id uuid,
  reference_type text,
  constraint stock_movements_pkey PRIMARY KEY (site_id, id),
  constraint stock_movements_reference_type_check CHECK ((reference_type = ANY (ARRAY['checkout'::text, 'order'::text, 'refund'::text, 'import'::text, 'return'::text]))),
  constraint stock_movements_type_check CHECK ((type = ANY (ARRAY['adjustment'::text, 'reservation'::text, 'release'::text, 'sale'::text, 'return'::text, 'sync'::text])))
) with (autovacuum_analyze_scale_factor=0.5);
CREATE INDEX stock_movements_by_variant ON commerce.stock_movements USING btree (site_id, variant_id, id DESC);
CREATE INDEX stock_movements_to_delete ON commerce.stock_movements USING btree (site_id, created_at) WHERE (type = ANY (ARRAY['reservation'::text, 'release'::text]));
alter table commerce.stock_movements enable row level security, force row level security;

create table commerce.stock_reservations (
  site_id uuid not null,
  checkout_id uuid not null,
  variant_id uuid not null,
  quantity integer not null,
  constraint stock_reservations_pkey PRIMARY KEY (site_id, checkout_id, variant_id),
  constraint stock_reservations_site_id_checkout_id_fkey FOREIGN KEY (site_id, checkout_id) REFERENCES commerce.checkouts(site_id, id),
  constraint stock_reservations_site_id_variant_id_fkey FOREIGN KEY (site_id, variant_id) REFERENCES commerce.variants(site_id, id),
  constraint stock_reservations_quantity_check CHECK ((quantity > 0))
) with (vacuum_truncate=off);
CREATE INDEX stock_reservations_of ON commerce.stock_reservations USING btree (site_id, variant_id);
alter table commerce.stock_reservations enable row level security, force row level security;

create table commerce.sync_orders (
  site_id uuid not null,
  id uuid not null,
  reference text not null,
  payment text not null,
  checkout_id uuid,
  created_at timestamp with time zone not null default now(),
  constraint sync_orders_pkey PRIMARY KEY (site_id, id),
  constraint reference_taken UNIQUE (site_id, reference),
  constraint sync_orders_site_id_checkout_id_fkey FOREIGN KEY (site_id, checkout_id) REFERENCES commerce.checkouts(site_id, id),
  constraint sync_orders_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint sync_orders_payment_check CHECK ((payment = ANY (ARRAY['bank_transfer'::text, 'hosted_checkout'::text])))
);
CREATE INDEX sync_orders_of_checkout ON commerce.sync_orders USING btree (site_id, checkout_id);
alter table commerce.sync_orders enable row level security, force row level security;

create table commerce.test_payments (
  site_id uuid not null,
  id uuid not null,
  scenario text not null,
  status text not null,
  capture text not null,
  amount bigint not null,
  captured bigint not null default 0,
  currency text not null,
  refunds jsonb not null default '{}'::jsonb,
  return_url text,
  cancel_url text,
  expires_at timestamp with time zone not null,
  constraint test_payments_pkey PRIMARY KEY (site_id, id),
  constraint test_payments_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint test_payments_capture_check CHECK ((capture = ANY (ARRAY['automatic'::text, 'manual'::text]))),
  constraint test_payments_status_check CHECK ((status = ANY (ARRAY['requires_action'::text, 'pending'::text, 'authorized'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
);
alter table commerce.test_payments enable row level security, force row level security;

create table commerce.tokens (
  site_id uuid not null,
  id uuid not null,
  kind text not null,
  token_hash bytea not null,
  secret_prefix text not null,
  description text not null,
  scopes text[] not null,
  allowed_origins text[] not null default '{}'::text[],
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  customer_id uuid,
  categories text[] not null default '{}'::text[],
  private boolean not null default false,
  created_by uuid,
  revoked_by uuid,
  resource text,
  platform_host text,
  constraint tokens_pkey PRIMARY KEY (site_id, id),
  constraint tokens_token_hash_key UNIQUE (token_hash),
  constraint tokens_site_id_customer_id_fkey FOREIGN KEY (site_id, customer_id) REFERENCES commerce.customers(site_id, id),
  constraint tokens_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint only_agent_tokens_have_platforms CHECK (((platform_host IS NULL) OR (kind = 'agent'::text))),
  constraint only_agent_tokens_have_resources CHECK (((resource IS NULL) OR (kind = 'agent'::text))),
  constraint only_storefront_tokens_are_private CHECK (((NOT private) OR (kind = 'storefront'::text))),
  constraint tokens_check CHECK (((kind = 'agent'::text) OR (customer_id IS NULL))),
  constraint tokens_kind_check CHECK ((kind = ANY (ARRAY['storefront'::text, 'api_key'::text, 'sync'::text, 'agent'::text]))),
  constraint tokens_resource_check CHECK ((resource = ANY (ARRAY[''::text, '/mcp'::text, '/ucp/mcp'::text])))
);
CREATE INDEX tokens_by_kind ON commerce.tokens USING btree (site_id, kind, created_at);
CREATE INDEX tokens_of_customer ON commerce.tokens USING btree (site_id, customer_id, created_at) WHERE (customer_id IS NOT NULL);

create table commerce.ucp_requests (
  site_id uuid not null,
  caller_hash bytea not null,
  key_hash bytea not null,
  request_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  answer bytea,
  constraint ucp_requests_pkey PRIMARY KEY (site_id, caller_hash, key_hash),
  constraint ucp_requests_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id)
);
CREATE INDEX ucp_requests_age ON commerce.ucp_requests USING btree (created_at);
alter table commerce.ucp_requests enable row level security, force row level security;

create table commerce.variants (
  site_id uuid not null,
  id uuid not null,
  product_id uuid not null,
  position integer not null,
  sku text,
  barcode text,
  option1 text,
  option2 text,
  option3 text,
  price numeric not null,
  compare_at_price numeric,
  cost_per_item numeric,
  track_inventory boolean not null,
  inventory_policy text not null,
  low_stock_threshold integer not null,
  weight numeric,
  weight_unit text not null,
  requires_shipping boolean not null,
  image_url text,
  on_hand integer not null default 0,
  reserved integer not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  stock_changed_in xid8,
  quantity_before integer,
  available_before boolean,
  sku_twin boolean not null default false,
  constraint variants_pkey PRIMARY KEY (site_id, id),
  constraint variant_options_taken UNIQUE NULLS NOT DISTINCT (site_id, product_id, option1, option2, option3) DEFERRABLE,
  constraint variants_site_id_product_id_fkey FOREIGN KEY (site_id, product_id) REFERENCES commerce.products(site_id, id) ON DELETE CASCADE,
  constraint insufficient_stock CHECK (((inventory_policy = 'continue'::text) OR (NOT track_inventory) OR (on_hand >= reserved))),
  constraint variants_check CHECK (((compare_at_price > price) AND (compare_at_price < '1000000000000'::numeric))),
  constraint variants_cost_per_item_check CHECK (((cost_per_item >= (0)::numeric) AND (cost_per_item < '1000000000000'::numeric))),
  constraint variants_inventory_policy_check CHECK ((inventory_policy = ANY (ARRAY['deny'::text, 'continue'::text]))),
  constraint variants_low_stock_threshold_check CHECK ((low_stock_threshold >= 0)),
  constraint variants_price_check CHECK (((price >= (0)::numeric) AND (price < '1000000000000'::numeric))),
  constraint variants_reserved_check CHECK ((reserved >= 0)),
  constraint variants_weight_check CHECK ((weight >= (0)::numeric)),
  constraint variants_weight_unit_check CHECK ((weight_unit = ANY (ARRAY['kg'::text, 'g'::text, 'lb'::text, 'oz'::text])))
) with (autovacuum_analyze_scale_factor=0.5);
CREATE UNIQUE INDEX sku_taken ON commerce.variants USING btree (site_id, sku) WHERE (sku IS NOT NULL);
CREATE UNIQUE INDEX sku_taken_in_any_case ON commerce.variants USING btree (site_id, lower(sku)) WHERE ((sku IS NOT NULL) AND (NOT sku_twin));
CREATE INDEX variants_by_product ON commerce.variants USING btree (site_id, product_id, "position");
CREATE INDEX variants_reduced ON commerce.variants USING btree (site_id, product_id) WHERE (compare_at_price > price);
CREATE INDEX variants_searched ON commerce.variants USING gin (site_id, sku public.gin_trgm_ops, barcode public.gin_trgm_ops) WHERE ((sku IS NOT NULL) OR (barcode IS NOT NULL));
CREATE INDEX variants_with_picture ON commerce.variants USING btree (site_id, product_id) WHERE (image_url IS NOT NULL);
alter table commerce.variants enable row level security, force row level security;

create table commerce.webhook_attempts (
  site_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  attempted_at timestamp with time zone not null,
  duration_ms integer not null,
  outcome text not null,
  response_status integer,
  response_body text,
  constraint webhook_attempts_pkey PRIMARY KEY (site_id, delivery_id, number),
  constraint webhook_attempts_site_id_delivery_id_fkey FOREIGN KEY (site_id, delivery_id) REFERENCES commerce.webhook_deliveries(site_id, id) ON DELETE CASCADE,
  constraint webhook_attempts_response_body_check CHECK ((octet_length(response_body) <= 4096))
);
alter table commerce.webhook_attempts enable row level security, force row level security;

create table commerce.webhook_deliveries (
  site_id uuid not null,
  id uuid not null,
  webhook_id uuid,
  event_id uuid not null,
  type text not null,
  status text not null default 'pending'::text,
  attempts_count integer not null default 0,
  tries integer not null default 0,
  next_attempt_at timestamp with time zone default now(),
  response_status integer,
  created_at timestamp with time zone not null default now(),
  completed_at timestamp with time zone,
  payload text,
  platform_id uuid,
  constraint webhook_deliveries_pkey PRIMARY KEY (site_id, id),
  constraint one_delivery_per_platform UNIQUE (site_id, event_id, platform_id),
  constraint webhook_deliveries_site_id_event_id_webhook_id_key UNIQUE (site_id, event_id, webhook_id),
  constraint webhook_deliveries_platform_fkey FOREIGN KEY (site_id, platform_id) REFERENCES commerce.agent_profiles(site_id, id) ON DELETE CASCADE,
  constraint webhook_deliveries_site_id_event_id_fkey FOREIGN KEY (site_id, event_id) REFERENCES commerce.events(site_id, id) ON DELETE CASCADE,
  constraint webhook_deliveries_site_id_webhook_id_fkey FOREIGN KEY (site_id, webhook_id) REFERENCES commerce.webhooks(site_id, id) ON DELETE CASCADE,
  constraint one_receiver CHECK ((num_nonnulls(webhook_id, platform_id) = 1)),
  constraint webhook_deliveries_check CHECK (((status = 'pending'::text) = (completed_at IS NULL))),
  constraint webhook_deliveries_check1 CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_payload_check CHECK ((octet_length(payload) <= 69632)),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])))
);
CREATE INDEX webhook_deliveries_due ON commerce.webhook_deliveries USING btree (next_attempt_at) WHERE (status = 'pending'::text);
CREATE INDEX webhook_deliveries_failed ON commerce.webhook_deliveries USING btree (site_id, completed_at) WHERE (status = 'failed'::text);
CREATE INDEX webhook_deliveries_of ON commerce.webhook_deliveries USING btree (site_id, webhook_id, id DESC);
CREATE INDEX webhook_deliveries_of_platform ON commerce.webhook_deliveries USING btree (site_id, platform_id) WHERE (platform_id IS NOT NULL);
CREATE INDEX webhook_deliveries_pending ON commerce.webhook_deliveries USING btree (site_id) WHERE (status = 'pending'::text);
alter table commerce.webhook_deliveries enable row level security, force row level security;

create table commerce.webhooks (
  site_id uuid not null,
  id uuid not null,
  url text not null,
  events text[] not null,
  description text,
  status text not null default 'active'::text,
  disabled_reason text,
  disabled_at timestamp with time zone,
  failing_since timestamp with time zone,
  last_success_at timestamp with time zone,
  secret bytea not null,
  secret_hash bytea not null,
  previous_secret bytea,
  previous_secret_expires_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  sync_key_id uuid,
  made_by uuid,
  constraint webhooks_pkey PRIMARY KEY (site_id, id),
  constraint webhooks_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint webhooks_site_id_sync_key_id_fkey FOREIGN KEY (site_id, sync_key_id) REFERENCES commerce.tokens(site_id, id),
  constraint webhooks_check CHECK (((status = 'disabled'::text) = (disabled_reason IS NOT NULL))),
  constraint webhooks_check1 CHECK (((previous_secret IS NULL) = (previous_secret_expires_at IS NULL))),
  constraint webhooks_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['staff'::text, 'gone'::text, 'failing'::text]))),
  constraint webhooks_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);
alter table commerce.webhooks enable row level security, force row level security;

create table commerce.withdrawal_lines (
  site_id uuid not null,
  withdrawal_id uuid not null,
  line_id uuid not null,
  quantity integer not null,
  confirmed integer not null default 0,
  constraint withdrawal_lines_pkey PRIMARY KEY (site_id, withdrawal_id, line_id),
  constraint withdrawal_lines_site_id_line_id_fkey FOREIGN KEY (site_id, line_id) REFERENCES commerce.order_lines(site_id, id),
  constraint withdrawal_lines_site_id_withdrawal_id_fkey FOREIGN KEY (site_id, withdrawal_id) REFERENCES commerce.withdrawals(site_id, id),
  constraint pieces_confirmed CHECK (((confirmed >= 0) AND (confirmed <= quantity))),
  constraint withdrawal_lines_quantity_check CHECK ((quantity > 0))
);
CREATE INDEX withdrawal_lines_of ON commerce.withdrawal_lines USING btree (site_id, line_id);
alter table commerce.withdrawal_lines enable row level security, force row level security;

create table commerce.withdrawal_statements (
  site_id uuid not null,
  id uuid not null,
  name text not null,
  email text not null,
  recipient text not null,
  contract text not null,
  items text,
  locale text not null,
  order_id uuid,
  lines jsonb,
  client_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  acknowledge_at timestamp with time zone not null,
  constraint withdrawal_statements_pkey PRIMARY KEY (site_id, id),
  constraint withdrawal_statements_site_id_fkey FOREIGN KEY (site_id) REFERENCES commerce.sites(site_id),
  constraint withdrawal_statements_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id)
);
CREATE INDEX withdrawal_statements_age ON commerce.withdrawal_statements USING btree (site_id, created_at);
CREATE INDEX withdrawal_statements_of_client ON commerce.withdrawal_statements USING btree (site_id, client_hash, acknowledge_at DESC);
CREATE INDEX withdrawal_statements_of_recipient ON commerce.withdrawal_statements USING btree (site_id, recipient, acknowledge_at DESC);
alter table commerce.withdrawal_statements enable row level security, force row level security;

create table commerce.withdrawals (
  site_id uuid not null,
  id uuid not null,
  status text not null default 'received'::text,
  order_id uuid,
  return_id uuid,
  late boolean not null default false,
  closed_at timestamp with time zone,
  constraint withdrawals_pkey PRIMARY KEY (site_id, id),
  constraint withdrawals_site_id_id_fkey FOREIGN KEY (site_id, id) REFERENCES commerce.withdrawal_statements(site_id, id),
  constraint withdrawals_site_id_order_id_fkey FOREIGN KEY (site_id, order_id) REFERENCES commerce.orders(site_id, id),
  constraint withdrawals_site_id_return_id_fkey FOREIGN KEY (site_id, return_id) REFERENCES commerce.returns(site_id, id),
  constraint withdrawal_closed CHECK (((status = 'closed'::text) = (closed_at IS NOT NULL))),
  constraint withdrawals_status_check CHECK ((status = ANY (ARRAY['received'::text, 'unmatched'::text, 'to_confirm'::text, 'closed'::text])))
);
CREATE INDEX withdrawals_by_status ON commerce.withdrawals USING btree (site_id, status, id DESC);
CREATE INDEX withdrawals_newest ON commerce.withdrawals USING btree (site_id, id DESC);
CREATE INDEX withdrawals_of_order ON commerce.withdrawals USING btree (site_id, order_id) WHERE (order_id IS NOT NULL);
alter table commerce.withdrawals enable row level security, force row level security;

CREATE CONSTRAINT TRIGGER bump_catalog AFTER INSERT OR DELETE OR UPDATE ON commerce.collection_products DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.bump_catalog();

CREATE CONSTRAINT TRIGGER bump_catalog AFTER INSERT OR DELETE OR UPDATE ON commerce.collections DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.bump_catalog();

CREATE TRIGGER schedule_publication AFTER INSERT OR UPDATE OF published_at ON commerce.collections FOR EACH ROW WHEN ((new.published_at > now())) EXECUTE FUNCTION commerce.schedule_publication();

CREATE CONSTRAINT TRIGGER tell_customer_update AFTER INSERT OR DELETE OR UPDATE ON commerce.customer_addresses DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.tell_customer_update();

CREATE CONSTRAINT TRIGGER tell_customer AFTER INSERT ON commerce.customers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.imported_at IS NULL)) EXECUTE FUNCTION commerce.tell_customer();

CREATE CONSTRAINT TRIGGER tell_customer_update AFTER UPDATE ON commerce.customers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((((((((((old.email IS DISTINCT FROM new.email) OR (old.first_name IS DISTINCT FROM new.first_name)) OR (old.last_name IS DISTINCT FROM new.last_name)) OR (old.phone IS DISTINCT FROM new.phone)) OR (old.marketing_opt_in IS DISTINCT FROM new.marketing_opt_in)) OR (old.email_verified_at IS DISTINCT FROM new.email_verified_at)) OR (old.metadata IS DISTINCT FROM new.metadata)) OR (old.note IS DISTINCT FROM new.note)) OR (old.locale IS DISTINCT FROM new.locale)) OR ((old.password_hash IS NULL) IS DISTINCT FROM (new.password_hash IS NULL)))) EXECUTE FUNCTION commerce.tell_customer_update();

CREATE CONSTRAINT TRIGGER tell_document AFTER INSERT ON commerce.documents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.tell_document();

CREATE TRIGGER count_files AFTER INSERT OR DELETE OR UPDATE OF held_bytes ON commerce.files FOR EACH ROW EXECUTE FUNCTION commerce.count_files();

CREATE TRIGGER count_fulfilled AFTER INSERT ON commerce.fulfillment_items REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION commerce.count_fulfilled();

CREATE CONSTRAINT TRIGGER tell_order AFTER INSERT ON commerce.order_events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.type = ANY (ARRAY['created'::text, 'payment_confirmed'::text, 'payment_expired'::text, 'fulfilled'::text, 'delivered'::text, 'cancelled'::text, 'refunded'::text, 'updated'::text])) AND (NOT jsonb_exists(new.context, 'mail'::text)))) EXECUTE FUNCTION commerce.tell_order();

CREATE CONSTRAINT TRIGGER tell_return AFTER INSERT ON commerce.order_events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.type = 'return_changed'::text) AND jsonb_exists(new.context, 'event'::text))) EXECUTE FUNCTION commerce.tell_return();

CREATE TRIGGER notice_documents AFTER UPDATE ON commerce.orders FOR EACH ROW WHEN (((old.updated_at IS DISTINCT FROM new.updated_at) OR (old.status IS DISTINCT FROM new.status) OR (old.fulfillment_status IS DISTINCT FROM new.fulfillment_status) OR (old.payment_status IS DISTINCT FROM new.payment_status) OR (old.credited IS DISTINCT FROM new.credited))) EXECUTE FUNCTION commerce.notice_documents();

CREATE TRIGGER notice_paid_orders AFTER INSERT ON commerce.orders FOR EACH ROW WHEN (((new.payment_status = 'paid'::text) AND (new.source <> 'import'::text))) EXECUTE FUNCTION commerce.notice_documents();

CREATE CONSTRAINT TRIGGER bump_catalog AFTER INSERT OR DELETE OR UPDATE ON commerce.product_images DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.bump_catalog();

CREATE TRIGGER note_delete AFTER DELETE ON commerce.product_images REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION commerce.note_product_parts();

CREATE TRIGGER note_insert AFTER INSERT ON commerce.product_images REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION commerce.note_product_parts();

CREATE TRIGGER note_update AFTER UPDATE ON commerce.product_images REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION commerce.note_product_parts();

CREATE CONSTRAINT TRIGGER bump_catalog AFTER INSERT OR DELETE OR UPDATE ON commerce.product_options DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.bump_catalog();

CREATE TRIGGER note_delete AFTER DELETE ON commerce.product_options REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION commerce.note_product_parts();

CREATE TRIGGER note_insert AFTER INSERT ON commerce.product_options REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION commerce.note_product_parts();

CREATE TRIGGER note_update AFTER UPDATE ON commerce.product_options REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION commerce.note_product_parts();

CREATE CONSTRAINT TRIGGER bump_catalog AFTER INSERT OR DELETE OR UPDATE ON commerce.products DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.bump_catalog();

CREATE TRIGGER delete_postings AFTER DELETE ON commerce.products REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION commerce.delete_postings();

CREATE TRIGGER note_delete AFTER DELETE ON commerce.products REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION commerce.note_products();

CREATE TRIGGER note_insert AFTER INSERT ON commerce.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION commerce.note_products();

CREATE TRIGGER note_update AFTER UPDATE ON commerce.products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION commerce.note_products();

CREATE TRIGGER schedule_change AFTER INSERT OR UPDATE OF published_at ON commerce.products FOR EACH ROW WHEN ((new.published_at > now())) EXECUTE FUNCTION commerce.schedule_change();

CREATE TRIGGER schedule_publication AFTER INSERT OR UPDATE OF published_at ON commerce.products FOR EACH ROW WHEN ((new.published_at > now())) EXECUTE FUNCTION commerce.schedule_publication();

CREATE CONSTRAINT TRIGGER tell_product AFTER INSERT OR DELETE ON commerce.products DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.tell_product();

CREATE CONSTRAINT TRIGGER tell_product_change AFTER UPDATE ON commerce.products DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.updated_at IS DISTINCT FROM new.updated_at)) EXECUTE FUNCTION commerce.tell_product();

CREATE CONSTRAINT TRIGGER bump_catalog AFTER UPDATE OF completed_at ON commerce.search_models DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.bump_catalog();

CREATE CONSTRAINT TRIGGER bump_catalog AFTER INSERT OR DELETE OR UPDATE ON commerce.shipping_options DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.bump_catalog();

CREATE CONSTRAINT TRIGGER bump_catalog AFTER INSERT OR DELETE OR UPDATE ON commerce.site_settings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.bump_catalog();

CREATE CONSTRAINT TRIGGER tell_agent_revocation AFTER UPDATE OF revoked_at ON commerce.tokens DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.kind = 'agent'::text) AND (old.revoked_at IS NULL) AND (new.revoked_at IS NOT NULL))) EXECUTE FUNCTION commerce.tell_agent_token();

CREATE CONSTRAINT TRIGGER tell_agent_token AFTER INSERT ON commerce.tokens DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.kind = 'agent'::text)) EXECUTE FUNCTION commerce.tell_agent_token();

CREATE CONSTRAINT TRIGGER bump_catalog AFTER INSERT OR DELETE ON commerce.variants DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.bump_catalog();

CREATE CONSTRAINT TRIGGER bump_catalog_by_content AFTER UPDATE OF id, product_id, "position", sku, barcode, option1, option2, option3, price, compare_at_price, cost_per_item, track_inventory, inventory_policy, low_stock_threshold, weight, weight_unit, requires_shipping, image_url, created_at, updated_at ON commerce.variants DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((((((((((((((((((((old.id IS DISTINCT FROM new.id) OR (old.product_id IS DISTINCT FROM new.product_id)) OR (old."position" IS DISTINCT FROM new."position")) OR (old.sku IS DISTINCT FROM new.sku)) OR (old.barcode IS DISTINCT FROM new.barcode)) OR (old.option1 IS DISTINCT FROM new.option1)) OR (old.option2 IS DISTINCT FROM new.option2)) OR (old.option3 IS DISTINCT FROM new.option3)) OR (old.price IS DISTINCT FROM new.price)) OR (old.compare_at_price IS DISTINCT FROM new.compare_at_price)) OR (old.cost_per_item IS DISTINCT FROM new.cost_per_item)) OR (old.track_inventory IS DISTINCT FROM new.track_inventory)) OR (old.inventory_policy IS DISTINCT FROM new.inventory_policy)) OR (old.low_stock_threshold IS DISTINCT FROM new.low_stock_threshold)) OR (old.weight IS DISTINCT FROM new.weight)) OR (old.weight_unit IS DISTINCT FROM new.weight_unit)) OR (old.requires_shipping IS DISTINCT FROM new.requires_shipping)) OR (old.image_url IS DISTINCT FROM new.image_url)) OR (old.created_at IS DISTINCT FROM new.created_at)) OR (old.updated_at IS DISTINCT FROM new.updated_at))) EXECUTE FUNCTION commerce.bump_catalog();

CREATE CONSTRAINT TRIGGER bump_catalog_by_stock AFTER UPDATE OF on_hand, reserved, track_inventory, inventory_policy ON commerce.variants DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((((NOT old.track_inventory) OR (old.inventory_policy = 'continue'::text) OR (old.on_hand > old.reserved)) <> ((NOT new.track_inventory) OR (new.inventory_policy = 'continue'::text) OR (new.on_hand > new.reserved)))) EXECUTE FUNCTION commerce.bump_catalog();

CREATE TRIGGER keep_stock BEFORE UPDATE OF on_hand, reserved, track_inventory, inventory_policy ON commerce.variants FOR EACH ROW WHEN ((((old.on_hand - old.reserved) <> (new.on_hand - new.reserved)) OR (old.track_inventory <> new.track_inventory) OR (old.inventory_policy <> new.inventory_policy))) EXECUTE FUNCTION commerce.keep_stock();

CREATE TRIGGER note_content AFTER UPDATE OF id, product_id, "position", sku, barcode, option1, option2, option3, price, compare_at_price, cost_per_item, track_inventory, inventory_policy, low_stock_threshold, weight, weight_unit, requires_shipping, image_url, created_at, updated_at ON commerce.variants FOR EACH ROW WHEN (((((((((((((((((((((old.id IS DISTINCT FROM new.id) OR (old.product_id IS DISTINCT FROM new.product_id)) OR (old."position" IS DISTINCT FROM new."position")) OR (old.sku IS DISTINCT FROM new.sku)) OR (old.barcode IS DISTINCT FROM new.barcode)) OR (old.option1 IS DISTINCT FROM new.option1)) OR (old.option2 IS DISTINCT FROM new.option2)) OR (old.option3 IS DISTINCT FROM new.option3)) OR (old.price IS DISTINCT FROM new.price)) OR (old.compare_at_price IS DISTINCT FROM new.compare_at_price)) OR (old.cost_per_item IS DISTINCT FROM new.cost_per_item)) OR (old.track_inventory IS DISTINCT FROM new.track_inventory)) OR (old.inventory_policy IS DISTINCT FROM new.inventory_policy)) OR (old.low_stock_threshold IS DISTINCT FROM new.low_stock_threshold)) OR (old.weight IS DISTINCT FROM new.weight)) OR (old.weight_unit IS DISTINCT FROM new.weight_unit)) OR (old.requires_shipping IS DISTINCT FROM new.requires_shipping)) OR (old.image_url IS DISTINCT FROM new.image_url)) OR (old.created_at IS DISTINCT FROM new.created_at)) OR (old.updated_at IS DISTINCT FROM new.updated_at))) EXECUTE FUNCTION commerce.note_variant();

CREATE TRIGGER note_delete AFTER DELETE ON commerce.variants REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION commerce.note_product_parts();

CREATE TRIGGER note_insert AFTER INSERT ON commerce.variants REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION commerce.note_product_parts();

CREATE TRIGGER note_low_stock AFTER UPDATE OF on_hand ON commerce.variants FOR EACH ROW WHEN ((new.track_inventory AND (old.on_hand > old.low_stock_threshold) AND (new.on_hand <= new.low_stock_threshold))) EXECUTE FUNCTION commerce.note_low_stock();

CREATE TRIGGER note_stock AFTER UPDATE OF on_hand, reserved ON commerce.variants FOR EACH ROW WHEN (((old.on_hand - old.reserved) <> (new.on_hand - new.reserved))) EXECUTE FUNCTION commerce.note_variant();

CREATE CONSTRAINT TRIGGER tell_inventory AFTER UPDATE OF on_hand, reserved, track_inventory, inventory_policy, low_stock_threshold ON commerce.variants DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.stock_changed_in = pg_current_xact_id()) AND ((new.available_before <> ((NOT new.track_inventory) OR (new.inventory_policy = 'continue'::text) OR ((new.on_hand - new.reserved) > 0))) OR (new.track_inventory AND ((new.quantity_before <= new.low_stock_threshold) <> ((new.on_hand - new.reserved) <= new.low_stock_threshold))) OR ((abs(((new.on_hand - new.reserved) - new.quantity_before)))::numeric >= GREATEST((5)::numeric, (0.2 * (abs(new.quantity_before))::numeric)))))) EXECUTE FUNCTION commerce.tell_inventory();

create policy backup on commerce.agent_consents as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.agent_consents as permissive for all to commerce_sweep
  using ((expires_at <= (now() - '1 day'::interval)));

create policy tenant on commerce.agent_consents as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.agent_profiles as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.agent_profiles as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.agent_tokens as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.agent_tokens as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.assistant_actions as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.assistant_actions as permissive for all to commerce_sweep
  using ((expires_at <= (now() - '1 day'::interval)));

create policy tenant on commerce.assistant_actions as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.audit_checkpoints as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.audit_checkpoints as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.audit_events as permissive for select to commerce_backup
  using (true);

create policy due on commerce.audit_events as permissive for select to commerce_sweep
  using (true);

create policy tenant on commerce.audit_events as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.audit_seals as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.audit_seals as permissive for all to commerce_sweep
  using (true);

create policy tenant on commerce.audit_seals as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.authorization_requests as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.authorization_requests as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.cart_items as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.cart_items as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.carts as permissive for select to commerce_backup
  using (true);

create policy due on commerce.carts as permissive for select to commerce_sweep
  using (((status = 'active'::text) AND (expires_at <= now())));

create policy tenant on commerce.carts as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.checkouts as permissive for select to commerce_backup
  using (true);

create policy due on commerce.checkouts as permissive for select to commerce_sweep
  using (((reserved_until <= now()) OR ((status = ANY (ARRAY['open'::text, 'ready'::text, 'requires_escalation'::text])) AND (expires_at <= now()))));

create policy tenant on commerce.checkouts as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.collection_products as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.collection_products as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.collections as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.collections as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.customer_addresses as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.customer_addresses as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.customer_codes as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.customer_codes as permissive for all to commerce_sweep
  using ((expires_at <= (now() - '1 day'::interval)));

create policy tenant on commerce.customer_codes as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.customer_registrations as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.customer_registrations as permissive for all to commerce_sweep
  using ((created_at <= (now() - '7 days'::interval)));

create policy tenant on commerce.customer_registrations as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.customers as permissive for select to commerce_backup
  using (true);

create policy search_reads on commerce.customers as permissive for select to commerce_search
  using (true);

create policy tenant on commerce.customers as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.discount_redemptions as permissive for select to commerce_backup
  using (true);

create policy due on commerce.discount_redemptions as permissive for select to commerce_sweep
  using (((status = 'reserved'::text) AND (expires_at <= now())));

create policy tenant on commerce.discount_redemptions as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.discounts as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.discounts as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.disputes as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.disputes as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.document_counters as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.document_counters as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.documents as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.documents as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.draft_orders as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.draft_orders as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.event_listeners as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.event_listeners as permissive for all to commerce_sweep
  using ((expires_at <= (now() - '01:00:00'::interval)));

create policy tenant on commerce.event_listeners as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.events as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.events as permissive for all to commerce_sweep
  using ((created_at <= (now() - '30 days'::interval)));

create policy tenant on commerce.events as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.file_usage as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.file_usage as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.files as permissive for select to commerce_backup
  using (true);

create policy due on commerce.files as permissive for select to commerce_sweep
  using (true);

create policy tenant on commerce.files as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.former_staff as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.former_staff as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.fulfillment_items as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.fulfillment_items as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.fulfillments as permissive for select to commerce_backup
  using (true);

create policy search_reads on commerce.fulfillments as permissive for select to commerce_search
  using (true);

create policy tenant on commerce.fulfillments as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.idempotency_keys as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.idempotency_keys as permissive for all to commerce_sweep
  using ((completed_at <= (now() - '24:00:00'::interval)));

create policy tenant on commerce.idempotency_keys as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.low_stock_notices as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.low_stock_notices as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.marketing_consents as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.marketing_consents as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.oauth_clients as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.oauth_clients as permissive for all to commerce_sweep
  using ((expires_at <= (now() - '1 day'::interval)));

create policy tenant on commerce.oauth_clients as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.order_events as permissive for select to commerce_backup
  using (true);

create policy due on commerce.order_events as permissive for select to commerce_sweep
  using ((created_at > (now() - '180 days'::interval)));

create policy tenant on commerce.order_events as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.order_lines as permissive for select to commerce_backup
  using (true);

create policy search_reads on commerce.order_lines as permissive for select to commerce_search
  using (true);

create policy tenant on commerce.order_lines as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.order_links as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.order_links as permissive for all to commerce_sweep
  using ((created_at <= (now() - '180 days'::interval)));

create policy tenant on commerce.order_links as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.order_numbers as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.order_numbers as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.order_payments as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.order_payments as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.order_versions as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.order_versions as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.orders as permissive for select to commerce_backup
  using (true);

create policy due on commerce.orders as permissive for select to commerce_sweep
  using ((((payment_status = 'awaiting_payment'::text) AND ((payment_due_at <= now()) OR ((payment_reminded_at IS NULL) AND (payment_reminder_at <= now())))) OR ((payment_terms_days IS NOT NULL) AND (payment_status = 'pending'::text) AND (payment_reminded_at IS NULL) AND (payment_reminder_at <= now()))));

create policy search_reads on commerce.orders as permissive for select to commerce_search
  using (true);

create policy tenant on commerce.orders as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.payment_accounts as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.payment_accounts as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.payment_events as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.payment_events as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.payment_moves as permissive for select to commerce_backup
  using (true);

create policy due on commerce.payment_moves as permissive for select to commerce_sweep
  using ((status = 'pending'::text));

create policy tenant on commerce.payment_moves as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.payments as permissive for select to commerce_backup
  using (true);

create policy due on commerce.payments as permissive for select to commerce_sweep
  using (((status = ANY (ARRAY['pending'::text, 'authorized'::text, 'abandoned'::text])) OR ((order_id IS NULL) AND (status = ANY (ARRAY['started'::text, 'requires_action'::text, 'succeeded'::text]))) OR ((purpose = 'amount_due'::text) AND (status = ANY (ARRAY['started'::text, 'requires_action'::text])))));

create policy tenant on commerce.payments as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.pending_images as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.pending_images as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.product_changes as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.product_changes as permissive for all to commerce_sweep
  using (true);

create policy tenant on commerce.product_changes as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.product_images as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.product_images as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.product_options as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.product_options as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.product_sales as permissive for select to commerce_backup
  using (true);

create policy due on commerce.product_sales as permissive for select to commerce_sweep
  using (true);

create policy tenant on commerce.product_sales as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.product_search as permissive for select to commerce_backup
  using (true);

create policy search_reads on commerce.product_search as permissive for select to commerce_search
  using (true);

create policy tenant on commerce.product_search as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.product_tombstones as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.product_tombstones as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.products as permissive for select to commerce_backup
  using (true);

create policy search_reads on commerce.products as permissive for select to commerce_search
  using (true);

create policy tenant on commerce.products as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.public_tool_calls as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.public_tool_calls as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.refund_items as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.refund_items as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.refunds as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.refunds as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.return_lines as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.return_lines as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.returns as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.returns as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.search_models as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.search_models as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.search_postings as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.search_postings as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.search_product_vectors as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.search_product_vectors as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.search_word_vectors as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.search_word_vectors as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.shipping_options as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.shipping_options as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.signing_keys as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.signing_keys as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.site_settings as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.site_settings as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.site_usage as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.site_usage as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.stock_movements as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.stock_movements as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.stock_reservations as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.stock_reservations as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.sync_orders as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.sync_orders as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.test_payments as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.test_payments as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.ucp_requests as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.ucp_requests as permissive for all to commerce_sweep
  using ((created_at <= (now() - '25:00:00'::interval)));

create policy tenant on commerce.ucp_requests as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.variants as permissive for select to commerce_backup
  using (true);

create policy search_reads on commerce.variants as permissive for select to commerce_search
  using (true);

create policy tenant on commerce.variants as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.webhook_attempts as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.webhook_attempts as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.webhook_deliveries as permissive for select to commerce_backup
  using (true);

create policy sweep on commerce.webhook_deliveries as permissive for select to commerce_sweep
  using (true);

create policy tenant on commerce.webhook_deliveries as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.webhooks as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.webhooks as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.withdrawal_lines as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.withdrawal_lines as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.withdrawal_statements as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.withdrawal_statements as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

create policy backup on commerce.withdrawals as permissive for select to commerce_backup
  using (true);

create policy tenant on commerce.withdrawals as permissive for all to public
  using ((site_id = ( SELECT commerce.current_site() AS current_site)));

grant delete, insert, select, update on commerce.agent_consent_links to commerce_app;

grant select on commerce.agent_consent_links to commerce_backup;

grant delete, insert, select, update on commerce.agent_consents to commerce_app;

grant select on commerce.agent_consents to commerce_backup;

grant delete, select on commerce.agent_consents to commerce_sweep;

grant delete, insert, select, update on commerce.agent_profiles to commerce_app;

grant select on commerce.agent_profiles to commerce_backup;

grant delete, insert, select, update on commerce.agent_tokens to commerce_app;

grant select on commerce.agent_tokens to commerce_backup;

grant delete, insert, select, update on commerce.assistant_actions to commerce_app;

grant select on commerce.assistant_actions to commerce_backup;

grant delete, select on commerce.assistant_actions to commerce_sweep;

grant delete, insert, select, update on commerce.assistants to commerce_app;

grant select on commerce.assistants to commerce_backup;

grant delete, select on commerce.assistants to commerce_sweep;

grant select on commerce.audit_checkpoints to commerce_app;

grant select on commerce.audit_checkpoints to commerce_backup;

grant insert, select on commerce.audit_events to commerce_app;

grant select on commerce.audit_events to commerce_backup;

grant select on commerce.audit_events to commerce_sweep;

grant insert, select, update on commerce.audit_keys to commerce_app;

grant select on commerce.audit_keys to commerce_backup;

grant select on commerce.audit_keys to commerce_sweep;

grant select on commerce.audit_seals to commerce_app;

grant select on commerce.audit_seals to commerce_backup;

grant insert, select on commerce.audit_seals to commerce_sweep;

grant delete, insert, select, update on commerce.authorization_requests to commerce_app;

grant select on commerce.authorization_requests to commerce_backup;

grant delete, insert, select, update on commerce.cart_items to commerce_app;

grant select on commerce.cart_items to commerce_backup;

grant delete, insert, select, update on commerce.carts to commerce_app;

grant select on commerce.carts to commerce_backup;

grant select on commerce.carts to commerce_sweep;

grant delete, insert, select, update on commerce.catalog_schedule to commerce_app;

grant select on commerce.catalog_schedule to commerce_backup;

grant delete, select on commerce.catalog_schedule to commerce_sweep;

grant delete, insert, select, update on commerce.catalog_versions to commerce_app;

grant select on commerce.catalog_versions to commerce_backup;

grant select on commerce.change_eras to commerce_app;

grant select on commerce.change_eras to commerce_backup;

grant select on commerce.change_eras to commerce_sweep;

grant delete, insert, select, update on commerce.checkout_links to commerce_app;

grant select on commerce.checkout_links to commerce_backup;

grant delete, insert, select, update on commerce.checkouts to commerce_app;

grant select on commerce.checkouts to commerce_backup;

grant select on commerce.checkouts to commerce_sweep;

grant delete, insert, select, update on commerce.collection_products to commerce_app;

grant select on commerce.collection_products to commerce_backup;

grant delete, insert, select, update on commerce.collections to commerce_app;

grant select on commerce.collections to commerce_backup;

grant delete, insert, select, update on commerce.customer_addresses to commerce_app;

grant select on commerce.customer_addresses to commerce_backup;

grant delete, insert, select, update on commerce.customer_codes to commerce_app;

grant select on commerce.customer_codes to commerce_backup;

grant delete, select on commerce.customer_codes to commerce_sweep;

grant delete, insert, select, update on commerce.customer_registrations to commerce_app;

grant select on commerce.customer_registrations to commerce_backup;

grant delete, select on commerce.customer_registrations to commerce_sweep;

grant delete, insert, select, update on commerce.customer_tokens to commerce_app;

grant select on commerce.customer_tokens to commerce_backup;

grant delete, select on commerce.customer_tokens to commerce_sweep;

grant delete, insert, select, update on commerce.customers to commerce_app;

grant select on commerce.customers to commerce_backup;

grant select on commerce.customers to commerce_search;

grant delete, insert, select, update on commerce.discount_redemptions to commerce_app;

grant select on commerce.discount_redemptions to commerce_backup;

grant select on commerce.discount_redemptions to commerce_sweep;

grant delete, insert, select, update on commerce.discounts to commerce_app;

grant select on commerce.discounts to commerce_backup;

grant insert, select, update on commerce.disputes to commerce_app;

grant select on commerce.disputes to commerce_backup;

grant insert, select, update on commerce.document_counters to commerce_app;

grant select on commerce.document_counters to commerce_backup;

grant insert, select on commerce.documents to commerce_app;

grant select on commerce.documents to commerce_backup;

grant delete, insert, select, update on commerce.draft_orders to commerce_app;

grant select on commerce.draft_orders to commerce_backup;

grant delete, insert, select, update on commerce.event_listeners to commerce_app;

grant select on commerce.event_listeners to commerce_backup;

grant delete, select on commerce.event_listeners to commerce_sweep;

grant delete, insert, select, update on commerce.events to commerce_app;

grant select on commerce.events to commerce_backup;

grant delete, select on commerce.events to commerce_sweep;

grant delete, insert, select, update on commerce.file_usage to commerce_app;

grant select on commerce.file_usage to commerce_backup;

grant delete, insert, select, update on commerce.files to commerce_app;

grant select on commerce.files to commerce_backup;

grant select on commerce.files to commerce_sweep;

grant delete, insert, select, update on commerce.former_staff to commerce_app;

grant select on commerce.former_staff to commerce_backup;

grant delete, insert, select, update on commerce.fulfillment_items to commerce_app;

grant select on commerce.fulfillment_items to commerce_backup;

grant delete, insert, select, update on commerce.fulfillments to commerce_app;

grant select on commerce.fulfillments to commerce_backup;

grant select on commerce.fulfillments to commerce_search;

grant delete, insert, select, update on commerce.idempotency_keys to commerce_app;

grant select on commerce.idempotency_keys to commerce_backup;

grant delete, select on commerce.idempotency_keys to commerce_sweep;

grant delete, insert, select, update on commerce.login_throttles to commerce_app;

grant select on commerce.login_throttles to commerce_backup;

grant delete, select on commerce.login_throttles to commerce_sweep;

grant delete, insert, select, update on commerce.login_unlocks to commerce_app;

grant select on commerce.login_unlocks to commerce_backup;

grant delete, select on commerce.login_unlocks to commerce_sweep;

grant delete, insert, select, update on commerce.low_stock_notices to commerce_app;

grant select on commerce.low_stock_notices to commerce_backup;

grant delete, insert, select, update on commerce.marketing_consents to commerce_app;

grant select on commerce.marketing_consents to commerce_backup;

grant delete, insert, select, update on commerce.oauth_clients to commerce_app;

grant select on commerce.oauth_clients to commerce_backup;

grant delete, select on commerce.oauth_clients to commerce_sweep;

grant select on commerce.operator_audit_events to commerce_backup;

grant select on commerce.operator_keys to commerce_backup;

grant insert, select on commerce.order_events to commerce_app;

grant select on commerce.order_events to commerce_backup;

grant select on commerce.order_events to commerce_sweep;

grant delete, insert, select, update on commerce.order_lines to commerce_app;

grant select on commerce.order_lines to commerce_backup;

grant select on commerce.order_lines to commerce_search;

grant delete, insert, select, update on commerce.order_links to commerce_app;

grant select on commerce.order_links to commerce_backup;

grant delete, select on commerce.order_links to commerce_sweep;

grant delete, insert, select, update on commerce.order_numbers to commerce_app;

grant select on commerce.order_numbers to commerce_backup;

grant insert, select on commerce.order_payments to commerce_app;

grant select on commerce.order_payments to commerce_backup;

grant insert, select on commerce.order_versions to commerce_app;

grant select on commerce.order_versions to commerce_backup;

grant delete, insert, select, update on commerce.orders to commerce_app;

grant select on commerce.orders to commerce_backup;

grant select on commerce.orders to commerce_search;

grant select on commerce.orders to commerce_sweep;

grant delete, insert, select, update on commerce.payment_accounts to commerce_app;

grant select on commerce.payment_accounts to commerce_backup;

grant insert, select on commerce.payment_events to commerce_app;

grant select on commerce.payment_events to commerce_backup;

grant delete, insert, select, update on commerce.payment_moves to commerce_app;

grant select on commerce.payment_moves to commerce_backup;

grant select on commerce.payment_moves to commerce_sweep;

grant delete, insert, select, update on commerce.payments to commerce_app;

grant select on commerce.payments to commerce_backup;

grant select on commerce.payments to commerce_sweep;

grant delete, insert, select, update on commerce.pending_images to commerce_app;

grant select on commerce.pending_images to commerce_backup;

grant delete, insert, select, update on commerce.product_changes to commerce_app;

grant select on commerce.product_changes to commerce_backup;

grant delete, select on commerce.product_changes to commerce_sweep;

grant delete, insert, select, update on commerce.product_images to commerce_app;

grant select on commerce.product_images to commerce_backup;

grant delete, insert, select, update on commerce.product_options to commerce_app;

grant select on commerce.product_options to commerce_backup;

grant delete, insert, select, update on commerce.product_sales to commerce_app;

grant select on commerce.product_sales to commerce_backup;

grant select on commerce.product_sales to commerce_sweep;

grant delete, insert, select, update on commerce.product_search to commerce_app;

grant select on commerce.product_search to commerce_backup;

grant select on commerce.product_search to commerce_search;

grant delete, insert, select, update on commerce.product_tombstones to commerce_app;

grant select on commerce.product_tombstones to commerce_backup;

grant delete, insert, select, update on commerce.products to commerce_app;

grant select on commerce.products to commerce_backup;

grant select on commerce.products to commerce_search;

grant insert, select on commerce.public_tool_calls to commerce_app;

grant select on commerce.public_tool_calls to commerce_backup;

grant delete, insert, select, update on commerce.rate_counts to commerce_app;

grant select on commerce.rate_counts to commerce_backup;

grant delete, select on commerce.rate_counts to commerce_sweep;

grant insert, select on commerce.refund_items to commerce_app;

grant select on commerce.refund_items to commerce_backup;

grant insert, select on commerce.refunds to commerce_app;

grant select on commerce.refunds to commerce_backup;

grant delete, insert, select, update on commerce.return_lines to commerce_app;

grant select on commerce.return_lines to commerce_backup;

grant delete, insert, select, update on commerce.returns to commerce_app;

grant select on commerce.returns to commerce_backup;

grant delete, insert, select, update on commerce.search_models to commerce_app;

grant select on commerce.search_models to commerce_backup;

grant delete, insert, select, update on commerce.search_postings to commerce_app;

grant select on commerce.search_postings to commerce_backup;

grant delete, insert, select, update on commerce.search_product_vectors to commerce_app;

grant select on commerce.search_product_vectors to commerce_backup;

grant delete, insert, select, update on commerce.search_word_vectors to commerce_app;

grant select on commerce.search_word_vectors to commerce_backup;

grant delete, insert, select, update on commerce.shipping_options to commerce_app;

grant select on commerce.shipping_options to commerce_backup;

grant delete, insert, select, update on commerce.signing_keys to commerce_app;

grant select on commerce.signing_keys to commerce_backup;

grant select on commerce.site_domains to commerce_app;

grant select on commerce.site_domains to commerce_backup;

grant select on commerce.site_receivers to commerce_backup;

grant delete, insert, select, update on commerce.site_settings to commerce_app;

grant select on commerce.site_settings to commerce_backup;

grant delete, insert, select, update on commerce.site_usage to commerce_app;

grant select on commerce.site_usage to commerce_backup;

grant delete, insert, select, update on commerce.sites to commerce_app;

grant select on commerce.sites to commerce_backup;

grant select on commerce.sites to commerce_sweep;

grant delete, insert, select, update on commerce.staff to commerce_app;

grant select on commerce.staff to commerce_backup;

grant delete, insert, select, update on commerce.staff_invitations to commerce_app;

grant select on commerce.staff_invitations to commerce_backup;

grant delete, select on commerce.staff_invitations to commerce_sweep;

grant delete, insert, select, update on commerce.staff_memberships to commerce_app;

grant select on commerce.staff_memberships to commerce_backup;

grant delete, insert, select, update on commerce.staff_recovery_codes to commerce_app;

grant select on commerce.staff_recovery_codes to commerce_backup;

grant delete, insert, select, update on commerce.staff_resets to commerce_app;

grant select on commerce.staff_resets to commerce_backup;

grant delete, insert, select, update on commerce.staff_second_factors to commerce_app;

grant select on commerce.staff_second_factors to commerce_backup;

grant delete, insert, select, update on commerce.staff_sessions to commerce_app;

grant select on commerce.staff_sessions to commerce_backup;

grant delete, select on commerce.staff_sessions to commerce_sweep;

grant insert, select on commerce.stock_movements to commerce_app;

grant select on commerce.stock_movements to commerce_backup;

grant delete, insert, select, update on commerce.stock_reservations to commerce_app;

grant select on commerce.stock_reservations to commerce_backup;

grant delete, insert, select, update on commerce.sync_orders to commerce_app;

grant select on commerce.sync_orders to commerce_backup;

grant delete, insert, select, update on commerce.test_payments to commerce_app;

grant select on commerce.test_payments to commerce_backup;

grant delete, insert, select, update on commerce.tokens to commerce_app;

grant select on commerce.tokens to commerce_backup;

grant delete, insert, select, update on commerce.ucp_requests to commerce_app;

grant select on commerce.ucp_requests to commerce_backup;

grant delete, select on commerce.ucp_requests to commerce_sweep;

grant delete, insert, select, update on commerce.variants to commerce_app;

grant select on commerce.variants to commerce_backup;

grant select on commerce.variants to commerce_search;

grant delete, insert, select, update on commerce.webhook_attempts to commerce_app;

grant select on commerce.webhook_attempts to commerce_backup;

grant delete, select on commerce.webhook_attempts to commerce_sweep;

grant delete, insert, select, update on commerce.webhook_deliveries to commerce_app;

grant select on commerce.webhook_deliveries to commerce_backup;

grant delete, select on commerce.webhook_deliveries to commerce_sweep;

grant delete, insert, select, update on commerce.webhooks to commerce_app;

grant select on commerce.webhooks to commerce_backup;

grant delete, insert, select, update on commerce.withdrawal_lines to commerce_app;

grant select on commerce.withdrawal_lines to commerce_backup;

grant insert, select on commerce.withdrawal_statements to commerce_app;

grant select on commerce.withdrawal_statements to commerce_backup;

grant delete, insert, select, update on commerce.withdrawals to commerce_app;

grant select on commerce.withdrawals to commerce_backup;
