import { type JobHelpers, Logger as JobLogger, runOnce } from 'graphile-worker';
import type { Logger } from 'pino';
import { withClient } from '../db/client.ts';
import { beginEra, isAnotherHistory } from '../db/era.ts';
import { noteIfReadOnly } from '../db/read-only.ts';
import type { Egress } from '../egress/post.ts';
import { openRenderer } from '../files/renderer.ts';
import type { FileStore } from '../files/store.ts';
import { openAuditKey } from '../shop/audit/keys.ts';
import { openAccounts } from '../shop/payments/accounts/providers.ts';
import type { PaymentProvider } from '../shop/payments/provider.ts';
import { deleteDueSites } from '../shop/sites/deletion.ts';
import type { UsageCounter } from '../shop/usage.ts';
import { type Watch, watchForAbandonedJobs } from './abandoned-jobs.ts';
import { applyConsent } from './apply-consent.ts';
import { expireOverdue } from './buying.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { wakeWhenDue } from './due-jobs.ts';
import { WAITING_JOBS } from './fair-share.ts';
import { indexOutdatedProducts } from './index-products.ts';
import { issueDocuments } from './issue-documents.ts';
import { counted } from './job-metrics.ts';
import { type Kept, keepRunning } from './keep-running.ts';
import { learnMeaningsOfAll } from './learn-meanings.ts';
import { matchWithdrawal } from './match-withdrawal.ts';
import { moveMoney } from './move-money.ts';
import { notePublication } from './note-publication.ts';
import { noteUsage } from './note-usage.ts';
import { type FileDeps, processFile, removeFile } from './process-file.ts';
import { deleteOldData, type Retention } from './retention.ts';
import { runMails } from './run-mails.ts';
import { sealAudit } from './seal-audit.ts';
import { type MailDeps, sendMail } from './send-mail.ts';
import { sweep } from './sweep.ts';
import { sweepFiles } from './sweep-files.ts';
import { tellLowStock } from './tell-low-stock.ts';

export interface Jobs {
  /** Takes no more jobs, and waits a limited time for those that are running. */
  stop(): Promise<void>;
}

/** The dependencies of the jobs. `url` contains the login that owns the schema. */
export interface JobDeps extends MailDeps {
  url: string;
  /** The provider of card payments, if any. */
  card: PaymentProvider | undefined;
  stripeApiUrl?: string | undefined;
  stripePlatformKey?: string | undefined;
  /** Sends requests to webhooks and UCP platforms. */
  egress: Egress;
  /** Decrypts stored secrets, such as those of webhooks. */
  secretKey: string;
  /** Maximum number of concurrent webhook calls. */
  webhookConcurrency: number;
  /** Maximum number of concurrent mails. */
  mailConcurrency: number;
  /** Retention periods (retention.ts). */
  retention: Retention;
  files: FileStore;
  /** Counts the deliveries of each site. */
  usage: UsageCounter;
}

/**
 * The schedule of the jobs. `overdue` may wait for payment providers. Only one `overdue` job runs at a time, so that
 * other jobs keep their workers. A waiting job keeps its start time (`preserve_run_at`); otherwise the next minute's
 * run would move it to the end of the queue.
 */
const CRONTAB = `*/10 * * * * sweep ?max=3&jobKey=sweep&jobKeyMode=preserve_run_at
*/10 * * * * learn_meanings ?max=1
5,15,25,35,45,55 * * * * retention ?max=3&jobKey=retention&jobKeyMode=preserve_run_at
* * * * * overdue ?max=1&queue=overdue&jobKey=overdue&jobKeyMode=preserve_run_at
* * * * * seal_audit ?max=1&jobKey=seal_audit&jobKeyMode=preserve_run_at
17 3 * * * note_usage ?max=3&jobKey=note_usage&jobKeyMode=preserve_run_at`;
/**
 * Cron runs once a minute. Each run enqueues another one in between, so that no row waits a whole minute for its seal.
 */
const SEAL_AGAIN_MS = 30_000;
const CONNECTIONS = 3;
const FILES_AT_ONCE = 2;
/**
 * Polling is rare, because a new job wakes a worker immediately, and `wakeWhenDue` wakes workers for jobs that become
 * due.
 */
const DELIVERY_POLL_MS = 60_000;

/**
 * Runs the background jobs in this process. The queue is in the database (schema graphile_worker), so any number of
 * processes share it, and each cron job runs once for all of them. Mails, webhooks and images have separate runners, so
 * that a slow mail server or receiver does not delay other jobs, especially payments.
 */
