import { unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { readOrders } from '../formats/orders.ts';
import { recordListeners, sendRecords } from '../import/records.ts';
import { openReportFiles, type ReportOptions } from '../import/report-files.ts';
import { calls } from '../operations.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addEncoding, type EncodingOption, isJson } from './options.ts';
import { showRecords } from './record-counts.ts';

interface ImportOptions extends EncodingOption, ReportOptions {
  dryRun?: true;
  numberPrefix?: string;
}

const EXAMPLES = `
Orders keep their numbers (Shopify's without "#"), times, states and refunds, and belong to the customer who has the e-mail: import
customers first. No mails are sent, no stock is moved, and the shop's own numbers continue after them. Importing a file again
changes nothing. Rejected orders are named by line, and the others are imported (exit code 5). Use --number-prefix if this shop
already has orders with these numbers.

Formats, recognised by the first line:
  shopify   Shopify's orders CSV
  jsonl     one JSON object per line, in the shape of the API

Examples:
  $ commerce orders import orders_export.csv --dry-run
  $ commerce orders import orders_export.csv --number-prefix OLD-`;

/** Adds `orders import FILE`, which imports past orders from JSON Lines or Shopify's CSV. */
export function addOrdersImport(orders: Command, terminal: Terminal): void {
  addEncoding(calls(orders.command('import <file>'), 'dashboard.importOrders'))
    .description('Import past orders from a file.')
    .option('--dry-run', 'show the result without changing anything')
    .option('--number-prefix <text>', 'put this before the number of each order')
    .option('--report <file>', 'write rejections and warnings to this file, as CSV')
    .option('--errors <file>', 'write the rejected orders to this file, one JSON object per line')
    .addHelpText('after', EXAMPLES)
    .action((file: string, options: ImportOptions, command: Command) => importFile(file, options, command, terminal));
}

async function importFile(file: string, options: ImportOptions, command: Command, terminal: Terminal): Promise<void> {
  const json = isJson(command);
  const { client } = await openSession(command, terminal, { maxAttempts: 6 });
  const { dryRun: dry_run = false, numberPrefix: prefix = '', encoding } = options;
  const files = await openReportFiles(options, 'order');
  const listeners = recordListeners(terminal, json, 'order_number', files);
  const counts = await sendRecords(readOrders(file, { warn: listeners.warned, prefix, encoding }), {
    ...listeners,
    noun: 'order',
    post: (orders) => unwrap(client.POST('/api/dashboard/orders/import', { body: { orders, dry_run } })),
  }).finally(files.close);
  showRecords({ file, dry_run, counts, noun: 'order' }, terminal, json);
}
