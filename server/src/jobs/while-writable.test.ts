import type pg from 'pg';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { testServer } from '../../test/server.ts';
import { runWhileWritable } from './while-writable.ts';

const SILENT = pino({ level: 'silent' });

test('starts the jobs again if their database connection is terminated during the start', async () => {
  const { owner } = await testServer();
  let attempts = 0;
  let stopped = 0;
  const jobs = await runWhileWritable(owner, SILENT, async () => {
    attempts += 1;
    if (attempts === 1) await terminateOwnConnection(owner);
    return {
      async stop() {
        stopped += 1;
      },
    };
  });

  await expect.poll(() => attempts, { timeout: 20_000 }).toBe(2);
  await jobs.stop();
  expect(stopped).toBe(1);
});

test('throws if the first start of the jobs fails for a reason other than the database', async () => {
  const { owner } = await testServer();
  const start = () => Promise.reject(new Error('no such task'));
  await expect(runWhileWritable(owner, SILENT, start)).rejects.toThrow('no such task');
});

async function terminateOwnConnection(owner: pg.Pool): Promise<void> {
  const client = await owner.connect();
  client.on('error', () => undefined);
  try {
    await client.query('select pg_terminate_backend(pg_backend_pid())');
  } finally {
    client.release(true);
  }
}
