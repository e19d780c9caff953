import type { Knex } from 'knex';

/**
 * Requests add their jobs without NOTIFY, for which all commits of a database take turns, and with one planned insert instead
 * of graphile-worker's `add_jobs`, which plans four statements on each call. Sessions are told by a notice how many jobs
 * their transaction adds, and wake the workers once it is committed (db/wake-workers.ts).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.add_jobs(task text, payloads json[], run_at timestamptz, max_attempts integer,
        priorities smallint[]) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, priority)
        select t.id, j.payload, add_jobs.run_at, add_jobs.max_attempts, j.priority
        from unnest(payloads, priorities) as j (payload, priority)
        join graphile_worker._private_tasks t on t.identifier = task;
      if not found then
        -- Its first job: no worker has written the task down.
        perform graphile_worker.add_jobs(array(
          select (task, j.payload, null, add_jobs.run_at, add_jobs.max_attempts, null, j.priority, null)
            ::graphile_worker.job_spec
          from unnest(payloads, priorities) as j (payload, priority)));
        return;
      end if;
      raise notice using errcode = 'CJ001', message = 'jobs added', detail = cardinality(payloads)::text;
    end $$;
    revoke execute on function commerce.add_jobs from public;

    create or replace function commerce.enqueue(task text, payload json, run_at timestamptz) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
      select commerce.add_jobs(task, array[payload], run_at, 12, '{0}');
    $$;

    create or replace function commerce.enqueue_delivery(site uuid, delivery uuid, run_at timestamptz) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
      select commerce.add_jobs('deliver_webhook', array[json_build_object('site_id', site, 'delivery_id', delivery)],
        run_at, 100, '{0}');
    $$;

    create or replace function commerce.enqueue_deliveries(site uuid, deliveries uuid[], run_at timestamptz) returns void
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
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function commerce.enqueue(task text, payload json, run_at timestamptz) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      perform graphile_worker.add_job(task, payload, run_at => run_at, max_attempts => 12);
    end $$;

    create or replace function commerce.enqueue_delivery(site uuid, delivery uuid, run_at timestamptz) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      perform graphile_worker.add_job('deliver_webhook', json_build_object('site_id', site, 'delivery_id', delivery),
        run_at => run_at, max_attempts => 100);
    end $$;

    create or replace function commerce.enqueue_deliveries(site uuid, deliveries uuid[], run_at timestamptz) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    declare
      under_way integer;
    begin
      select count(*) into under_way from (
        select from commerce.webhook_deliveries where site_id = site and status = 'pending' and id <> all(deliveries)
        limit 100) as others;
      perform graphile_worker.add_jobs(array(
        select ('deliver_webhook', json_build_object('site_id', site, 'delivery_id', delivery.id), null,
          enqueue_deliveries.run_at, 100, null, case when under_way + place > 100 then 1 else 0 end, null)
          ::graphile_worker.job_spec
        from unnest(deliveries) with ordinality as delivery (id, place)));
    end $$;

    drop function commerce.add_jobs;
  `);
}
