import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { testServer } from '../../test/server.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { watchForAbandonedJobs } from './abandoned-jobs.ts';

// The tests decide when the next search begins.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

test('unlocks the jobs of dead runners, but not those of living runners or recently started jobs', async () => {
  const { owner } = await testServer();
  const [dead, live, fresh] = [`dead ${randomUUID()}`, `live ${randomUUID()}`, `fresh ${randomUUID()}`];
  await givenHeldJob(dead, '1 minute');
  await givenHeldJob(live, '1 minute');
  await givenHeldJob(fresh, '1 second');

  const watch = watchForAbandonedJobs(databaseUrl(), pino({ level: 'silent' }));
  watch.add({ name: live, running: new Set(await idsOf(live)) });
  await watch.begin();
  await watch.end();

  expect(await holders([dead, live, fresh])).toEqual([live, fresh].sort());
  await owner.query('delete from graphile_worker._private_jobs where key = any($1)', [[dead, live, fresh]]);
});

test('unlocks abandoned jobs even if the first search for abandoned jobs timed out', async () => {
  const { owner } = await testServer();
  const dead = `dead ${randomUUID()}`;
  await givenHeldJob(dead, '1 minute');
  const url = new URL(databaseUrl());
  // Replaces the default of 5 s.
  url.searchParams.set('statement_timeout', '200');
  const watch = watchForAbandonedJobs(url.href, pino({ level: 'silent' }));
  const lock = await owner.connect();
  await lock.query('begin; lock table graphile_worker._private_jobs in access exclusive mode');

  await watch.begin();
  await lock.query('rollback');
  lock.release();

  const holdersAfterNextSearch = () => {
    vi.advanceTimersToNextTimer();
    return holders([dead]);
  };
  await expect.poll(holdersAfterNextSearch).toEqual([]);
  await watch.end();
  await owner.query('delete from graphile_worker._private_jobs where key = $1', [dead]);
});

test('unlocks a job that a living runner has locked but is not running, and does not count the attempt', async () => {
  const { owner } = await testServer();
  const [runs, lost] = [`runs ${randomUUID()}`, `lost ${randomUUID()}`];
  await givenHeldJob(runs, '1 minute');
  await givenHeldJob(lost, '1 minute');
  const watch = watchForAbandonedJobs(databaseUrl(), pino({ level: 'silent' }));
  watch.add({ name: runs, running: new Set(await idsOf(runs)) });
  watch.add({ name: lost, running: new Set() });

  await watch.begin();
  expect(await holders([runs, lost])).toEqual([lost, runs]);
  vi.advanceTimersByTime(20_000);
  await expect.poll(() => holders([runs, lost])).toEqual([runs]);
  await watch.end();

  const { rows } = await owner.query('select attempts from graphile_worker.jobs where key = $1', [lost]);
  expect(rows).toEqual([{ attempts: 0 }]);
  await owner.query('delete from graphile_worker._private_jobs where key = any($1)', [[runs, lost]]);
});

/** Adds a job whose first attempt was locked this long ago. */
async function givenHeldJob(holder: string, ago: string): Promise<void> {
  const { owner } = await testServer();
  await owner.query(`select graphile_worker.add_job('probe', job_key => $1)`, [holder]);
  await owner.query(
    'update graphile_worker._private_jobs set locked_by = $1, locked_at = now() - $2::interval, attempts = 1 where key = $1',
    [holder, ago],
  );
}

async function idsOf(key: string): Promise<string[]> {
  const { owner } = await testServer();
  const { rows } = await owner.query<{ id: string }>('select id::text from graphile_worker.jobs where key = $1', [key]);
  return rows.map(({ id }) => id);
}

async function holders(among: string[]): Promise<string[]> {
  const { owner } = await testServer();
  const { rows } = await owner.query<{ locked_by: string }>(
    'select locked_by from graphile_worker.jobs where key = any($1) and locked_by is not null order by 1',
    [among],
  );
  return rows.map(({ locked_by }) => locked_by).sort();
}
