import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Sql } from 'sql-template-tag';
import { begin, type Connection, keepsSessions, query, send, takeConnection } from './connect.ts';
import { noteFailure } from './storage.ts';

/** The connection was lost while COMMIT was on its way: nobody knows yet whether it took place. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('The connection was lost during COMMIT.', { cause });
    this.name = 'CommitUnknown';
  }
}

/** It needs no lock and no disk: a database that is there answers at once. */
const BEGIN_WITHIN_MS = 2_000;

/** Runs work on one connection between BEGIN and COMMIT; whatever it throws undoes all of it and is thrown on. */
export async function inTransaction<T>(pool: pg.Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await takeConnection(pool);
  let broken: Error | undefined;
  try {
    await send(connection, begin(), BEGIN_WITHIN_MS);
    const result = await work(connection);
    await commit(connection);
    return result;
  } catch (error) {
    noteFailure(pool, error);
    broken = await undo(connection, error);
    throw error;
  } finally {
    connection.release(broken);
  }
}

/** PostgreSQL chose this transaction as the victim of a serialisation conflict or of a deadlock: it may be run again. */
export const CONFLICTS: readonly string[] = ['40001', '40P01'];

const ATTEMPTS = 3;

/** Runs a transaction, and again, twice at the most, while it fails for a reason that `mayRetry` lets pass. */
export async function retryConflicts<T>(
  work: (attempt: number) => Promise<T>,
  mayRetry: (error: unknown) => boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt === ATTEMPTS || !mayRetry(error)) throw error;
      // Of two that met, one goes first.
      await sleep(20 + Math.random() * 60 * attempt);
    }
  }
}

/** Whether PostgreSQL refused with one of these codes. */
export function hasCode(error: unknown, codes: readonly string[]): boolean {
  return codes.includes((error as { code?: string }).code ?? '');
}

/** Answers why the connection must go, if it must: the database then undoes the transaction by itself. */
async function undo(connection: Connection, error: unknown): Promise<Error | undefined> {
  // Who waits for an answer in vain would wait once more for that of the rollback.
  if (isSilent(error)) return error as Error;
  return send(connection, 'rollback').then(
    () => undefined,
    (failure: Error) => failure,
  );
}

async function commit(connection: Connection): Promise<void> {
  try {
    await send(connection, 'commit');
  } catch (error) {
    throw isFromServer(error) && !isLostConnection(error) ? error : new CommitUnknown(error);
  }
}

/** Runs work of reads on one connection, each statement by itself unless a proxy would hand each another connection. */
export async function withConnection<T>(pool: pg.Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  if (!keepsSessions()) return inTransaction(pool, work);
  const connection = await takeConnection(pool);
  let broken: Error | undefined;
  try {
    return await work(connection);
  } catch (error) {
    noteFailure(pool, error);
    if (isSilent(error)) broken = error as Error;
    throw error;
  } finally {
    connection.release(broken);
  }
}

/** Sends one statement by itself. */
export function queryAlone<Row extends object>(pool: pg.Pool, statement: Sql): Promise<pg.QueryResult<Row>> {
  return withConnection(pool, (connection) => query<Row>(connection, statement));
}

/** Errors that PostgreSQL itself sent carry a severity; all others are of the way to it. */
function isFromServer(error: unknown): boolean {
  return typeof (error as { severity?: unknown }).severity === 'string';
}

/** After a time limit of ours the connection still waits for its answer: the next user must not get it. */
function isSilent(error: unknown): boolean {
  const failure = error instanceof CommitUnknown ? error.cause : error;
  return (failure as { code?: string }).code === undefined && isLostConnection(failure);
}

const LOST_CODES = /^(?:08|57P0[123]|ECONN|EPIPE|ETIMEDOUT)/;
const LOST_MESSAGES = /Connection terminated|connection error|Query read timeout|not queryable/;

/** The connection is gone, and with it the transaction that was open on it. */
export function isLostConnection(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return LOST_CODES.test(code) || (!isFromServer(error) && LOST_MESSAGES.test(message));
}
