import { mkdir, writeFile } from 'node:fs/promises';
import { docsFiles } from '../src/pages/docs/site.ts';

/** Writes the documentation as a static site, which any file server can show: docs-site/index.html. */
const site = new URL('../../docs-site/', import.meta.url);

await mkdir(new URL('reference/', site), { recursive: true });
for (const { name, make } of docsFiles) {
  const up = name.startsWith('reference/') ? '../' : '';
  await writeFile(
    new URL(name, site),
    make((file) => `${up}${file}`),
  );
}
process.stdout.write(`The documentation is in ${site.pathname}\n`);
