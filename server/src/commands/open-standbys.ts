import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { openPool } from '../db/connect.ts';
import { identityOf, Standbys, standbyFault } from '../db/standby.ts';

/** Time limit for connecting, so that a lost standby delays few reads. */
const CONNECTS_WITHIN_MS = 1_000;

/**
 * Opens the standbys of DATABASE_REPLICA_URLS. Throws if a standby belongs to another cluster. Only warns about a
 * standby that is down, or that a failover has made the primary, because reads then use the primary.
 */
export async function openStandbys(
  db: pg.Pool,
  {
    databaseReplicaUrls,
    databasePoolMax,
    databasePooling,
  }: Pick<Config, 'databaseReplicaUrls' | 'databasePoolMax' | 'databasePooling'>,
  { logger, stops }: { logger: Logger; stops: (() => Promise<unknown>)[] },
): Promise<Standbys | undefined> {
  if (databaseReplicaUrls.length === 0) return undefined;
  const primary = await identityOf(db);
  const pools: pg.Pool[] = [];
  for (const url of databaseReplicaUrls) {
    const options = { max: databasePoolMax, pooling: databasePooling, connectWithinMs: CONNECTS_WITHIN_MS };
    const pool = openPool({ url, ...options });
    pools.push(pool);
    stops.unshift(() => pool.end());
    const found = await identityOf(pool).catch((cause: unknown) => {
      logger.warn({ cause }, `DATABASE_REPLICA_URLS: ${hostOf(url)} cannot be reached, so the primary reads instead`);
    });
    const fault = found && standbyFault(primary, found);
    if (!fault) continue;
    const message = `DATABASE_REPLICA_URLS: ${hostOf(url)} ${fault}. Name standbys of DATABASE_URL only.`;
    if (found.cluster !== primary.cluster) throw new Error(message);
    logger.warn(message);
  }
  return new Standbys(pools);
}

/** The host and port of a database URL, which contain no password. */
export function hostOf(url: string): string {
  return new URL(url).host;
}
