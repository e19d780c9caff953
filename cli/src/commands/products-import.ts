import { stat } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandError, EXIT } from '../errors.ts';
import { decimalsOf } from '../formats/amounts.ts';
import type { Format } from '../formats/detect.ts';
import { readProducts } from '../formats/read.ts';
import type { Warning } from '../formats/reading.ts';
import type { Refused } from '../import/batches.ts';
import { WarningKinds } from '../import/kinds.ts';
import { importProducts } from '../import/products.ts';
import { createProgress, type Progress, perSecond } from '../import/progress.ts';
import { openReportFiles, type ReportOptions } from '../import/report-files.ts';
import type { Counts } from '../import/send.ts';
import type { SharedSkuRule } from '../import/shared-skus.ts';
import { calls } from '../operations.ts';
import { counted, plain, show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addEncoding, choice, type EncodingOption, isJson } from './options.ts';

interface ImportOptions extends EncodingOption, ReportOptions {
  format?: Format;
  dryRun?: true;
  updateInventory?: true;
  baseImageUrl?: string;
  weightUnit?: 'kg' | 'lb';
  currency?: string;
  duplicateSkus: SharedSkuRule;
}

const EXAMPLES = `
A product is recognised by its slug (Shopify: Handle, Magento: url_key): an unknown one is created, a known one updated,
and importing a file again changes nothing. Rejected products are named by line, and the others are imported (exit code 5).
Stock is set for new variants; for existing ones only with --update-inventory, which ignores sales since the export.
If variants share a SKU, the first in the file keeps it, and later ones are imported without it, each with a warning;
--duplicate-skus suffix appends -2, -3 …, and refuse rejects their products. A dry run rejects the same rows as the import.

Formats, recognised by the first line:
  shopify      Shopify's product CSV
  woocommerce  WooCommerce's product CSV
  magento      Magento 2's product CSV; --base-image-url is the address of its images
  google       a Google Merchant feed: RSS, Atom or a table separated by tabs
  jsonl        one JSON object per line, in the shape of the API

Examples:
  $ commerce products import products.csv --dry-run
  $ commerce products import products.csv --errors refused.jsonl
  $ commerce products import magento.csv --base-image-url https://old.example/media/catalog/product
  $ commerce products import products.jsonl --update-inventory --json`;

/** `products import FILE`: imports a product file of any size. */
export function addProductsImport(products: Command, terminal: Terminal): void {
  addEncoding(calls(products.command('import <file>'), 'dashboard.importProducts'))
    .description('Create and update products from a file.')
    .addOption(
      choice('--format <format>', 'the format of the file, if it is not recognised', [
        'shopify',
        'woocommerce',
        'magento',
        'google',
        'jsonl',
      ]),
    )
    .option('--dry-run', 'show the result without changing anything')
    .option('--update-inventory', 'also set the stock of existing variants')
    .option('--base-image-url <url>', 'the address to put before the image names of a Magento file')
    .addOption(choice('--weight-unit <unit>', 'the weight unit of a Magento file (default: lb)', ['kg', 'lb']))
    .option(
      '--currency <code>',
      'the currency of its amounts, where 1.500 is an amount with three decimals',
      currencyCode,
    )
    .addOption(
      choice('--duplicate-skus <rule>', 'what to do with a SKU that an earlier variant of the file has', [
        'keep-first',
        'suffix',
        'refuse',
      ]).default('keep-first'),
    )
    .option('--report <file>', 'write rejections and warnings to this file, as CSV')
    .option('--errors <file>', 'write the rejected products to this file, one JSON object per line')
    .addHelpText('after', EXAMPLES)
    .action((file: string, options: ImportOptions, command: Command) => importFile(file, options, command, terminal));
}

function currencyCode(text: string): string {
  if (!/^[A-Z]{3}$/.test(text)) throw new InvalidArgumentError('Give a currency code, such as KWD.');
  return text;
}

/** Enough retries for slow responses and a server restart. */
const PATIENCE = { maxAttempts: 6, maxWaitMs: 60_000, timeoutMs: 120_000 };

