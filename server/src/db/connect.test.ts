import { expect, test } from 'vitest';
import { testServer } from '../../test/server.ts';
import { inTransaction, isLostConnection } from './transaction.ts';

test('a connection that breaks in the middle of a transaction fails the transaction, and not the process', async () => {
  const { db, owner } = await testServer();

  const lost = inTransaction(db, async (connection) => {
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
    // Nothing is under way on the connection now: its end is an event that nobody waits for.
    const ended = new Promise((noticed) => connection.once('end', noticed));
    await owner.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await ended;
    await connection.query('select 1');
  });

  await expect(lost).rejects.toSatisfy(isLostConnection);
  expect(await inTransaction(db, async (connection) => (await connection.query('select 1')).rowCount)).toBe(1);
});
