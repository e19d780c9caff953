import { type DashboardClient, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { FormatError } from '../formats/reading.ts';
import { readStatement } from '../formats/statement.ts';
import type { Transfer } from '../formats/transfer.ts';
import { calls } from '../operations.ts';
import { type Column, show, styleOf, table } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';
import type { Order } from './order-view.ts';

const EXAMPLES = `
FILE is a statement of your bank, in CAMT.053 (XML) or CSV with a header. A transfer belongs to an order that awaits it
if its text names the order number and its amount is the order's total. All other transfers are listed and left to you. The
command shows what it found and asks before it marks orders as paid; programs agree with --yes.

Examples:
  $ commerce orders match statement.xml --dry-run
  $ commerce orders match statement.csv --yes --json | jq .counts`;

interface MatchOptions {
  dryRun?: true;
  yes?: true;
}

export function addOrdersMatch(orders: Command, terminal: Terminal): void {
  calls(orders.command('match <file>'), 'dashboard.markOrdersPaid')
    .description('Mark the orders as paid whose bank transfers are in a bank statement.')
    .option('--dry-run', 'only show what would be marked')
    .option('-y, --yes', 'do it without asking')
    .addHelpText('after', EXAMPLES)
    .action((file: string, options: MatchOptions, command: Command) => match(file, options, command, terminal));
}

async function match(file: string, { dryRun, yes }: MatchOptions, command: Command, terminal: Terminal): Promise<void> {
  const transfers = await readStatement(file).catch((error: unknown) => {
    if (error instanceof FormatError) throw usageError(error.message);
    throw error;
  });
  const { client } = await openSession(command, terminal);
  const found = matchTransfers(transfers, await awaitingOrders(client));
  const matched = found.filter(({ outcome }) => outcome === 'matched');
  const json = isJson(command);
  if (dryRun || matched.length === 0) {
    show(terminal, json, { dry_run: true, ...summaryOf(found) }, (paint) => preview(found, styleOf(terminal, paint)));
    return;
  }
  if (!json) terminal.stderr.write(`${preview(found, { paint: (_colour, text) => text, width: undefined })}\n\n`);
  if (!yes) await confirm(terminal, `Mark ${counted(matched.length, 'order')} as paid?`);
  const marked = await markAll(client, matched);
  show(terminal, json, { dry_run: false, ...summaryOf(marked) }, (paint) => result(marked, styleOf(terminal, paint)));
}

/** Why a transfer was matched with an order, or was not. */
type Outcome =
  | 'matched'
  | 'paid'
  | 'already_paid'
  | 'amount_differs'
  | 'several_orders'
  | 'matched_before'
  | 'no_order'
  | 'refused';

interface Found {
  transfer: Transfer;
  outcome: Outcome;
  /** The orders that the transfer names. */
  orders: Order[];
  /** What the server said of an order that it refused. */
  message?: string;
}

const MOST_ROWS = 100;

async function awaitingOrders(client: DashboardClient): Promise<Order[]> {
  const all: Order[] = [];
  for (let page = 1; ; page += 1) {
    const query = { payment_status: 'awaiting_payment', sort: 'oldest', limit: 100, page } as const;
    const { orders, pages } = await unwrap(client.GET('/api/dashboard/orders', { params: { query } }));
    all.push(...orders.filter(({ payment_method }) => payment_method === 'bank_transfer'));
    if (page >= pages) return all;
  }
}

/** By number and amount; an order is matched once. */
export function matchTransfers(transfers: Transfer[], orders: Order[]): Found[] {
  const byNumber = new Map(orders.map((order) => [order.order_number, order]));
  const taken = new Set<string>();
  return transfers.map((transfer) => {
    const named = namedIn(transfer.text, byNumber);
    const fitting = named.filter((order) => fits(transfer, order));
    const [only] = fitting;
    if (!only) return { transfer, orders: named, outcome: named.length > 0 ? 'amount_differs' : 'no_order' };
    if (fitting.length > 1) return { transfer, orders: fitting, outcome: 'several_orders' };
    if (taken.has(only.id)) return { transfer, orders: [only], outcome: 'matched_before' };
    taken.add(only.id);
    return { transfer, orders: [only], outcome: 'matched' };
  });
}

/** The orders whose numbers occur in a text by themselves, or after letters as in RE1001, but not within longer numbers. */
function namedIn(text: string, byNumber: Map<string, Order>): Order[] {
  const words = new Set([...(text.match(/\d+/g) ?? []), ...text.split(/[^\p{L}\p{N}_-]+/u)]);
  return [...words].flatMap((word) => byNumber.get(word) ?? []);
}

function fits({ amount, currency }: Transfer, order: Order): boolean {
  return Number(amount) === Number(order.total) && (currency ?? order.currency) === order.currency;
}

const BY_STATUS: Partial<Record<string, Outcome>> = { paid: 'paid', unchanged: 'already_paid' };

async function markAll(client: DashboardClient, matched: Found[]): Promise<Found[]> {
  const marked: Found[] = [];
  for (let from = 0; from < matched.length; from += MOST_ROWS) {
    const rows = matched.slice(from, from + MOST_ROWS);
    const orders = rows.map(({ orders: [order] }) => ({
      order_number: order?.order_number ?? '',
      amount: order?.total ?? '',
    }));
    const { results } = await unwrap(client.POST('/api/dashboard/orders/mark-paid', { body: { orders } }));
    for (const { index, status, message } of results) {
      const row = rows[index];
      const outcome = BY_STATUS[status] ?? 'refused';
      if (row) marked.push({ ...row, outcome, ...(message !== null && { message }) });
    }
  }
  return marked;
}

function summaryOf(found: Found[]) {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const { outcome } of found) counts[outcome] = (counts[outcome] ?? 0) + 1;
  const transfers = found.map(({ transfer, outcome, orders, message }) => {
    const order_numbers = orders.map(({ order_number }) => order_number);
    return { ...transfer, outcome, order_numbers, ...(message && { message }) };
  });
  return { counts, transfers };
}

