// The package is installed without the spec package. After the compiler has run, this copies the contract's types next to the
// declarations and makes every import of them relative.
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const CONTRACT = '@commerce-backend/spec';
const dist = new URL('../dist/', import.meta.url);
/** The imported module, its replacement, and the source of the copy. */
const TYPES = [
  [CONTRACT, 'openapi', 'types'],
  [`${CONTRACT}/operator`, 'operator-openapi', 'operator'],
];

for (const name of await readdir(dist, { recursive: true })) {
  if (!name.endsWith('.d.ts') || TYPES.some(([, kept]) => name === `${kept}.d.ts`)) continue;
  const file = new URL(name, dist);
  const up = name.includes('/') ? '..' : '.';
  const written = await readFile(file, 'utf8');
  // The module may be named in an import, or in a type that the compiler expanded.
  const declarations = TYPES.reduce(
    (text, [from, kept]) =>
      text.replaceAll(new RegExp(`(from |import\\()['"]${from}['"]`, 'g'), `$1'${up}/${kept}.js'`),
    written,
  )
    // The compiler rewrites `./client.ts` in its JavaScript, but not in its declarations.
    .replaceAll(/(from |import\()['"](\.{1,2}\/(?:[\w-]+\/)*[\w-]+)\.ts['"]/g, "$1'$2.js'");
  if (declarations.includes(CONTRACT) || /\.ts['"]/.test(declarations)) {
    throw new Error(`${fileURLToPath(file)} has an import that the packed SDK could not resolve.`);
  }
  await writeFile(file, declarations);
}
for (const [, kept, generated] of TYPES) {
  await copyFile(new URL(`../../spec/generated/${generated}.d.ts`, import.meta.url), new URL(`${kept}.d.ts`, dist));
}
