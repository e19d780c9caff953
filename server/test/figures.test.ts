import { expect, test } from 'vitest';
import { brokenProofs, staleBenches, staleProofs } from '../../scripts/check-figures.ts';

const row = (id: string, operations: string, since = '') =>
  `| ${id} | A promise. | 0 | 7 requests |  | 1 | 2 s | full | ${operations} | 77d8445+ | 2026-11-22 | ${since} |\n`;
const section = (name: string, sentence: string) =>
  `<!-- ${name}: written by npm run bench -->\n| a | 1 |\n${sentence}\n<!-- end of ${name} -->\n`;
const measured = (operations: number) => `Measured at 77d8445 on 2026-11-22, with ${operations} operations served.`;

test('check:figures reports figures measured with fewer operations than the contract has, or without a number of operations', () => {
  const since = (operations: number) => `${operations}, 77d8445, 2026-11-23`;
  const rows = [row('A1', '158'), row('A2', '157'), row('A4', '157', since(158)), row('A5', '150', since(157))];
  const proofs = [...rows, '| A3 | A promise. | 0 | 7 requests |  | 1 | 2 s |'].join('');
  const benches = [
    section('process', measured(158)),
    section('validation', measured(157)),
    section('sync', measured(157)),
  ];

  expect(staleProofs(proofs, 158)).toEqual(['A2', 'A5', 'A3']);
  expect(staleBenches([...benches, section('real', 'Machine: one.')].join(''), 158)).toEqual(['validation', 'real']);
});

test('check:figures reports a row of the proofs that has violations or no number of violations', () => {
  const broken = (id: string, violations: string) => row(id, '158').replace('| 0 |', `| ${violations} |`);

  expect(brokenProofs([row('A1', '158'), broken('F8', '1'), broken('I2', '10'), broken('I3', '')].join(''))).toEqual([
    'F8',
    'I2',
    'I3',
  ]);
});

test('check:figures throws for a document without figures', () => {
  expect(() => staleProofs('', 158)).toThrow();
  expect(() => staleBenches('', 158)).toThrow();
});
