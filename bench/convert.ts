import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';

/**
 * Runs one of the converters in `examples`, which makes a file for `commerce products import` from a third-party file.
 */
export async function convert(converter: string, from: string, to: string): Promise<void> {
  const script = join(import.meta.dirname, '../examples', converter);
  const child = spawn(process.execPath, [script, from], { stdio: ['ignore', 'pipe', 'inherit'] });
  const file = createWriteStream(to);
  child.stdout.pipe(file);
  const [[code]] = await Promise.all([once(child, 'exit'), once(file, 'finish')]);
  if (code !== 0) throw new Error(`${converter} ended with ${code}.`);
}
