import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { RowOf } from '../db/row-of.ts';
import { queryAlone } from '../db/transaction.ts';
import { ShopError } from './errors.ts';
import { findPass } from './login-unlocks.ts';
import type { QueuedMail } from './mail.ts';

const FREE_FAILURES = 5;
const MAX_DELAY_SECONDS = 600;
const MEMORY = '1 hour';

export interface LoginAttempt {
  /** The e-mail address; for customers, together with the site id. */
  account: string;
  /** The mail to the owner when the delay begins. Its link ends the delay for one browser. */
  mail: QueuedMail<'login_delayed' | 'staff_login_delayed'>;
  /** Tokens from unlock links in the request. */
  unlocks: string[];
}

/** Identifies a count of failures, for an account or for one browser with an unlock link. */
export type Counter = Buffer;

/**
 * Counts a login attempt before the password is checked, so that concurrent guesses are counted one by one. After five
 * failures each attempt must wait, first 1 s, doubling up to 10 minutes. After an hour without an attempt, the count
 * starts again. These limits allow about 20 guesses per hour. When the delay begins, the owner gets a mail, at most
 * once an hour, with a link that gives one browser a separate count. If the clock is set back, an account without a
 * delay stays without one. Unknown accounts are treated the same. Returns the counter for `clearLoginFailures`.
 */
export async function takeLoginAttempt(db: Pool, { account, mail, unlocks }: LoginAttempt): Promise<Counter> {
  const pass = await findPass(db, accountKey(account), unlocks);
  const counter = pass ? hash('sha256', `unlock ${pass.toString('hex')}`, 'buffer') : accountKey(account);
  const { rows } = await queryAlone<RowOf<'login_throttles', 'failures'>>(
    db,
    sql`with attempt as (
        insert into login_throttles as t (key_hash, failures, next_attempt_at, expires_at)
        values (${counter}, 1, '-infinity', now() + ${MEMORY}::interval)
        on conflict (key_hash) do update set
          failures = case when t.expires_at <= now() then 1 else t.failures + 1 end,
          next_attempt_at = case when t.expires_at <= now() or t.failures + 1 < ${FREE_FAILURES} then '-infinity'
            else now() + least(${MAX_DELAY_SECONDS}, power(2, t.failures + 1 - ${FREE_FAILURES})) * interval '1 second' end,
          expires_at = now() + ${MEMORY}::interval,
          mailed_at = case when t.expires_at > now() and t.failures + 1 >= ${FREE_FAILURES} and ${pass === undefined}
            and coalesce(t.mailed_at, '-infinity') <= now() - ${MEMORY}::interval then now() else t.mailed_at end
        where t.next_attempt_at <= clock_timestamp() or t.expires_at <= now()
        returning failures, mailed_at
      )
      select failures, (select enqueue('send_mail', ${JSON.stringify(mail)}::json, now()) where mailed_at = now())
      from attempt`,
  );
  if (rows.length > 0) return counter;
  throw await delayed(db, counter);
}

async function delayed(db: Pool, counter: Counter): Promise<ShopError> {
  const waiting = await queryAlone<{ seconds: number }>(
    db,
    // A successful login may have ended the delay meanwhile.
    sql`select ceil(extract(epoch from greatest(next_attempt_at, now()) - now()))::int as seconds from login_throttles
      where key_hash = ${counter}`,
  );
  const retry_after_seconds = Math.max(1, waiting.rows[0]?.seconds ?? 1);
  return new ShopError(
    'rate_limited',
    `Too many failed logins. Try again in ${retry_after_seconds} s, or use the link that was mailed to the owner of the account.`,
    { retry_after_seconds },
  );
}

/** Resets a counter after a successful login, except the time of the last mail to the owner. */
export async function clearLoginFailures(db: Pool, counter: Counter): Promise<void> {
  await queryAlone(
    db,
    sql`update login_throttles set failures = 0, next_attempt_at = '-infinity' where key_hash = ${counter}`,
  );
}

export function accountKey(account: string): Buffer {
  return hash('sha256', account.normalize('NFKC').toLowerCase(), 'buffer');
}

/** The same e-mail address may have accounts in several shops. */
export function customerAccount(site_id: string, email: string): string {
  return `${site_id} ${email}`;
}
