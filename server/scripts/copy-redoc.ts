/**
 * Copies Redoc's script into the repository. The server needs only that file, and the package would install a hundred
 * others in production. Redoc loads a logo from its vendor's host, which the Content-Security-Policy blocks. The copy
 * gets an image that fails to load instead, which Redoc then hides.
 */

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

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
