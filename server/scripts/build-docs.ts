import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { document } from '../src/http/contract/contract.ts';
import { docsPage, REDOC } from '../src/http/operators/docs.ts';

/** Writes the API reference as a static site, which any file server can show: docs-site/index.html. */
const site = new URL('../../docs-site/', import.meta.url);

await mkdir(site, { recursive: true });
await copyFile(REDOC, new URL('redoc.standalone.js', site));
await writeFile(new URL('openapi.json', site), JSON.stringify(document));
await writeFile(new URL('index.html', site), docsPage({ script: 'redoc.standalone.js', contract: 'openapi.json' }));
process.stdout.write(`The reference is in ${site.pathname}\n`);
