import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { Stamp } from './stamp.ts';
import type { Figures, Trial } from './testing/proof.ts';

/** A row of the table in README.md. Two markers enclose the table. Rows of proofs that did not run are kept. */
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
  '| Proof | Promise | Violations | Tried | Also | Seed | Time | Form | Operations | Commit | Date | Short form since |',
  '|---|---|---:|---:|---|---:|---:|---|---:|---|---|---|',
];

/**
 * Writes rows into README.md. A short form that succeeds does not replace the figures of a full one; the row only notes
 * it. A short form with violations replaces them.
 */
export function writeTable(rows: Row[], machine: string, now: Stamp): void {
  changeLines((lines) => {
    for (const row of rows) {
      const known = lines.get(row.id);
      const heldAgain = row.form !== 'full' && row.figures.violations.length === 0;
      if (known && isFull(known) && heldAgain) lines.set(row.id, withShortForm(known, now, row.form));
      else lines.set(row.id, lineOf(row, now));
    }
  }, machine);
}

/** Records in the rows of these proofs that their short form succeeded, with version and date. */
export function noteShortForms(ids: string[], now: Stamp): void {
  changeLines((lines) => {
    for (const id of ids) {
      const known = lines.get(id);
      if (known) lines.set(id, withShortForm(known, now));
    }
  });
}

function changeLines(change: (lines: Map<string, string>) => void, machine?: string): void {
  const text = readFileSync(README, 'utf8');
  const [before = '', rest = ''] = text.split(BEGIN);
  const [old = '', after = ''] = rest.split(END);
  const lines = new Map(old.split('\n').flatMap((line) => lineEntry(line)));
  change(lines);
  const sorted = [...lines].sort(([a], [b]) => orderOf(a) - orderOf(b)).map(([, line]) => line);
  const last = machine ?? /^Measured on .*$/m.exec(old)?.[0] ?? '';
  writeFileSync(README, `${before}${BEGIN}\n${[...HEAD, ...sorted].join('\n')}\n\n${last}\n${END}${after}`);
}

function lineEntry(line: string): [string, string][] {
  const id = /^\| ([A-Z]\d+) \|/.exec(line)?.[1];
  return id ? [[id, line]] : [];
}

/** The position of the last five cells: form, operations, commit, date, and the last success of the short form. */
const STAMPS = -5;

function cellsOf(line: string): string[] {
  return line.replace(/^\| | \|$/g, '').split(' | ');
}

function isFull(line: string): boolean {
  return cellsOf(line).at(STAMPS) === 'full';
}

function withShortForm(line: string, { operations, commit, date }: Stamp, form: Row['form'] = 'short'): string {
  const size = form === 'tenth' ? ', a tenth' : '';
  return `| ${[...cellsOf(line).slice(0, -1), `${operations}, ${commit}, ${date}${size}`].join(' | ')} |`;
}

function lineOf({ id, promise, form, seed, seconds, figures }: Row, { operations, commit, date }: Stamp): string {
  const { violations, tried, unit, note = '' } = figures;
  return `| ${[id, promise, violations.length, `${tried.toLocaleString('en')} ${unit}`, note.replaceAll('|', '\\|'), seed, `${seconds} s`, form, operations, commit, date, ''].join(' | ')} |`;
}

function orderOf(id: string): number {
  return (id.codePointAt(0) ?? 0) * 1_000 + Number(id.slice(1));
}

/** Describes the machine on which the figures were measured. */
export function machineLine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `Measured on ${cpus().length} × ${cpu?.model.trim() || 'an unnamed CPU'}, ${memory} GB, Node ${process.version}.`;
}
