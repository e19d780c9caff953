import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobHelpers } from 'graphile-worker';
import type pg from 'pg';
import { pino } from 'pino';
import sql from 'sql-template-tag';
import { inject } from 'vitest';
import { createMailer } from '../src/jobs/mailer.ts';
import { sendMail } from '../src/jobs/send-mail.ts';
import { FILLED_IN } from './shop.ts';

export interface ReceivedMail {
  /** The headers of the mail, one per line. */
  head: string;
  subject: string;
  html: string;
  /** The token in the mail's link, if it has one. */
  token: string;
  /** The names of the attached files. */
  attached: string[];
}

interface Shop {
  db: pg.Pool;
  owner: pg.Pool;
  site_id: string;
}

/**
 * Delivers the due mails of the shop, and mails to staff that name no shop. Returns the mails to an e-mail address,
 * oldest first. Mails of other shops stay in the queue, because some test files leave thousands.
 */
export async function mailsTo(shop: Shop, email: string): Promise<ReceivedMail[]> {
  if (email === FILLED_IN.email) throw new Error(`Use another address: mails of all shops go to ${email}.`);
  const deadline = Date.now() + 10_000;
  await deliver(shop);
  // Waits, because a running worker may be delivering some of the mails.
  while ((await queuedOf(shop)) > 0) {
    if (Date.now() > deadline) throw new Error('The mails of the shop did not leave the queue.');
    await new Promise((done) => setTimeout(done, 50));
    await deliver(shop);
  }
  return received(email);
}

async function deliver({ db, owner, site_id }: Shop): Promise<void> {
  const mailer = createMailer({ smtpUrl: undefined, mailFrom: 'shop@example.com', dataDir: inject('mailDir') });
  const send = sendMail({ db, mailer, baseUrl: 'http://localhost', logger: pino({ level: 'silent' }) });
  const client = await owner.connect();
  let committed = false;
  try {
    // A concurrent test that takes the same mails waits for the commit, after which they are delivered.
    await client.query('begin');
    // Repeats, because composing a mail for all staff queues one mail for each of them.
    for (let jobs = await takeDue(client, site_id); jobs.length > 0; jobs = await takeDue(client, site_id)) {
      for (const job of jobs) await send(job.payload, { job });
    }
    await client.query('commit');
    committed = true;
  } finally {
    client.release(!committed);
  }
}

async function takeDue(client: pg.PoolClient, site_id: string): Promise<JobHelpers['job'][]> {
  const { rows } = await client.query<JobHelpers['job']>(
    sql`with taken as (
        delete from graphile_worker._private_jobs where coalesce(payload ->> 'site_id', ${site_id}) = ${site_id}
          and payload ->> 'template' is not null and run_at <= clock_timestamp() and locked_at is null
        returning id, payload
      )
      select id, payload from taken order by id`,
  );
  return rows;
}

async function queuedOf({ owner, site_id }: Shop): Promise<number> {
  const { rowCount } = await owner.query(
    sql`select from graphile_worker._private_jobs where coalesce(payload ->> 'site_id', ${site_id}) = ${site_id}
      and payload ->> 'template' is not null and run_at <= now()`,
  );
  return rowCount ?? 0;
}

function received(email: string): ReceivedMail[] {
  const outbox = join(inject('mailDir'), 'outbox');
  const messages = (existsSync(outbox) ? readdirSync(outbox) : []).filter((name) => name.endsWith('.eml'));
  return messages.toSorted().flatMap((name) => {
    const message = readFileSync(join(outbox, name), 'utf8');
    const [head = ''] = message.split('\r\n\r\n');
    const attached = [...message.matchAll(/Content-Disposition: attachment; filename=(\S+)/g)].map(
      ([, file]) => file ?? '',
    );
    if (!head.includes(`\r\nTo: ${email}\r\n`)) return [];
    const html = readFileSync(join(outbox, name.replace(/eml$/, 'html')), 'utf8');
    const [token = ''] = /(?:rst|vrf|unl|inv)_[0-9A-Za-z]{38}/.exec(html) ?? [];
    const subject = /<title>(.*?)<\/title>/.exec(html)?.[1] ?? '';
    return [{ head: head.replaceAll('\r\n', '\n'), subject, html, token, attached }];
  });
}
