import pg from 'pg';

/**
 * Whether a pooler stands before PostgreSQL. In transaction mode, each transaction of a client may go to another connection,
 * so that locks, LISTEN and settings of a session get lost, or stay behind with somebody else.
 */

const ROUNDS = 3;
const TIMEOUT_MS = 5_000;

/** A pooler invents the process id by which its client would cancel a statement; PostgreSQL tells its own. */
export async function isThroughProxy(client: pg.Client): Promise<boolean> {
  const { processID } = client as pg.Client & { processID?: number };
  return processID !== (await backendOf(client));
}

/**
 * Whether two clients of this address get the same connection of PostgreSQL in turn, as behind a pooler in transaction or
 * statement mode.
 */
export async function isSharedBetweenClients(url: string): Promise<boolean> {
  const [first, second] = [open(url), open(url)];
  try {
    await Promise.all([first.connect(), second.connect()]);
    const backend = await backendOf(first);
    for (let round = 0; round < ROUNDS; round += 1) {
      // Whatever connection the first has just used is free for the second, unless it belongs to the first for good.
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
    application_name: 'commerce, looking for a pooler',
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