const WORDS: Record<Outcome, string> = {
  matched: 'fits',
  paid: 'paid',
  already_paid: 'was paid already',
  amount_differs: 'another amount',
  several_orders: 'fits several orders',
  matched_before: 'a second transfer for it',
  no_order: 'no order awaits it',
  refused: 'refused',
};

const COLUMNS: Column<Found>[] = [
  { title: 'LINE', value: ({ transfer }) => transfer.line, right: true },
  { title: 'AMOUNT', value: ({ transfer }) => `${transfer.amount} ${transfer.currency ?? ''}`.trim(), right: true },
  { title: 'PAYER', value: ({ transfer }) => transfer.payer, shrinks: true },
  { title: 'TEXT', value: ({ transfer }) => transfer.text, shrinks: true },
  { title: 'ORDER', value: ({ orders }) => orders.map(({ order_number }) => order_number).join(', ') || null },
  { title: 'TOTAL', value: ({ orders: [order] }) => (order ? `${order.total} ${order.currency}` : null), right: true },
  {
    title: 'RESULT',
    value: ({ outcome, message }) => message ?? WORDS[outcome],
    colour: ({ outcome }) => (outcome === 'matched' || outcome === 'paid' ? 'green' : 'yellow'),
  },
];

function preview(found: Found[], style: Parameters<typeof table>[2]): string {
  const fitting = found.filter(({ outcome }) => outcome === 'matched').length;
  const summary = `${counted(found.length, 'incoming transfer')}; ${fitting} of them ${fitting === 1 ? 'fits' : 'fit'} an order.`;
  return found.length === 0 ? summary : `${table(COLUMNS, found, style)}\n\n${summary}`;
}

function result(marked: Found[], style: Parameters<typeof table>[2]): string {
  const paid = marked.filter(({ outcome }) => outcome === 'paid').length;
  const others = marked.filter(({ outcome }) => outcome !== 'paid');
  const summary = `${counted(paid, 'order')} marked as paid.`;
  return others.length === 0 ? summary : `${table(COLUMNS, others, style)}\n\n${summary}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
