import type { Knex } from 'knex';

/**
 * The role that removes what is past its time, for all tenants at once. It sees and deletes expired rows alone, by policies
 * of its own: forced row-level security binds the owner of the tables, too, and a role that may bypass it could read
 * everything.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    do $$ begin
      if not exists (select from pg_roles where rolname = 'commerce_sweep') then create role commerce_sweep nologin; end if;
    exception when duplicate_object or unique_violation then null;
    end $$;
    do $$ begin
      grant commerce_sweep to current_user;
    exception when insufficient_privilege then null;
    end $$;
    grant usage on schema commerce to commerce_sweep;
    grant select, delete on commerce.idempotency_keys, commerce.login_throttles, commerce.staff_sessions,
      commerce.catalog_schedule to commerce_sweep;

    create policy sweep on commerce.idempotency_keys to commerce_sweep
      using (completed_at <= now() - interval '24 hours');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop policy sweep on commerce.idempotency_keys;
    revoke all on commerce.idempotency_keys, commerce.login_throttles, commerce.staff_sessions,
      commerce.catalog_schedule from commerce_sweep;
    revoke usage on schema commerce from commerce_sweep;
  `);
}
