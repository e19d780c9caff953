import type { Knex } from 'knex';

/**
 * Functions that add jobs to the queue. They run as the owner, because commerce_app may not access the queue's tables.
 */
export async function createJobs(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.with_trace(payload json) returns json language sql stable
      return case
        when coalesce(current_setting('app.traceparent', true), '') = '' or json_typeof(payload) <> 'object' then payload
        else (payload::jsonb || jsonb_build_object('traceparent', current_setting('app.traceparent', true)))::json end;
    revoke execute on function commerce.with_trace from public;

    create function commerce.add_jobs(task text, payloads json[], run_at timestamptz, max_attempts integer,
        priorities smallint[]) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
    end $$;
    revoke execute on function commerce.add_jobs from public;

    create function commerce.enqueue(task text, payload json, run_at timestamptz) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
      select commerce.add_jobs(task, array[payload], run_at, 12, '{0}');
    $$;
    revoke execute on function commerce.enqueue from public;
    grant execute on function commerce.enqueue to commerce_app;

    create function commerce.enqueue_all(task text, payloads json[], run_at timestamptz) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
    end $$;
    revoke execute on function commerce.enqueue_all from public;
    grant execute on function commerce.enqueue_all to commerce_app;

    create function commerce.enqueue_file(site uuid, file uuid) returns void
    language sql security definer set search_path = pg_catalog, pg_temp as $$
      select commerce.add_jobs('process_file', array[json_build_object('site_id', site, 'file_id', file)], now(), 12,
        array[(select count(*) from (
          select from commerce.files where site_id = site and status = 'processing' and id <> file limit 1000
        ) as others)::smallint]);
    $$;
    revoke execute on function commerce.enqueue_file from public;
    grant execute on function commerce.enqueue_file to commerce_app;

    create function commerce.enqueue_delivery(site uuid, delivery uuid, run_at timestamptz) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
      select commerce.add_jobs('deliver_webhook', array[json_build_object('site_id', site, 'delivery_id', delivery)],
        run_at, 100, '{0}');
    $$;
    revoke execute on function commerce.enqueue_delivery from public;
    grant execute on function commerce.enqueue_delivery to commerce_app;

    -- After a hundred pending deliveries of a shop, further deliveries get a lower priority than the deliveries of
    -- other shops.
    create function commerce.enqueue_deliveries(site uuid, deliveries uuid[], run_at timestamptz) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
    end $$;
    revoke execute on function commerce.enqueue_deliveries from public;
    grant execute on function commerce.enqueue_deliveries to commerce_app;
  `);
}
