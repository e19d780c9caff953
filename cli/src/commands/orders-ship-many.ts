import { unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { readTable } from '../formats/text-file.ts';
import { calls } from '../operations.ts';
import { counted } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addEncoding, addYes, type EncodingOption, type YesOption } from './options.ts';
import { inBatches, showResults } from './row-results.ts';

const EXAMPLES = `
FILE is a CSV with a header: order_number, and if you have them carrier, tracking_number and tracking_url. Everything left
of each order is recorded as shipped, and its customer is notified by mail. A rejected row does not stop the others.

Examples:
  $ commerce orders ship-many parcels.csv
  $ commerce orders ship-many parcels.csv --yes --json | jq .counts`;

export function addOrdersShipMany(orders: Command, terminal: Terminal): void {
  addEncoding(addYes(calls(orders.command('ship-many <file>'), 'dashboard.fulfillOrders')))
    .description('Record many orders as shipped, from a CSV with their tracking numbers.')
    .addHelpText('after', EXAMPLES)
    .action((file: string, options: YesOption & EncodingOption, command: Command) =>
      shipMany(file, options, command, terminal),
    );
}

const MOST_ROWS = 100;

async function shipMany(
  file: string,
  { yes, encoding }: YesOption & EncodingOption,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const rows = await readTable(file, [['order_number']], encoding);
  const { client } = await openSession(command, terminal);
  if (!yes)
    await confirm(
      terminal,
      `Record ${counted(rows.length, 'order')} as shipped, and notify the ${rows.length === 1 ? 'customer' : 'customers'}?`,
    );
  const results = await inBatches(rows, MOST_ROWS, async (batch) => {
    const orders = batch.map(({ cells: { order_number = '', carrier, tracking_number, tracking_url } }) => ({
      ...{ order_number, ...(carrier && { carrier }), ...(tracking_number && { tracking_number }) },
      ...(tracking_url && { tracking_url }),
    }));
    const { results } = await unwrap(client.POST('/api/dashboard/orders/fulfill', { body: { orders } }));
    return results.map(({ index, order_number, status, message }) => ({
      ...{ line: batch[index]?.line ?? 0, name: order_number, status, message },
    }));
  });
  showResults(terminal, command, results, counted(results.length, 'row'));
}
