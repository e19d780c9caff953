import { open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 200;
const NEWLINE = 10;

export interface FollowOptions {
  /** Stops reading when it is aborted. Without it, reading stops at the end of the file. */
  signal?: AbortSignal | undefined;
  /** Called when the existing content was read. */
  onCaughtUp: () => void;
}

/**
 * Yields the complete lines of a file, and new ones as they are appended. If the file becomes shorter, it is read again
 * from its start.
 */
export async function* linesOfFile(path: string, { signal, onCaughtUp }: FollowOptions): AsyncGenerator<string> {
  let position = 0;
  for (let isFirst = true; ; isFirst = false) {
    const { size } = await stat(path);
    if (size < position) position = 0;
    const added = await read(path, position, size);
    const whole = added.subarray(0, added.lastIndexOf(NEWLINE) + 1);
    position += whole.length;
    if (whole.length > 0) yield* whole.toString('utf8', 0, whole.length - 1).split('\n');
    if (isFirst) onCaughtUp();
    if (!signal || signal.aborted) return;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function read(path: string, from: number, to: number): Promise<Buffer> {
  if (to === from) return Buffer.alloc(0);
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
