// The package is installed on its own: after the compiler has run, this puts the types of the contract beside the
// declarations and makes every import of them a relative one.
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const CONTRACT = '@commerce-backend/spec';
const dist = new URL('../dist/', import.meta.url);
const contractTypes = new URL('../../spec/generated/types.d.ts', import.meta.url);

for (const name of await readdir(dist, { recursive: true })) {
  if (!name.endsWith('.d.ts') || name === 'openapi.d.ts') continue;
  const file = new URL(name, dist);
  const declarations = (await readFile(file, 'utf8'))
    // In an import, or in a type that the compiler wrote out.
    .replaceAll(
      new RegExp(`(from |import\\()['"]${CONTRACT}['"]`, 'g'),
      `$1'${name.includes('/') ? '..' : '.'}/openapi.js'`,
    )
    // The compiler rewrites `./client.ts` in its JavaScript, but not in its declarations.
    .replaceAll(/(from |import\()['"](\.{1,2}\/(?:[\w-]+\/)*[\w-]+)\.ts['"]/g, "$1'$2.js'");
  if (declarations.includes(CONTRACT) || /\.ts['"]/.test(declarations)) {
    throw new Error(`${fileURLToPath(file)} has an import that the packed SDK could not resolve.`);
  }
  await writeFile(file, declarations);
}
await copyFile(contractTypes, new URL('openapi.d.ts', dist));
