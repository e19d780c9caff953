import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/**
 * Puts the script of Redoc into the repository. The server serves that one file, and the package brings a hundred others, which
 * production would install for nothing. Redoc asks its maker's host for a logo, which the pages' Content-Security-Policy refuses:
 * the copy has an image in its place that fails to load, which Redoc then hides.
 */
const LOGO = '"https://cdn.redoc.ly/redoc/logo-mini.svg"';
const NO_IMAGE = '"data:,"';

const { resolve } = createRequire(import.meta.url);
const folder = new URL('../src/pages/docs/generated/', import.meta.url);
const script = 'redoc.standalone.js';
const license = `${script}.LICENSE.txt`;

await mkdir(folder, { recursive: true });
await copyFile(resolve(`redoc/bundles/${license}`), new URL(license, folder));
const parts = (await readFile(resolve(`redoc/bundles/${script}`), 'utf8')).split(LOGO);
if (parts.length !== 2) throw new Error(`Redoc names its logo ${parts.length - 1} times, not once. Adapt this script.`);
await writeFile(new URL(script, folder), parts.join(NO_IMAGE));
