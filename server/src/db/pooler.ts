import pg from 'pg';

/**
 * Detects a pooler in front of PostgreSQL. In transaction mode, each transaction of a client may use another
 * connection. Locks, LISTEN and settings of a session are then lost, or affect other clients.
 */

const ROUNDS = 3;
const TIMEOUT_MS = 5_000;

/**
 * Whether there is a proxy between the client and PostgreSQL. PostgreSQL sends its own process id for cancelling
 * statements; a pooler invents one.
 */
export async function isThroughProxy(client: pg.Client): Promise<boolean> {
  const { processID } = client as pg.Client & { processID?: number };
  return processID !== (await backendOf(client));
}

/**
 * Whether two clients of this URL get the same PostgreSQL connection one after the other, as behind a pooler in
 * transaction or statement mode.
 */
export async function isSharedBetweenClients(url: string): Promise<boolean> {
  const [first, second] = [open(url), open(url)];
  try {
    await Promise.all([first.connect(), second.connect()]);
    const backend = await backendOf(first);
    for (let round = 0; round < ROUNDS; round += 1) {
      // The connection that the first client has just used is free for the second, unless it is reserved for the first
      // client.
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
