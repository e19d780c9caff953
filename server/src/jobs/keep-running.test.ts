import { randomUUID } from 'node:crypto';
import { Logger as JobLogger } from 'graphile-worker';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { testServer } from '../../test/server.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { keepRunning } from './keep-running.ts';

/** The queue's URL with a lock timeout of 100 ms. */
function impatientUrl(): string {
  const url = new URL(databaseUrl());
  url.searchParams.set('options', '-c lock_timeout=100');
  return url.href;
}

test('a job whose completion could not be recorded runs again, even while another job of the runner is still running', async () => {
  const { owner } = await testServer();
  const task = `probe ${randomUUID()}`;
  const warnings: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => warnings.push(line) });
  const holder = await owner.connect();
  const waiting = Promise.withResolvers<void>();
  const endOfWait = Promise.withResolvers<void>();
  let runs = 0;
  const jobs = await keepRunning(
    {
      connectionString: impatientUrl(),
      maxPoolSize: 3,
      concurrency: 2,
      noHandleSignals: true,
      logger: new JobLogger(() => () => undefined),
      taskList: {
        [`${task} waits`]: () => {
          waiting.resolve();
          return endOfWait.promise;
        },
        [task]: async (_payload, { job }) => {
          runs += 1;
          if (runs > 1) return;
          await holder.query('begin');
          await holder.query('select from graphile_worker._private_jobs where id = $1 for update', [job.id]);
        },
      },
    },
    logger,
  );

  await owner.query('select graphile_worker.add_job($1)', [`${task} waits`]);
  await waiting.promise;
  await owner.query('select graphile_worker.add_job($1)', [task]);
  await expect.poll(() => warnings.join(), { timeout: 20_000 }).toContain('the background jobs have stopped');
  await holder.query('commit');
  holder.release();
  endOfWait.resolve();

  await expect.poll(() => runs, { timeout: 20_000 }).toBe(2);
  const left = () => owner.query('select from graphile_worker.jobs where task_identifier ^@ $1', [task]);
  await expect.poll(async () => (await left()).rowCount, { timeout: 20_000 }).toBe(0);
  await jobs.stop();
});

test('a runner lists the ids of its running jobs until they end', async () => {
  const { owner } = await testServer();
  const task = `probe ${randomUUID()}`;
  const begun = Promise.withResolvers<string>();
  const end = Promise.withResolvers<void>();
  let running: ReadonlySet<string> = new Set();
  const jobs = await keepRunning(
    {
      connectionString: databaseUrl(),
      concurrency: 1,
      noHandleSignals: true,
      logger: new JobLogger(() => () => undefined),
      taskList: {
        [task]: (_payload, { job }) => {
          begun.resolve(String(job.id));
          return end.promise;
        },
      },
    },
    pino({ level: 'silent' }),
    (holder) => {
      running = holder.running;
    },
  );

  await owner.query('select graphile_worker.add_job($1)', [task]);
  const id = await begun.promise;
  expect([...running]).toEqual([id]);
  end.resolve();
  await expect.poll(() => [...running]).toEqual([]);
  await jobs.stop();
});

test('stopping a runner while its connections are terminated does not end the process', async () => {
  const { owner } = await testServer();
  const name = `probe ${randomUUID()}`;
  const url = new URL(databaseUrl());
  url.searchParams.set('application_name', name);
  for (let round = 1; round <= 30; round += 1) {
    const jobs = await keepRunning(
      {
        connectionString: url.href,
        maxPoolSize: 3,
        concurrency: 2,
        noHandleSignals: true,
        logger: new JobLogger(() => () => undefined),
        taskList: {},
      },
      pino({ level: 'silent' }),
    );
    const terminate = () =>
      owner.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [name]);
    await Promise.all([jobs.stop(), terminate(), terminate()]);
  }
  // An error that is not caught makes the test run fail.
});
