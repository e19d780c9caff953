import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { testServer } from '../../test/server.ts';
import { cut, send, together } from './connect.ts';
import {
  hasCode,
  inSentTransaction,
  inTransaction,
  isLostConnection,
  queryAlone,
  withConnection,
} from './transaction.ts';

test('a connection that breaks in a transaction fails that transaction, not the process', async () => {
  const { db, owner } = await testServer();

  const lost = inTransaction(db, async (connection) => {
    const { rows } = await connection.client.query<{ pid: number }>('select pg_backend_pid() as pid');
    // No statement is running, so only the event shows that the connection has ended.
    const ended = new Promise((noticed) => connection.client.once('end', noticed));
    await owner.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await ended;
    await connection.client.query('select 1');
  });

  await expect(lost).rejects.toSatisfy(isLostConnection);
  expect(await inTransaction(db, async (connection) => (await connection.client.query('select 1')).rowCount)).toBe(1);
});

test("applies each statement's own timeout when several are sent together", async () => {
  const { db } = await testServer();

  await withConnection(db, (connection) =>
    together(...Array.from({ length: 4 }, () => send(connection, 'select pg_sleep(0.2)', 500))),
  );
});

test('fails a statement that exceeds its timeout, even if other statements sent with it were answered', async () => {
  const { db } = await testServer();
  let failedAfterMs = 0;

  const lost = withConnection(db, async (connection) => {
    const begun = Date.now();
    const silent = [
      send(connection, 'select 1', 500),
      send(connection, 'select 2', 500),
      send(connection, 'select pg_sleep(3)', 500),
      send(connection, 'select 4', 500),
    ];
    await together(...silent).finally(() => {
      failedAfterMs = Date.now() - begun;
    });
  });

  await expect(lost).rejects.toSatisfy(isLostConnection);
  expect(failedAfterMs).toBeGreaterThanOrEqual(500);
  expect(failedAfterMs).toBeLessThan(1_400);
});

test('reports the first failed statement of several that are sent together', async () => {
  const { db } = await testServer();

  const failed = inTransaction(db, (connection) => {
    const divided = send(connection, 'select 1 / 0');
    return together(send(connection, 'select 2'), divided);
  });

  await expect(failed).rejects.toSatisfy((error) => hasCode(error, ['22012']));
});

test('treats a transaction as not committed if PostgreSQL terminates the connection before COMMIT runs', async () => {
  const { db, owner } = await testServer();
  const ended = inSentTransaction(db, async (connection, begun) => {
    await begun;
    const { rows } = await connection.client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const asleep = sql`select pg_sleep(10), ${rows[0]?.pid}::int`;
    setTimeout(() => void owner.query('select pg_terminate_backend($1)', [rows[0]?.pid]), 100);
    return { result: 'done', last: asleep };
  });

  await expect(ended).rejects.toSatisfy((error) => hasCode(error, ['57P01']));
});

test('does not return a broken connection to the pool', async () => {
  const { db } = await testServer();

  for (let i = 0; i < 5; i += 1) {
    const refused = withConnection(db, async (connection) => {
      cut(connection);
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect((await queryAlone(db, sql`select 1 as one`)).rows).toEqual([{ one: 1 }]);
  }
});
