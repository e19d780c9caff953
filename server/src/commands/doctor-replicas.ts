import pg from 'pg';
import { type Identity, identityOf, standbyFault } from '../db/standby.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';
import { hostOf } from './open-standbys.ts';

const TIMEOUT_MS = 3_000;

/** Checks whether each address of DATABASE_REPLICA_URLS leads to a standby of the database. */
export async function checkReplicas(url: string, replicaUrls: string[]): Promise<Finding[]> {
  if (replicaUrls.length === 0) return [];
  const primary = await askAt(url, identityOf);
  return Promise.all(replicaUrls.map((replicaUrl) => checkReplica(primary, replicaUrl)));
}

async function checkReplica(primary: Identity, url: string): Promise<Finding> {
  const host = hostOf(url);
  try {
    const fault = standbyFault(primary, await askAt(url, identityOf));
    if (!fault) return ok('replica', `${host} is a standby of this database`);
    return wrong('replica', `${host} ${fault}`, 'Name only standbys of DATABASE_URL in DATABASE_REPLICA_URLS.');
  } catch (error) {
    const mend = 'Start the standby, or correct DATABASE_REPLICA_URLS; until then the primary reads.';
    return warning('replica', `${host}: ${(error as Error).message}`, mend);
  }
}

async function askAt<T>(url: string, ask: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...{ connectionString: url, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS },
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await ask(client);
  } finally {
    await client.end();
  }
}
