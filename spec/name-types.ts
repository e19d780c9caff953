/**
 * Declares each schema of a generated types file as a type of its own: `node name-types.ts generated/types.d.ts`. Editors
 * then show `Product` instead of all its fields, and the file is smaller.
 */

import { readFileSync, writeFileSync } from 'node:fs';

const START = '    schemas: {\n';
const END = '    };\n';
const ENTRY = /^((?: {8}\/\*\*(?:.*\n {9}\*)*.*\*\/\n)?) {8}(\w+): ([\s\S]*?;\n)(?= {8}(?:\w|\/)|$)/gm;
const REFERENCE = /components(?:\["schemas"\]\["(\w+)"\]|\['schemas'\]\['(\w+)'\])/g;

const [file = ''] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');
const start = text.indexOf(START) + START.length;
const end = text.indexOf(`\n${END}`, start) + 1;
const names: string[] = [];
const types = text.slice(start, end).replaceAll(ENTRY, (_, comment: string, name: string, type: string) => {
  names.push(name);
  return `${comment}        export type ${name} = ${type}`;
});
const roots = [...text.matchAll(/^export type (\w+) = components\['schemas'\]\['(\w+)'\];$/gm)].map(([, name]) => name);
if (roots.length === 0 || roots.sort().join() !== [...names].sort().join()) {
  throw new Error(`${file} has ${names.length} schemas, but ${roots.length} root types.`);
}
const fields = names.map((name) => `        ${name}: ${name};\n`).join('');
const rest = text.slice(end).replaceAll(/^export type (\w+) = components\['schemas'\]\['\1'\];\n/gm, '');
const whole = `${text.slice(0, start)}${fields}${rest}${types.replaceAll(/^ {8}/gm, '')}`;
writeFileSync(
  file,
  whole.replaceAll(REFERENCE, (_, one?: string, other?: string) => one ?? other ?? ''),
);
