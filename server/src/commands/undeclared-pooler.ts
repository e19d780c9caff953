import type pg from 'pg';

/**
 * Throws if an undeclared pooler drops the settings of connections. Requests would then run as the owner of the tables,
 * without row-level security and time limits.
 */
export async function refuseUndeclaredPooler(db: pg.Pool, pooling: 'session' | 'transaction'): Promise<void> {
  if (pooling === 'transaction') return;
  try {
    const statement = { text: 'select current_user as name', query_timeout: 6_000 } as pg.QueryConfig;
    const { rows } = await db.query<{ name: string }>(statement);
    if (rows[0]?.name === 'commerce_app') return;
  } catch (error) {
    if (!/startup parameter/.test((error as Error).message)) throw error;
  }
  throw new Error(
    'DATABASE_URL goes through a pooler that drops the settings of a connection. Set DATABASE_POOLING=transaction, and DATABASE_DIRECT_URL to the address of PostgreSQL itself.',
  );
}
