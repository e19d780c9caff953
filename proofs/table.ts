import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { Figures, Trial } from './frame.ts';
import type { Stamp } from './stamp.ts';

/** The table of figures in README.md, between its two markers. Proofs that did not run this time keep their rows. */
export interface Row {
  form: Trial['size'];
  id: string;
  promise: string;
  seed: number;
  seconds: number;
  figures: Figures;
}

const README = new URL('README.md', import.meta.url);
const BEGIN = '<!-- figures -->';
const END = '<!-- /figures -->';
const HEAD = [
  '| Proof | Promise | Violations | Tried | Also | Seed | Time | Form | Operations | Commit | Date |',
  '|---|---|---:|---:|---|---:|---:|---|---:|---|---|',
];

/** Writes the rows into README.md. A full form gives way to a short one only when the contract has grown since. */
export function writeTable(rows: Row[], machine: string, now: Stamp): void {
  const text = readFileSync(README, 'utf8');
  const [before = '', rest = ''] = text.split(BEGIN);
  const [old = '', after = ''] = rest.split(END);
  const lines = new Map(old.split('\n').flatMap((line) => lineEntry(line)));
  for (const row of rows) {
    const known = lines.get(row.id);
    if (row.form === 'full' || !known || !isFull(known, now.operations)) lines.set(row.id, lineOf(row, now));
  }
  const sorted = [...lines].sort(([a], [b]) => orderOf(a) - orderOf(b)).map(([, line]) => line);
  writeFileSync(README, `${before}${BEGIN}\n${[...HEAD, ...sorted].join('\n')}\n\n${machine}\n${END}${after}`);
}

function lineEntry(line: string): [string, string][] {
  const id = /^\| ([A-Z]\d+) \|/.exec(line)?.[1];
  return id ? [[id, line]] : [];
}

/** Whether a row is of the full form, over as many operations as there are. */
function isFull(line: string, operations: number): boolean {
  const [form, counted] = line.split(' | ').slice(-4);
  return form === 'full' && Number(counted) >= operations;
}

function lineOf({ id, promise, form, seed, seconds, figures }: Row, { operations, commit, date }: Stamp): string {
  const { violations, tried, unit, note = '' } = figures;
  return `| ${[id, promise, violations.length, `${tried.toLocaleString('en')} ${unit}`, note.replaceAll('|', '\\|'), seed, `${seconds} s`, form, operations, commit, date].join(' | ')} |`;
}

function orderOf(id: string): number {
  return (id.codePointAt(0) ?? 0) * 1_000 + Number(id.slice(1));
}

/** What the figures were measured on. */
export function machineLine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `Measured on ${cpus().length} × ${cpu?.model.trim() || 'an unnamed CPU'}, ${memory} GB, Node ${process.version}.`;
}