async function importFile(file: string, options: ImportOptions, command: Command, terminal: Terminal): Promise<void> {
  const json = isJson(command);
  // Makes V8 collect garbage slightly more often. By default V8 would reserve 128 MB for rows that were already sent.
  setFlagsFromString('--semi-space-growth-factor=1');
  const { client } = await openSession(command, terminal, PATIENCE);
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, refused: 0 };
  const progress = createProgress(terminal, (await stat(file)).size, counts, json);
  const listeners = await openListeners(options, progress, json);
  const { format, baseImageUrl, weightUnit, currency, encoding } = options;
  const { dryRun = false, updateInventory = false } = options;
  const reads = readProducts(file, {
    ...(currency && { decimals: decimalsOf(currency) }),
    ...(format && { format }),
    ...(baseImageUrl && { baseImageUrl }),
    ...(weightUnit && { weightUnit }),
    ...(encoding && { encoding }),
    onBytes: progress.read,
    onWarning: listeners.warned,
  });
  const startedAt = performance.now();
  try {
    await importProducts(reads, options.duplicateSkus, {
      client,
      settings: { dry_run: dryRun, update_inventory: updateInventory },
      counts,
      sent: progress.update,
      warned: listeners.warned,
      refused: listeners.refused,
    });
  } catch (error) {
    progress.end();
    if (!json && sumOf(counts) > 0) progress.say(`Stopped: ${inWords(counts)}. ${AGAIN}`);
    throw error;
  } finally {
    progress.end();
    await listeners.close();
  }
  const ms = performance.now() - startedAt;
  const rate = perSecond(sumOf(counts), ms);
  const summary = { file, dry_run: dryRun, counts, warnings: listeners.warnings(), seconds: round(ms / 1000), rate };
  show(terminal, json, summary, () => summaryInWords(file, dryRun, counts, ms));
  if (counts.refused > 0) throw rowsRefused(counts, options.errors);
}

const AGAIN = 'Run the same command again: imported records are not changed.';

/** Returns listeners that report rejected products and warnings, on stderr and in the report files. */
async function openListeners(options: ImportOptions, progress: Progress, json: boolean) {
  const files = await openReportFiles(options, 'product');
  const kinds = new WarningKinds();
  return {
    refused: (refused: Refused) => {
      files.refused(refused, refused.errors, refused.slug ?? '');
      if (!json) for (const line of refusalInWords(refused)) progress.say(plain(line));
      else if (!options.errors) progress.say(JSON.stringify(refused));
    },
    warned: ({ line, message }: Warning) => {
      const isNews = kinds.isNews(message);
      files.warned(line, message);
      if (json) progress.say(JSON.stringify({ line, warning: message }));
      else if (isNews) progress.say(plain(`line ${line}: warning: ${message}`));
    },
    warnings: () => kinds.count,
    close: async () => {
      const rest = json ? [] : kinds.rest();
      for (const line of rest) progress.say(plain(line));
      if (rest.length > 0) progress.say('With --report FILE all of them are written, with --json printed.');
      await files.close();
    },
  };
}

function refusalInWords({ line, slug, errors }: Refused): string[] {
  const whose = slug ? ` (${slug})` : '';
  if (errors.length === 0) return [`line ${line}: refused${whose}`];
  return errors.map((error) => `line ${error.line}: ${error.field}: ${error.message}${whose}`);
}

function summaryInWords(file: string, dryRun: boolean, counts: Counts, ms: number): string {
  const head = dryRun
    ? `Dry run: nothing was written. Importing ${file} would give:`
    : `Imported ${file} in ${round(ms / 1000)} s, ${perSecond(sumOf(counts), ms)} products/s:`;
  const width = Math.max(...Object.values(counts).map((count) => String(count).length));
  const lines = Object.entries(counts).map(([name, count]) => `  ${name.padEnd(9)}  ${String(count).padStart(width)}`);
  return [head, ...lines].join('\n');
}

function rowsRefused(counts: Counts, errorsFile: string | undefined): CommandError {
  const message = `${counts.refused} of ${counted(sumOf(counts), 'product')} ${counts.refused === 1 ? 'was' : 'were'} refused.`;
  const where = errorsFile ? ` in ${errorsFile}` : ' above';
  const remedy = `Fix the lines named${where} and run the same command again.`;
  return new CommandError(EXIT.rowsRefused, 'rows_refused', message, remedy);
}

function inWords(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}

function sumOf({ created, updated, unchanged, refused }: Counts): number {
  return created + updated + unchanged + refused;
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
