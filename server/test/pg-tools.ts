import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accountOfPostgres } from '../src/db/embedded-binaries.ts';
import { freePort } from '../src/db/free-port.ts';
import { findTool, type Tool } from './tools.ts';

/**
 * The client tools of PostgreSQL, which the embedded PostgreSQL does not contain. Tools that are older than the server
 * do not work.
 */
export const PG_DUMP: Tool = { names: ['pg_dump'], debianPackage: 'postgresql' };

const INSTALLED = '/usr/lib/postgresql';

/** The folder with the programs of the newest installed PostgreSQL; undefined if there is none. */
export function findPostgres(): string | undefined {
  if (!findTool(PG_DUMP)) return undefined;
  const versions = readVersions().toSorted((a, b) => Number(b) - Number(a));
  return versions.length > 0 ? join(INSTALLED, versions[0] ?? '', 'bin') : undefined;
}

function readVersions(): string[] {
  try {
    return readdirSync(INSTALLED).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

export interface OwnCluster {
  /** The URL for the superuser `postgres`, in the database of that name. */
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts a separate cluster in a folder, without other roles. `settings` are lines of postgresql.conf, such as
 * `fsync=off`.
 */
export async function startCluster(bin: string, directory: string, settings: string[] = []): Promise<OwnCluster> {
  mkdirSync(directory, { mode: 0o700 });
  const account = accountOfPostgres(directory);
  if (account) chownSync(directory, account.uid, account.gid);
  const run = (program: string, args: string[]) =>
    promisify(execFile)(join(bin, program), args, { ...account, cwd: directory });
  const data = join(directory, 'data');
  await run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N']);
  const port = await freePort();
  const given = ['listen_addresses=127.0.0.1', ...settings].map((setting) => `-c ${setting}`);
  const options = `-p ${port} -k '' ${given.join(' ')}`;
  await run('pg_ctl', ['-D', data, '-o', options, '-l', join(directory, 'log'), '-w', 'start']);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await run('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop']);
    },
  };
}
