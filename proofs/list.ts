import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROOFS } from './all.ts';

const ROOT = join(import.meta.dirname, '..');
const SHORT_FORMS = ['proofs/*.short.ts', 'server/{src,test}/**/*.short.ts'];

/** One line for each promise: id, promise and file. Promises that are tests, in a `*.short.ts`, have no id. */
export function promises(): string[] {
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const sources = globSync('proofs/**/*.ts', { cwd: ROOT }).map((file) => ({ file, source: read(file) }));
  const proofs = PROOFS.map(({ id, promise }) => {
    const file = sources.find(({ source }) => source.includes(`export const ${id}: Proof =`))?.file ?? '';
    return `${id.padEnd(3)}  ${promise}  ${file}`;
  });
  const tests = globSync(SHORT_FORMS, { cwd: ROOT })
    .sort()
    .flatMap((file) => namesIn(read(file)).map((name) => `-    ${name}  ${file}`));
  return [...proofs, ...tests];
}

/** Finds the first argument of calls of `test`, `test.skipIf(…)`, `played` and `inPanel` that start a line. */
function namesIn(source: string): string[] {
  const calls = source.matchAll(
    /^ *(?:test|played|inPanel)\b[\w.]*(?:\([^'"`]*\)|\(\[[^\]]*\]\))?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm,
  );
  return [...calls].map(([, , name = '']) => name.replaceAll(/\\(.)/g, '$1'));
}
