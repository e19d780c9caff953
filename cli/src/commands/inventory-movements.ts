import { paginate, type Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { calls } from '../operations.ts';
import { type Column, moment, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson, wholeNumber } from './options.ts';
import { variantIdOf } from './variant-id.ts';

type Movement = Schemas['StockMovement'];

const EXAMPLES = `
VARIANT is a SKU or a variant's id.

Examples:
  $ commerce inventory movements MUG-1
  $ commerce inventory movements MUG-1 --max 500 --json`;

/** `inventory movements`: shows a variant's stock movements. */
export function addMovements(inventory: Command, terminal: Terminal): void {
  calls(inventory.command('movements <variant>'), 'dashboard.listMovements')
    .description('List the changes of the stock of a variant, newest first.')
    .option('--max <number>', 'the maximum number', wholeNumber, 50)
    .addHelpText('after', EXAMPLES)
    .action((variant: string, { max }: { max: number }, command: Command) =>
      movements(variant, max, command, terminal),
    );
}

const signed = (delta: number) => (delta > 0 ? `+${delta}` : String(delta));

const COLUMNS: Column<Movement>[] = [
  { title: 'WHEN', value: ({ created_at }) => moment(created_at) },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'REASON', value: ({ reason }) => reason },
  {
    title: 'CHANGE',
    value: ({ delta }) => signed(delta),
    right: true,
    colour: ({ delta }) => (delta < 0 ? 'yellow' : 'green'),
  },
  { title: 'ON HAND', value: ({ on_hand_after }) => on_hand_after, right: true },
  { title: 'HELD', value: ({ reserved_after }) => reserved_after, right: true },
  { title: 'NOTE', value: ({ note }) => note, shrinks: true },
  {
    title: 'FOR',
    value: ({ reference }) => reference && [reference.type, reference.id].filter(Boolean).join(' '),
    below: true,
  },
];

async function movements(variant: string, max: number, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const variant_id = await variantIdOf(client, variant);
  const params = { path: { variant_id }, query: { limit: Math.min(Math.max(max, 1), 100) } };
  const found: Movement[] = [];
  for await (const movement of paginate(client, '/api/dashboard/inventory/{variant_id}/movements', { params })) {
    found.push(movement);
    if (found.length >= max) break;
  }
  show(terminal, isJson(command), { movements: found }, (paint) =>
    found.length > 0 ? table(COLUMNS, found, styleOf(terminal, paint)) : 'The stock has not changed yet.',
  );
}
