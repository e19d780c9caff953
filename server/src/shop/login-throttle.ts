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

/** The account that is logged in to, and the caller's unlock tokens. */
export interface LoginAttempt {
  /** Key of the account: the e-mail address, for customers together with their site. */
  account: string;
  /** Mail to the owner when the delay begins, with a link that lifts it for one browser. */
  mail: QueuedMail<'login_delayed' | 'staff_login_delayed'>;
  /** Tokens from such links that the caller sent. */
  unlocks: string[];
}

/** Key of a count of failures, for an account or for one of its browsers. */
export type Counter = Buffer;

/**
 * Counts a login attempt before the password is checked, so that parallel guesses count one by one. After five failures
 * each attempt must wait, 1 s at first, doubling up to 10 minutes. Failures are forgotten after an hour without an
 * attempt: at most 20 guesses an hour. When the delay begins, at most once an hour, the owner gets a mail with a link;
 * the browser that opens it has its own count. Setting the clock back causes no delay. Unknown accounts are treated the
 * same. `clearLoginFailures` resets the returned counter.
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

/** Resets a counter after a successful login. Keeps the time of the last mail to the owner. */
export async function clearLoginFailures(db: Pool, counter: Counter): Promise<void> {
  await queryAlone(
    db,
    sql`update login_throttles set failures = 0, next_attempt_at = '-infinity' where key_hash = ${counter}`,
  );
}

/** The stored form of an account key. */
export function accountKey(account: string): Buffer {
  return hash('sha256', account.normalize('NFKC').toLowerCase(), 'buffer');
}

/** Account key of a customer. A customer may have accounts in several shops with the same e-mail address. */
export function customerAccount(site_id: string, email: string): string {
  return `${site_id} ${email}`;
}
