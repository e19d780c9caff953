import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../server/src/db/embedded-postmaster.ts';

/**
 * The name of a bench's directory. It contains the bench's process id, so that a later bench can find the directories
 * of benches that were killed.
 */
const NAME = /^commerce-bench-(\d+)-/;

export function makeDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), `commerce-bench-${process.pid}-`));
}

/**
 * Removes a directory and the targets of its links. When the bench runs as root, PostgreSQL's files are outside of the
 * directory, where PostgreSQL's own account can read them.
 */
export async function removeDirectory(directory: string): Promise<void> {
  const linked = targetsIn(directory);
  await rm(directory, { recursive: true, force: true });
  for (const target of linked) await rm(target, { recursive: true, force: true });
}

/** Removes the remains of benches killed with SIGKILL, and stops the PostgreSQL of each. */
export async function sweepLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const bench = Number(NAME.exec(name)?.[1] ?? 0);
    if (bench === 0 || isAlive(bench)) continue;
    const directory = join(tmpdir(), name);
    process.stderr.write(`removing ${directory}, whose bench was killed\n`);
    for (const place of [...foldersIn(directory), ...targetsIn(directory)]) await stopPostmasterIn(place);
    await removeDirectory(directory);
  }
}

function targetsIn(directory: string): string[] {
  return entriesIn(directory, (file) => lstatSync(file).isSymbolicLink()).flatMap((link) => {
    try {
      return [realpathSync(link)];
    } catch {
      return []; // The target of the link no longer exists.
    }
  });
}

function foldersIn(directory: string): string[] {
  return entriesIn(directory, (file) => lstatSync(file).isDirectory());
}

function entriesIn(directory: string, wanted: (file: string) => boolean): string[] {
  return readdirSync(directory)
    .map((name) => join(directory, name))
    .filter(wanted);
}

/**
 * Stops the PostgreSQL of a directory. First checks the command of the process, because the process id in
 * postmaster.pid may now belong to another program.
 */
async function stopPostmasterIn(cluster: string): Promise<void> {
  const pid = Number(firstLineOf(join(cluster, 'postmaster.pid')));
  const directory = realpathSync(cluster);
  const isOurs = () => {
    const command = firstLineOf(`/proc/${pid}/cmdline`);
    return command.includes('postgres') && command.includes(directory);
  };
  // SIGINT requests a fast shutdown; SIGQUIT, ten seconds later, an immediate one.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!(pid > 0) || !isOurs()) return;
    process.kill(pid, signal);
    for (const until = Date.now() + 10_000; isAlive(pid) && Date.now() < until; ) await sleep(50);
  }
}

function firstLineOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n')[0] ?? '';
  } catch {
    return '';
  }
}
