import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Age after which temporary files of killed processes are deleted. */
const LEFT_BEHIND_MS = 24 * 60 * 60 * 1_000;

export class TooLong extends Error {}

/** Writes a stream to a new file in the directory. Throws TooLong above `most` bytes. */
export async function receive(
  source: NodeJS.ReadableStream,
  scratch: string,
  most: number,
  signal?: AbortSignal,
): Promise<{ path: string; bytes: number; sha256: string }> {
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const path = join(scratch, randomUUID());
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      if (bytes > most) done(new TooLong());
      else done(null, chunk);
    },
  });
  try {
    await pipeline(source, measure, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }), { signal });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { path, bytes, sha256: hash.digest('hex') };
}

/** Deletes old temporary files, which killed processes left in the directory. */
export async function clearScratch(scratch: string): Promise<void> {
  const names = await readdir(scratch).catch(() => []);
  for (const name of names) {
    const path = join(scratch, name);
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < Date.now() - LEFT_BEHIND_MS) await rm(path, { recursive: true, force: true });
  }
}
