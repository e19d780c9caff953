import type { Writable } from 'node:stream';
import pg from 'pg';
import type { Sql } from 'sql-template-tag';
import { beginSpan, type SpanStart } from '../tracing/span.ts';
import { DatabaseReadOnly, isReadOnly, refusalCount } from './read-only.ts';
import { ABORTED, BOUNDARIES, flush, prepareConnection, Statement, type StatementConfig } from './statement.ts';
import { summaryOf } from './statement-summary.ts';
import { countAddedJobs } from './wake-workers.ts';

/**
 * The pool that serves every request, and the only way to send a statement. Each statement has a time limit, and each
 * connection runs as commerce_app, a role that owns nothing and is subject to row-level security.
 */
export interface PoolOptions {
  url: string;
  max: number;
  /** `transaction`: a pooler may give each transaction another connection, so statements are not prepared. */
  pooling: 'session' | 'transaction';
  applicationName?: string;
  /** How long to wait for a connection. */
  connectWithinMs?: number;
  /** How long a connection stays open without use; defaults to 30 seconds. */
  idleMs?: number;
}

pg.types.setTypeParser(pg.types.builtins.INT8, parseInteger);
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, parseMoment);

/**
 * Converts PostgreSQL's text of a time in UTC to ISO 8601. Years beyond 9999 become the last time that the contract can
 * express.
 */
export function parseMoment(text: string): string {
  const [, date, time, fraction = ''] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text) ?? [];
  return date ? `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z` : '9999-12-31T23:59:59.999Z';
}

function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`The integer ${text} exceeds the safe integers of JavaScript.`);
  return value;
}

/** PostgreSQL's timeouts for running a statement and for waiting for a lock. */
export const LONGEST_MS = { statement: 5_000, lock: 2_000 };

/** The settings of every connection. Times are in milliseconds. */
const SETTINGS = {
  role: 'commerce_app',
  search_path: 'commerce,public',
  timezone: 'UTC',
  statement_timeout: String(LONGEST_MS.statement),
  lock_timeout: String(LONGEST_MS.lock),
  idle_in_transaction_session_timeout: '10000',
  // Frequently read data is in memory, so an index look-up of a few rows is faster than reading a small table.
  random_page_cost: '1.1',
};
const BEGIN_WITH_SETTINGS = [
  'begin',
  ...Object.entries(SETTINGS).map(([name, value]) => `set local ${name} = ${value}`),
].join('; ');

/**
 * How long to wait for the database: a little longer than the statement timeout, so that PostgreSQL's own error arrives
 * first.
 */
const SILENCE_MS = 6_000;
const LEAST_SILENCE_MS = 2_000;

/** The keys of the rows that one statement is about to read. */
export interface AskedRows {
  keys: Set<string>;
  rows: Promise<Map<string, object>>;
}

/** A connection of the pool during one piece of work, and the state of that work. */
export class Connection {
  readonly client: pg.PoolClient;
  /** Whether the connection remains the same between transactions, so that it keeps settings and prepared statements. */
  readonly keepsSession: boolean;
  /** How long to wait for an answer, in milliseconds. */
  readonly silenceMs: number;
  /** The time limits of unanswered statements in milliseconds, in order. */
  readonly #unanswered: number[] = [];
  #silence: NodeJS.Timeout | undefined;
  /** Statements whose result is not awaited. If one fails, the end of the transaction fails too. */
  unheard: Promise<unknown>[] = [];
  /** Deadline of the work, in milliseconds since 1970. */
  endsAt = Number.POSITIVE_INFINITY;
  /** Whether the database has rejected writes since the connection was taken. */
  isOutdated: () => boolean = () => false;
  /** Rows requested in the same tick, by site and list (listing.ts). */
  readonly asked = new Map<string, Map<object, AskedRows>>();

  constructor(client: pg.PoolClient, keepsSession = true, silenceMs = SILENCE_MS) {
    this.client = client;
    this.keepsSession = keepsSession;
    this.silenceMs = silenceMs;
  }

  /** Notes that a statement was sent. Its time limit starts once the previous statements are answered. */
  noteSent(limitMs: number): void {
    this.#unanswered.push(limitMs);
    if (this.#unanswered.length === 1) this.#limitSilence();
  }

  noteAnswered(): void {
    this.#unanswered.shift();
    this.#limitSilence();
  }

  /** If a statement is not answered in time, closes the connection; that statement and all later ones fail. */
  #limitSilence(): void {
    clearTimeout(this.#silence);
    const [limitMs] = this.#unanswered;
    if (limitMs === undefined) return;
    this.#silence = setTimeout(() => cut(this, new Error('Query read timeout')), limitMs);
  }
}

/**
 * Takes a connection from the pool. The time for which the caller waited for it reduces the time for answers. Throws
 * DatabaseReadOnly while the database rejects writes.
 */
export async function takeConnection(pool: pg.Pool): Promise<Connection> {
  if (isReadOnly(pool)) throw new DatabaseReadOnly();
  const begun = Date.now();
  const refusals = refusalCount(pool);
  const client = await pool.connect();
  const silenceMs = Math.max(LEAST_SILENCE_MS, SILENCE_MS - (Date.now() - begun));
  const connection = new Connection(client, keepsSessions(pool), silenceMs);
  connection.isOutdated = () => refusalCount(pool) > refusals;
  return connection;
}

/** Sends a statement without values, such as BEGIN and COMMIT. */
export function send(connection: Connection, text: string, within_ms = SILENCE_MS): Promise<pg.QueryResult> {
  const name = connection.keepsSession && BOUNDARIES[text] ? text : undefined;
  return transmit(connection, { name, text, values: undefined }, Math.min(within_ms, connection.silenceMs));
}

async function transmit<Row extends object>(
  connection: Connection,
  config: StatementConfig,
  limitMs: number,
): Promise<pg.QueryResult<Row>> {
  connection.noteSent(limitMs);
  gatherWrites(connection);
  const span = beginSpan(() => spanOf(config.text));
  const statement = new Statement<Row>(config);
  try {
    return await (connection.client.query(statement as never) as unknown as PromiseLike<pg.QueryResult<Row>>);
  } catch (error) {
    // Replaces the stack of the socket's reader, which does not help to find the cause.
    if (error instanceof Error) Error.captureStackTrace(error);
    span?.fail(error);
    throw error;
  } finally {
    span?.end();
    connection.noteAnswered();
  }
}

function spanOf(text: string): SpanStart {
  const summary = summaryOf(text);
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary };
  return { name: summary, kind: 'client', attributes, onlyWithin: true };
}

