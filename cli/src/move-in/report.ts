import type { Exports } from './files.ts';
import { type Finding, kindsOf } from './findings.ts';
import type { Outcome, PartCounts } from './parts.ts';

/** The data of the report after a move-in. */
export interface Report {
  folder: string;
  dry_run: boolean;
  at: string;
  outcome: Outcome;
  exports: Exports;
  redirects?: { file: string; count: number };
}

/** The report as JSON. */
export function reportJson({ folder, dry_run, at, outcome, exports, redirects }: Report): string {
  const { counts, findings } = outcome;
  const warnings = kindsOf(findings.warnings).map(({ example, file, findings: all }) => ({
    ...{ file, count: all.length, example },
    lines: all.map(({ line, message }) => ({ line, message })),
  }));
  const summary = { folder, dry_run, at, counts, refused: findings.refused, warnings, files_not_read: exports.others };
  return `${JSON.stringify({ ...summary, redirects: redirects ?? null, next_steps: NEXT_STEPS }, null, 2)}\n`;
}

/** The report as plain text. */
export function reportText(report: Report): string {
  const { folder, dry_run, at, outcome, exports, redirects } = report;
  const { refused, warnings } = outcome.findings;
  const kinds = kindsOf(warnings);
  return [
    `${dry_run ? 'Checked' : 'Moved in'} from ${folder}, ${at}`,
    ...(dry_run ? ['Nothing was written.'] : []),
    '',
    ...countLines(outcome.counts),
    '',
    `REFUSED: ${refused.length === 0 ? 'nothing' : `${refused.length} reasons`}`,
    ...(refused.length > 0 ? [`  ${TO_DO}`, ''] : []),
    ...kindsOf(refused).flatMap(({ findings }) => [...findings.map(inWords), '']),
    `WARNINGS: ${warnings.length === 0 ? 'none' : `${warnings.length}, of ${kinds.length} kinds. These records were imported with changes.`}`,
    ...kinds.map(({ findings, file, example }) => `  ${String(findings.length).padStart(6)} × ${file}: ${example}`),
    '',
    ...(exports.others.length > 0
      ? [`NOT READ, because they are not a known export: ${exports.others.join(', ')}`, '']
      : []),
    ...(redirects ? [`REDIRECTS: ${redirects.count} old addresses that have changed, in ${redirects.file}`, ''] : []),
    'NEXT STEPS',
    ...NEXT_STEPS.map((step, index) => `  ${index + 1}. ${step}`),
    '',
    ...(warnings.length > 0
      ? ['ALL WARNINGS', ...kinds.flatMap(({ findings }) => [...findings.map(inWords), ''])]
      : []),
  ].join('\n');
}

const TO_DO =
  'Fix each line in the old shop or in the file, and run the same command again: imported records do not change.';

const NEXT_STEPS = [
  'commerce setup: the steps before the shop can sell, such as payment, delivery and taxes.',
  'Collections are not part of the exports: create them again (commerce collections create), automatic ones by tag, type or vendor.',
  'The stock is as of the export. When the old shop closes, export and import stock (products import --update-inventory) and new orders once more.',
  'Customers have no password here: each sets one by the password reset. Tell them in advance.',
  'Discount codes, gift card balances, pages and menus are not part of the exports.',
  'Put the redirects into the storefront, and test a few old addresses.',
  'commerce setup test-order: a simulated order from the cart to the mails.',
];

/** A table with the counts of each part. */
export function countLines(counts: Outcome['counts']): string[] {
  const columns = ['created', 'updated', 'unchanged', 'refused'] as const;
  const row = (name: string, cells: string[]) =>
    `  ${name.padEnd(10)}${cells.map((cell) => cell.padStart(11)).join('')}`;
  const parts = Object.entries(counts) as [string, PartCounts][];
  return [
    row('', [...columns]),
    ...parts.map(([name, part]) =>
      row(
        name,
        columns.map((column) => String(part[column])),
      ),
    ),
  ];
}

function inWords({ file, line, column, name, message }: Finding): string {
  const where = [`${file}, line ${line}`, column, name && `(${name})`].filter(Boolean).join(' ');
  return `  ${where}: ${message}`;
}
