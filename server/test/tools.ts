import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian's folders for administration programs, which are not on every user's PATH. */
const FOLDERS_OF_ROOT = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The lock that only tests use. Must not be in TMPDIR, which differs between runs. */
const APT_LOCK = '/var/cache/commerce-tests-apt-get.lock';

/** A program that tests need and that npm does not install. */
export interface Tool {
  /** Possible names of the program, the likeliest first. */
  names: string[];
  debianPackage: string;
  /** Folders to search in place of PATH. */
  folders?: string[];
}

/**
 * Returns the path of a program. Tries to install a missing one with apt-get. If that fails, returns undefined, and the
 * caller prints what it skips; in CI, throws instead.
 */
export function findTool(tool: Tool): string | undefined {
  const found = find(tool);
  if (found) return found;
  const isRoot = process.getuid?.() === 0 && find({ names: ['apt-get'] }) !== undefined;
  if (!isRoot && !process.env.CI) return undefined;
  try {
    install(tool.debianPackage);
  } catch (error) {
    if (process.env.CI) throw error;
    return undefined;
  }
  const installed = find(tool);
  if (!installed && process.env.CI) throw new Error(`${tool.debianPackage} has no ${tool.names[0]}.`);
  return installed;
}

export function skippedWithout({ names, debianPackage, folders }: Tool): string {
  return `Skipped: no ${names[0]} ${folders ? `in ${folders.join(', ')}` : 'on PATH'}. Install it (Debian: apt-get install ${debianPackage}) to run this.`;
}

/**
 * Installs a package. flock makes concurrent test files wait, because `apt-get update` fails immediately if another
 * apt-get runs: DPkg::Lock::Timeout applies only to the installation.
 */
function install(debianPackage: string): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', debianPackage],
  ]) {
    const command = ['apt-get', '-o', 'DPkg::Lock::Timeout=300', ...args];
    execFileSync('flock', ['--timeout', '600', APT_LOCK, ...command], { stdio: 'inherit', env });
  }
}

function find({ names, folders = onPath() }: Pick<Tool, 'names' | 'folders'>): string | undefined {
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

function onPath(): string[] {
  return [...(process.env.PATH ?? '').split(delimiter), ...FOLDERS_OF_ROOT];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
