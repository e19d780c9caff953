/**
 * Checks the panel's dictionaries: each text of the panel has a German and a French translation with the same
 * placeholders, and no translation is unused; and each operation of the API has a translation for the audit. `npm run
 * check:texts` runs this. `--missing` prints the texts without a translation as JSON.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PANEL = join(import.meta.dirname, '../panel/src');
const STRING = String.raw`'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"`;
const CALL = /\b(t|rich|known|tn|counted)\(/g;

/** The texts in a source: the first argument of `t`, `rich` and `known`, the second and third of `tn` and `counted`. */
export function textsIn(source: string): string[] {
  return [...source.matchAll(CALL)].flatMap(({ 0: call, 1: name, index }) => {
    const rest = source.slice(index + call.length);
    const isPlural = name === 'tn' || name === 'counted';
    const pair = new RegExp(isPlural ? `^[^;]*?,\\s*(?:${STRING}),\\s*(?:${STRING})` : `^\\s*(?:${STRING})\\s*[,)]`);
    const [, ...found] = pair.exec(rest) ?? [];
    return found.filter((text) => text !== undefined).map((text) => text.replace(/\\(.)/g, '$1'));
  });
}

function placeholders(text: string): string {
  return [...new Set(text.match(/\{\w+\}/g))].sort().join(' ');
}

/** Returns the operations of the API that a dictionary of the audit does not name, and those that do not exist. */
export function mistakesOfAudit(operations: ReadonlySet<string>, actions: Record<string, string>): string[] {
  const missing = [...operations].filter((name) => !actions[name]).map((name) => `missing operation: ${name}`);
  const unused = Object.keys(actions).filter((name) => !operations.has(name));
  return [...missing, ...unused.map((name) => `unknown operation: ${name}`)];
}

/**
 * The names of all operations without the prefix of their API. Two APIs can have operations of the same name: both the
 * storefront and agents have `createCart`.
 */
function operationsIn(paths: Record<string, Record<string, { operationId?: string }>>): Set<string> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return new Set(operations.flatMap(({ operationId }) => operationId?.split('.').slice(1) ?? []));
}

/** Returns the mistakes of a dictionary. */
export function mistakesOf(texts: ReadonlySet<string>, dictionary: Record<string, string>): string[] {
  const missing = [...texts].filter((text) => !(text in dictionary)).map((text) => `missing: ${text}`);
  const unused = Object.keys(dictionary)
    .filter((text) => !texts.has(text))
    .map((text) => `unused: ${text}`);
  const different = Object.entries(dictionary)
    .filter(([text, translation]) => placeholders(text) !== placeholders(translation))
    .map(([text]) => `placeholders differ: ${text}`);
  return [...missing, ...unused, ...different];
}

if (import.meta.main) {
  const files = globSync('**/*.{ts,tsx}', { cwd: PANEL }).filter((file) => file !== 'language/texts.ts');
  const texts = new Set(files.flatMap((file) => textsIn(readFileSync(join(PANEL, file), 'utf8'))));
  const dictionaries = ['de', 'fr'].map((language) => {
    const file = join(PANEL, `language/${language}.json`);
    return { language, dictionary: JSON.parse(readFileSync(file, 'utf8')) as Record<string, string> };
  });
  if (process.argv.includes('--missing')) {
    const isMissing = (text: string) => dictionaries.some(({ dictionary }) => !(text in dictionary));
    console.log(JSON.stringify([...texts].filter(isMissing), undefined, 2));
  } else {
    const read = (file: string) => JSON.parse(readFileSync(join(PANEL, file), 'utf8'));
    const operations = operationsIn(read('../../spec/generated/openapi.json').paths);
    const mistakes = dictionaries.flatMap(({ language, dictionary }) => [
      ...mistakesOf(texts, dictionary).map((mistake) => `panel/src/language/${language}.json: ${mistake}`),
      ...mistakesOfAudit(operations, read(`screens/audit/texts/${language}.json`).actions).map(
        (mistake) => `panel/src/screens/audit/texts/${language}.json: ${mistake}`,
      ),
    ]);
    for (const mistake of mistakes) console.error(mistake);
    process.exitCode = mistakes.length > 0 ? 1 : 0;
  }
}
