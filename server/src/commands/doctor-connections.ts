import type pg from 'pg';
import type { Config } from '../config.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Connections to the database, as docs/scaling.md counts them. */
export const CONNECTIONS = {
  /** Each process needs one connection besides its pool, for /readyz. */
  probe: 1,
  /**
   * Connections of the process that runs jobs: three for each of three runners, two for another runner, one to wake
   * workers, one for locks.
   */
  jobs: 13,
  operators: 4,
  /** Connections kept free for commands, backups and people. */
  spare: 10,
};

/**
 * Compares max_connections with the number of connections that the jobs, the listener for operators and `processes`
 * processes that serve requests need.
 */
export async function checkConnections(client: pg.Client, config: Config, processes: number): Promise<Finding> {
  const { rows } = await client.query<{ max_connections: string }>('show max_connections');
  const max = Number(rows[0]?.max_connections);
  const perProcess = config.databasePoolMax + CONNECTIONS.probe;
  const shared = CONNECTIONS.jobs + (config.operatorPort ? CONNECTIONS.operators : 0);
  const usable = max - CONNECTIONS.spare;
  const most = Math.max(0, Math.floor((usable - shared) / perProcess));
  const found = `${processes} × ${perProcess} for requests + ${shared} for jobs${config.operatorPort ? ' and operators' : ''} = ${processes * perProcess + shared} of ${max}: enough for ${most} processes`;
  if (processes <= most) return ok('connections', found);
  return warning(
    'connections',
    found,
    'Lower DATABASE_POOL_MAX, raise max_connections, start fewer processes, or use a pooler (docs/scaling.md).',
  );
}
