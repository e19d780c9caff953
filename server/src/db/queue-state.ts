import type pg from 'pg';

/** Due jobs of one kind that have not started. */
export interface JobBacklog {
  job: string;
  waiting: number;
  /** Time in seconds since the oldest of these jobs became due. */
  oldest_seconds: number;
}

/** Time limit for reading the queue. */
const WITHIN_MS = 1_000;

/** Reads the number of due jobs. Jobs that wait for a retry are not due. */
export async function readQueue(db: Pick<pg.ClientBase, 'query'>): Promise<JobBacklog[]> {
  const statement = {
    text: 'select job, waiting, oldest_seconds from commerce.queue_state()',
    query_timeout: WITHIN_MS,
  };
  const { rows } = await db.query<JobBacklog>(statement);
  return rows;
}
