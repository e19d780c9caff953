import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CommandError, EXIT } from '../errors.ts';
import { encodingOfFile } from '../formats/read.ts';
import type { SharedSkuRule } from '../import/shared-skus.ts';
import { findExports, readFiles, redirectsPath, refuseOver } from '../move-in/files.ts';
import { kindsOf } from '../move-in/findings.ts';
import { type MoveSettings, moveAll, type Outcome, type PartCounts } from '../move-in/parts.ts';
import { ownRedirects, productRedirects, redirectsFile } from '../move-in/redirects.ts';
import { countLines, type Report, reportJson, reportText } from '../move-in/report.ts';
import { plain, show } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addEncoding, choice, type EncodingOption, isJson } from './options.ts';

interface MoveOptions extends EncodingOption {
  dryRun?: true;
  yes?: true;
  duplicateSkus: SharedSkuRule;
  numberPrefix: string;
  productPath: string;
  redirects?: string;
  report?: string;
}

const EXAMPLES = `
DIR has the exports of the old shop: products_export.csv, customers_export.csv, orders_export.csv, the inventory (of a shop with
several locations) and redirects. Files are recognised by their first lines, and each may be missing. All are checked first; then
products, customers and orders are imported, in this order. If it stops half-way, or lines were rejected, run it again: imported
records do not change.

The report lists rejected records with file, line and column, records that were changed, and the next steps. It is written twice,
as .txt and as .json. The redirects are a CSV (from, to) or, in a file named _redirects, the format of static hosts.

Examples:
  $ commerce move-in shopify exports/ --dry-run
  $ commerce move-in shopify exports/ --yes --report move-in
  $ commerce move-in shopify exports/ --product-path /p/{slug} --redirects _redirects`;

/** `move-in shopify DIR`: imports a folder of Shopify exports. */
export function addMoveIn(program: Command, terminal: Terminal): void {
  const moveIn = program.command('move-in').description("Import a whole shop from another platform's exports.");
  addEncoding(moveIn.command('shopify <dir>'))
    .description('Import products, customers and orders from a folder of Shopify exports.')
    .option('--dry-run', 'check everything and write the report, but import nothing')
    .option('--yes', 'import without asking')
    .addOption(
      choice('--duplicate-skus <rule>', 'what to do with a SKU that an earlier variant has', [
        'keep-first',
        'suffix',
        'refuse',
      ]).default('keep-first'),
    )
    .option('--number-prefix <text>', 'put this before the number of each order', '')
    .option('--product-path <pattern>', 'the URL of a product in the new storefront', '/products/{slug}')
    .option(
      '--redirects <file>',
      'where to write the redirects (default: redirects.csv in DIR, or new-redirects.csv next to an export of that name)',
    )
    .option('--report <file>', 'where to write the report (default: move-in-report in DIR)')
    .addHelpText('after', EXAMPLES)
    .action((dir: string, options: MoveOptions, command: Command) => moveShop(dir, options, command, terminal));
}

async function moveShop(dir: string, options: MoveOptions, command: Command, terminal: Terminal): Promise<void> {
  const json = isJson(command);
  const exports = await findExports(dir);
  refuseOver(exports, options.redirects ?? redirectsPath(dir, exports), options.report);
  const { client } = await openSession(command, terminal, { maxAttempts: 6, maxWaitMs: 60_000, timeoutMs: 120_000 });
  const say = (text: string) => {
    if (!json) terminal.stderr.write(`${text.split('\n').map(plain).join('\n')}\n`);
  };
  const { duplicateSkus, numberPrefix, encoding } = options;
  for (const path of readFiles(exports)) await encodingOfFile(path, encoding);
  const settings = { client, duplicateSkus, numberPrefix, encoding, sent: progress(say) };
  say(`Checking ${readFiles(exports).join(', ')} …`);
  const checked = await moveAll(exports, { ...settings, dry_run: true });
  if (options.dryRun) {
    await end(await writeReport(dir, options, { exports, outcome: checked, dry_run: true }), terminal, json);
    return;
  }
  say(countsTable(checked));
  if (!options.yes) await confirm(terminal, 'Import this now?');
  const outcome = await moveAll(exports, { ...settings, dry_run: false });
  await end(await writeReport(dir, options, { exports, outcome, dry_run: false }), terminal, json);
}

const SAID_EVERY_MS = 3000;

function progress(say: (text: string) => void): MoveSettings['sent'] {
  let saidAt = performance.now();
  return (part, { created, updated, unchanged, refused }: PartCounts) => {
    if (performance.now() - saidAt < SAID_EVERY_MS) return;
    saidAt = performance.now();
    say(`  ${part}: ${created + updated + unchanged + refused} done${refused > 0 ? `, ${refused} refused` : ''}`);
  };
}

type Done = Pick<Report, 'exports' | 'outcome' | 'dry_run'>;

/** Writes the redirects and the report. Returns the report and the paths of the files. */
async function writeReport(dir: string, options: MoveOptions, done: Done): Promise<Report & { files: string[] }> {
  const known = productRedirects(done.outcome.slugs, options.productPath);
  const own = await Promise.all(done.exports.redirects.map((path) => ownRedirects(path, known, options.encoding)));
  const all = [...known, ...own.flat()];
  const redirects = { file: options.redirects ?? redirectsPath(dir, done.exports), count: all.length };
  await writeFile(redirects.file, redirectsFile(all, redirects.file));
  const report: Report = { folder: dir, at: new Date().toISOString(), ...done, redirects };
  const base = (options.report ?? join(dir, 'move-in-report')).replace(/\.(?:txt|json)$/, '');
  const files = [`${base}.txt`, `${base}.json`];
  await writeFile(`${base}.txt`, reportText(report));
  await writeFile(`${base}.json`, reportJson(report));
  return { ...report, files };
}

async function end(
  { outcome, dry_run, redirects, files }: Report & { files: string[] },
  terminal: Terminal,
  json: boolean,
) {
  const { counts, findings } = outcome;
  const summary = {
    dry_run,
    counts,
    refused: findings.refused,
    warnings: findings.warnings.length,
    redirects,
    report: files,
  };
  show(terminal, json, summary, () => {
    const head = dry_run ? 'Checked; nothing was written.' : 'Moved in.';
    return [
      head,
      countsTable(outcome),
      `The report is in ${files.join(' and ')}, the redirects in ${redirects?.file}.`,
    ].join('\n');
  });
  const refused = Object.values(counts).reduce((sum, part) => sum + part.refused, 0);
  if (refused === 0) return;
  const remedy = `Fix the lines that ${files[0]} lists, and run the same command again.`;
  throw new CommandError(EXIT.rowsRefused, 'rows_refused', `${refused} records were refused.`, remedy);
}

const SHOWN_KINDS = 10;

function countsTable({ counts, findings }: Outcome): string {
  const kinds = kindsOf(findings.warnings);
  const refused = findings.refused.slice(0, SHOWN_KINDS);
  return [
    ...countLines(counts),
    ...refused.map(({ file, line, column, name, message }) => {
      const whose = name ? ` (${name})` : '';
      return `  refused: ${file}, line ${line}: ${column}: ${message}${whose}`;
    }),
    ...kinds.slice(0, SHOWN_KINDS).map(({ example, findings: all }) => `  warning, ${all.length} ×: ${example}`),
    ...(kinds.length > SHOWN_KINDS
      ? [`  and ${kinds.length - SHOWN_KINDS} more kinds of warnings, in the report`]
      : []),
  ].join('\n');
}