/** Sends the statements of the same tick in one packet, because writing a packet costs more than its content. */
function gatherWrites(connection: Connection): void {
  const stream = streamOf(connection);
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => {
    flush(connection.client);
    stream.uncork();
  });
}

/**
 * Closes a connection at once, with its pending statements, so that PostgreSQL rolls back. `end` would wait for the
 * statements.
 */
export function cut(connection: Connection, reason?: Error): void {
  streamOf(connection).destroy(reason);
}

/** Returns a connection to its pool, which closes it if it failed, was cut off or is outdated. */
export function giveBack(connection: Connection, broken: Error | undefined): void {
  connection.client.release(broken ?? (streamOf(connection).destroyed || connection.isOutdated()));
}

/** The stream of a connection, which `pg` does not declare. */
function streamOf({ client }: Connection): Writable {
  return (client as unknown as { connection: { stream: Writable } }).connection.stream;
}

/** Waits for statements sent in the same tick. Throws the error of the first statement that failed by itself. */
export async function together<const Sent extends readonly unknown[]>(
  ...sent: Sent
): Promise<{ -readonly [I in keyof Sent]: Awaited<Sent[I]> }> {
  const settled = await Promise.allSettled(sent);
  const failures = settled.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown);
  if (failures.length > 0) {
    throw failures.find((reason) => (reason as { code?: string } | undefined)?.code !== ABORTED) ?? failures[0];
  }
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as {
    -readonly [I in keyof Sent]: Awaited<Sent[I]>;
  };
}

/** A pool for a pooler that gives each transaction another connection to PostgreSQL. */
class PooledByTransaction extends pg.Pool {}

/** Whether the connections of a pool remain the same between transactions. */
export function keepsSessions(pool: pg.Pool): boolean {
  return !(pool instanceof PooledByTransaction);
}

/** The statement that begins a transaction. Behind a pooler in transaction mode it applies the settings too. */
export function begin({ keepsSession }: Connection): string {
  return keepsSession ? 'begin' : BEGIN_WITH_SETTINGS;
}

export function openPool(options: PoolOptions): pg.Pool {
  const { url, max, pooling, applicationName = 'commerce', connectWithinMs = 3_000, idleMs = 30_000 } = options;
  const keepsSession = pooling === 'session';
  const settings = Object.entries({ ...SETTINGS, client_connection_check_interval: '2s' });
  const Pool = keepsSession ? pg.Pool : PooledByTransaction;
  const pool = new Pool({
    connectionString: url,
    max,
    min: 0,
    application_name: applicationName,
    connectionTimeoutMillis: connectWithinMs,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline: true,
    ...(keepsSession && { options: settings.map(([name, value]) => `-c ${name}=${value}`).join(' ') }),
  });
  ignoreLostConnections(pool);
  return pool.on('connect', countAddedJobs).on('connect', prepareConnection);
}

/**
 * Handles lost connections: the next statement of a request fails, and an idle connection is replaced. Without a
 * handler, either event would end the process.
 */
export function ignoreLostConnections(pool: pg.Pool): pg.Pool {
  pool.on('error', () => {});
  return pool.on('connect', (connection) => connection.on('error', () => {}));
}

// The texts of statements are constants, so their number is bounded; the limit guards against one that is not.
const STATEMENT_LIMIT = 2_000;
const named = new Map<string, Pick<StatementConfig, 'name' | 'text'>>();

/** Called with each statement while its sender is on the stack. The returned function is called with the result. */
export type ResultObserver = (text: string) => (result: pg.QueryResult) => void;

let observer: ResultObserver | undefined;

/** Lets tests compare the columns of results with the declared types (scripts/check-row-types.ts). */
export function observeResults(next: ResultObserver): void {
  observer = next;
}

/**
 * Sends a statement, prepared under a name for its text. PostgreSQL plans it again each time if it estimates fewer rows
 * for the given values than on average, as for any short array. So where planning takes longer than running, arrays are
 * written as `(select $1::uuid[])`: the planner then cannot see their values, and keeps one generic plan.
 */
export async function query<Row extends object>(connection: Connection, statement: Sql): Promise<pg.QueryResult<Row>> {
  const { name, text } = connection.keepsSession ? nameOf(statement.text) : { name: undefined, text: statement.text };
  const observe = observer?.(text);
  const result = await transmit<Row>(connection, { name, text, values: statement.values }, connection.silenceMs);
  observe?.(result);
  return result;
}

/**
 * The name of a statement. It is the same string each time, so that comparing it with that of the prepared statement is
 * cheap.
 */
function nameOf(text: string): Pick<StatementConfig, 'name' | 'text'> {
  const known = named.get(text);
  if (known) return known;
  if (named.size >= STATEMENT_LIMIT) return { name: undefined, text };
  const fresh = { name: `s${named.size}`, text };
  named.set(text, fresh);
  return fresh;
}
