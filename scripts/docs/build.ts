/**
 * Writes the documentation as a static site for any file server: docs-site/index.html. Its pages are the documents of
 * the repository, three catalogues generated from the contract, and under api/ the reference of each operation. It
 * fails on a dead link, and on a page that is missing in the navigation.
 */

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vitepress';
import config from '../../docs/.vitepress/config.ts';
import { writeReference } from '../../server/scripts/write-reference.ts';
import { errorsPage, eventsPage, operationsPage } from './catalogues.ts';
import { deadLinks, pagesWithoutEntry, withLinksOfPage } from './links.ts';
import { pages, ROOT } from './pages.ts';

/** Next to node_modules, so that imports resolve. Removed at the end. */
const SOURCES = join(ROOT, '.docs-site');
const SITE = join(ROOT, 'docs-site');

function write(page: string, text: string): void {
  const file = join(SOURCES, page);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

rmSync(SOURCES, { recursive: true, force: true });
const all = new Map([
  ...pages(),
  ['docs/errors.md', 'errors.md'],
  ['docs/events.md', 'events.md'],
  ['docs/operations.md', 'operations.md'],
]);
const lost = pagesWithoutEntry(config.themeConfig?.sidebar, all.values());
if (lost.length > 0) throw new Error(`Name these pages in docs/.vitepress/config.ts: ${lost.join(', ')}`);
for (const [source, page] of pages())
  write(page, withLinksOfPage(readFileSync(join(ROOT, source), 'utf8'), source, all));
write('errors.md', errorsPage());
write('events.md', withLinksOfPage(eventsPage(), 'docs/events.md', all));
write('operations.md', operationsPage());
for (const folder of ['.vitepress', 'pictures'])
  cpSync(join(ROOT, 'docs', folder), join(SOURCES, folder), { recursive: true });
// The page compiler does not support the target in the repository's tsconfig.json.
write('tsconfig.json', JSON.stringify({ compilerOptions: { target: 'es2022' } }));
await build(SOURCES, { outDir: SITE });
await writeReference(join(SITE, 'api'));
rmSync(SOURCES, { recursive: true });

const dead = deadLinks(SITE);
if (dead.length > 0) throw new Error(`These links lead nowhere:\n${dead.join('\n')}`);
process.stdout.write(`The documentation is in ${SITE}\n`);
