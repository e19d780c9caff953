/**
 * The connection pool of all requests. Every statement has a time limit. Every connection runs as commerce_app, which
 * owns no tables and is subject to row-level security.
 */

import type { Writable } from 'node:stream';
import pg from 'pg';
import type { Sql } from 'sql-template-tag';
import { beginSpan, type SpanStart } from '../tracing/span.ts';
import { DatabaseReadOnly, isReadOnly, refusalCount } from './read-only.ts';
import { ABORTED, BOUNDARIES, flush, prepareConnection, Statement, type StatementConfig } from './statement.ts';
import { summaryOf } from './statement-summary.ts';
import { countAddedJobs } from './wake-workers.ts';

export interface PoolOptions {
  url: string;
  max: number;
  /** With `transaction`, a pooler may use another connection for each transaction, so statements are not prepared. */
  pooling: 'session' | 'transaction';
  applicationName?: string;
  /** Time limit for getting a connection. */
  connectWithinMs?: number;
  /** Time after which an unused connection is closed. Default: 30 seconds. */
  idleMs?: number;
  /** Number of order numbers to skip when a new era begins (era.ts). */
  skippedNumbers?: number;
}

pg.types.setTypeParser(pg.types.builtins.INT8, parseInteger);
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, parseMoment);

/**
 * Converts PostgreSQL's text of a UTC time to ISO 8601. Years after 9999 become the latest time that the contract
 * allows.
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

/** statement_timeout and lock_timeout, in milliseconds. */
export const LONGEST_MS = { statement: 5_000, lock: 2_000 };

/** PostgreSQL settings of every connection. Times are in milliseconds. */
const SETTINGS = {
  role: 'commerce_app',
  search_path: 'commerce,public',
  timezone: 'UTC',
  statement_timeout: String(LONGEST_MS.statement),
  lock_timeout: String(LONGEST_MS.lock),
  idle_in_transaction_session_timeout: '10000',
  // Most data is in memory, so reading a few rows by an index is faster than scanning a small table.
  random_page_cost: '1.1',
};
const BEGIN_WITH_SETTINGS = [
  'begin',
  ...Object.entries(SETTINGS).map(([name, value]) => `set local ${name} = ${value}`),
].join('; ');

/**
 * Time limit for an answer from PostgreSQL. Longer than the statement timeout, so that PostgreSQL's own error arrives
 * first.
 */
const SILENCE_MS = 6_000;
const LEAST_SILENCE_MS = 2_000;

/** Keys of rows that one statement will read. */
export interface AskedRows {
  keys: Set<string>;
  rows: Promise<Map<string, object>>;
}

/** A connection taken from the pool, with the state of the work on it. */
export class Connection {
  readonly client: pg.PoolClient;
  /**
   * Whether settings and prepared statements survive between transactions, because each one gets the same connection.
   */
  readonly keepsSession: boolean;
  /** Time limit for an answer, in milliseconds. */
  readonly silenceMs: number;
  /** Time limits in milliseconds of the unanswered statements, in order of sending. */
  readonly #unanswered: number[] = [];
  #silence: NodeJS.Timeout | undefined;
  /** Statements that were sent without awaiting their results. If one fails, the end of the transaction fails too. */
  unheard: Promise<unknown>[] = [];
  /** Deadline of the work in milliseconds since 1970. */
  endsAt = Number.POSITIVE_INFINITY;
  /** Whether the database has rejected writes since the connection was taken from the pool. */
  isOutdated: () => boolean = () => false;
  /** Rows requested in the same tick, by site id and listing (listing.ts). */
  readonly asked = new Map<string, Map<object, AskedRows>>();

  constructor(client: pg.PoolClient, keepsSession = true, silenceMs = SILENCE_MS) {
    this.client = client;
    this.keepsSession = keepsSession;
    this.silenceMs = silenceMs;
  }

