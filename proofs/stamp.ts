import { execFileSync } from 'node:child_process';
import { operationTable } from '../server/src/http/contract/contract.ts';

/** The version of the code with which figures were measured. */
export interface Stamp {
  /** The number of operations in the contract. */
  operations: number;
  commit: string;
  date: string;
}

/** Returns the current version. A plus sign after the commit marks uncommitted changes. */
export function stampOfNow(): Stamp {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  // The tables with the figures are ignored, because they change while they are written.
  const changed = git(
    'status',
    '--porcelain',
    '--untracked-files=no',
    '--',
    ':/',
    ':!/proofs/README.md',
    ':!/bench/README.md',
  );
  const commit = `${git('rev-parse', '--short=7', 'HEAD')}${changed ? '+' : ''}`;
  return { operations: operationTable.length, commit, date: new Date().toISOString().slice(0, 10) };
}

export function measured({ operations, commit, date }: Stamp): string {
  return `Measured at ${commit} on ${date}, with ${operations} operations served.`;
}
