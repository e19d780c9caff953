import { unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { addFlags, givenRequest } from '../flags.ts';
import { readTable, type TableRow } from '../formats/text-file.ts';
import { counted } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addEncoding, type EncodingOption, isUuid } from './options.ts';
import { inBatches, showResults } from './row-results.ts';

const EXAMPLES = `
FILE is a CSV with a header: sku (or variant_id), and either delta, or set_to with expected_quantity, the quantity that the
count started from; and an optional note. A rejected row, such as after a sale in the meantime, does not stop the others.

Examples:
  $ commerce inventory adjust-many delivery.csv --reason received --note "Delivery of 2 March"
  $ commerce inventory adjust-many count.csv --reason correction --dry-run`;

export function addAdjustMany(inventory: Command, terminal: Terminal): void {
  addEncoding(
    addFlags(inventory.command('adjust-many <file>'), 'dashboard.adjustInventories', {
      note: { help: 'a note for rows without one, kept with the movements' },
      dry_run: { sets: [{ flag: '--dry-run', help: 'show the result without changing anything', value: true }] },
    }),
  )
    .description('Change the stock of many variants, from a CSV.')
    .addHelpText('after', EXAMPLES)
    .action((file: string, { encoding }: EncodingOption, command: Command) =>
      adjustMany(file, encoding, command, terminal),
    );
}

const MOST_ROWS = 500;

async function adjustMany(file: string, encoding: string | undefined, command: Command, terminal: Terminal) {
  const { body: given } = await givenRequest<'dashboard.adjustInventories'>(command, terminal);
  const columns = [
    ['sku', 'variant_id'],
    ['delta', 'set_to'],
  ];
  const rows = await readTable(file, columns, encoding);
  const { client } = await openSession(command, terminal);
  const asked = rows.map((row) => ({ line: row.line, adjustment: adjustmentOf(row, file) }));
  const results = await inBatches(asked, MOST_ROWS, async (batch) => {
    const adjustments = batch.map(({ adjustment }) => adjustment);
    const body = { ...given, adjustments };
    const { results } = await unwrap(client.POST('/api/dashboard/inventory/adjust', { body }));
    return results.map(({ index, sku, variant_id, status, message }) => ({
      ...{ line: batch[index]?.line ?? 0, name: sku ?? variant_id ?? '', status, message },
    }));
  });
  showResults(
    terminal,
    command,
    results,
    given.dry_run ? 'Dry run, nothing was written' : counted(results.length, 'row'),
  );
}

function adjustmentOf({ line, cells }: TableRow, file: string) {
  const { sku, variant_id, delta, set_to, expected_quantity, note } = cells;
  const number = (column: string, text: string) => {
    if (/^[+-]?\d{1,10}$/.test(text)) return Number(text);
    throw usageError(`Line ${line} of ${file}: ${column} must be a whole number, not ${text}.`);
  };
  if (!sku && !(variant_id && isUuid(variant_id))) throw usageError(`Line ${line} of ${file} names no variant.`);
  if ((delta === undefined) === (set_to === undefined)) {
    throw usageError(`Line ${line} of ${file} must have either delta or set_to.`);
  }
  const change =
    set_to === undefined
      ? { delta: number('delta', delta ?? '') }
      : {
          set_to: number('set_to', set_to),
          expected_quantity: number('expected_quantity', expected_quantity ?? ''),
        };
  return { ...(variant_id ? { variant_id } : { sku: sku ?? '' }), ...change, ...(note && { note }) };
}
