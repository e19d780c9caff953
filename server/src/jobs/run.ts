import { type JobHelpers, Logger as JobLogger, quickAddJob, runMigrations, runOnce } from 'graphile-worker';
import type { Logger } from 'pino';
import type { PaymentProvider } from '../shop/payments/provider.ts';
import { workOffOverdue } from './buying.ts';
import { indexOutdatedProducts } from './index-products.ts';
import { counted } from './job-metrics.ts';
import { keepRunning } from './keep-running.ts';
import { type PostOffice, sendMail } from './send-mail.ts';
import { sweep } from './sweep.ts';

export interface Jobs {
  /** Stops claiming jobs, waits for those that run, and returns their leases. */
  stop(): Promise<void>;
}

/** What the jobs need. `url` is the login that owns the schema. */
export interface Workplace extends PostOffice {
  url: string;
  /** Who takes cards, if anyone does. */
  card: PaymentProvider | undefined;
}

const CRONTAB = `*/10 * * * * sweep ?max=3
* * * * * overdue ?max=1`;
const CONNECTIONS = 3;

/**
 * Runs the background jobs in this process. The queue lives in the database (schema graphile_worker), so any number of
 * processes share it, and each cron job runs once for all of them.
 */
export async function startJobs({ url, card, ...office }: Workplace): Promise<Jobs> {
  const { db, logger } = office;
  const options = {
    connectionString: url,
    maxPoolSize: CONNECTIONS,
    concurrency: CONNECTIONS - 1,
    noHandleSignals: true,
    logger: jobLogger(logger),
    crontab: CRONTAB,
    taskList: {
      send_mail: counted('send_mail', sendMail(office)),
      sweep: counted('sweep', async (_payload: unknown, { withPgClient }: JobHelpers) => {
        const swept = await withPgClient(sweep);
        logger.info({ job: 'sweep', ...swept }, 'job');
      }),
      overdue: counted('overdue', async (_payload: unknown, { withPgClient }: JobHelpers) => {
        const done = await withPgClient((client) => workOffOverdue(client, db, card));
        // Each minute there is nothing to do is no news.
        if (Object.values(done).some((count) => count > 0)) logger.info({ job: 'overdue', ...done }, 'job');
      }),
      index_products: counted('index_products', async () => {
        const products = await indexOutdatedProducts(db);
        if (products > 0) logger.info({ job: 'index_products', products }, 'job');
      }),
    },
  };
  // Once per start is enough: only a new release leaves anything to do.
  await quickAddJob(
    { connectionString: url, logger: jobLogger(logger) },
    'index_products',
    {},
    { jobKey: 'index_products' },
  );
  return keepRunning(options, logger);
}

/** Sends the mails that are queued now, and resolves when that is done. Jobs that fail are left to `startJobs`. */
export async function sendQueuedMails({ url, ...office }: PostOffice & { url: string }): Promise<void> {
  await runOnce({
    connectionString: url,
    maxPoolSize: CONNECTIONS,
    concurrency: CONNECTIONS - 1,
    noHandleSignals: true,
    logger: jobLogger(office.logger),
    taskList: { send_mail: sendMail(office) },
  });
}

/** Brings the queue's own schema, graphile_worker, to the installed version. */
export async function migrateQueue(url: string): Promise<void> {
  await runMigrations({ connectionString: url, maxPoolSize: 1, logger: new JobLogger(() => () => undefined) });
}

/** graphile-worker's own lines, without the job's payload; what is routine there is not news here. */
function jobLogger(logger: Logger): JobLogger {
  return new JobLogger(({ taskIdentifier, jobId }) => (level, message) => {
    const line = { job: taskIdentifier, job_id: jobId };
    if (level === 'error') logger.error(line, message);
    else if (level === 'warning') logger.warn(line, message);
    else logger.debug(line, message);
  });
}
