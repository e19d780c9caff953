import type { PoolClient } from 'pg';

const NO_TENANT = '00000000-0000-0000-0000-000000000000';

/**
 * Runs work in a transaction as commerce_sweep, whose policies (db/schema.sql) show only expired rows, but those of all
 * tenants.
 */
export async function asSweeper<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    await client.query('set local role commerce_sweep');
    // PostgreSQL evaluates a table's tenant policy in addition to the sweeper's, and that needs a tenant.
    await client.query(`select set_config('app.site_id', $1, true)`, [NO_TENANT]);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