  /** Call when a statement is sent. The statement's time limit starts when all earlier statements are answered. */
  noteSent(limitMs: number): void {
    this.#unanswered.push(limitMs);
    if (this.#unanswered.length === 1) this.#limitSilence();
  }

  noteAnswered(): void {
    this.#unanswered.shift();
    this.#limitSilence();
  }

  /** Closes the connection if a statement is not answered in time. That statement and all later ones fail. */
  #limitSilence(): void {
    clearTimeout(this.#silence);
    const [limitMs] = this.#unanswered;
    if (limitMs === undefined) return;
    this.#silence = setTimeout(() => cut(this, new Error('Query read timeout')), limitMs);
  }
}

/**
 * Takes a connection from the pool. The time spent waiting for it counts towards the time limit of the work. Throws
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

/** Sends a statement without parameters, such as BEGIN or COMMIT. */
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
    // The original stack shows only the socket, not who sent the statement.
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

/** Sends all statements of a tick in one packet, because each packet is expensive. */
function gatherWrites(connection: Connection): void {
  const stream = streamOf(connection);
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => {
    flush(connection.client);
    stream.uncork();
  });
}

/** Closes a connection immediately, so that PostgreSQL rolls back. `end` would wait for its running statements. */
export function cut(connection: Connection, reason?: Error): void {
  streamOf(connection).destroy(reason);
}

/** Returns a connection to its pool, which closes it if it failed, was cut or is outdated. */
export function giveBack(connection: Connection, broken: Error | undefined): void {
  connection.client.release(broken ?? (streamOf(connection).destroyed || connection.isOutdated()));
}

/** The connection's socket, which `pg`'s types do not declare. */
function streamOf({ client }: Connection): Writable {
  return (client as unknown as { connection: { stream: Writable } }).connection.stream;
}

/**
 * Awaits statements that were sent in the same tick. Throws the error of the statement that failed first, not those
 * that it caused.
 */
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

/** Marks a pool behind a pooler in transaction mode. */
class PooledByTransaction extends pg.Pool {}

/** Whether connections of the pool stay the same between transactions. */
export function keepsSessions(pool: pg.Pool): boolean {
  return !(pool instanceof PooledByTransaction);
}

/** The statement that begins a transaction. Behind a pooler in transaction mode it contains the settings too. */
export function begin({ keepsSession }: Connection): string {
  return keepsSession ? 'begin' : BEGIN_WITH_SETTINGS;
}

export const SKIPPED_NUMBERS = 1_000;
const skippedNumbers = new WeakMap<pg.Pool, number>();

export function skippedNumbersOf(pool: pg.Pool): number {
  return skippedNumbers.get(pool) ?? SKIPPED_NUMBERS;
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
  skippedNumbers.set(pool, options.skippedNumbers ?? SKIPPED_NUMBERS);
  ignoreLostConnections(pool);
  return pool.on('connect', countAddedJobs).on('connect', prepareConnection);
}

/**
 * Ignores events of lost connections. The next statement on the connection fails, and the pool replaces idle ones.
 * Without a handler, the event would crash the process.
 */
export function ignoreLostConnections(pool: pg.Pool): pg.Pool {
  pool.on('error', () => {});
  return pool.on('connect', (connection) => connection.on('error', () => {}));
}

// Statement texts are constants, so there are few of them. The limit protects against texts built at run time.
const STATEMENT_LIMIT = 2_000;
const named = new Map<string, Pick<StatementConfig, 'name' | 'text'>>();

/** Called when a statement is sent. The returned function is called with its result. */
export type ResultObserver = (text: string) => (result: pg.QueryResult) => void;

let observer: ResultObserver | undefined;

/** Lets tests compare the columns of results with the declared row types (scripts/check-row-types.ts). */
export function observeResults(next: ResultObserver): void {
  observer = next;
}

/**
 * Sends a prepared statement. PostgreSQL plans every execution again (a custom plan) while it estimates fewer rows for
 * the given values than on average, as for short arrays. If planning takes longer than running, write the array as
 * `(select $1::uuid[])`: this hides the values from the planner, which then uses one generic plan.
 */
export async function query<Row extends object>(connection: Connection, statement: Sql): Promise<pg.QueryResult<Row>> {
  const { name, text } = connection.keepsSession ? nameOf(statement.text) : { name: undefined, text: statement.text };
  const observe = observer?.(text);
  const result = await transmit<Row>(connection, { name, text, values: statement.values }, connection.silenceMs);
  observe?.(result);
  return result;
}

/** The name of a prepared statement. Cached, because equal strings compare faster if they are the same string. */
function nameOf(text: string): Pick<StatementConfig, 'name' | 'text'> {
  const known = named.get(text);
  if (known) return known;
  if (named.size >= STATEMENT_LIMIT) return { name: undefined, text };
  const fresh = { name: `s${named.size}`, text };
  named.set(text, fresh);
  return fresh;
}
