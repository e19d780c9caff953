import type { Knex } from 'knex';

/**
 * A job carries the trace of the request that added it: `app.traceparent` of the transaction, which only a server sets that
 * traces, goes into the payload. Events are noted by triggers when the transaction commits, so that the server itself cannot
 * add it.
 */
const WITH_TRACE = `
    create function commerce.with_trace(payload json) returns json language sql stable
      return case
        when coalesce(current_setting('app.traceparent', true), '') = '' or json_typeof(payload) <> 'object' then payload
        else (payload::jsonb || jsonb_build_object('traceparent', current_setting('app.traceparent', true)))::json end;
    revoke execute on function commerce.with_trace from public;
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(WITH_TRACE);
  await knex.raw(addingJobs('commerce.with_trace(j.payload)'));
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(addingJobs('j.payload'));
  await knex.raw('drop function commerce.with_trace');
}

const addingJobs = (payload: string) => `
    create or replace function commerce.add_jobs(task text, payloads json[], run_at timestamptz, max_attempts integer,
        priorities smallint[]) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, priority)
        select t.id, ${payload}, add_jobs.run_at, add_jobs.max_attempts, j.priority
        from unnest(payloads, priorities) as j (payload, priority)
        join graphile_worker._private_tasks t on t.identifier = task;
      if not found then
        -- Its first job: no worker has written the task down.
        perform graphile_worker.add_jobs(array(
          select (task, ${payload}, null, add_jobs.run_at, add_jobs.max_attempts, null, j.priority, null)
            ::graphile_worker.job_spec
          from unnest(payloads, priorities) as j (payload, priority)));
        return;
      end if;
      raise notice using errcode = 'CJ001', message = 'jobs added', detail = cardinality(payloads)::text;
    end $$;
    create or replace function commerce.enqueue_all(task text, payloads json[], run_at timestamptz) returns void
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      if cardinality(payloads) = 0 then return; end if;
      insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts)
        select t.id, ${payload}, enqueue_all.run_at, 12
        from unnest(payloads) as j (payload)
        join graphile_worker._private_tasks t on t.identifier = task;
      if not found then
        perform commerce.add_jobs(task, payloads, run_at, 12, array_fill(0::smallint, array[cardinality(payloads)]));
        return;
      end if;
      raise notice using errcode = 'CJ001', message = 'jobs added', detail = cardinality(payloads)::text;
    end $$;
`;
