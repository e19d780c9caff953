import type pg from 'pg';

/** The due jobs of one kind that have not started. */
export interface JobBacklog {
  job: string;
  waiting: number;
  /** How long the oldest of these jobs has been due. */
  oldest_seconds: number;
}

/** Nobody waits for the result any longer than this. */
const WITHIN_MS = 1_000;

/** Reads the queue. Jobs that wait for their next attempt are not due. */
export async function readQueue(db: Pick<pg.ClientBase, 'query'>): Promise<JobBacklog[]> {
  const statement = {
    text: 'select job, waiting, oldest_seconds from commerce.queue_state()',
    query_timeout: WITHIN_MS,
  };
  const { rows } = await db.query<JobBacklog>(statement);
  return rows;
}
