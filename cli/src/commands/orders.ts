import { paginate, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { calls } from '../operations.ts';
import { type Column, moment, pageLine, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { customerIdOf } from './customer-id.ts';
import { addPageOptions, choice, isJson, type PageOptions, since, until, uuid } from './options.ts';
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

const STATUSES = ['pending', 'confirmed', 'processing', 'completed', 'cancelled'] as const;
const PAYMENT_STATUSES = [
  ...(['pending', 'awaiting_payment', 'authorized', 'paid', 'partially_refunded', 'refunded'] as const),
  ...(['failed', 'expired', 'voided'] as const),
];
const FULFILLMENT_STATUSES = ['unfulfilled', 'partially_fulfilled', 'fulfilled', 'delivered', 'returned'] as const;
const SOURCES = ['storefront', 'agent', 'ai_widget', 'dashboard', 'import'] as const;
const METHODS = ['bank_transfer', 'card', 'online', 'manual', 'free'] as const;
const WAITING_FOR = ['payment', 'shipping'] as const;
const SORTS = ['newest', 'oldest', 'recently_updated', 'total_desc', 'total_asc'] as const;

interface ListOptions extends PageOptions {
  q?: string;
  status?: (typeof STATUSES)[number];
  payment?: (typeof PAYMENT_STATUSES)[number];
  fulfillment?: (typeof FULFILLMENT_STATUSES)[number];
  source?: (typeof SOURCES)[number];
  method?: (typeof METHODS)[number];
  customer?: string;
  agent?: string;
  waitingFor?: (typeof WAITING_FOR)[number];
  from?: string;
  to?: string;
  sort?: (typeof SORTS)[number];
}

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

/** `orders list|get|timeline|…`: the orders, from the payment to the delivery. */
export function addOrders(program: Command, terminal: Terminal): void {
  const orders = program.command('orders').description('The orders, from the payment to the delivery.');
  const list = calls(orders.command('list'), 'dashboard.listOrders')
    .description('List orders, newest first unless --sort says otherwise.')
    .option('--q <text>', 'search order numbers, e-mails, names, SKUs and tracking numbers')
    .addOption(choice('--status <status>', 'only orders of this status', STATUSES))
    .addOption(choice('--payment <status>', 'only orders with this payment status', PAYMENT_STATUSES))
    .addOption(choice('--fulfillment <status>', 'only orders with this fulfillment status', FULFILLMENT_STATUSES))
    .addOption(choice('--source <source>', 'only orders from this source', SOURCES))
    .addOption(choice('--method <method>', 'only orders paid in this way', METHODS))
    .option('--customer <customer>', 'only orders of this customer, by e-mail or id')
    .option('--agent <id>', 'only orders that the agent with this token prepared', uuid)
    .addOption(
      choice('--waiting-for <step>', 'only orders that wait to be paid in time, or to be shipped', WAITING_FOR),
    )
    .option('--from <when>', 'only orders made then or later: a day, or a date and time', since)
    .option('--to <when>', 'only orders made until then: a day, inclusive, or a date and time', until)
    .addOption(choice('--sort <order>', 'the order', SORTS))
    .addHelpText('after', LIST_EXAMPLES);
  addPageOptions(list).action((options: ListOptions, command: Command) => listOrders(options, command, terminal));
  calls(orders.command('get <order>'), 'dashboard.getOrder')
    .description('Show one order with its payment, shipments and refunds.')
    .addHelpText('after', GET_EXAMPLES)
    .action((wanted: string, _options, command: Command) => getOrder(wanted, command, terminal));
  calls(orders.command('timeline <order>'), 'dashboard.getOrderTimeline')
    .description('Show everything that happened to an order, newest first.')
    .addHelpText('after', TIMELINE_EXAMPLES)
    .action((wanted: string, _options, command: Command) => timeline(wanted, command, terminal));
  addOrderMoves(orders, terminal);
  addLatePayments(orders, terminal);
  addOrderRecords(orders, terminal);
  addOrdersMatch(orders, terminal);
  addStatementRuns(orders, terminal);
  addOrdersShipMany(orders, terminal);
  addOrdersExport(orders, terminal);
  addOrdersImport(orders, terminal);
}

async function listOrders(options: ListOptions, command: Command, terminal: Terminal): Promise<void> {
  const { payment, fulfillment, method, customer, agent, waitingFor, from, to, ...rest } = options;
  const { client } = await openSession(command, terminal);
  const query = {
    ...rest,
    payment_status: payment,
    fulfillment_status: fulfillment,
    payment_method: method,
    customer_id: customer && (await customerIdOf(client, customer)),
    agent_token_id: agent,
    waiting_for: waitingFor,
    created_from: from,
    created_to: to,
  };
  const page = await unwrap(client.GET('/api/dashboard/orders', { params: { query } }));
  show(terminal, isJson(command), page, (paint) => {
    const summary = pageLine('orders', page);
    if (page.orders.length === 0) return summary;
    return `${table(ORDER_COLUMNS, page.orders, styleOf(terminal, paint))}\n\n${summary}`;
  });
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
