/**
 * Builds `dist/`, which the package contains instead of the sources, because Node does not strip types inside
 * node_modules. Lines keep their numbers, so that stack traces match the sources.
 */

import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';

const SRC = new URL('../src/', import.meta.url);
const DIST = new URL('../dist/', import.meta.url);
const PANEL = new URL('../../panel/dist/', import.meta.url);

const OF_TESTS = /\.(test|short)\.ts$/;
/** Scripts that update the tables in docs/. */
const OF_DOCS = /^(config|rate-limits)-table\.ts$/;
/** Files that are read at run time by pages, the documentation and the search. */
const ASSETS = new Set(['.css', '.js', '.json', '.svg', '.txt']);

/** Matches references to our own files: in imports, and as the start file of a thread or process. */
const NAMED = /((?:\bfrom |\bimport\(|\bimport |\bnew URL\()'\.{1,2}\/[^'\n]+)\.ts'/g;

await rm(DIST, { recursive: true, force: true });
for (const name of await readdir(SRC, { recursive: true })) {
  if (OF_TESTS.test(name) || OF_DOCS.test(name)) continue;
  if (name.endsWith('.ts')) await compile(name);
  else if (ASSETS.has(extname(name))) await write(name, await readFile(new URL(name, SRC)));
}
// Fails the build, because otherwise the missing files would be noticed only in a browser.
await readFile(new URL('index.html', PANEL)).catch(() => {
  throw new Error('The panel is not built. Run npm run build in the repository.');
});
await cp(PANEL, new URL('panel/', DIST), { recursive: true });

async function compile(name: string): Promise<void> {
  const code = stripTypeScriptTypes(await readFile(new URL(name, SRC), 'utf8')).replaceAll(NAMED, "$1.js'");
  const missed = /['"`]\.{1,2}\/[\w./-]+\.ts['"`]/.exec(code);
  if (missed) throw new Error(`server/src/${name} names ${missed[0]} in a way that this script does not know.`);
  await write(name.replace(/\.ts$/, '.js'), code);
}

async function write(name: string, content: string | Buffer): Promise<void> {
  const file = new URL(name, DIST);
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, content);
}
