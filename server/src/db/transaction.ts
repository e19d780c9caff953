import type pg from 'pg';
import type { Connection } from './connect.ts';

/** Runs a deed on one connection between BEGIN and COMMIT; whatever it throws undoes all of it and is thrown on. */
export async function inTransaction<T>(pool: pg.Pool, deed: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    await connection.query('begin');
    const result = await deed(connection);
    await connection.query('commit');
    return result;
  } catch (error) {
    await connection.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    connection.release(broken);
  }
}

/** Runs a deed of reads on one connection, each statement by itself. */
export async function withConnection<T>(pool: pg.Pool, deed: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  try {
    return await deed(connection);
  } finally {
    connection.release();
  }
}
