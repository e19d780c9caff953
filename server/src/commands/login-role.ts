import type pg from 'pg';

/** Whether row-level security could not hold the login if it stepped out of commerce_app, the role of requests. */
export async function isUnboundLogin(db: pg.Pool | pg.Client): Promise<boolean> {
  const { rows } = await db.query<{ unbound: boolean }>(
    'select rolsuper or rolbypassrls as unbound from pg_roles where rolname = session_user',
  );
  return rows[0]?.unbound ?? true;
}
