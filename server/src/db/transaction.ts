import type pg from 'pg';
import type { Sql } from 'sql-template-tag';
import { begin, type Connection, keepsSessions, query } from './connect.ts';

/** The connection was lost while COMMIT was on its way: nobody knows yet whether it took place. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('The connection was lost during COMMIT.', { cause });
    this.name = 'CommitUnknown';
  }
}

/** Runs work on one connection between BEGIN and COMMIT; whatever it throws undoes all of it and is thrown on. */
export async function inTransaction<T>(pool: pg.Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    await connection.query(begin());
    const result = await work(connection);
    await commit(connection);
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

async function commit(connection: Connection): Promise<void> {
  try {
    await connection.query('commit');
  } catch (error) {
    throw isFromServer(error) && !isLostConnection(error) ? error : new CommitUnknown(error);
  }
}

/** Runs work of reads on one connection, each statement by itself unless a proxy would hand each another connection. */
export async function withConnection<T>(pool: pg.Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  if (!keepsSessions()) return inTransaction(pool, work);
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    return await work(connection);
  } catch (error) {
    // After a time limit of ours the connection still waits for its answer: the next user must not get it.
    if ((error as { code?: string }).code === undefined && isLostConnection(error)) broken = error as Error;
    throw error;
  } finally {
    connection.release(broken);
  }
}

/** Sends one statement by itself. */
export function queryAlone<Row extends pg.QueryResultRow>(pool: pg.Pool, statement: Sql): Promise<pg.QueryResult<Row>> {
  return withConnection(pool, (connection) => query<Row>(connection, statement));
}

/** Errors that PostgreSQL itself sent carry a severity; all others are of the way to it. */
function isFromServer(error: unknown): boolean {
  return typeof (error as { severity?: unknown }).severity === 'string';
}

const LOST_CODES = /^(?:08|57P0[123]|ECONN|EPIPE|ETIMEDOUT)/;
const LOST_MESSAGES = /Connection terminated|connection error|Query read timeout|not queryable/;

/** The connection is gone, and with it the transaction that was open on it. */
export function isLostConnection(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return LOST_CODES.test(code) || (!isFromServer(error) && LOST_MESSAGES.test(message));
}
