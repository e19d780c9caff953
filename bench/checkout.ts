import { execFile } from 'node:child_process';
import { access, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COUNTER, ROOT } from './processes.ts';

const run = promisify(execFile);

/** Another commit, checked out next to this one. */
export interface Checkout {
  root: string;
  commit: string;
  /** Describes how the packages were installed, for the report. */
  packages: string;
  remove(): Promise<void>;
}

/** Folders that may have their own node_modules. */
const WORKSPACES = ['.', 'spec', 'server', 'sdk', 'cli', 'examples'];

/**
 * Checks a commit out into a temporary directory, with its packages: hard links to those of this checkout, if the lock
 * files are the same and hard links are possible; otherwise the result of npm ci.
 */
export async function checkOut(ref: string): Promise<Checkout> {
  const commit = (await git('rev-parse', '--short=7', `${ref}^{commit}`)).trim();
  const directory = await mkdtemp(join(tmpdir(), 'commerce-bench-compare-'));
  const root = join(directory, commit);
  const remove = async () => {
    await git('worktree', 'remove', '--force', root).catch(() => git('worktree', 'prune'));
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await git('worktree', 'add', '--detach', root, commit);
    const packages = await installInto(root, commit);
    // Copies the counter from this checkout, so that the statements of both servers are counted in the same way.
    await copyFile(join(ROOT, COUNTER), join(root, COUNTER));
    return { root, commit, packages, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function installInto(root: string, commit: string): Promise<string> {
  if ((await git('diff', '--name-only', commit, '--', 'package-lock.json')) === '' && (await link(root))) {
    return 'packages hard-linked from this checkout, since it has locked the same';
  }
  await run('npm', ['ci'], { cwd: root, maxBuffer: 2 ** 24 });
  return 'packages installed by npm ci, since it has locked others';
}

/**
 * Hard-links the packages into the checkout. Returns false if hard links are impossible, for example between two file
 * systems.
 */
async function link(root: string): Promise<boolean> {
  try {
    for (const workspace of WORKSPACES) {
      const packages = join(workspace, 'node_modules');
      if (await exists(join(ROOT, packages))) await run('cp', ['-al', join(ROOT, packages), join(root, packages)]);
    }
    return true;
  } catch {
    for (const workspace of WORKSPACES) {
      await rm(join(root, workspace, 'node_modules'), { recursive: true, force: true });
    }
    return false;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: ROOT })).stdout;
}
