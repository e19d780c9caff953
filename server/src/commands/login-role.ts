import type pg from 'pg';

/** Whether the login of the server bypasses row-level security. Requests use the role commerce_app, which does not. */
export async function isUnboundLogin(db: pg.Pool | pg.Client): Promise<boolean> {
  const statement = {
    text: 'select rolsuper or rolbypassrls as unbound from pg_roles where rolname = session_user',
    query_timeout: 6_000,
  } as pg.QueryConfig;
  const { rows } = await db.query<{ unbound: boolean }>(statement);
  return rows[0]?.unbound ?? true;
}
