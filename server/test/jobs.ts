import pg from 'pg';
import { pino } from 'pino';
import { inject } from 'vitest';
import { ignoreLostConnections } from '../src/db/connect.ts';
import { openEgress } from '../src/egress/post.ts';
import { directoryStore } from '../src/files/directory.ts';
import { expireOverdue } from '../src/jobs/buying.ts';
import { createMailer } from '../src/jobs/mailer.ts';
import { type Jobs, startJobs } from '../src/jobs/run.ts';
import type { PaymentProvider } from '../src/shop/payments/provider.ts';
import { createTestProvider } from '../src/shop/payments/test-provider.ts';
import { createUsageCounter } from '../src/shop/usage.ts';
import { FILES_DIR, SECRET_KEY, testServer } from './server.ts';
import { databaseUrl } from './worker-database.ts';

/**
 * Runs the background jobs in this process until the caller stops them. The jobs also deliver mails of other tests'
 * shops, to the folder in which those tests look for them.
 */
export async function workJobs({
  allowPrivate = true,
  baseUrl = 'http://localhost',
  smtpUrl = undefined as string | undefined,
} = {}): Promise<Jobs> {
  const { db } = await testServer();
  return startJobs({
    url: databaseUrl(),
    db,
    mailer: createMailer({ smtpUrl, mailFrom: 'shop@example.com', dataDir: inject('mailDir') }),
    baseUrl,
    logger: pino({ level: 'silent' }),
    card: createTestProvider({ db, baseUrl: 'http://localhost' }),
    stripeApiUrl: 'http://127.0.0.1:9',
    stripePlatformKey: undefined,
    egress: openEgress({ allowPrivate, ownHost: 'localhost' }),
    secretKey: SECRET_KEY,
    webhookConcurrency: 200,
    mailConcurrency: 5,
    retention: { cartsDays: 90, addressesDays: 30, auditDays: 400 },
    files: directoryStore(FILES_DIR),
    usage: createUsageCounter(db),
  });
}

/**
 * Runs the overdue jobs. Throws errors about this shop, and ignores errors about other tests' shops, whose payment
 * provider may have been stopped.
 */
export async function workOverdue(
  { db, site_id }: { db: pg.Pool; site_id: string },
  card: PaymentProvider = createTestProvider({ db, baseUrl: 'http://localhost' }),
): Promise<void> {
  const pool = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl(), max: 1 }));
  const client = await pool.connect();
  const failed = new Set<string>();
  const logger = pino({}, { write: (line) => failed.add((JSON.parse(line) as { site_id: string }).site_id) });
  try {
    await expireOverdue(client, { db, card, secretKey: SECRET_KEY, logger });
  } catch (error) {
    if (failed.has(site_id)) throw error;
  } finally {
    client.release();
    await pool.end();
  }
}
