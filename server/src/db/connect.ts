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
}

export type Connection = pg.PoolClient;

pg.types.setTypeParser(pg.types.builtins.INT8, parseInteger);
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString());

function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`The integer ${text} is too large for a number.`);
  return value;
}

export function openPool({ url, max, pooling, applicationName = 'commerce' }: PoolOptions): pg.Pool {
  prepare = pooling === 'session';
  return new pg.Pool({
    connectionString: url,
    max,
    min: 0,
    application_name: applicationName,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: 5_000,
    query_timeout: 7_000,
    lock_timeout: 2_000,
    idle_in_transaction_session_timeout: 10_000,
    options:
      '-c role=commerce_app -c search_path=commerce,public -c timezone=UTC -c client_connection_check_interval=2s',
  });
}

// Statements come from the code, so their number is bounded; the limit guards against one that is not.
const STATEMENT_LIMIT = 2_000;
const names = new Map<string, string>();
let prepare = true;

/** Sends a statement, prepared under a name that stands for its text. */
export async function query<Row extends pg.QueryResultRow>(
  connection: pg.Pool | Connection,
  statement: Sql,
): Promise<pg.QueryResult<Row>> {
  const text = statement.text;
  return connection.query<Row>({ name: nameOf(text), text, values: statement.values });
}

function nameOf(text: string): string | undefined {
  if (!prepare) return undefined;
  const known = names.get(text);
  if (known || names.size >= STATEMENT_LIMIT) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}
