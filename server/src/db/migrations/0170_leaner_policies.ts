import type { Knex } from 'knex';

const PLAIN = 'commerce.current_site()';
const SUBQUERY = '(select commerce.current_site())';

/**
 * The policies of tenants compare with the tenant itself, not with a subquery that returns it. A subquery is one more plan to
 * prepare and to end for each table of each statement, and since such statements contain queries, PostgreSQL goes through their whole
 * text for locks each time that they run. As every statement names its `site_id`, the tenant is still compared once for each scan
 * of a table, not for each row: PostgreSQL takes the two for equal, and makes of it a condition on the scan as a whole.
 */
export async function up(knex: Knex): Promise<void> {
  await writePolicies(knex, PLAIN);
}

export async function down(knex: Knex): Promise<void> {
  await writePolicies(knex, SUBQUERY);
}

/** Those of all tables, and of tables that are made from now on. */
async function writePolicies(knex: Knex, tenant: string): Promise<void> {
  await knex.raw(`
    do $$ declare
      tenant_table regclass;
    begin
      for tenant_table in select polrelid from pg_policy
        where polname = 'tenant' and polrelid in (select oid from pg_class where relnamespace = 'commerce'::regnamespace)
        order by polrelid::regclass::text
      loop
        execute format('alter policy tenant on %s using (site_id = ${tenant})', tenant_table);
      end loop;
    end $$;

    create or replace procedure commerce.protect(tenant_table regclass) language plpgsql as $$
    begin
      execute format('alter table %s enable row level security', tenant_table);
      execute format('alter table %s force row level security', tenant_table);
      execute format('create policy tenant on %s using (site_id = ${tenant})', tenant_table);
    end $$;
  `);
}
