import { readFileSync } from 'node:fs';
import { document } from '../../http/contract/contract.ts';
import { chapters } from './chapters.ts';
import type { Link } from './document.ts';
import { overviewPage } from './overview.ts';
import { contractOf, referencePage } from './reference.ts';

/** A documentation file, generated on first use. */
export interface DocsFile {
  name: string;
  type: 'html' | 'json' | 'js' | 'css';
  make(link: Link): string | Buffer;
}

export const docsFiles: DocsFile[] = [
  { name: 'index.html', type: 'html', make: overviewPage },
  { name: 'docs.css', type: 'css', make: () => readFileSync(new URL('./docs.css', import.meta.url)) },
  {
    name: 'redoc.standalone.js',
    type: 'js',
    // `npm run generate` copies this file (server/scripts/copy-redoc.ts).
    make: () => readFileSync(new URL('./generated/redoc.standalone.js', import.meta.url)),
  },
  { name: 'openapi.json', type: 'json', make: () => JSON.stringify(document) },
  ...chapters.flatMap((chapter): DocsFile[] => [
    { name: `reference/${chapter.slug}.html`, type: 'html', make: (link) => referencePage(chapter, link) },
    { name: `reference/${chapter.slug}.json`, type: 'json', make: () => JSON.stringify(contractOf(chapter)) },
  ]),
];
