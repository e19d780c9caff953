import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { testServer } from '../../test/server.ts';
import { query, send, together } from './connect.ts';
import { hasCode, inSentTransaction, inTransaction, withConnection } from './transaction.ts';

const failing = sql`select 1 / ${0}::int as nothing`;
const number = (value: number) => sql`select ${value}::int as value`;

test('statements sent after an error in a transaction fail as in an aborted transaction, but the next transaction works', async () => {
  const { db } = await testServer();
  const outcomes: unknown[] = [];

  const failed = inTransaction(db, async (connection) => {
    const sent = [number(1), failing, number(2), number(3)].map((statement) => query(connection, statement));
    for (const one of await Promise.allSettled(sent)) {
      outcomes.push(one.status === 'fulfilled' ? one.value.rows : (one.reason as { code: string }).code);
    }
    await query(connection, number(4));
  });

  await expect(failed).rejects.toSatisfy((error) => hasCode(error, ['25P02']));
  expect(outcomes).toEqual([[{ value: 1 }], '22012', '25P02', '25P02']);
  for (let i = 0; i < 3; i += 1) {
    const { rows } = await inTransaction(db, (connection) => query(connection, number(i)));
    expect(rows).toEqual([{ value: i }]);
  }
});

test('in an aborted transaction, a BEGIN and the statements sent after it fail', async () => {
  const { db } = await testServer();

  const [first, second] = await withConnection(db, async (connection) => {
    await send(connection, 'begin');
    await query(connection, failing).catch(() => undefined);
    const both = await Promise.allSettled([send(connection, 'begin'), query(connection, number(1))]);
    await send(connection, 'rollback');
    return both.map((one) => (one.status === 'rejected' ? (one.reason as { code: string }).code : one.value.rows));
  });

  expect([first, second]).toEqual(['25P02', '25P02']);
});

test('rolls back a transaction whose last statement fails, even if its COMMIT was already sent', async () => {
  const { db } = await testServer();

  const failed = inSentTransaction(db, async (connection, begun) => {
    await begun;
    await query(connection, sql`select set_config('app.site_id', ${'undone'}, false)`);
    return { result: undefined, last: failing };
  });

  await expect(failed).rejects.toSatisfy((error) => hasCode(error, ['22012']));
  const read = sql`select current_setting('app.site_id', true) as site_id`;
  const { rows } = await withConnection(db, (connection) => query<{ site_id: string }>(connection, read));
  expect(rows[0]?.site_id).not.toBe('undone');
});

test("returns each statement's own result even if the driver receives the statements late", async () => {
  const { db } = await testServer();

  const values = await inTransaction(db, async (connection) => {
    const original = connection.client.query.bind(connection.client) as (statement: unknown) => Promise<unknown>;
    const later = async (statement: unknown) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return original(statement);
    };
    connection.client.query = later as typeof connection.client.query;
    try {
      const sent = [1, 2].map((value) => query<{ value: number }>(connection, number(value)));
      return (await Promise.all(sent)).map(({ rows }) => rows[0]?.value);
    } finally {
      connection.client.query = original as typeof connection.client.query;
    }
  });

  expect(values).toEqual([1, 2]);
});

test('outside of a transaction, only the failing statement fails', async () => {
  const { db } = await testServer();

  const [set, , kept] = await withConnection(db, (connection) =>
    Promise.allSettled([
      query(connection, sql`select set_config('app.site_id', ${'mine'}, false)`),
      query(connection, failing),
      query(connection, sql`select current_setting('app.site_id') as site_id`),
    ]),
  );

  expect(set?.status).toBe('fulfilled');
  expect(kept).toMatchObject({ status: 'fulfilled', value: { rows: [{ site_id: 'mine' }] } });
});

test('returns the columns each time a statement is sent, even without rows', async () => {
  const { db } = await testServer();
  const read = sql`select ${1}::int as one, now() as moment, array[1, 2] as list`;
  const write = sql`delete from carts where site_id = ${'00000000-0000-0000-0000-000000000000'}`;

  await inTransaction(db, async (connection) => {
    await query(connection, sql`select set_config('app.site_id', ${'00000000-0000-0000-0000-000000000000'}, true)`);
    for (let i = 0; i < 3; i += 1) {
      const [rows, removed] = await together(query(connection, read), query(connection, write));
      expect(rows.rows).toMatchObject([{ one: 1, moment: expect.stringMatching(/^\d{4}-.*Z$/), list: [1, 2] }]);
      expect(rows.fields.map(({ name }) => name)).toEqual(['one', 'moment', 'list']);
      expect([removed.rowCount, removed.rows]).toEqual([0, []]);
    }
  });
});
