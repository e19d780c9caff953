import { unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { readTable, type TableRow } from '../formats/text-file.ts';
import { calls } from '../operations.ts';
import { counted } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addEncoding, amount, type EncodingOption, isUuid, orNone, orNull } from './options.ts';
import { inBatches, showResults } from './row-results.ts';

const EXAMPLES = `
FILE is a CSV with a header: variant_id, and those of price, compare_at_price, sku and barcode that change. An empty cell leaves
the field as it is, and "none" removes it. A rejected row does not stop the others.

Examples:
  $ commerce variants update-many prices.csv
  $ commerce variants update-many prices.csv --json | jq .counts`;

export function addVariantsUpdateMany(variants: Command, terminal: Terminal): void {
  addEncoding(calls(variants.command('update-many <file>'), 'dashboard.updateVariants'))
    .description('Change prices, SKUs and barcodes of many variants, from a CSV.')
    .addHelpText('after', EXAMPLES)
    .action((file: string, { encoding }: EncodingOption, command: Command) =>
      updateMany(file, encoding, command, terminal),
    );
}

const MOST_ROWS = 500;

async function updateMany(file: string, encoding: string | undefined, command: Command, terminal: Terminal) {
  const rows = await readTable(file, [['variant_id']], encoding);
  const asked = rows.map((row) => ({ line: row.line, variant: variantOf(row, file) }));
  const { client } = await openSession(command, terminal);
  const results = await inBatches(asked, MOST_ROWS, async (batch) => {
    const body = { variants: batch.map(({ variant }) => variant) };
    const { results } = await unwrap(client.POST('/api/dashboard/products/variants', { body }));
    return results.map(({ variant_id, status, message }, i) => ({
      ...{ line: batch[i]?.line ?? 0, name: variant_id, status, message },
    }));
  });
  showResults(terminal, command, results, counted(results.length, 'row'));
}

function variantOf({ line, cells }: TableRow, file: string) {
  const { variant_id = '', price, compare_at_price, sku, barcode } = cells;
  if (!isUuid(variant_id)) throw usageError(`Line ${line} of ${file} names no variant.`);
  const optional = <Value>(cell: string | undefined, parse: (text: string) => Value) =>
    cell ? orNull(orNone(parse)(cell)) : undefined;
  const text = (cell: string) => cell;
  const fields = {
    price: price ? amount(price) : undefined,
    compare_at_price: optional(compare_at_price, amount),
    sku: optional(sku, text),
    barcode: optional(barcode, text),
  };
  return { variant_id, ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) };
}
