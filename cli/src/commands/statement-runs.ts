import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, listText } from '../call-command.ts';
import { usageError } from '../errors.ts';
import { calls } from '../operations.ts';
import { asCalled, type Column, counted, moment, show } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addYes, isJson, uuid, type YesOption } from './options.ts';

type StatementRun = Schemas['StatementRun'];

const LIST_EXAMPLES = `
Examples:
  $ commerce orders statements
  $ commerce orders statements --json | jq '.[0].orders'`;

const UNDO_EXAMPLES = `
RUN is the id that \`commerce orders match\` and \`commerce orders statements\` show. All orders of the run await their payment
again, with a new deadline. It is possible while none of them has been shipped, edited, invoiced, refunded, cancelled or paid in parts.

Examples:
  $ commerce orders statements
  $ commerce orders undo-statement 0192f3a0-8888-7000-8000-000000000001`;

/** `orders statements|undo-statement`: list and undo runs that marked orders as paid from a bank statement. */
export function addStatementRuns(orders: Command, terminal: Terminal): void {
  addCall(orders, terminal, {
    name: 'statements',
    operation: 'dashboard.listStatementRuns',
    description: 'List the bank statements whose transfers marked orders as paid, newest first.',
    examples: LIST_EXAMPLES,
    text: (runs, view) => listText('No orders were marked from a statement.', COLUMNS, runs, view),
  });
  addYes(
    calls(
      orders.command('undo-statement').argument('<run>', '', uuid),
      'dashboard.listStatementRuns',
      'dashboard.undoStatementRun',
    ),
  )
    .description('Undo a bank statement: all its orders await payment again.')
    .addHelpText('after', UNDO_EXAMPLES)
    .action((run_id: string, options: YesOption, command: Command) => undo(run_id, options, command, terminal));
}

const COLUMNS: Column<StatementRun>[] = [
  { title: 'RUN', value: ({ id }) => id },
  { title: 'MARKED', value: ({ marked_at }) => moment(marked_at) },
  { title: 'ORDERS', value: ({ orders }) => orders.length, right: true },
  { title: 'UNDO', value: ({ undoable }) => (undoable ? 'possible' : 'not possible') },
  { title: 'NUMBERS', value: ({ orders }) => numbersOf(orders), shrinks: true },
];

async function undo(run_id: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  if (!yes) {
    const run = (await unwrap(client.GET('/api/dashboard/statement-runs'))).find(({ id }) => id === run_id);
    if (!run) {
      throw usageError('There is no such statement run.', asCalled('commerce orders statements lists them.', terminal));
    }
    terminal.stderr.write(`Orders: ${numbersOf(run.orders)}\n`);
    await confirm(terminal, `Let ${counted(run.orders.length, 'order')} await payment again?`);
  }
  const params = { path: { statement_run_id: run_id } };
  const undone = await unwrap(client.POST('/api/dashboard/statement-runs/{statement_run_id}/undo', { params }));
  show(terminal, isJson(command), undone, () => {
    const [first] = undone.orders;
    const due = first ? ` New deadline: ${moment(first.payment_due_at)}.` : '';
    return `${counted(undone.orders.length, 'order')} ${undone.orders.length === 1 ? 'awaits' : 'await'} payment again: ${numbersOf(undone.orders)}.${due}`;
  });
}

function numbersOf(orders: { order_number: string }[]): string {
  return orders.map(({ order_number }) => order_number).join(', ');
}
