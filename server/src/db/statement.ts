/**
 * A statement that is cheaper than `pg`'s own when it is sent repeatedly:
 * - Requests the column descriptions of a prepared statement once per connection.
 * - Statements of one transaction that are sent in one packet share one Sync, so PostgreSQL answers them together. If one
 *   fails, PostgreSQL skips the others up to the Sync; they are rejected here with the error of an aborted transaction.
 *   Outside of a transaction each statement has its own Sync, because an error would otherwise roll back the others.
 */

import type { EventEmitter } from 'node:events';
import pg from 'pg';

/** Parts of `pg` that its types do not declare. */
interface ProtocolConnection extends EventEmitter {
  describe(what: { type: string; name: string }): void;
  execute(portal: { portal: string; rows: undefined }): void;
  /** Sends a statement without parameters. */
  query(text: string): void;
  sync(): void;
}

interface RowDescription {
  fields: unknown[];
}

interface Result {
  fields: unknown[];
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
  parseRow(values: unknown[]): unknown;
  addRow(row: unknown): void;
}

declare class ProtocolQuery {
  constructor(text: string, values: unknown[] | undefined);
  name: string | undefined;
  text: string;
  callback: (error: unknown, result?: pg.QueryResult) => void;
  _result: Result;
  _results: pg.QueryResult;
  _canceledDueToError: unknown;
  prepare(connection: ProtocolConnection): void;
  handleRowDescription(message: RowDescription): void;
  handleDataRow(message: RowDescription): void;
  handleCommandComplete(message: object, connection: ProtocolConnection): void;
  handleError(error: unknown, connection: ProtocolConnection): void;
}

const Query = pg.Query as unknown as typeof ProtocolQuery;

type Columns = Pick<Result, 'fields' | '_parsers' | '_prebuiltEmptyResultObject'>;

/** Statements that begin and end transactions. Each is prepared with its own text as the name. */
export const BOUNDARIES: Partial<Record<string, 'begin' | 'end'>> = { begin: 'begin', commit: 'end', rollback: 'end' };

export interface StatementConfig {
  /** Name of the prepared statement; undefined if it is not prepared. */
  name: string | undefined;
  text: string;
  values: unknown[] | undefined;
}

/** Can be awaited for its result, because it replaces the promise that `pg` returns. */
export class Statement<Row extends object> extends Query implements PromiseLike<pg.QueryResult<Row>> {
  /** Whether a Sync follows, after which PostgreSQL reports that it is ready for the next statement. */
  synced = true;
  readonly #settled: Promise<pg.QueryResult<Row>>;
  #known: Columns | undefined;

