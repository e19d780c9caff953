import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { traceHeaders } from '../tracing/span.ts';
import {
  begin,
  type Connection,
  giveBack,
  keepsSessions,
  LONGEST_MS,
  query,
  send,
  takeConnection,
  together,
} from './connect.ts';
import { ERA, inOneHistory } from './era.ts';
import { isFromServer } from './statement.ts';
import { noteFailure } from './storage.ts';
import { takeAddedJobs, wakeWorkers } from './wake-workers.ts';

/** Thrown if the connection was lost during COMMIT, so that the result of the transaction is unknown. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('The connection was lost during COMMIT.', { cause });
    this.name = 'CommitUnknown';
  }
}

/** Time limit for BEGIN. It needs no lock and no disk access, so a reachable database answers it immediately. */
const BEGIN_WITHIN_MS = 2_000;

/** Runs work on one connection between BEGIN and COMMIT. If the work throws, rolls back and rethrows the error. */
export function inTransaction<T>(pool: pg.Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  return inOneHistory(pool, () =>
    inSentTransaction(pool, async (connection, begun) => {
      await together(begun, query(connection, sql`select ${ERA}`));
      return { result: await work(connection), last: undefined };
    }),
  );
}

/**
 * Like `inTransaction`, with two round trips fewer: BEGIN is sent together with the first statements of the work, and
 * COMMIT together with the last one. If BEGIN fails, PostgreSQL runs none of the statements sent with it. All later
 * statements must wait for `begun`. The first statement must select ERA, and the caller must use `inOneHistory`.
 */
export async function inSentTransaction<T>(
  pool: pg.Pool,
  work: (connection: Connection, begun: Promise<unknown>) => Promise<{ result: T; last: Sql | undefined }>,
): Promise<T> {
  const connection = await takeConnection(pool);
  let broken: Error | undefined;
  try {
    const begun = send(connection, begin(connection), BEGIN_WITHIN_MS);
    // If the work fails before it awaits `begun`, the rejection of `begun` would be unhandled.
    begun.catch(() => undefined);
    noteTrace(connection);
    const { result, last } = await work(connection, begun);
    await commit(connection, last);
    const jobs = takeAddedJobs(connection.client);
    if (jobs > 0) wakeWorkers(pool, jobs, (statement) => queryAlone(pool, statement));
    return result;
  } catch (error) {
    noteFailure(pool, error);
    broken = await undo(connection, error);
    throw error;
  } finally {
    giveBack(connection, broken);
  }
}

/** SQLSTATE codes of serialization failures and deadlocks, after which a transaction may be retried. */
export const CONFLICTS: readonly string[] = ['40001', '40P01'];

const ATTEMPTS = 3;

/** Runs a transaction, and retries it at most twice while `mayRetry` accepts the error. */
export async function retryConflicts<T>(
  work: (attempt: number) => Promise<T>,
  mayRetry: (error: unknown) => boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt === ATTEMPTS || !mayRetry(error)) throw error;
      // The delay is random, so that two conflicting transactions rarely conflict again.
      await sleep(20 + Math.random() * 60 * attempt);
    }
  }
}

/** Whether PostgreSQL rejected a statement with one of these codes. */
export function hasCode(error: unknown, codes: readonly string[]): boolean {
  return codes.includes((error as { code?: string }).code ?? '');
}

/** Rolls back. Returns an error if the connection must be closed instead, which rolls back as well. */
async function undo(connection: Connection, error: unknown): Promise<Error | undefined> {
  takeAddedJobs(connection.client);
  connection.unheard = [];
  // After a timeout, PostgreSQL would not answer ROLLBACK in time.
  if (isSilent(error)) return error as Error;
  return send(connection, 'rollback').then(
    () => undefined,
    (failure: Error) => failure,
  );
}

/** Sends a statement without awaiting it. If it fails, the end of the transaction fails too. */
export function sendUnheard(connection: Connection, statement: Sql): void {
  endInTime(connection);
  note(connection, query(connection, statement));
}

function note(connection: Connection, sent: Promise<unknown>): void {
  sent.catch(() => undefined);
  connection.unheard.push(sent);
}

