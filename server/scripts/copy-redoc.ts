import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';

/**
 * Puts the script of Redoc into the repository. The server serves that one file, and the package brings a hundred others, which
 * production would install for nothing.
 */
const { resolve } = createRequire(import.meta.url);
const folder = new URL('../src/pages/docs/generated/', import.meta.url);

await mkdir(folder, { recursive: true });
for (const name of ['redoc.standalone.js', 'redoc.standalone.js.LICENSE.txt']) {
  await copyFile(resolve(`redoc/bundles/${name}`), new URL(name, folder));
}
