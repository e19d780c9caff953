import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Logger as JobLogger, runOnce } from 'graphile-worker';
import type pg from 'pg';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { inject } from 'vitest';
import { createMailer } from '../src/jobs/mailer.ts';
import { sendMail } from '../src/jobs/send-mail.ts';
import { databaseUrl } from './worker-database.ts';

export interface ReceivedMail {
  /** The headers of the mail, one on each line. */
  head: string;
  subject: string;
  html: string;
  /** The secret in the mail's link, if it has one. */
  token: string;
}

interface Shop {
  db: pg.Pool;
  owner: pg.Pool;
  site_id: string;
}

/**
 * Delivers what the shop has queued and reads what an e-mail address received, oldest first. Each delivery takes the mails of all
 * shops, so another test may be delivering one of ours.
 */
export async function mailsTo(shop: Shop, email: string): Promise<ReceivedMail[]> {
  const deadline = Date.now() + 10_000;
  await deliver(shop.db);
  while ((await queuedOf(shop)) > 0) {
    if (Date.now() > deadline) throw new Error('The mails of the shop did not leave the queue.');
    await new Promise((done) => setTimeout(done, 50));
    await deliver(shop.db);
  }
  return received(email);
}

async function deliver(db: pg.Pool): Promise<void> {
  const mailer = createMailer({ smtpUrl: undefined, mailFrom: 'shop@example.com', dataDir: inject('mailDir') });
  await runOnce({
    connectionString: databaseUrl(),
    noHandleSignals: true,
    logger: new JobLogger(() => () => undefined),
    taskList: {
      send_mail: sendMail({ db, mailer, baseUrl: 'http://localhost', logger: pino({ level: 'silent' }) }),
    },
  });
}

async function queuedOf({ owner, site_id }: Shop): Promise<number> {
  const { rowCount } = await owner.query(
    sql`select from graphile_worker._private_jobs where payload ->> 'site_id' = ${site_id} and run_at <= now()`,
  );
  return rowCount ?? 0;
}

function received(email: string): ReceivedMail[] {
  const outbox = join(inject('mailDir'), 'outbox');
  const messages = (existsSync(outbox) ? readdirSync(outbox) : []).filter((name) => name.endsWith('.eml'));
  return messages.toSorted().flatMap((name) => {
    const [head = ''] = readFileSync(join(outbox, name), 'utf8').split('\r\n\r\n');
    if (!head.includes(`\r\nTo: ${email}\r\n`)) return [];
    const html = readFileSync(join(outbox, name.replace(/eml$/, 'html')), 'utf8');
    const [token = ''] = /(?:rst|vrf|unl|inv)_[0-9A-Za-z]{38}/.exec(html) ?? [];
    return [
      { head: head.replaceAll('\r\n', '\n'), subject: /<title>(.*?)<\/title>/.exec(html)?.[1] ?? '', html, token },
    ];
  });
}
