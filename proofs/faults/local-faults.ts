/** Faults for a process in its own namespaces; see isolated.ts. */

import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Silently drops every packet to and from a port, or rejects connections like a machine on which nothing listens. */
export class Partition {
  readonly #rules: string[][];

  constructor(port: number, how: 'DROP' | 'REJECT' = 'DROP') {
    const verdict = how === 'DROP' ? ['-j', 'DROP'] : ['-j', 'REJECT', '--reject-with', 'tcp-reset'];
    this.#rules = ['--dport', '--sport'].map((side) => ['INPUT', '-p', 'tcp', side, String(port), ...verdict]);
  }

  begin(): void {
    for (const rule of this.#rules) execFileSync('iptables', ['-I', ...rule]);
  }

  heal(): void {
    for (const rule of this.#rules) execFileSync('iptables', ['-D', ...rule]);
  }
}

/** Mounts a file system of this many megabytes, in memory. */
export function mountSmallDisk(directory: string, megabytes: number): void {
  mkdirSync(directory, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', directory]);
}

export function unmount(directory: string): void {
  execFileSync('umount', ['--lazy', directory]);
}

const CHUNK = Buffer.alloc(65_536, 'x');
const PAGE = CHUNK.subarray(0, 4_096);

/** A file that fills the rest of a disk. */
export class Ballast {
  readonly #file: string;

  constructor(directory: string) {
    this.#file = join(directory, 'ballast');
  }

  fill(): void {
    const file = openSync(this.#file, 'w');
    for (const piece of [CHUNK, PAGE]) while (wrote(file, piece));
    closeSync(file);
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}

function wrote(file: number, piece: Buffer): boolean {
  try {
    return writeSync(file, piece) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
