import type pg from 'pg';
import { readQueue } from '../db/queue-state.ts';
import { type Finding, ok, warning } from './finding.ts';

/**
 * A job that has been due for longer counts as stuck. Usually jobs start within seconds, and webhooks for a slow
 * receiver within a minute or two.
 */
const STUCK_AFTER_SECONDS = 300;

/** Reports jobs that have been due so long that no process seems to run them. */
export async function checkQueue(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query(
    // `to_regclass` would fail for a login that may not use the schema.
    `select to_regproc('commerce.queue_state') is not null and exists (
      select from pg_tables where schemaname = 'graphile_worker' and tablename = '_private_jobs') as there`,
  );
  const due = rows[0].there ? await readQueue(client) : [];
  const stuck = due.filter(({ oldest_seconds }) => oldest_seconds > STUCK_AFTER_SECONDS);
  const waiting = due.reduce((sum, one) => sum + one.waiting, 0);
  const oldest = Math.max(0, ...due.map(({ oldest_seconds }) => oldest_seconds));
  if (stuck.length === 0) return ok('queue', `${waiting} jobs are due, the oldest for ${oldest} s`);
  const named = stuck.map(
    ({ job, waiting: count, oldest_seconds }) =>
      `${job} (${count}, the oldest for ${Math.floor(oldest_seconds / 60)} min)`,
  );
  const mend = stuck.some(({ job }) => job === 'send_mail')
    ? 'Check that a process with ROLE=all or ROLE=worker runs, and that the server of SMTP_URL answers it.'
    : 'Check that a process with ROLE=all or ROLE=worker runs, and look for failed jobs in its log.';
  return warning('queue', `jobs are not being started: ${named.join(', ')}`, mend);
}
