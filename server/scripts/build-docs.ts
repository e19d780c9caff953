import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { document } from '../src/http/contract/contract.ts';
import { docsPage } from '../src/http/operators/docs.ts';

/** Writes the API reference as a static site, which any file server can show: docs-site/index.html. */
const site = new URL('../../docs-site/', import.meta.url);
const require = createRequire(import.meta.url);

await mkdir(site, { recursive: true });
await copyFile(require.resolve('redoc/bundles/redoc.standalone.js'), new URL('redoc.standalone.js', site));
await writeFile(new URL('openapi.json', site), JSON.stringify(document));
await writeFile(new URL('index.html', site), docsPage({ script: 'redoc.standalone.js', contract: 'openapi.json' }));
process.stdout.write(`The reference is in ${site.pathname}\n`);
