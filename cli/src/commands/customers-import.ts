import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { CommandError, EXIT, usageError } from '../errors.ts';
import { readText } from '../formats/text-file.ts';
import { calls } from '../operations.ts';
import { plain, show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';

type Row = Schemas['CustomerImport'];

interface ImportOptions {
  dryRun?: true;
  overwrite?: true;
}

const EXAMPLES = `
FILE is JSONL: one customer per line, in the shape of the API. A customer is recognised by the e-mail; of one the shop has already,
only what is empty is filled, or, with --overwrite, replaced. Importing a file again changes nothing. Nobody is sent a mail.
Passwords do not come along: a customer sets one by the password reset.

Examples:
  $ commerce customers import customers.jsonl --dry-run
  $ commerce customers import customers.jsonl`;

/** `customers import FILE`. */
export function addCustomersImport(customers: Command, terminal: Terminal): void {
  calls(customers.command('import <file>'), 'dashboard.importCustomers')
    .description('Take over customers from a file.')
    .option('--dry-run', 'say what would happen, and change nothing')
    .option('--overwrite', 'replace what customers have here already')
    .addHelpText('after', EXAMPLES)
    .action((file: string, options: ImportOptions, command: Command) => importFile(file, options, command, terminal));
}

/** The most that one call takes. */
const MOST_ROWS = 100;

async function importFile(file: string, options: ImportOptions, command: Command, terminal: Terminal): Promise<void> {
  const json = isJson(command);
  const rows = rowsOf(await readText(file), file);
  const { client } = await openSession(command, terminal, { maxAttempts: 6 });
  const { dryRun: dry_run = false, overwrite = false } = options;
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  for (let at = 0; at < rows.length; at += MOST_ROWS) {
    const sent = rows.slice(at, at + MOST_ROWS);
    const body = { customers: sent.map(({ row }) => row), dry_run, overwrite };
    const { results } = await unwrap(client.POST('/api/dashboard/customers/import', { body }));
    for (const { index, status, email, errors } of results) {
      counts[status as keyof typeof counts] += 1;
      for (const { loc, msg: message } of errors) {
        const refused = { line: sent[index]?.line, field: loc.slice(3).join('.') || 'customer', message, email };
        const words = `line ${refused.line}: ${refused.field}: ${message}${email ? ` (${email})` : ''}`;
        terminal.stderr.write(`${json ? JSON.stringify(refused) : plain(words)}\n`);
      }
    }
    if (!json) terminal.stderr.write(`${at + sent.length} of ${rows.length} customers\n`);
  }
  show(terminal, json, { file, dry_run, counts }, () => {
    const told = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
    return `${dry_run ? 'Dry run, nothing was written' : 'Imported'}: ${told.join(', ')}.`;
  });
  if (counts.failed > 0) {
    const message = `${counts.failed} of ${rows.length} customers were refused.`;
    const remedy = 'Fix the lines named above and run the same command again.';
    throw new CommandError(EXIT.rowsRefused, 'rows_refused', message, remedy);
  }
}

function rowsOf(text: string, file: string): { line: number; row: Row }[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((each, index) => {
      if (each.trim() === '') return [];
      const line = index + 1;
      try {
        return [{ line, row: JSON.parse(each) as Row }];
      } catch {
        throw usageError(`Line ${line} of ${file} is not valid JSON.`, 'Each line must hold one customer.');
      }
    });
}
