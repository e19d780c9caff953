import type pg from 'pg';
import { openEgress } from '../../server/src/egress/post.ts';
import { directoryStore } from '../../server/src/files/directory.ts';
import { createLogger } from '../../server/src/http/pipeline/log.ts';
import { type Jobs, startJobs } from '../../server/src/jobs/run.ts';
import { createTestProvider } from '../../server/src/shop/payments/test-provider.ts';
import { createUsageCounter } from '../../server/src/shop/usage.ts';
import { FILES_DIR, SECRET_KEY, startServer, stopServer } from '../../server/test/server.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Trial, Violations } from '../testing/proof.ts';
import { type EventShop, openEventShop } from '../testing/webhook-shop.ts';

/** A server whose background jobs run in this process, with a new database. */
export interface WorkingPremises {
  owner: pg.Pool;
  violations: Violations;
  openShop(): Promise<EventShop>;
  /** Returns the number of a shop's pending deliveries. */
  countPending(shop: EventShop): Promise<number>;
  /** Makes all pending deliveries due. */
  hurry(): Promise<void>;
}

/**
 * `workers` is the number of times that the jobs are started in this process. To the queue, each is a separate worker
 * process.
 */
export function onWorkingPremises<T>(
  trial: Trial,
  { workers }: { workers: number },
  proof: (premises: WorkingPremises) => Promise<T>,
): Promise<T> {
  return withOwnDatabase(trial.databaseUrl, async (url) => {
    const server = await startServer(url, {}, url);
    const { baseUrl, db, owner } = server;
    const jobs: Jobs[] = [];
    try {
      for (let count = 0; count < workers; count += 1) jobs.push(await work(url, db));
      return await proof({
        ...{ owner, violations: new Violations() },
        openShop: () => openEventShop(url, () => [baseUrl]),
        async countPending({ site_id }) {
          const { rows } = await owner.query<{ pending: number }>(
            `select count(*)::int as pending from commerce.webhook_deliveries where site_id = $1 and status = 'pending'`,
            [site_id],
          );
          return rows[0]?.pending ?? 0;
        },
        async hurry() {
          // Changes deliveries and jobs in one statement, because a job that runs before its delivery is due would end
          // without an attempt.
          await owner.query(`with due as (
              update commerce.webhook_deliveries set next_attempt_at = least(next_attempt_at, now())
              where status = 'pending' returning id
            )
            update graphile_worker._private_jobs set run_at = now()
            where locked_at is null and payload ->> 'delivery_id' in (select id::text from due)`);
          await owner.query(`notify "jobs:insert", '{"count":50}'`);
        },
      });
    } finally {
      await Promise.all(jobs.map((one) => one.stop()));
      await stopServer(server);
    }
  });
}

function work(url: string, db: pg.Pool): Promise<Jobs> {
  return startJobs({
    ...{ url, db, baseUrl: 'http://localhost', secretKey: SECRET_KEY, webhookConcurrency: 200, mailConcurrency: 5 },
    retention: { cartsDays: 90, addressesDays: 30, auditDays: 400 },
    card: createTestProvider({ db, baseUrl: 'http://localhost' }),
    mailer: { send: async () => 'nowhere', isReady: async () => true },
    logger: createLogger('silent'),
    egress: openEgress({ allowPrivate: true, ownHost: 'localhost' }),
    files: directoryStore(FILES_DIR),
    usage: createUsageCounter(db),
  });
}