/** Sets the deadline of a transaction in milliseconds since 1970. */
export function endBy(connection: Connection, time: number): void {
  connection.endsAt = time;
}

/** Time between the deadline and PostgreSQL's timeout, so that the caller's own timeout fires first. */
const AFTER_THE_END_MS = 50;

/**
 * Limits the time of statements that are sent together with COMMIT, because they cannot be rolled back later. Their
 * timeout is the time until the deadline, if that is less than the usual timeout.
 */
function endInTime(connection: Connection): void {
  const left = connection.endsAt - Date.now();
  if (left >= LONGEST_MS.statement) return;
  const limit = Math.max(0, Math.ceil(left)) + AFTER_THE_END_MS;
  const setting = sql`select set_config('statement_timeout', ${String(limit)}, true),
    set_config('lock_timeout', ${String(Math.min(limit, LONGEST_MS.lock))}, true)`;
  note(connection, query(connection, setting));
}

function takeUnheard(connection: Connection): Promise<unknown>[] {
  const sent = connection.unheard;
  connection.unheard = [];
  return sent;
}

/** Passes the request's trace on to the jobs that the transaction adds (`commerce.with_trace`). */
function noteTrace(connection: Connection): void {
  const { traceparent } = traceHeaders();
  // An error aborts the transaction, so the next statement reports it.
  if (traceparent) {
    query(connection, sql`select set_config('app.traceparent', ${traceparent}, true)`).catch(() => undefined);
  }
}

async function commit(connection: Connection, last: Sql | undefined): Promise<void> {
  if (last) endInTime(connection);
  const written = together(...takeUnheard(connection), last && query(connection, last));
  const [writing, committing] = await Promise.allSettled([written, send(connection, 'commit')]);
  // After an error in the transaction, PostgreSQL answers COMMIT with a rollback.
  if (writing.status === 'rejected' && isFromServer(writing.reason)) throw writing.reason;
  if (committing.status === 'rejected') {
    const error: unknown = committing.reason;
    throw isFromServer(error) && !isLostConnection(error) ? error : new CommitUnknown(error);
  }
  if (writing.status === 'rejected') throw writing.reason;
}

/**
 * Runs reads on one connection. Uses a transaction only behind a pooler in transaction mode, which could otherwise use
 * another connection for each statement. If the work has several statements, the first must select ERA (see
 * `inSentTransaction`).
 */
export async function withConnection<T>(pool: pg.Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  if (!keepsSessions(pool)) {
    return inSentTransaction(pool, async (connection, begun) => {
      await begun;
      return { result: await work(connection), last: undefined };
    });
  }
  const connection = await takeConnection(pool);
  let broken: Error | undefined;
  try {
    return await work(connection);
  } catch (error) {
    noteFailure(pool, error);
    if (isSilent(error)) broken = error as Error;
    throw error;
  } finally {
    giveBack(connection, broken);
  }
}

/**
 * Runs a single statement. Unless the statement selects ERA, it must not change the catalogue or assign an order
 * number.
 */
export function queryAlone<Row extends object>(pool: pg.Pool, statement: Sql): Promise<pg.QueryResult<Row>> {
  return withConnection(pool, (connection) => query<Row>(connection, statement));
}

/** Whether our own timeout has passed. PostgreSQL may still answer, so no other work may use the connection. */
function isSilent(error: unknown): boolean {
  const failure = error instanceof CommitUnknown ? error.cause : error;
  return (failure as { code?: string }).code === undefined && isLostConnection(failure);
}

const LOST_CODES = /^(?:08|57P0[123]|ECONN|EPIPE|ETIMEDOUT)/;
const LOST_MESSAGES = /Connection terminated|connection error|Query read timeout|not queryable/;

/** Whether the connection was lost. Its open transaction is then rolled back. */
export function isLostConnection(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return LOST_CODES.test(code) || (!isFromServer(error) && LOST_MESSAGES.test(message));
}

/** Whether no connection was available in time, or the connection was lost. */
export function isUnreachable(error: unknown): boolean {
  return isLostConnection(error) || (error as Error).message === 'timeout exceeded when trying to connect';
}
