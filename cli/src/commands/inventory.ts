import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, pageText, rowsText } from '../call-command.ts';
import { usageError } from '../errors.ts';
import type { Column } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { addAdjustMany } from './inventory-adjust-many.ts';
import { addMovements } from './inventory-movements.ts';

type InventoryItem = Schemas['InventoryItem'];

interface AdjustOptions {
  delta?: number;
  setTo?: number;
  expected?: number;
  input?: string;
}

const LIST_EXAMPLES = `
Examples:
  $ commerce inventory list --q MUG
  $ commerce inventory list --low-stock --out-of-stock`;

const ADJUST_EXAMPLES = `
VARIANT is a SKU or a variant's id. --set-to needs --expected, the quantity that the count started from: if something
was sold in the meantime, the change is rejected and the new quantity shown.

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

/** Adds `inventory` with its subcommands. */
export function addInventory(program: Command, terminal: Terminal): void {
  const inventory = program.command('inventory').description('The stock of every variant.');
  addCall(inventory, terminal, {
    name: 'list',
    operation: 'dashboard.listInventory',
    flags: {
      low_stock: {
        sets: [{ flag: '--low-stock', help: 'only variants that are low but not out of stock', value: true }],
      },
      out_of_stock: { sets: [{ flag: '--out-of-stock', help: 'only variants that are out of stock', value: true }] },
    },
    description: 'List the stock of variants, by product name.',
    examples: LIST_EXAMPLES,
    text: (page, view) => pageText('variants', COLUMNS, page.inventory, page, view),
  });
  addCall(inventory, terminal, {
    name: 'adjust <variant>',
    operation: 'dashboard.adjustInventory',
    flags: {
      set_to: { help: 'the counted quantity' },
      expected_quantity: { help: 'with --set-to: the quantity that the count started from' },
    },
    description: 'Change the stock of one variant.',
    examples: ADJUST_EXAMPLES,
    body: checked,
    text: (stock, view) => rowsText(COLUMNS, [stock], view),
  });
  addAdjustMany(inventory, terminal);
  addMovements(inventory, terminal);
}

/** Rejects invalid combinations of flags, and a change of 0. The server checks the fields of --input. */
function checked({ delta, setTo, expected, input }: AdjustOptions) {
  if (input !== undefined) return {};
  if ((delta === undefined) === (setTo === undefined)) throw usageError('Give either --delta or --set-to.');
  if (delta === 0) throw usageError('--delta 0 changes nothing.', 'Give the change; negative for stock that left.');
  if ((setTo === undefined) !== (expected === undefined)) {
    throw usageError(
      '--set-to and --expected go together.',
      'Give the listed quantity from before the count as --expected.',
    );
  }
  return {};
}
