import { paginate, type Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, pageText } from '../call-command.ts';
import { calls } from '../operations.ts';
import { type Column, moment, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';
import { addOrderEdit } from './order-edit.ts';
import { addLatePayments } from './order-late-payments.ts';
import { addOrderMoves } from './order-moves.ts';
import { addOrderRecords } from './order-records.ts';
import { findOrder, ORDER_COLUMNS, orderText } from './order-view.ts';
import { addOrdersExport } from './orders-export.ts';
import { addOrdersImport } from './orders-import.ts';
import { addOrdersMatch } from './orders-match.ts';
import { addOrdersShipMany } from './orders-ship-many.ts';
import { addStatementRuns } from './statement-runs.ts';

type TimelineEntry = Schemas['TimelineEntry'];

const LIST_EXAMPLES = `
Examples:
  $ commerce orders list --payment awaiting_payment
  $ commerce orders list --waiting-for shipping --sort oldest
  $ commerce orders list --q okafor --from 2026-11-01 --to 2026-11-30
  $ commerce orders list --customer june@example.com
  $ commerce orders list --json | jq -r '.orders[].order_number'`;

const GET_EXAMPLES = `
ORDER is an order number or an id.

Examples:
  $ commerce orders get 1001
  $ commerce orders get 1001 --json | jq .payment`;

const TIMELINE_EXAMPLES = `
ORDER is an order number or an id.

Examples:
  $ commerce orders timeline 1001`;

/** `orders list|get|timeline|…`: shows and processes orders. */
export function addOrders(program: Command, terminal: Terminal): void {
  const orders = program.command('orders').description('The orders, from the payment to the delivery.');
  addCall(orders, terminal, {
    name: 'list',
    operation: 'dashboard.listOrders',
    flags: {
      q: { help: 'search order numbers, e-mails, names, SKUs and tracking numbers' },
      waiting_for: { help: 'only orders that wait to be paid in time, or to be shipped' },
    },
    description: 'List orders, newest first by default.',
    examples: LIST_EXAMPLES,
    text: (page, view) => pageText('orders', ORDER_COLUMNS, page.orders, page, view),
  });
  calls(orders.command('get <order>'), 'dashboard.getOrder')
    .description('Show one order with its payment, shipments and refunds.')
    .addHelpText('after', GET_EXAMPLES)
    .action((wanted: string, _options, command: Command) => getOrder(wanted, command, terminal));
  calls(orders.command('timeline <order>'), 'dashboard.getOrderTimeline')
    .description('Show the timeline of an order, newest first.')
    .addHelpText('after', TIMELINE_EXAMPLES)
    .action((wanted: string, _options, command: Command) => timeline(wanted, command, terminal));
  addOrderMoves(orders, terminal);
  addOrderEdit(orders, terminal);
  addLatePayments(orders, terminal);
  addOrderRecords(orders, terminal);
  addOrdersMatch(orders, terminal);
  addStatementRuns(orders, terminal);
  addOrdersShipMany(orders, terminal);
  addOrdersExport(orders, terminal);
  addOrdersImport(orders, terminal);
}

async function getOrder(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const order = await findOrder(client, wanted);
  show(terminal, isJson(command), order, (paint) => orderText(order, paint, terminal));
}

const TIMELINE_COLUMNS: Column<TimelineEntry>[] = [
  { title: 'WHEN', value: ({ created_at }) => moment(created_at) },
  { title: 'WHAT', value: ({ type }) => type },
  { title: 'BY', value: ({ actor_name, actor_type }) => actor_name ?? actor_type },
  { title: 'MESSAGE', value: ({ message }) => message, shrinks: true },
];

async function timeline(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const { id: order_id } = await findOrder(client, wanted);
  const entries: TimelineEntry[] = [];
  const params = { path: { order_id } };
  for await (const entry of paginate(client, '/api/dashboard/orders/{order_id}/timeline', { params })) {
    entries.push(entry);
  }
  show(terminal, isJson(command), { entries }, (paint) => table(TIMELINE_COLUMNS, entries, styleOf(terminal, paint)));
}
