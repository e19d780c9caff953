import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { ERA } from '../db/era.ts';

const NO_TENANT = '00000000-0000-0000-0000-000000000000';

/**
 * Runs work in a transaction as commerce_sweep. The policies of this role (db/schema.sql) cover all tenants, but in
 * most tables show only expired or due rows.
 */
export async function asSweeper<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    await client.query('set local role commerce_sweep');
    // PostgreSQL evaluates a table's tenant policy in addition to the sweeper's, and that needs a tenant.
    await client.query(sql`select ${ERA}, set_config('app.site_id', ${NO_TENANT}, true)`);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
