import { readFile } from 'node:fs/promises';

/** The SVG file for /demo-images/<name>.svg; undefined if `pictures/` does not contain it. */
export async function demoImage(name: string): Promise<string | undefined> {
  if (!/^[a-z0-9-]+$/.test(name)) return undefined;
  return readFile(new URL(`pictures/${name}.svg`, import.meta.url), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
