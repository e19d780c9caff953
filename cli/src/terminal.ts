import type { Readable, Writable } from 'node:stream';

/** The parts of `process` that commands use. Tests replace it. */
export interface Terminal {
  env: Record<string, string | undefined>;
  /** The current folder. */
  cwd(): string;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  /** Handles a signal once. A second signal ends the process. */
  once(signal: Ending, done: () => void): unknown;
  off(signal: Ending, done: () => void): unknown;
}

type Ending = 'SIGINT' | 'SIGTERM';

/** Whether the user can be asked a question: stdin and stderr are terminals. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
