/** Compiles the programs in the documents with the built SDK. Those with a file name are also run (pasted.short.ts). */

import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { DOCUMENTS, fileNameOf, type Snippet, snippetsOf } from '../../server/test/pasted/blocks.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A folder inside node_modules, so that imports of packages resolve. */
const FOLDER = join(ROOT, 'node_modules/.cache/snippets');
const NAMES = 'snippet-names.d.ts';

/** The languages of blocks that are neither run nor compiled, and the reason. */
const UNCHECKED: Record<string, string> = {
  html: 'markup of a page: installs/sdk.test.ts opens one with such an import map',
  text: 'what a command prints',
  json: 'data: installs and tests have files of their own',
  nginx: 'configuration of another program',
  http: 'a response: server/src/ucp/identity.test.ts checks its header',
  caddyfile: 'configuration of another program',
  sql: 'for a database of your own: proofs of backups and roles run such statements',
};

/** Documents whose programs are generated from the compiler's output. */
const WRITTEN = ['docs/sdk.md'];

const snippets = DOCUMENTS.filter((file) => !WRITTEN.includes(file)).flatMap(snippetsOf);

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

test('each program in the documents compiles against the SDK', async () => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  copyFileSync(join(ROOT, 'server/test/pasted', NAMES), join(FOLDER, NAMES));
  const programs = snippets.filter((one) => ['ts', 'js'].includes(one.language) && !fileNameOf(one));
  expect(programs.length).toBeGreaterThan(15);
  for (const program of programs) writeFileSync(join(FOLDER, nameOf(program)), `${program.text}\nexport {};\n`);
  const compilerOptions = {
    ...{ target: 'es2024', module: 'esnext', moduleResolution: 'bundler', lib: ['es2024', 'dom', 'dom.iterable'] },
    ...{ types: ['node'], noEmit: true, skipLibCheck: true, strict: true },
  };
  expect(await compiled('ts', compilerOptions)).toBe('');
  // Parameters in JavaScript have no types.
  const ofJavaScript = { ...compilerOptions, noImplicitAny: false, allowJs: true, checkJs: true };
  expect(await compiled('js', ofJavaScript)).toBe('');
});

test('every code block of the docs is run, compiled, or in a language that is listed with a reason', () => {
  const known = ['sh', 'ts', 'js', ...Object.keys(UNCHECKED)];
  const others = snippets.filter(({ language }) => !known.includes(language));
  expect(others.map(({ file, line, language }) => `${file}:${line} ${language}`)).toEqual([]);
});

/** The compiler's output for all programs in a language; empty if there are no errors. */
async function compiled(language: 'ts' | 'js', compilerOptions: object): Promise<string> {
  const project = join(FOLDER, `tsconfig.${language}.json`);
  writeFileSync(project, JSON.stringify({ compilerOptions, include: [`*.${language}`, NAMES] }));
  const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project];
  return promisify(execFile)(process.execPath, tsc).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  );
}

/** Names the file after its place in the documents, for readers of the compiler's output. */
function nameOf({ file, line, language }: Snippet): string {
  return `${file.replaceAll(/[/.]/g, '-')}-${line}.${language}`;
}
