// Generates docs/sdk.md from the compiled declarations: all exports of the SDK with their docstrings. With --check it
// writes nothing, and fails if the file is out of date or a function has no docstring with an example.
import { readFile, writeFile } from 'node:fs/promises';

const dist = new URL('../dist/', import.meta.url);
const target = new URL('../../docs/sdk.md', import.meta.url);

/** Entry points of the package, with their declaration files. */
const ENTRIES = [
  ['@commerce-backend/sdk', 'index.d.ts'],
  ['@commerce-backend/sdk/tools', 'tools.d.ts'],
  ['@commerce-backend/sdk/operator', 'operator.d.ts'],
  ['@commerce-backend/sdk/mocks', 'mocks/index.d.ts'],
  ['@commerce-backend/sdk/mocks/fetch', 'mocks/fetch.d.ts'],
];

const DECLARATION =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export (?:declare )?(async function|function|class|interface|type|const) (\w+)/g;

/** The declarations of a file, in order. */
function declarationsIn(text) {
  return [...text.matchAll(DECLARATION)].map((match) => {
    const [whole, comment, kind, name] = match;
    const start = match.index + whole.indexOf('export ');
    return { kind: kind.replace('async ', ''), name, doc: wordsOf(comment ?? ''), code: codeFrom(text, start) };
  });
}

/** The code of a declaration, up to its semicolon or closing brace. */
function codeFrom(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 1;
    else if ('{(['.includes(text[at])) depth += 1;
    else if ('})]'.includes(text[at])) {
      depth -= 1;
      const isBlock = /^export (?:declare )?(?:class|interface)/.test(text.slice(start, start + 30));
      if (depth === 0 && text[at] === '}' && isBlock) return text.slice(start, at + 1);
    } else if (text[at] === ';' && depth === 0) return text.slice(start, at + 1);
  }
  throw new Error(`A declaration does not end: ${text.slice(start, start + 80)}`);
}

function wordsOf(comment) {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trimEnd());
  // Types of the contract have the tags of openapi-typescript.
  return lines
    .filter((line) => !/^@(?:enum|constant|format)\b/.test(line))
    .join('\n')
    .replaceAll('@description ', '')
    .trim();
}

/** For each file, the names that an entry point exports from it. */
function exportsOf(text) {
  return [...text.matchAll(/export (?:type )?\{([^}]*)\} from '\.\/([\w/.-]+)\.js'/g)].map(([, names, file]) => ({
    file: `${file}.d.ts`,
    names: names.split(',').map((name) => name.replace('type ', '').trim()),
  }));
}

async function read(file) {
  return declarationsIn(await readFile(new URL(file, dist), 'utf8'));
}

async function declarationsOf(entry) {
  const text = await readFile(new URL(entry, dist), 'utf8');
  const folder = entry.includes('/') ? `${entry.split('/')[0]}/` : '';
  const found = declarationsIn(text);
  for (const { file, names } of exportsOf(text)) {
    found.push(...(await read(folder + file)).filter(({ name }) => names.includes(name)));
  }
  for (const [, name, file] of text.matchAll(/export \* as (\w+) from '\.\/([\w-]+)\.js'/g)) {
    const functions = (await read(`${file}.d.ts`)).filter(({ kind }) => kind === 'function');
    found.push(...functions.map((one) => ({ ...one, name: `${name}.${one.name}` })));
  }
  return found;
}

function shown({ name, doc, code }) {
  const plain = code.replace(/^export (declare )?/, '').replaceAll(/\bimport\("[^"]*"\)\./g, '');
  return `### ${name}\n\n${doc ? `${doc}\n\n` : ''}\`\`\`ts\n${plain}\n\`\`\`\n`;
}

const seen = new Set();
const sections = [];
const poor = [];
for (const [title, entry] of ENTRIES) {
  const declared = (await declarationsOf(entry)).filter(({ name }) => !seen.has(name) && seen.add(name));
  const [functions, others] = [true, false].map((wanted) =>
    declared.filter((one) => (one.kind === 'function') === wanted),
  );
  poor.push(...functions.filter(({ doc }) => !/^ {4}\S/m.test(doc)).map(({ name }) => name));
  sections.push(`## ${title}\n\n${[...functions, ...others].map(shown).join('\n')}`);
}
if (poor.length > 0) throw new Error(`These functions have no docstring with an example: ${poor.join(', ')}.`);

const reference = `# Reference of the SDK

Every export of \`@commerce-backend/sdk\`, generated from its declarations by \`sdk/scripts/write-reference.mjs\`.
[sdk/README.md](../sdk/README.md) shows how to use it. The contract defines the paths, bodies and responses of the calls (\`/docs\` of a
server). Amounts are decimal strings in the shop's currency, with exactly its digits; fields that end in \`_cents\` are whole numbers in
its minor unit; \`…Ms\` are milliseconds.

${sections.join('\n')}`;

if (!process.argv.includes('--check')) await writeFile(target, reference);
else if ((await readFile(target, 'utf8').catch(() => '')) !== reference) {
  throw new Error('docs/sdk.md is out of date. Run: npm run build && node sdk/scripts/write-reference.mjs');
}
