import { openPool } from '../db/connect.ts';
import { acceptsWrites, DatabaseReadOnly } from '../db/read-only.ts';
import { type Finding, ok, wrong } from './finding.ts';
import { faultOfRequests } from './request-path.ts';

/** Runs the first statement of each mutation on a new connection, with the database role of requests. */
export async function checkRequests(url: string, pooling: 'session' | 'transaction'): Promise<Finding> {
  const db = openPool({ url, pooling, max: 1, applicationName: 'commerce-server doctor' });
  try {
    const fault = await faultOfRequests(db);
    if (fault) return wrong('requests', fault, 'Correct the setting that the message names, or use another version.');
    if (await acceptsWrites(db)) return ok('requests', 'the statement that begins each mutation works');
    return readOnly(
      'Set DATABASE_URL to the primary, or turn default_transaction_read_only off and end the sessions of a pooler.',
    );
  } catch (error) {
    if (!(error instanceof DatabaseReadOnly)) throw error;
    return readOnly('It is a standby: set DATABASE_URL and DATABASE_DIRECT_URL to the primary.');
  } finally {
    await db.end();
  }
}

function readOnly(mend: string): Finding {
  return wrong('requests', 'the database is read-only (transaction_read_only = on): it rejects every write', mend);
}
