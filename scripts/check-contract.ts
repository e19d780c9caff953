/**
 * `npm run check` runs this. Fails with a line for each change since the released contract that breaks clients, unless
 * spec/released/accepted.json justifies it, and for each entry of that file that no longer applies.
 */

import { readFileSync } from 'node:fs';
import { breakingChanges } from './contract-changes.ts';

const read = (file: string) => JSON.parse(readFileSync(new URL(`../spec/${file}`, import.meta.url), 'utf8'));
const accepted = read('released/accepted.json') as { where: string; what: string; reason: string }[];

const lineOf = ({ where, what }: { where: string; what: string }) => `${where}: ${what}`;
const found = new Set(breakingChanges(read('released/1.0.0.json'), read('generated/openapi.json')).map(lineOf));
const known = new Set(accepted.map(lineOf));

const mistakes = [
  ...[...found].filter((line) => !known.has(line)).map((line) => `Breaks clients of 1.0.0: ${line}`),
  ...[...known].filter((line) => !found.has(line)).map((line) => `Accepted, but not found: ${line}`),
];
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) process.exitCode = 1;
