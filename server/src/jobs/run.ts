import { Logger as JobLogger, run, runMigrations } from 'graphile-worker';
import type { Logger } from 'pino';
import { sweep } from './sweep.ts';

export interface Jobs {
  /** Stops claiming jobs, waits for those that run, and returns their leases. */
  stop(): Promise<void>;
}

const CRONTAB = '*/10 * * * * sweep ?max=3';
const CONNECTIONS = 3;

/**
 * Runs the background jobs in this process. The queue lives in the database (schema graphile_worker), so any number of
 * processes share it, and each cron job runs once for all of them. `url` is the login that owns the schema.
 */
export async function startJobs({ url, logger }: { url: string; logger: Logger }): Promise<Jobs> {
  const runner = await run({
    connectionString: url,
    maxPoolSize: CONNECTIONS,
    concurrency: CONNECTIONS - 1,
    noHandleSignals: true,
    logger: jobLogger(logger),
    crontab: CRONTAB,
    taskList: {
      async sweep(_payload, { withPgClient }) {
        const swept = await withPgClient(sweep);
        logger.info({ job: 'sweep', ...swept }, 'job');
      },
    },
  });
  return { stop: () => runner.stop() };
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
