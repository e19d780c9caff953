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

/** A try at logging in. */
export interface LoginAttempt {
  /** What names the account: the address, for customers behind their site. */
  account: string;
  /** What is sent to the address when the delay begins, with a link that lifts it for one browser. */
  mail: QueuedMail<'login_delayed' | 'staff_login_delayed'>;
  /** The tokens of such links that the caller holds. */
  unlocks: string[];
}

/** What the failures of an account, or of one of its browsers, are counted by. */
export type Counter = Buffer;

/**
 * Takes one try at logging in, before the password is looked at, so that parallel guesses count one by one. After five failures
 * each further try must wait, 1 s at first and doubling up to 10 minutes, and failures are forgotten after an hour without a
 * try: at most 20 guesses an hour, whoever makes them and however they are spaced. When the delay begins, at most once an hour,
 * the owner gets a mail with a link: the browser that has opened it is counted separately, under the same rule. A clock that is
 * set back causes no delay where there was none. All this is done in the same way if there is no such account.
 * `clearLoginFailures` ends the count that this returns.
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
    // The delay may have ended meanwhile, by a login that succeeded.
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

/** Ends a count after a login that succeeded. When its owner was last sent a mail stays known. */
export async function clearLoginFailures(db: Pool, counter: Counter): Promise<void> {
  await queryAlone(
    db,
    sql`update login_throttles set failures = 0, next_attempt_at = '-infinity' where key_hash = ${counter}`,
  );
}

/** The account in the form in which it is stored. */
export function accountKey(account: string): Buffer {
  return hash('sha256', account.normalize('NFKC').toLowerCase(), 'buffer');
}

/** A customer's account: one address may have an account in several shops. */
export function customerAccount(site_id: string, email: string): string {
  return `${site_id} ${email}`;
}
