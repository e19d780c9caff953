import type { Knex } from 'knex';

/**
 * Reports how many jobs of each kind are due, and since when, for `/readyz`, `/metrics` and `doctor`, because
 * commerce_app may not read the queue. Written in PL/pgSQL, which resolves tables only when it runs: in a new database
 * the queue's tables are created later.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.queue_state() returns table (job text, waiting integer, oldest_seconds integer)
      language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
    begin
      return query select t.identifier, count(*)::integer, extract(epoch from now() - min(j.run_at))::integer
        from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where j.is_available and j.run_at <= now() group by t.identifier order by t.identifier;
    end $$;
    revoke execute on function commerce.queue_state from public;
    grant execute on function commerce.queue_state to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function commerce.queue_state');
}
