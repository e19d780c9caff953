import type pg from 'pg';
import { expect, test } from 'vitest';
import { checkStandbys } from './doctor-activity.ts';

/** A connection of a login with pg_monitor to a primary with these standbys. */
function withStandbys(...standbys: [standby: string, sync_state: string, lag_bytes: number][]): pg.Client {
  const rows = standbys.map(([standby, sync_state, lag_bytes]) => ({ standby, sync_state, lag_bytes }));
  return answering([{ standby: false, monitor: true, made: true }], [{ waiting: 0 }], rows);
}

/** A connection that returns these rows, statement by statement. */
function answering(...answers: object[][]): pg.Client {
  return { query: async () => ({ rows: answers.shift() }) } as unknown as pg.Client;
}

test.each([
  ['ok', 'no standby', withStandbys(), { found: 'none' }],
  [
    'ok',
    'a synchronous and an asynchronous standby',
    withStandbys(['db2', 'async', 0], ['db3', 'sync', 0]),
    { found: 'db2 (async, 0 KB behind), db3 (sync, 0 KB behind)' },
  ],
  [
    'warning',
    'only asynchronous standbys',
    withStandbys(['db2', 'async', 0]),
    { found: 'only asynchronous: db2 (async, 0 KB behind)' },
  ],
  [
    'warning',
    'a standby that is far behind',
    withStandbys(['db2', 'sync', 100 * 1024 * 1024]),
    { mend: expect.stringContaining('that is behind') },
  ],
  [
    'wrong',
    'a DATABASE_URL that points to a standby',
    answering([{ standby: true, monitor: true, made: true }]),
    { mend: expect.stringContaining('Set DATABASE_URL') },
  ],
  [
    'wrong',
    'COMMITs that wait for a standby',
    answering([{ standby: false, monitor: true, made: true }], [{ waiting: 3 }]),
    { found: expect.stringContaining('3 COMMITs wait'), mend: expect.stringContaining('Do not end') },
  ],
])('the standby check of doctor reports %s for %s', async (state, _what, client, finding) => {
  expect(await checkStandbys(client)).toMatchObject({ check: 'standby', state, ...finding });
});
