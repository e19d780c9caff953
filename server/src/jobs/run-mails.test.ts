import { Logger as JobLogger } from 'graphile-worker';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { databaseUrl } from '../../test/worker-database.ts';
import { openPool } from '../db/connect.ts';
import { isReadOnlyError } from '../db/read-only.ts';
import { runMails } from './run-mails.ts';

test('reports a read-only database if the mail runner is the first to detect it', async () => {
  // graphile-worker would print each of these errors with its stack.
  vi.spyOn(console, 'trace').mockReturnValue();
  const db = openPool({ url: databaseUrl(), max: 1, pooling: 'session' });
  const readOnly = new URL(databaseUrl());
  readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
  const errors: unknown[] = [];
  const mails = await runMails({
    db,
    mailer: { send: () => Promise.reject(new Error('not expected')), isReady: async () => true },
    baseUrl: 'http://127.0.0.1',
    logger: pino({ level: 'silent' }),
    options: {
      connectionString: readOnly.href,
      maxPoolSize: 2,
      concurrency: 1,
      noHandleSignals: true,
      logger: new JobLogger(() => () => undefined),
      parsedCronItems: [],
    },
    announce: () => undefined,
    onError: (error) => errors.push(error),
  });
  onTestFinished(async () => {
    await mails.stop();
    await db.end();
  });

  await expect.poll(() => errors.some(isReadOnlyError), { timeout: 20_000 }).toBe(true);
});
