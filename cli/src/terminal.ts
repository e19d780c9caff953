import type { Readable, Writable } from 'node:stream';

/** What a command may use of the process it runs in; `process` itself fits. */
export interface Terminal {
  env: Record<string, string | undefined>;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  /** Does something instead of ending when the process is asked to end; only once, so that asking twice ends it. */
  once(signal: Ending, done: () => void): unknown;
  off(signal: Ending, done: () => void): unknown;
}

type Ending = 'SIGINT' | 'SIGTERM';

/** Whether a person can be asked: both what they type and what they are shown go over a terminal. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
