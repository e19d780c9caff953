import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROOFS } from './all.ts';

const ROOT = join(import.meta.dirname, '..');
const SHORT_FORMS = ['proofs/*/*.short.ts', 'proofs/panel/*.ts', 'server/{src,test}/**/*.short.ts'];

/** Returns the folders of proofs, such as `tenancy`. */
export function folders(): string[] {
  return globSync('proofs/*/*.short.ts', { cwd: ROOT })
    .map(folderOf)
    .filter((folder, n, all) => all.indexOf(folder) === n);
}

/** Returns the ids of the proofs in a folder. */
export function proofsIn(folder: string): string[] {
  return [...filesOfProofs()].filter(([, file]) => folderOf(file) === folder).map(([id]) => id);
}

/**
 * Returns one line for each promise, by file: id, promise and file. Promises that are tests, in a `*.short.ts`, have no
 * id.
 */
export function promises(): string[] {
  const files = filesOfProofs();
  const proofs = PROOFS.map(({ id, promise }) => ({ id, promise, file: files.get(id) ?? '' }));
  const tests = globSync(SHORT_FORMS, { cwd: ROOT }).flatMap((file) =>
    namesIn(read(file)).map((promise) => ({ id: '-', promise, file })),
  );
  return [...proofs, ...tests]
    .sort((a, b) => a.file.localeCompare(b.file))
    .map(({ id, promise, file }) => `${id.padEnd(3)}  ${promise}  ${file}`);
}

function filesOfProofs(): Map<string, string> {
  const sources = globSync('proofs/*/*.ts', { cwd: ROOT }).map((file) => ({ file, source: read(file) }));
  return new Map(
    PROOFS.map(({ id }) => [
      id,
      sources.find(({ source }) => source.includes(`export const ${id}: Proof =`))?.file ?? '',
    ]),
  );
}

function folderOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** Finds the first argument of calls of `test`, `test.skipIf(…)`, `played` and `inPanel` that start a line. */
function namesIn(source: string): string[] {
  const calls = source.matchAll(
    /^ *(?:test|played|inPanel\w*)\b[\w.]*(?:\([^'"`]*\)|\(\[[^\]]*\]\))?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm,
  );
  return [...calls].map(([, , name = '']) => name.replaceAll(/\\(.)/g, '$1'));
}
