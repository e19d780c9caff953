import type { Knex } from 'knex';

/**
 * Reports how far each standby is behind, for `/metrics` and `doctor`, because requests may not read the state of
 * standbys. Empty unless the owner of the schema is a member of pg_monitor. The lag is in bytes, because PostgreSQL
 * keeps reporting the last lag in time for a standby that no longer replays.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.standby_state() returns table (standby text, sync_state text, lag_bytes bigint)
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
      select application_name, sync_state, pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce(replay_lsn, write_lsn, sent_lsn))::bigint
        from pg_stat_replication
        where not pg_is_in_recovery() and state in ('streaming', 'catchup') and application_name not like 'pg_basebackup%'
        order by application_name
    $$;
    revoke execute on function commerce.standby_state() from public;
    grant execute on function commerce.standby_state() to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function commerce.standby_state()');
}
