import type pg from 'pg';

/** The oldest major version of PostgreSQL on which the server is tested (`npm run test:postgres`). */
export const OLDEST_VERSION = 15;

export async function versionOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  return rows[0]?.server_version ?? '';
}

export function isTooOld(version: string): boolean {
  return Number.parseInt(version, 10) < OLDEST_VERSION;
}

export async function refuseOldVersion(client: pg.Client): Promise<void> {
  const version = await versionOf(client);
  if (isTooOld(version))
    throw new Error(`PostgreSQL ${version} is too old. Use PostgreSQL ${OLDEST_VERSION} or newer.`);
}
