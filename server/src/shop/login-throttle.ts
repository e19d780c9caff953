import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { queryAlone } from '../db/transaction.ts';
import { ShopError } from './errors.ts';

const FREE_FAILURES = 5;
const MAX_DELAY_SECONDS = 600;
const MEMORY = '1 hour';

/**
 * Takes one try at logging in as `email`, before the password is looked at, so that parallel guesses count one by one.
 * After five failures each further try must wait, 1 s at first and doubling up to 10 minutes, and failures are forgotten
 * after an hour without a try: at most 20 guesses an hour, whoever makes them and however they are spaced. The owner waits
 * with the guesser, ten minutes at the longest between tries. `clearLoginFailures` ends the count.
 */
export async function takeLoginAttempt(db: Pool, email: string): Promise<void> {
  const { rows } = await queryAlone<{ failures: number }>(
    db,
    sql`insert into login_throttles as t (key_hash, failures, next_attempt_at, expires_at)
      values (${loginKey(email)}, 1, now(), now() + ${MEMORY}::interval)
      on conflict (key_hash) do update set
        failures = case when t.expires_at <= now() then 1 else t.failures + 1 end,
        next_attempt_at = case when t.expires_at <= now() or t.failures + 1 < ${FREE_FAILURES} then now()
          else now() + least(${MAX_DELAY_SECONDS}, power(2, t.failures + 1 - ${FREE_FAILURES})) * interval '1 second' end,
        expires_at = now() + ${MEMORY}::interval
      where t.next_attempt_at <= clock_timestamp() or t.expires_at <= now()
      returning failures`,
  );
  if (rows.length > 0) return;
  const waiting = await queryAlone<{ seconds: number }>(
    db,
    sql`select ceil(extract(epoch from next_attempt_at - now()))::int as seconds from login_throttles
      where key_hash = ${loginKey(email)}`,
  );
  const retry_after_seconds = Math.max(1, waiting.rows[0]?.seconds ?? 1);
  throw new ShopError('rate_limited', `Too many failed logins. Try again in ${retry_after_seconds} s.`, {
    retry_after_seconds,
  });
}

/** Ends the count of an address that has just proven itself. */
export async function clearLoginFailures(db: Pool, email: string): Promise<void> {
  await queryAlone(db, sql`delete from login_throttles where key_hash = ${loginKey(email)}`);
}

function loginKey(email: string): Buffer {
  return createHash('sha256').update(email.normalize('NFKC').toLowerCase()).digest();
}
