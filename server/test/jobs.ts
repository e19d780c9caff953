import { pino } from 'pino';
import { inject } from 'vitest';
import { openEgress } from '../src/egress/post.ts';
import { createMailer } from '../src/jobs/mailer.ts';
import { type Jobs, startJobs } from '../src/jobs/run.ts';
import { createTestProvider } from '../src/shop/payments/test-provider.ts';
import { SECRET_KEY, testServer } from './server.ts';
import { databaseUrl } from './worker-database.ts';

/** The background jobs, working in this process until the file is through. Mails of other tests' shops go where those look. */
export async function workJobs({ allowPrivate = true } = {}): Promise<Jobs> {
  const { db } = await testServer();
  return startJobs({
    url: databaseUrl(),
    db,
    mailer: createMailer({ smtpUrl: undefined, mailFrom: 'shop@example.com', dataDir: inject('mailDir') }),
    baseUrl: 'http://localhost',
    logger: pino({ level: 'silent' }),
    card: createTestProvider({ db, baseUrl: 'http://localhost' }),
    stripeApiUrl: 'http://127.0.0.1:9',
    stripePlatformKey: undefined,
    egress: openEgress({ allowPrivate, ownHost: 'localhost' }),
    secretKey: SECRET_KEY,
    webhookConcurrency: 200,
  });
}