  constructor({ name, text, values }: StatementConfig) {
    super(text, values);
    this.name = name;
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult<Row>>();
    this.#settled = promise;
    this.callback = (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult<Row>));
  }

  // biome-ignore lint/suspicious/noThenProperty: code that wraps `pg`'s query, such as tracing, awaits what it returns.
  then<T, E>(
    onResult?: ((result: pg.QueryResult<Row>) => T | PromiseLike<T>) | null,
    onError?: ((error: unknown) => E | PromiseLike<E>) | null,
  ): Promise<T | E> {
    return this.#settled.then(onResult, onError) as Promise<T | E>;
  }

  /** `pg` calls this to send the statement. */
  override prepare(connection: ProtocolConnection): void {
    const state = states.get(connection);
    this.#known = state?.columns.get(this.name);
    if (this.#known) Object.assign(this._result, this.#known);
    state?.describe(this.#known === undefined);
    super.prepare(connection);
    state?.describe(true);
  }

  /** `pg` calls this when the statement's parameters are bound. */
  _getRows(connection: ProtocolConnection): void {
    connection.execute({ portal: '', rows: undefined });
    const state = states.get(connection);
    if (state) state.end(this);
    else connection.sync();
  }

  override handleDataRow({ fields }: RowDescription): void {
    if (this._canceledDueToError) return;
    try {
      this._result.addRow(this._result.parseRow(fields));
    } catch (error) {
      this._canceledDueToError = error;
    }
  }

  override handleCommandComplete(message: object, connection: ProtocolConnection): void {
    super.handleCommandComplete(message, connection);
    if (!this.#known && this.name !== undefined)
      states.get(connection)?.columns.set(this.name, columnsOf(this._result));
    if (!this.synced) connection.emit('readyForQuery', { status: 'T' });
  }

  handleReadyForQuery(connection: ProtocolConnection): void {
    if (this._canceledDueToError) this.handleError(this._canceledDueToError, connection);
    else this.callback(null, this._results);
  }

  override handleError(error: unknown, connection: ProtocolConnection): void {
    super.handleError(error, connection);
    states.get(connection)?.columns.delete(this.name);
    if (this.synced || !isFromServer(error)) return;
    connection.emit('readyForQuery', { status: 'E' });
    connection.emit('errorMessage', skipped());
  }
}

/** The column descriptions that `pg` has parsed. */
function columnsOf({ fields, _parsers, _prebuiltEmptyResultObject }: Result): Columns {
  return { fields, _parsers, _prebuiltEmptyResultObject };
}

/** Whether PostgreSQL reported the error. Only its errors have a severity; all others concern the connection. */
export function isFromServer(error: unknown): boolean {
  return typeof (error as { severity?: unknown } | undefined)?.severity === 'string';
}

/** SQLSTATE of statements after an error in the same transaction. */
export const ABORTED = '25P02';

function skipped(): Error {
  return Object.assign(new Error('An earlier statement of the transaction failed.'), {
    code: ABORTED,
    severity: 'ERROR',
  });
}

/**
 * The state of a connection: the known columns of its statements, whether the next statement requests columns, and the
 * last statement without a Sync.
 */
class ConnectionState {
  readonly columns = new Map<string | undefined, Columns>();
  readonly #sync: () => void;
  #describes = true;
  #inTransaction = false;
  #unsynced: Statement<object> | undefined;

  constructor(connection: ProtocolConnection) {
    const { describe, query, sync } = connection;
    this.#sync = () => sync.call(connection);
    connection.describe = (what) => {
      if (this.#describes) describe.call(connection, what);
    };
    // `pg` sends a Sync after its own statements, which also ends all earlier statements.
    connection.sync = () => {
      this.#unsynced = undefined;
      this.#sync();
    };
    connection.query = (text) => {
      this.flush();
      query.call(connection, text);
    };
  }

  /** Sets whether the next statement requests its columns from PostgreSQL. */
  describe(wanted: boolean): void {
    this.#describes = wanted;
  }

  /** Ends a statement with a Sync: immediately, or together with later statements of the same packet. */
  end(statement: Statement<object>): void {
    const boundary = BOUNDARIES[statement.text];
    if (boundary === 'begin') this.#inTransaction = true;
    if (this.#inTransaction) {
      statement.synced = false;
      // Statements passed on after the packet was sent need a Sync too.
      if (!this.#unsynced) process.nextTick(() => this.flush());
      this.#unsynced = statement;
    } else this.#sync();
    if (boundary === 'end') this.#inTransaction = false;
  }

  /** Sends a Sync if statements wait for one. */
  flush(): void {
    if (!this.#unsynced) return;
    this.#unsynced.synced = true;
    this.#unsynced = undefined;
    this.#sync();
  }
}

const states = new WeakMap<ProtocolConnection, ConnectionState>();

/** Prepares a new connection for `Statement`. Call it once per connection. */
export function prepareConnection(client: pg.PoolClient): void {
  const connection = connectionOf(client);
  states.set(connection, new ConnectionState(connection));
}

/** Sends a pending Sync. Call it before the written data leaves the process. */
export function flush(client: pg.PoolClient): void {
  states.get(connectionOf(client))?.flush();
}

/** The client's protocol connection. `pg`'s types do not declare it. */
function connectionOf(client: pg.PoolClient): ProtocolConnection {
  return (client as unknown as { connection: ProtocolConnection }).connection;
}
