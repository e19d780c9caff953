import type { Readable, Writable } from 'node:stream';

/** What a command may see and touch of the process it runs in. `process` is one. */
export interface Terminal {
  env: Record<string, string | undefined>;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
}

/** Whether a person can be asked: both what they type and what they are shown go over a terminal. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
