import { type CommerceError, type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { CommandError, EXIT } from '../errors.ts';
import { readCustomers } from '../formats/customers.ts';
import type { CustomerRead } from '../formats/reading.ts';
import type { FieldError } from '../formats/row-reader.ts';
import { isAboutRows } from '../import/send.ts';
import { calls } from '../operations.ts';
import { plain, show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';

interface ImportOptions {
  dryRun?: true;
  overwrite?: true;
}

const EXAMPLES = `
A customer is recognised by the e-mail. Of one the shop has already, only what is empty is filled, or, with --overwrite, replaced;
what they decided here about mails stays. Importing a file again changes nothing. Nobody is sent a mail. Passwords do not come
along: a customer sets one by the password reset. Refused customers are named by line and the others go on (exit code 5).

Formats, recognised by the first line:
  shopify   Shopify's customers CSV; tags become metadata
  jsonl     one JSON object per line, in the shape of the API or as customers export writes it

Examples:
  $ commerce customers import customers_export.csv --dry-run
  $ commerce customers import customers.jsonl --json`;

/** `customers import FILE`. */
export function addCustomersImport(customers: Command, terminal: Terminal): void {
  calls(customers.command('import <file>'), 'dashboard.importCustomers')
    .description('Take over customers from a file.')
    .option('--dry-run', 'say what would happen, and change nothing')
    .option('--overwrite', 'replace what customers have here already')
    .addHelpText('after', EXAMPLES)
    .action((file: string, options: ImportOptions, command: Command) => importFile(file, options, command, terminal));
}

type Row = Extract<CustomerRead, { customer: unknown }>;
type Result = Schemas['CustomerImportResult']['results'][number];

/** An import under way: where to, how, and who is told of it. */
interface Import {
  client: DashboardClient;
  settings: { dry_run: boolean; overwrite: boolean };
  counts: Record<'created' | 'updated' | 'unchanged' | 'failed', number>;
  warned: (line: number, message: string) => void;
  refused: (errors: FieldError[], email: string | undefined) => void;
}

async function importFile(file: string, options: ImportOptions, command: Command, terminal: Terminal): Promise<void> {
  const json = isJson(command);
  const { client } = await openSession(command, terminal, { maxAttempts: 6 });
  const { dryRun: dry_run = false, overwrite = false } = options;
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const say = (fact: object, words: string) => terminal.stderr.write(`${json ? JSON.stringify(fact) : plain(words)}\n`);
  const warned: Import['warned'] = (line, message) => {
    say({ line, warning: message }, `line ${line}: warning: ${message}`);
  };
  const refused: Import['refused'] = (errors, email) => {
    counts.failed += 1;
    for (const error of errors) {
      say({ ...error, email }, `line ${error.line}: ${error.field}: ${error.message}${email ? ` (${email})` : ''}`);
    }
  };
  const target = { client, settings: { dry_run, overwrite }, counts, warned, refused };
  for await (const rows of batchesOf(readCustomers(file, warned), refused)) await send(rows, target);
  show(terminal, json, { file, dry_run, counts }, () => {
    const told = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
    return `${dry_run ? 'Dry run, nothing was written' : 'Imported'}: ${told.join(', ')}.`;
  });
  if (counts.failed > 0) {
    const all = Object.values(counts).reduce((sum, count) => sum + count);
    const message = `${counts.failed} of ${all} customers were refused.`;
    const remedy = 'Fix the lines named above and run the same command again.';
    throw new CommandError(EXIT.rowsRefused, 'rows_refused', message, remedy);
  }
}

/** What one call may contain: the contract's 100 rows, and less than the 1 MB that servers accept as a body. */
const MOST_ROWS = 100;
const MOST_BYTES = 900_000;

async function* batchesOf(reads: AsyncIterable<CustomerRead>, refused: Import['refused']): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for await (const read of reads) {
    if ('errors' in read) {
      refused(read.errors, read.email);
      continue;
    }
    const size = Buffer.byteLength(JSON.stringify(read.customer)) + 1;
    if (batch.length >= MOST_ROWS || (batch.length > 0 && bytes + size > MOST_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(read);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

async function send(rows: Row[], target: Import): Promise<void> {
  const body = { customers: rows.map(({ customer }) => customer), ...target.settings };
  try {
    const { results } = await unwrap(target.client.POST('/api/dashboard/customers/import', { body }));
    for (const result of results) record(rows[result.index], result, target);
  } catch (error) {
    if (!isAboutRows(error)) throw error;
    // The server refused the call as a whole for something in a row: the halves show which one it is.
    const [first] = rows;
    if (rows.length > 1) {
      const middle = Math.ceil(rows.length / 2);
      await send(rows.slice(0, middle), target);
      await send(rows.slice(middle), target);
    } else if (first) target.refused(reasonsIn(error, first), first.customer.email);
  }
}

function record(row: Row | undefined, { status, email, errors, warnings }: Result, target: Import): void {
  if (!row) return;
  for (const warning of warnings) {
    const { line, field, message } = reasonOf(row, warning);
    target.warned(line, `${field}: ${message}`);
  }
  if (status === 'failed') {
    const reasons = errors.map((mistake) => reasonOf(row, mistake));
    target.refused(reasons, email ?? undefined);
  } else target.counts[status as keyof Import['counts']] += 1;
}

function reasonsIn({ detail, message }: CommerceError, row: Row): FieldError[] {
  if (detail.length > 0) return detail.map((mistake) => reasonOf(row, mistake));
  return [{ line: row.line, field: 'customer', message }];
}

/** `["body","customers",3,"phone"]` is the field phone of its row, or the column that it comes from. */
function reasonOf({ line, fieldOf }: Row, { loc, msg: message }: Result['errors'][number]): FieldError {
  const at = loc.slice(3);
  return { line, field: (at.length > 0 && fieldOf?.(at)) || at.join('.') || 'customer', message };
}
