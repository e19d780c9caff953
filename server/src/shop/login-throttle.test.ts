import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { testServer } from '../../test/server.ts';
import { accountKey, clearLoginFailures, takeLoginAttempt } from './login-throttle.ts';

/** A pool that runs `act` before its second connection is taken. */
function interruptedBy(db: Pool, act: () => Promise<void>): Pool {
  let taken = 0;
  const connect = async () => {
    taken += 1;
    if (taken === 2) await act();
    return db.connect();
  };
  return Object.create(db, { connect: { value: connect } });
}

test('returns a retry time of one second if another login succeeds during the delay', async () => {
  const { db, owner } = await testServer();
  const account = `${crypto.randomUUID()}@mail.example`;
  const counter = accountKey(account);
  const mail = { site_id: null, template: 'staff_login_delayed', about: { email: account } } as const;
  await owner.query(
    `insert into commerce.login_throttles (key_hash, failures, next_attempt_at, expires_at)
     values ($1, 6, now() + interval '10 minutes', now() + interval '1 hour')`,
    [counter],
  );

  const attempt = takeLoginAttempt(
    interruptedBy(db, () => clearLoginFailures(db, counter)),
    { account, mail, unlocks: [] },
  );

  await expect(attempt).rejects.toMatchObject({ code: 'rate_limited', context: { retry_after_seconds: 1 } });
});
