import { unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { readCustomers } from '../formats/customers.ts';
import { recordListeners, sendRecords } from '../import/records.ts';
import { openReportFiles, type ReportOptions } from '../import/report-files.ts';
import { calls } from '../operations.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addEncoding, type EncodingOption, isJson } from './options.ts';
import { showRecords } from './record-counts.ts';

interface ImportOptions extends EncodingOption, ReportOptions {
  dryRun?: true;
  overwrite?: true;
}

const EXAMPLES = `
A customer is recognised by the e-mail, or by the phone number if there is no e-mail. For existing customers, only empty fields are
filled, or with --overwrite replaced; their decisions here about mails stay. Importing a file again changes nothing. No mails are
sent. Passwords are not imported: a customer sets one by the password reset. Rejected customers are named by line, and the others
are imported (exit code 5).

Formats, recognised by the first line:
  shopify   Shopify's customers CSV; tags become metadata
  jsonl     one JSON object per line, in the shape of the API or as written by customers export

Examples:
  $ commerce customers import customers_export.csv --dry-run
  $ commerce customers import customers.jsonl --json`;

/** Adds `customers import FILE`, which imports customers from JSON Lines or Shopify's CSV. */
export function addCustomersImport(customers: Command, terminal: Terminal): void {
  addEncoding(calls(customers.command('import <file>'), 'dashboard.importCustomers'))
    .description('Import customers from a file.')
    .option('--dry-run', 'show the result without changing anything')
    .option('--overwrite', 'replace the existing data of customers')
    .option('--report <file>', 'write rejections and warnings to this file, as CSV')
    .option('--errors <file>', 'write the rejected customers to this file, one JSON object per line')
    .addHelpText('after', EXAMPLES)
    .action((file: string, options: ImportOptions, command: Command) => importFile(file, options, command, terminal));
}

async function importFile(file: string, options: ImportOptions, command: Command, terminal: Terminal): Promise<void> {
  const json = isJson(command);
  const { client } = await openSession(command, terminal, { maxAttempts: 6 });
  const { dryRun: dry_run = false, overwrite = false } = options;
  const files = await openReportFiles(options, 'customer');
  const listeners = recordListeners(terminal, json, 'email', files);
  const counts = await sendRecords(readCustomers(file, listeners.warned, options.encoding), {
    ...listeners,
    noun: 'customer',
    post: (customers) =>
      unwrap(client.POST('/api/dashboard/customers/import', { body: { customers, dry_run, overwrite } })),
  }).finally(files.close);
  showRecords({ file, dry_run, counts, noun: 'customer' }, terminal, json);
}
