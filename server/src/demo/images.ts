import { readFile } from 'node:fs/promises';

/** The SVG document served at /demo-images/<name>.svg, or undefined if `pictures/` has no such file. */
export async function demoImage(name: string): Promise<string | undefined> {
  if (!/^[a-z0-9-]+$/.test(name)) return undefined;
  return readFile(new URL(`pictures/${name}.svg`, import.meta.url), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
