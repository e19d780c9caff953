/** Writes figures into README.md. The figures of each scenario are between its own markers. */

import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { measured, stampOfNow } from '../proofs/stamp.ts';

const README = join(import.meta.dirname, 'README.md');

/**
 * With `--quick`, the rounds are short, to try the bench. The figures are then printed, but not written to README.md.
 */
const quick = process.argv.includes('--quick');

/**
 * Replaces the section of a scenario in README.md, and adds the line about the machine. A partial run is only printed.
 */
export async function report(
  scenario: string,
  postgres: string | undefined,
  lines: string[],
  { part = false } = {},
): Promise<void> {
  const [begin, end] = [`<!-- ${scenario}: written by npm run bench -->`, `<!-- end of ${scenario} -->`];
  const text = await readFile(README, 'utf8');
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${README} has no place for ${scenario}.`);
  const section = ['', ...lines, '', machine(postgres), measured(stampOfNow()), ''].join('\n');
  process.stdout.write(`${section}\n`);
  if (!quick && !part) await writeFile(README, text.slice(0, from + begin.length) + section + text.slice(to));
}

function machine(postgres: string | undefined): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const parts = [
    `${cpus().length} cores of ${cpu?.model.trim()}`,
    `${memory} GB`,
    `Node ${process.versions.node}`,
    ...(postgres ? [`PostgreSQL ${postgres}`] : []),
    `${process.platform} ${kernel()}`,
  ];
  return `Machine: ${parts.join(', ')}; load, servers and database on it together.`;
}

function kernel(): string {
  return execFileSync('uname', ['-r'], { encoding: 'utf8' }).trim();
}

/** Formats a table in Markdown. All columns except the first are right-aligned, for figures. */
export function table(header: string[], rows: (string | number)[][]): string[] {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(line)];
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
