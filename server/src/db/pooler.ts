/**
 * Detects a connection pooler in front of PostgreSQL. In transaction mode, each transaction of a client may use another
 * connection. Session locks, LISTEN and session settings are then lost, or affect other clients.
 */

import pg from 'pg';

const ROUNDS = 3;
const TIMEOUT_MS = 5_000;

/**
 * Whether a proxy is between the client and PostgreSQL. PostgreSQL sends its real process id for cancel requests; a
 * pooler makes one up.
 */
export async function isThroughProxy(client: pg.Client): Promise<boolean> {
  const { processID } = client as pg.Client & { processID?: number };
  return processID !== (await backendOf(client));
}

/**
 * Whether two clients of this URL share a PostgreSQL connection, as behind a pooler in transaction or statement mode.
 */
export async function isSharedBetweenClients(url: string): Promise<boolean> {
  const [first, second] = [open(url), open(url)];
  try {
    await Promise.all([first.connect(), second.connect()]);
    const backend = await backendOf(first);
    for (let round = 0; round < ROUNDS; round += 1) {
      // The second client gets the first one's connection unless the pooler reserves it for the first.
      await second.query('begin');
      if ((await backendOf(second)) === backend || (await backendOf(first)) !== backend) return true;
      await second.query('rollback');
    }
    return false;
  } finally {
    await Promise.all([first.end(), second.end()]);
  }
}

function open(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'commerce, detecting a pooler',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  return client;
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}
