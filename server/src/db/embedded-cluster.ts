import { execFile, execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeDataDir } from '../secret-key.ts';
import { type Account, type Binaries, makeOpenDir, mayEnter } from './embedded-binaries.ts';

/** The files of one PostgreSQL cluster. */
export interface Cluster {
  /** Absolute path without symbolic links. */
  directory: string;
  /** Password of the superuser and of the owner of the shop's database. */
  password: string;
}

const MAJOR_VERSION = '18';
// In the cluster's directory, so that files and password cannot be separated.
const PASSWORD_FILE = 'commerce.password';

/**
 * Opens the cluster in `dataDir/postgres`, and creates it on first use. Creation ends with a rename, so a killed
 * process leaves only a draft, and if two processes start concurrently, both use the cluster of the first.
 */
export async function openCluster(options: {
  dataDir: string;
  binaries: Binaries;
  account: Account | undefined;
  durable: boolean;
  onProgress: (sentence: string) => void;
}): Promise<Cluster> {
  const { dataDir, account, onProgress } = options;
  const place = join(dataDir, 'postgres');
  if (!existsSync(place)) {
    refuseDanglingLink(place);
    makeDataDir(dataDir);
    onProgress(`Creating the database in ${place}`);
    if (mayEnter(dataDir, account)) await make(options, place);
    else {
      await makeElsewhere(options, place);
      onProgress(
        `It is a link to ${realpathSync(place)}, which the user postgres may enter; copies must follow the link`,
      );
    }
  }
  return existing(place, account);
}

function existing(place: string, account: Account | undefined): Cluster {
  const directory = realpathSync(place);
  try {
    const version = readFileSync(join(directory, 'PG_VERSION'), 'utf8').trim();
    const password = readFileSync(join(directory, PASSWORD_FILE), 'utf8').trim();
    if (version !== MAJOR_VERSION) {
      throw new Error(
        `${place} was created by PostgreSQL ${version}, and this release contains ${MAJOR_VERSION}. Back it up with ` +
          'the release that created it (commerce-server backup), and restore that into a new DATA_DIR; or set DATABASE_URL.',
      );
    }
    if (!mayEnter(directory, account)) {
      throw new Error(
        `The user postgres may not enter ${place}: a directory above it is closed. Open it (chmod o+x), or move DATA_DIR.`,
      );
    }
    return { directory, password };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') {
      const owner = statSync(directory).uid;
      throw new Error(
        `${place} belongs to the user with the id ${owner}. Start the server as that user, or set DATA_DIR.`,
      );
    }
    if (code === 'ENOENT') {
      throw new Error(`${place} is not a database of this server. Move it away, or set DATA_DIR to another directory.`);
    }
    throw error;
  }
}

function refuseDanglingLink(place: string): void {
  const link = lstatSync(place, { throwIfNoEntry: false });
  if (link) throw new Error(`${place} is a broken link. Remove it to start with an empty database.`);
}

type Making = Pick<Parameters<typeof openCluster>[0], 'binaries' | 'account' | 'durable'>;

async function make({ binaries, account, durable }: Making, place: string): Promise<void> {
  sweepDrafts(place);
  const draft = `${place}.new-${randomUUID()}`;
  const passwordFile = `${draft}.password`;
  try {
    mkdirSync(draft, { mode: 0o700 });
    writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: durable });
    if (account) for (const file of [draft, passwordFile]) chownSync(file, account.uid, account.gid);
    await initdb(binaries, account, draft, passwordFile, durable);
    renameSync(passwordFile, join(draft, PASSWORD_FILE));
    renameSync(draft, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
    rmSync(passwordFile, { force: true });
  }
}

/**
 * Creates the cluster in OPEN_DIR if PostgreSQL's user may not enter the data directory, for example one below /root.
 */
async function makeElsewhere(making: Making, place: string): Promise<void> {
  const elsewhere = join(makeOpenDir(), `data-${randomUUID()}`);
  await make(making, elsewhere);
  try {
    symlinkSync(elsewhere, place);
  } catch (error) {
    rmSync(elsewhere, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
}

const DRAFT_LIFETIME_MS = 600_000;

/**
 * Deletes the drafts that killed processes left. Keeps recent drafts, which may belong to processes that are still
 * creating a cluster.
 */
function sweepDrafts(place: string): void {
  const parent = join(place, '..');
  for (const name of readdirSync(parent)) {
    const file = join(parent, name);
    if (!file.startsWith(`${place}.new-`)) continue;
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > DRAFT_LIFETIME_MS) rmSync(file, { recursive: true, force: true });
  }
}

async function initdb(
  { initdb: program }: Binaries,
  account: Account | undefined,
  directory: string,
  passwordFile: string,
  durable: boolean,
): Promise<void> {
  const flags = [
    `--pgdata=${directory}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // PostgreSQL's own Unicode rules are the same on every machine.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    // pg_trgm takes the definition of letters from the machine's locale. In the C locale only ASCII letters count.
    `--lc-ctype=${unicodeLocale()}`,
    '--no-instructions',
  ];
  if (!durable) flags.push('--no-sync');
  try {
    await promisify(execFile)(program, flags, { ...account, env: plainEnv(), windowsHide: true });
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') {
      throw new Error('The embedded PostgreSQL does not run on this machine (it needs glibc). Set DATABASE_URL.');
    }
    throw new Error(`The database could not be created: ${stderr?.trim() || (error as Error).message}`);
  }
}

/** A Unicode locale of this machine, or C if there is none. */
function unicodeLocale(): string {
  try {
    const known = execFileSync('locale', ['-a'], { encoding: 'utf8', stdio: 'pipe' }).split('\n');
    return known.find((name) => /^(C|en_US)\.utf-?8$/i.test(name)) ?? 'C';
  } catch {
    return 'C';
  }
}

/**
 * The environment for PostgreSQL's programs, without PGPORT and similar variables, which would change their behaviour.
 */
export function plainEnv(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP } = process.env;
  return { PATH, SystemRoot, TEMP, LC_ALL: 'C', TZ: 'UTC' };
}
