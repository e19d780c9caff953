import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { calls } from '../operations.ts';
import { type Column, pageLine, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addAdjustMany } from './inventory-adjust-many.ts';
import { addMovements } from './inventory-movements.ts';
import { addPageOptions, choice, isJson, type PageOptions, uuid, wholeNumber } from './options.ts';
import { variantIdOf } from './variant-id.ts';

type InventoryItem = Schemas['InventoryItem'];

const REASONS = ['received', 'correction', 'damaged', 'lost', 'returned', 'promotion', 'other'] as const;

interface ListOptions extends PageOptions {
  q?: string;
  product?: string;
  lowStock?: true;
  outOfStock?: true;
}

interface AdjustOptions {
  delta?: number;
  setTo?: number;
  expected?: number;
  reason: (typeof REASONS)[number];
  note?: string;
}

const LIST_EXAMPLES = `
Examples:
  $ commerce inventory list --q MUG
  $ commerce inventory list --low-stock --out-of-stock`;

const ADJUST_EXAMPLES = `
VARIANT is a SKU or a variant's id. --set-to needs --expected, the quantity that the count started from: when something
was sold meanwhile, the change is refused and the new quantity told.

Examples:
  $ commerce inventory adjust MUG-1 --delta 24 --reason received --note "Delivery of 2 March"
  $ commerce inventory adjust MUG-1 --delta -2 --reason damaged
  $ commerce inventory adjust MUG-1 --set-to 38 --expected 40 --reason correction`;

const COLUMNS: Column<InventoryItem>[] = [
  { title: 'SKU', value: ({ sku }) => sku },
  { title: 'PRODUCT', value: ({ product_name }) => product_name, shrinks: true },
  { title: 'VARIANT', value: ({ variant_name }) => variant_name, shrinks: true },
  { title: 'ON HAND', value: ({ on_hand }) => on_hand, right: true, below: true },
  { title: 'HELD', value: ({ reserved }) => reserved, right: true, below: true },
  { title: 'AVAILABLE', value: ({ inventory_quantity }) => inventory_quantity, right: true },
  {
    title: 'STATE',
    value: stateOf,
    colour: (stock) => ({ out: 'red' as const, low: 'yellow' as const })[stateOf(stock)],
  },
  { title: 'VARIANT ID', value: ({ variant_id }) => variant_id, below: true },
];

function stateOf({ track_inventory, is_out_of_stock, is_low_stock }: InventoryItem): string {
  if (!track_inventory) return 'not tracked';
  if (is_out_of_stock) return 'out';
  return is_low_stock ? 'low' : 'ok';
}

/** `inventory list|adjust|adjust-many|movements`. */
export function addInventory(program: Command, terminal: Terminal): void {
  const inventory = program.command('inventory').description('The stock of every variant.');
  const list = calls(inventory.command('list'), 'dashboard.listInventory')
    .description('List the stock of variants, by product name.')
    .option('--q <text>', 'only those with this text in the SKU, barcode or product name')
    .option('--product <id>', 'only variants of this product', uuid)
    .option('--low-stock', 'only variants that are low but not out of stock')
    .option('--out-of-stock', 'only variants that are out of stock')
    .addHelpText('after', LIST_EXAMPLES);
  addPageOptions(list).action((options: ListOptions, command: Command) => listStock(options, command, terminal));
  calls(inventory.command('adjust <variant>'), 'dashboard.adjustInventory')
    .description('Change the stock of one variant.')
    .option('--delta <number>', 'the change; negative for what went out', wholeNumber)
    .option('--set-to <number>', 'what was counted', wholeNumber)
    .option('--expected <number>', 'with --set-to: what the quantity was before', wholeNumber)
    .addOption(choice('--reason <reason>', 'why', REASONS).makeOptionMandatory())
    .option('--note <text>', 'a remark, kept with the movement')
    .addHelpText('after', ADJUST_EXAMPLES)
    .action((variant: string, options: AdjustOptions, command: Command) => adjust(variant, options, command, terminal));
  addAdjustMany(inventory, terminal);
  addMovements(inventory, terminal);
}

async function listStock(options: ListOptions, command: Command, terminal: Terminal): Promise<void> {
  const { product: product_id, lowStock: low_stock, outOfStock: out_of_stock, ...rest } = options;
  const query = { ...rest, product_id, low_stock, out_of_stock };
  const { client } = await openSession(command, terminal);
  const page = await unwrap(client.GET('/api/dashboard/inventory', { params: { query } }));
  show(terminal, isJson(command), page, (paint) => {
    const summary = pageLine('variants', page);
    if (page.inventory.length === 0) return summary;
    return `${table(COLUMNS, page.inventory, styleOf(terminal, paint))}\n\n${summary}`;
  });
}

async function adjust(variant: string, options: AdjustOptions, command: Command, terminal: Terminal): Promise<void> {
  const { delta, setTo: set_to, expected: expected_quantity, reason, note } = options;
  if ((delta === undefined) === (set_to === undefined)) throw usageError('Give either --delta or --set-to.');
  if (delta === 0) throw usageError('--delta 0 changes nothing.', 'Give the change; negative for what went out.');
  if ((set_to === undefined) !== (expected_quantity === undefined)) {
    throw usageError('--set-to and --expected go together.', 'Give as --expected what the list said before counting.');
  }
  const { client } = await openSession(command, terminal);
  const variant_id = await variantIdOf(client, variant);
  const body = { ...(delta === undefined ? { set_to, expected_quantity } : { delta }), reason, ...(note && { note }) };
  const params = { path: { variant_id } };
  const stock = await unwrap(client.POST('/api/dashboard/inventory/{variant_id}/adjust', { params, body }));
  show(terminal, isJson(command), stock, (paint) => table(COLUMNS, [stock], styleOf(terminal, paint)));
}
