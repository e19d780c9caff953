import pg from 'pg';
import { isSharedBetweenClients } from '../db/pooler.ts';
import type { Database } from './database.ts';
import { type Finding, ok, wrong } from './finding.ts';

type Addresses = Pick<Database, 'url' | 'directUrl' | 'embedded'>;

const DECLARE =
  'Set DATABASE_POOLING=transaction, and DATABASE_DIRECT_URL to the address of PostgreSQL itself, not of the pooler.';
const TIMEOUT_MS = 3_000;

/** Reports poolers that are not declared, and a direct URL that goes through a pooler. */
export async function checkPooler(
  { url, directUrl, embedded }: Addresses,
  pooling: 'session' | 'transaction',
): Promise<Finding[]> {
  if (embedded) return [];
  const findings = [await findingOf('pooler', () => ofRequests(url, pooling))];
  if (directUrl !== url) findings.push(await findingOf('direct', () => ofMigrations(url, directUrl)));
  return findings;
}

async function ofRequests(url: string, pooling: 'session' | 'transaction'): Promise<Finding> {
  const shared = await isSharedBetweenClients(url);
  if (pooling === 'transaction') {
    return ok('pooler', shared ? 'in transaction mode, as declared' : 'declared, but none was found');
  }
  if (shared) return wrong('pooler', 'DATABASE_URL goes through a pooler in transaction mode', DECLARE);
  if (await dropsSettings(url)) {
    return wrong('pooler', 'DATABASE_URL goes through a pooler that drops the settings of a connection', DECLARE);
  }
  return ok('pooler', 'none in transaction mode');
}

async function ofMigrations(url: string, directUrl: string): Promise<Finding> {
  if (await isSharedBetweenClients(directUrl)) {
    return wrong(
      'direct',
      'DATABASE_DIRECT_URL goes through a pooler in transaction mode',
      'Set it to the host and port of PostgreSQL itself.',
    );
  }
  const [pooled, direct] = [await databaseAt(url), await databaseAt(directUrl)];
  if (pooled !== direct) {
    return wrong(
      'direct',
      'DATABASE_URL and DATABASE_DIRECT_URL are different databases',
      'Set DATABASE_DIRECT_URL to the server and database behind the pooler.',
    );
  }
  return ok('direct', 'the same database, without the pooler');
}

/** Runs a check. If the database at the URL does not respond, returns a finding about that instead. */
async function findingOf(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    const name = check === 'direct' ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
    return wrong(check, `${name}: ${(error as Error).message}`, `Check the host and port of ${name}.`);
  }
}

async function dropsSettings(url: string): Promise<boolean> {
  const name = 'idle_in_transaction_session_timeout';
  try {
    const [row] = await ask<{ setting: string }>(
      url,
      `select current_setting('${name}') as setting`,
      `-c ${name}=7531`,
    );
    return row?.setting !== '7531ms';
  } catch (error) {
    if (/startup parameter/.test((error as Error).message)) return true;
    throw error;
  }
}

/** An identifier of the running database. */
async function databaseAt(url: string): Promise<string> {
  const [row] = await ask<{ id: string }>(
    url,
    `select (select oid from pg_database where datname = current_database()) || ' ' ||
      extract(epoch from pg_postmaster_start_time()) as id`,
  );
  return row?.id ?? '';
}

async function ask<Row extends pg.QueryResultRow>(url: string, statement: string, options?: string): Promise<Row[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    ...(options && { options }),
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
