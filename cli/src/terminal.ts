import type { Readable, Writable } from 'node:stream';

/** The parts of `process` that a command may use; `process` itself fits. */
export interface Terminal {
  env: Record<string, string | undefined>;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  /** Replaces the termination by a signal with an action, only once, so that a second signal ends the process. */
  once(signal: Ending, done: () => void): unknown;
  off(signal: Ending, done: () => void): unknown;
}

type Ending = 'SIGINT' | 'SIGTERM';

/** Whether a person can be asked: input and output both are a terminal. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
