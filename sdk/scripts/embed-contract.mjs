// Users install this package without the spec package. After compilation, this copies the contract's types next to the
// declarations and makes all imports of them relative.
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const CONTRACT = '@commerce-backend/spec';
const dist = new URL('../dist/', import.meta.url);
/** For each type file: the imported module, the relative import that replaces it, and the file to copy. */
const TYPES = [
  [CONTRACT, 'openapi', 'types'],
  [`${CONTRACT}/operator`, 'operator-openapi', 'operator'],
];

for (const name of await readdir(dist, { recursive: true })) {
  if (!name.endsWith('.d.ts') || TYPES.some(([, kept]) => name === `${kept}.d.ts`)) continue;
  const file = new URL(name, dist);
  const up = name.includes('/') ? '..' : '.';
  const written = await readFile(file, 'utf8');
  // The name of the module occurs in imports, and in types that the compiler has expanded.
  const declarations = TYPES.reduce(
    (text, [from, kept]) =>
      text.replaceAll(new RegExp(`(from |import\\()['"]${from}['"]`, 'g'), `$1'${up}/${kept}.js'`),
    written,
  )
    // The compiler changes `./client.ts` to `.js` in JavaScript, but not in declarations.
    .replaceAll(/(from |import\()['"](\.{1,2}\/(?:[\w-]+\/)*[\w-]+)\.ts['"]/g, "$1'$2.js'");
  if (declarations.includes(CONTRACT) || /\.ts['"]/.test(declarations)) {
    throw new Error(`${fileURLToPath(file)} has an import that the packed SDK could not resolve.`);
  }
  await writeFile(file, declarations);
}
for (const [, kept, generated] of TYPES) {
  await copyFile(new URL(`../../spec/generated/${generated}.d.ts`, import.meta.url), new URL(`${kept}.d.ts`, dist));
}
