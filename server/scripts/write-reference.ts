import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { docsFiles } from '../src/pages/docs/site.ts';

/** Writes the API reference, which a server shows at /docs, as static files into a folder. */
export async function writeReference(folder: string): Promise<void> {
  await mkdir(join(folder, 'reference'), { recursive: true });
  for (const { name, make } of docsFiles) {
    const up = name.startsWith('reference/') ? '../' : '';
    await writeFile(
      join(folder, name),
      make((file) => `${up}${file}`),
    );
  }
}
