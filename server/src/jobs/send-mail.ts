import type { JobHelpers } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import type { RowOf } from '../db/row-of.ts';
import { queryAlone } from '../db/transaction.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import type { PersonTemplate, QueuedMail } from '../shop/mail.ts';
import { compose } from '../shop/mails/templates.ts';
import type { Mailer } from './mailer.ts';

export interface MailDeps {
  db: Pool;
  mailer: Mailer;
  /** The configured base URL, for links. */
  baseUrl: string;
  logger: Logger;
}

/**
 * Sends a queued mail: composes it in a transaction, and sends it after the commit. A failed mail is retried with new
 * secrets in its links. If the first attempt was delivered although it seemed to fail, both mails have the same
 * Message-ID.
 */
export function sendMail({ db, mailer, baseUrl, logger }: MailDeps) {
  return async (payload: unknown, { job }: Pick<JobHelpers, 'job'>): Promise<void> => {
    const queued = payload as QueuedMail;
    const site_id = queued.site_id ?? (await shopOfStaff(db, queued as QueuedMail<PersonTemplate>));
    const mail = site_id && (await inShopAsSystem(db, site_id, (shop) => compose(shop, baseUrl, queued)));
    const line = { job: 'send_mail', template: queued.template, site_id };
    if (!mail) {
      logger.info(line, 'the mail is no longer needed');
      return;
    }
    const where = await mailer.send(mail, `mail-${job.id}-${queued.template}`);
    logger.info({ ...line, where }, 'mail');
  };
}

/** The first shop of a staff member on this server; undefined if the e-mail address has no login. */
async function shopOfStaff(db: Pool, { about }: QueuedMail<PersonTemplate>): Promise<string | undefined> {
  const { rows } = await queryAlone<RowOf<'staff_memberships', 'site_id'>>(
    db,
    sql`select m.site_id from staff s join staff_memberships m on m.staff_id = s.id join sites using (site_id)
      where lower(s.email) = ${about.email} and moved_at is null order by m.site_id limit 1`,
  );
  return rows[0]?.site_id;
}
