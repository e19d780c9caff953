import type { EventEmitter } from 'node:events';
import pg from 'pg';

/**
 * A statement that is cheaper than `pg`'s own when it is sent repeatedly:
 * - the columns of a prepared statement are requested once per connection.
 * - the statements of a transaction in one packet end in one Sync, and PostgreSQL answers them in one packet. After an
 *   error it skips the rest up to the Sync: those statements fail here as PostgreSQL lets statements of an aborted
 *   transaction fail. Outside of a transaction each statement has its own Sync, because otherwise an error in one would
 *   undo the others.
 */

/** Parts of `pg` that it does not declare in its types. */
interface ProtocolConnection extends EventEmitter {
  describe(what: { type: string; name: string }): void;
  execute(portal: { portal: string; rows: undefined }): void;
  /** Sends a text without values. */
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

/** The statements that begin and end transactions. They are prepared under their own texts. */
export const BOUNDARIES: Partial<Record<string, 'begin' | 'end'>> = { begin: 'begin', commit: 'end', rollback: 'end' };

export interface StatementConfig {
  /** The name under which the statement is prepared; undefined if it is not. */
  name: string | undefined;
  text: string;
  values: unknown[] | undefined;
}

/** Resolves to the result, so that it can replace the promise that `pg` returns. */
export class Statement<Row extends object> extends Query implements PromiseLike<pg.QueryResult<Row>> {
  /** Whether a Sync follows the statement, so that PostgreSQL itself reports when it is ready for the next. */
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

  // biome-ignore lint/suspicious/noThenProperty: whoever wraps `pg`'s own call, to watch it, waits for what that returns.
  then<T, E>(
    onResult?: ((result: pg.QueryResult<Row>) => T | PromiseLike<T>) | null,
    onError?: ((error: unknown) => E | PromiseLike<E>) | null,
  ): Promise<T | E> {
    return this.#settled.then(onResult, onError) as Promise<T | E>;
  }

  /** Called by `pg` to send the statement. */
  override prepare(connection: ProtocolConnection): void {
    const state = states.get(connection);
    this.#known = state?.columns.get(this.name);
    if (this.#known) Object.assign(this._result, this.#known);
    state?.describe(this.#known === undefined);
    super.prepare(connection);
    state?.describe(true);
  }

  /** Called by `pg` once the values of the statement are bound. */
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

/** The column data that `pg` parsed. */
function columnsOf({ fields, _parsers, _prebuiltEmptyResultObject }: Result): Columns {
  return { fields, _parsers, _prebuiltEmptyResultObject };
}

/** Whether an error comes from PostgreSQL itself. Such errors have a severity; all others concern the connection. */
export function isFromServer(error: unknown): boolean {
  return typeof (error as { severity?: unknown } | undefined)?.severity === 'string';
}

/** SQLSTATE of a statement that fails because an earlier one of its transaction has failed. */
export const ABORTED = '25P02';

function skipped(): Error {
  return Object.assign(new Error('An earlier statement of the transaction failed.'), {
    code: ABORTED,
    severity: 'ERROR',
  });
}

/** State of a connection, with the statements sent since the last Sync. */
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
    // `pg`'s own statements send a Sync: earlier statements end with it, or before it.
    connection.sync = () => {
      this.#unsynced = undefined;
      this.#sync();
    };
    connection.query = (text) => {
      this.flush();
      query.call(connection, text);
    };
  }

  /** Whether PostgreSQL is asked for the columns of the next statement. */
  describe(wanted: boolean): void {
    this.#describes = wanted;
  }

  /** Ends a statement with a Sync: at once, or with the last statement in the same packet. */
  end(statement: Statement<object>): void {
    const boundary = BOUNDARIES[statement.text];
    if (boundary === 'begin') this.#inTransaction = true;
    if (this.#inTransaction) {
      statement.synced = false;
      // A statement that is passed on after its packet was sent must be answered too.
      if (!this.#unsynced) process.nextTick(() => this.flush());
      this.#unsynced = statement;
    } else this.#sync();
    if (boundary === 'end') this.#inTransaction = false;
  }

  /** Sends the Sync if statements still wait for one. */
  flush(): void {
    if (!this.#unsynced) return;
    this.#unsynced.synced = true;
    this.#unsynced = undefined;
    this.#sync();
  }
}

const states = new WeakMap<ProtocolConnection, ConnectionState>();

/** Prepares a new connection of a pool whose statements are sent as `Statement`. Call it once per connection. */
export function prepareConnection(client: pg.PoolClient): void {
  const connection = connectionOf(client);
  states.set(connection, new ConnectionState(connection));
}

/** Ends the pending statements. Call it before the data written to the connection leaves the process. */
export function flush(client: pg.PoolClient): void {
  states.get(connectionOf(client))?.flush();
}

/** The connection of a client, which `pg` does not declare. */
function connectionOf(client: pg.PoolClient): ProtocolConnection {
  return (client as unknown as { connection: ProtocolConnection }).connection;
}
