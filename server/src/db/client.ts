import pg from 'pg';

/** Runs work on a new connection outside of the pool. After a lost connection, the next statement fails. */
export async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  // Without a handler, a lost connection would crash the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