export async function startJobs(deps: JobDeps): Promise<Jobs> {
  const { url, logger, egress } = deps;
  const watch = watchForAbandonedJobs(url, logger);
  const renderer = openRenderer();
  const fileDeps = { ...deps, renderer };
  const runners: Pick<Kept, 'stop'>[] = [];
  const stop = async () => {
    await Promise.all(runners.map((runner) => runner.stop()));
    renderer.close();
    await watch.end();
    await egress.close();
  };
  try {
    runners.push(await runMaintenance(deps, watch));
    runners.push(await startMails(deps, watch));
    runners.push(await runDeliveries(deps, watch));
    runners.push(await runFiles(fileDeps, watch));
    await watch.begin();
    // Once per start is enough: only a new release makes products outdated.
    await withClient({ connectionString: url }, (client) =>
      client.query(`select graphile_worker.add_job('index_products', job_key => 'index_products')`),
    );
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  return { stop };
}

async function runMaintenance({ card, secretKey, url, retention, ...mailDeps }: JobDeps, watch: Watch): Promise<Kept> {
  const { db, logger } = mailDeps;
  const accounts = openAccounts(db, { ...mailDeps, secretKey });
  const paying = { db, card, accounts, secretKey };
  // The key is read only once, because while SECRET_KEY changes, the key in the database is encrypted with another
  // secret key.
  const auditKey = await openAuditKey(db, secretKey);
  const options = {
    connectionString: url,
    maxPoolSize: CONNECTIONS,
    concurrency: CONNECTIONS - 1,
    noHandleSignals: true,
    logger: jobLogger(logger),
    crontab: CRONTAB,
    taskList: {
      apply_consent: counted('apply_consent', applyConsent(db)),
      issue_documents: counted('issue_documents', issueDocuments(db)),
      match_withdrawal: counted('match_withdrawal', matchWithdrawal(db)),
      move_money: counted('move_money', moveMoney(paying)),
      note_publication: counted('note_publication', notePublication(db)),
      tell_low_stock: counted('tell_low_stock', tellLowStock(db)),
      sweep: counted('sweep', async (_payload: unknown, { withPgClient }: JobHelpers) => {
        const swept = await withPgClient(sweep);
        logger.info({ job: 'sweep', ...swept }, 'job');
      }),
      retention: counted('retention', async (_payload: unknown, { withPgClient }: JobHelpers) => {
        const deleted = await withPgClient((client) =>
          deleteOldData(client, { ...retention, secretKey, auditKey, logger }),
        );
        if (Object.keys(deleted).length > 0) logger.info({ job: 'retention', ...deleted }, 'job');
      }),
      overdue: counted('overdue', async (_payload: unknown, { withPgClient }: JobHelpers) => {
        const done = await withPgClient((client) => expireOverdue(client, { ...paying, logger }));
        // The job runs every minute, and usually has nothing to do.
        if (Object.values(done).some((count) => count > 0)) logger.info({ job: 'overdue', ...done }, 'job');
      }),
      seal_audit: counted('seal_audit', async (payload: unknown, { withPgClient, addJob }: JobHelpers) => {
        const sealed = await withPgClient((client) => sealAudit(client, auditKey));
        if (sealed.rows > 0) logger.debug({ job: 'seal_audit', ...sealed }, 'job');
        const again = { runAt: new Date(Date.now() + SEAL_AGAIN_MS), jobKey: 'seal_audit_again', maxAttempts: 1 };
        if (isFromCron(payload)) await addJob('seal_audit', {}, again);
      }),
      note_usage: counted('note_usage', async (_payload: unknown, { withPgClient }: JobHelpers) => {
        await withPgClient((client) => noteUsage(client, db, logger));
      }),
      index_products: counted('index_products', async (_payload: unknown, { abortSignal }: JobHelpers) => {
        const products = await indexOutdatedProducts(db, abortSignal);
        if (products > 0) logger.info({ job: 'index_products', products }, 'job');
      }),
      learn_meanings: counted('learn_meanings', async (_payload: unknown, { abortSignal }: JobHelpers) => {
        const products = await learnMeaningsOfAll(db, abortSignal);
        if (products > 0) logger.info({ job: 'learn_meanings', products }, 'job');
      }),
    },
  };
  return keepRunning(options, logger, watch.add, reportTo(db));
}

/**
 * Handles errors of a runner's statements. If the database is read-only, all runners pause and requests are rejected.
 * If the database continues another history, a new era begins, and the queue retries the job.
 */
function reportTo(db: JobDeps['db']) {
  return (error: unknown) => {
    noteIfReadOnly(db, error);
    if (isAnotherHistory(error)) beginEra(db).catch(() => undefined);
  };
}

/** Starts the runner for mails. A mail uses a connection only while it is composed. */
function startMails({ url, mailConcurrency, ...deps }: JobDeps, watch: Watch): Promise<Pick<Kept, 'stop'>> {
  const options = {
    connectionString: url,
    maxPoolSize: CONNECTIONS,
    concurrency: mailConcurrency,
    noHandleSignals: true,
    logger: jobLogger(deps.logger),
    parsedCronItems: [],
  };
  return runMails({ ...deps, options, announce: watch.add, onError: reportTo(deps.db) });
}

async function runDeliveries({ url, ...deps }: JobDeps, watch: Watch): Promise<Pick<Kept, 'stop'>> {
  const deliver = deliverWebhook(deps);
  const options = {
    connectionString: url,
    maxPoolSize: CONNECTIONS,
    // A job that waits for a slot also occupies a worker.
    concurrency: deps.webhookConcurrency + WAITING_JOBS,
    pollInterval: DELIVERY_POLL_MS,
    noHandleSignals: true,
    logger: jobLogger(deps.logger),
    parsedCronItems: [],
    taskList: {
      deliver_webhook: counted('deliver_webhook', deliver),
      deliver_to_platform: counted('deliver_to_platform', deliver),
    },
  };
  const kept = await keepRunning(options, deps.logger, watch.add, reportTo(deps.db));
  const due = { tasks: Object.keys(options.taskList), most: options.concurrency, wake: kept.wake };
  const stopWaking = wakeWhenDue(options, deps.logger, due);
  return {
    async stop() {
      await stopWaking();
      await kept.stop();
    },
  };
}

/**
 * Starts the runner for images and for the deletion of files and sites. An image takes seconds. The runner is separate
 * and runs two jobs at a time, so that other jobs do not wait for them.
 */
function runFiles({ url, ...deps }: FileDeps & { url: string }, watch: Watch): Promise<Kept> {
  const { logger } = deps;
  const options = {
    connectionString: url,
    maxPoolSize: FILES_AT_ONCE,
    concurrency: FILES_AT_ONCE,
    noHandleSignals: true,
    logger: jobLogger(logger),
    crontab: `23 * * * * sweep_files ?max=3
53 * * * * delete_sites ?max=1&jobKey=delete_sites`,
    taskList: {
      process_file: counted('process_file', processFile(deps)),
      remove_file: counted('remove_file', removeFile(deps)),
      delete_sites: counted('delete_sites', async (_payload: unknown, { withPgClient }: JobHelpers) => {
        const { deleted, owing } = await withPgClient((client) => deleteDueSites(client, deps.files));
        for (const site_id of deleted) logger.info({ job: 'delete_sites', site_id }, 'deleted');
        for (const site_id of owing) logger.warn({ job: 'delete_sites', site_id }, 'not deleted: open obligations');
      }),
      sweep_files: counted('sweep_files', async (_payload: unknown, { withPgClient }: JobHelpers) => {
        const deleted = await withPgClient((client) => sweepFiles(client, deps));
        if (deleted > 0) logger.info({ job: 'sweep_files', deleted }, 'job');
      }),
    },
  };
  return keepRunning(options, logger, watch.add, reportTo(deps.db));
}

/** Sends the mails that are currently queued, and resolves when that is done. `startJobs` retries failed jobs. */
export async function sendQueuedMails({ url, ...mailDeps }: MailDeps & { url: string }): Promise<void> {
  await runOnce({
    connectionString: url,
    maxPoolSize: CONNECTIONS,
    concurrency: CONNECTIONS - 1,
    noHandleSignals: true,
    logger: jobLogger(mailDeps.logger),
    taskList: { send_mail: sendMail(mailDeps) },
  });
}

function isFromCron(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && '_cron' in payload;
}

/**
 * Whether a line warns about the pool size. Mails and deliveries have fewer connections than workers on purpose: a job
 * that waits for its receiver uses none.
 */
function isAboutPoolSize(meta: Record<string, unknown> | undefined): boolean {
  return meta?.max === CONNECTIONS && typeof meta.concurrency === 'number';
}

/** Logs the lines of graphile-worker without the payloads of jobs. Routine and expected lines have level debug. */
function jobLogger(logger: Logger): JobLogger {
  return new JobLogger(({ taskIdentifier, jobId }) => (level, message, meta) => {
    const line = { job: taskIdentifier, job_id: jobId };
    if (level === 'error') logger.error(line, message);
    else if (level === 'warning' && !isAboutPoolSize(meta)) logger.warn(line, message);
    else logger.debug(line, message);
  });
}
