import pg from 'pg';
import type { Sql } from 'sql-template-tag';

/**
 * The pool that serves every request, and the one way to send a statement. Time limits are those of hazards §4.2; each
 * connection runs as commerce_app, a role that owns nothing and is subject to row-level security.
 */
export interface PoolOptions {
  url: string;
  max: number;
  /** `transaction`: a proxy may hand each transaction another connection, so statements are not prepared. */
  pooling: 'session' | 'transaction';
  applicationName?: string;
  /** How long to wait for a connection. */
  connectWithinMs?: number;
}

export type Connection = pg.PoolClient;

pg.types.setTypeParser(pg.types.builtins.INT8, parseInteger);
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, parseMoment);

/** PostgreSQL's text, in UTC, as ISO 8601. Its years have four digits at least, and what is later has no form in the contract. */
export function parseMoment(text: string): string {
  const [, date, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)\+00$/.exec(text) ?? [];
  return date ? new Date(`${date}T${time}Z`).toISOString() : '9999-12-31T23:59:59.999Z';
}

function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`The integer ${text} is too large for a number.`);
  return value;
}

/** What every connection is set to; times in milliseconds. */
const SETTINGS = {
  role: 'commerce_app',
  search_path: 'commerce,public',
  timezone: 'UTC',
  statement_timeout: '5000',
  lock_timeout: '2000',
  idle_in_transaction_session_timeout: '10000',
};
const BEGIN_WITH_SETTINGS = [
  'begin',
  ...Object.entries(SETTINGS).map(([name, value]) => `set local ${name} = ${value}`),
].join('; ');

/** How long the database may say nothing: a little longer than PostgreSQL lets a statement run, so that its word comes first. */
const SILENCE_MS = 6_000;
const LEAST_SILENCE_MS = 2_000;
const silences = new WeakMap<Connection, number>();

/** Takes a connection from the pool. The longer the caller had to wait for it, the less it will wait for answers. */
export async function takeConnection(pool: pg.Pool): Promise<Connection> {
  const begun = Date.now();
  const connection = await pool.connect();
  silences.set(connection, Math.max(LEAST_SILENCE_MS, SILENCE_MS - (Date.now() - begun)));
  return connection;
}

/** A statement without values, such as BEGIN and COMMIT. */
export function send(connection: Connection, text: string, within_ms = SILENCE_MS): Promise<pg.QueryResult> {
  const query_timeout = Math.min(within_ms, silences.get(connection) ?? SILENCE_MS);
  return connection.query({ text, query_timeout } as pg.QueryConfig);
}

/** Whether a connection stays ours between transactions. */
export function keepsSessions(): boolean {
  return prepare;
}

/** What opens a transaction: behind a proxy that pools by transaction it also brings the settings, which no one else can. */
export function begin(): string {
  return prepare ? 'begin' : BEGIN_WITH_SETTINGS;
}

export function openPool(options: PoolOptions): pg.Pool {
  const { url, max, pooling, applicationName = 'commerce', connectWithinMs = 3_000 } = options;
  prepare = pooling === 'session';
  const settings = Object.entries({ ...SETTINGS, client_connection_check_interval: '2s' });
  const pool = new pg.Pool({
    connectionString: url,
    max,
    min: 0,
    application_name: applicationName,
    connectionTimeoutMillis: connectWithinMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: SILENCE_MS,
    ...(prepare && { options: settings.map(([name, value]) => `-c ${name}=${value}`).join(' ') }),
  });
  ignoreLostConnections(pool);
  return pool;
}

/**
 * A connection that is lost while a request has it fails the request's next statement, and an idle one is replaced. Unheard,
 * either event would end the process.
 */
export function ignoreLostConnections(pool: pg.Pool): pg.Pool {
  pool.on('error', () => {});
  return pool.on('connect', (connection) => connection.on('error', () => {}));
}

// Statements come from the code, so their number is bounded; the limit guards against one that is not.
const STATEMENT_LIMIT = 2_000;
const names = new Map<string, string>();
let prepare = true;

/** Is told of each result and of where its statement was sent. */
export type ResultObserver = (result: pg.QueryResult, stack: string) => void;

let observer: ResultObserver | undefined;

/** For tests, which compare the columns that come with the types that the code claims (scripts/check-row-types.ts). */
export function observeResults(next: ResultObserver): void {
  observer = next;
}

/**
 * Sends a statement, prepared under a name that stands for its text. PostgreSQL plans it anew each time as long as it expects
 * fewer rows than usual of the values given, as of any array that is short. Where planning takes longer than running, arrays
 * are therefore given as `(select $1::uuid[])`: the planner cannot look into that, and keeps one plan for all.
 */
export async function query<Row extends object>(connection: Connection, statement: Sql): Promise<pg.QueryResult<Row>> {
  const text = statement.text;
  const query_timeout = silences.get(connection);
  const stack = observer && new Error().stack;
  const config = { name: nameOf(text), text, values: statement.values, query_timeout };
  const result = await connection.query<Row>(config as pg.QueryConfig);
  if (stack) observer?.(result, stack);
  return result;
}

function nameOf(text: string): string | undefined {
  if (!prepare) return undefined;
  const known = names.get(text);
  if (known || names.size >= STATEMENT_LIMIT) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}
