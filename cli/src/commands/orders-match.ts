import { randomUUID } from 'node:crypto';
import { type DashboardClient, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { decimalsOf, readAmount } from '../formats/amounts.ts';
import { readText } from '../formats/text-file.ts';
import { calls } from '../operations.ts';
import { asCalled, counted, show, styleOf } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { type Found, preview, result } from './match-view.ts';
import { addEncoding, addYes, type EncodingOption, isJson, repeated, type YesOption } from './options.ts';
import { findOrder } from './order-view.ts';

const EXAMPLES = `
FILE is a statement of your bank, in CAMT.053 (XML) or CSV with a header. A transfer belongs to an order that awaits it
if its text names the order number and its amount is the order's total, what an edit left to pay, or at most what is due for
an order on payment terms. All other transfers are listed with the reason; assign those that you have checked with --assign
and the number in the first column. What arrives above the amount due can be refunded. For an order that has expired, the
money is then recorded as a late payment. The command shows the transfers and asks before it changes orders; programs
agree with --yes.

Examples:
  $ commerce orders match statement.xml --dry-run
  $ commerce orders match statement.csv --assign 3=1001 --assign 7=1004
  $ commerce orders match statement.csv --yes --json | jq .counts`;

interface MatchOptions extends YesOption, EncodingOption {
  assign?: string[];
  dryRun?: true;
}

export function addOrdersMatch(orders: Command, terminal: Terminal): void {
  const operations = ['dashboard.matchTransfers', 'dashboard.markOrdersPaid', 'dashboard.recordOrderPayment'] as const;
  addEncoding(addYes(calls(orders.command('match <file>'), ...operations)))
    .description('Mark the orders as paid whose bank transfers are in a bank statement.')
    .option('--assign <number=order>', 'assign a listed transfer to an order; may be repeated', repeated)
    .option('--dry-run', 'only show which orders would be marked')
    .addHelpText('after', EXAMPLES)
    .action((file: string, options: MatchOptions, command: Command) => match(file, options, command, terminal));
}

const LONGEST = 900_000;

async function match(
  file: string,
  { assign = [], dryRun, encoding, yes }: MatchOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const statement = await readText(file, encoding);
  if (statement.length > LONGEST) {
    throw usageError(`${file} has more than ${LONGEST} characters.`, 'Export fewer days at a time.');
  }
  const { client } = await openSession(command, terminal);
  const body = { statement };
  const { transfers, left_out } = await unwrap(client.POST('/api/dashboard/orders/match-transfers', { body }));
  const found = transfers.map((transfer, i): Found => ({ ...transfer, number: i + 1 }));
  await assignAll(client, found, assign);
  const toMark = found.filter(({ outcome }) => outcome === 'matched' || outcome === 'assigned');
  const late = found.filter(({ outcome }) => outcome === 'assigned_late');
  const json = isJson(command);
  if (dryRun || toMark.length + late.length === 0) {
    show(terminal, json, { dry_run: true, left_out, ...summaryOf(found) }, (paint) =>
      preview(found, left_out, styleOf(terminal, paint)),
    );
    return;
  }
  const plainStyle = { paint: (_colour: unknown, text: string) => text, width: undefined };
  if (!json) terminal.stderr.write(`${preview(found, left_out, plainStyle)}\n\n`);
  if (!yes) await confirm(terminal, questionOf(toMark, late));
  const statement_run_id = randomUUID();
  const marked = [...(await markAll(client, toMark, statement_run_id)), ...(await recordAll(client, late))];
  show(terminal, json, { dry_run: false, statement_run_id, ...summaryOf(marked) }, (paint) =>
    asCalled(result(marked, statement_run_id, styleOf(terminal, paint)), terminal),
  );
}

/** Assigns transfers of the list to the orders named on the command line. */
async function assignAll(client: DashboardClient, found: Found[], assignments: string[]): Promise<void> {
  const taken = new Set(
    found.flatMap(({ outcome, orders: [order] }) => (outcome === 'matched' && order ? [order.id] : [])),
  );
  for (const assignment of assignments) {
    const [, number, wanted = ''] = /^(\d+)=(.+)$/.exec(assignment) ?? [];
    const transfer = found[Number(number) - 1];
    if (!transfer) {
      throw usageError(
        `--assign ${assignment} names no transfer.`,
        'Give the number of the first column, as in --assign 3=1001.',
      );
    }
    if (['matched', 'assigned', 'assigned_late'].includes(transfer.outcome)) {
      throw usageError(`Transfer ${number} belongs to an order already.`);
    }
    const order = await findOrder(client, wanted);
    if (taken.has(order.id)) throw usageError(`Order ${order.order_number} has another transfer of this statement.`);
    taken.add(order.id);
    const { id, order_number, total, currency, payment_status, email } = order;
    const isLate = payment_status === 'expired';
    refuseOtherCurrency(transfer, order);
    if (isLate) refuseUnread(transfer, order);
    if (isLate && transfer.outcome === 'already_paid') {
      throw usageError(`Money is already recorded for order ${order.order_number}.`, RECORD_MORE(order.order_number));
    }
    const message =
      Number(total) === Number(transfer.amount) ? null : `assigned by you; the total is ${total} ${currency}`;
    Object.assign(transfer, {
      outcome: isLate ? 'assigned_late' : 'assigned',
      message,
      orders: [{ id, order_number, total, currency, payment_status, email }],
    });
  }
}

/**
 * Throws if the server could not parse the transfer's amount, which is then the bank's text: `1.500` must not be
 * recorded as 1.50.
 */
function refuseUnread({ number, amount }: Found, order: { order_number: string; currency: string }): void {
  if (readAmount(amount, { sign: '.', decimals: decimalsOf(order.currency) }).amount !== undefined) return;
  throw usageError(
    `The amount of transfer ${number} cannot be read: ${amount}.`,
    `Record it with commerce orders record-payment ${order.order_number} --amount and the amount that arrived.`,
  );
}

const RECORD_MORE = (order_number: string) =>
  `If this is another payment, record it with commerce orders record-payment ${order_number}.`;

/**
 * Throws for a transfer in another currency, because its amount would be recorded as the same number in the order's
 * currency.
 */
function refuseOtherCurrency({ number, currency }: Found, order: { order_number: string; currency: string }): void {
  if (!currency || currency === order.currency) return;
  throw usageError(
    `Transfer ${number} is in ${currency}, and order ${order.order_number} in ${order.currency}.`,
    `Record the amount that arrived in ${order.currency} with commerce orders record-payment or mark-paid.`,
  );
}

function questionOf(toMark: Found[], late: Found[]): string {
  if (late.length === 0) return `Mark ${counted(toMark.length, 'order')} as paid?`;
  const record = `ecord ${counted(late.length, 'late payment')}`;
  return toMark.length === 0 ? `R${record}?` : `Mark ${counted(toMark.length, 'order')} as paid and r${record}?`;
}

const MOST_ROWS = 100;
const BY_STATUS: Partial<Record<string, string>> = {
  paid: 'paid',
  recorded: 'recorded_part',
  unchanged: 'already_paid',
};

/**
 * Marks orders as paid. For automatic matches, the server compares amount and total again. For assigned transfers, the
 * user has checked the amount.
 */
async function markAll(client: DashboardClient, toMark: Found[], statement_run_id: string): Promise<Found[]> {
  const marked: Found[] = [];
  for (let from = 0; from < toMark.length; from += MOST_ROWS) {
    const rows = toMark.slice(from, from + MOST_ROWS);
    const orders = rows.flatMap((row) => rowOf(row) ?? []);
    const body = { orders, statement_run_id };
    const { results } = await unwrap(client.POST('/api/dashboard/orders/mark-paid', { body }));
    for (const { index, status, message } of results) {
      const row = rows[index];
      if (row) marked.push({ ...row, outcome: BY_STATUS[status] ?? 'refused', message });
    }
  }
  return marked;
}

interface MarkRow {
  order_number: string;
  entry: string;
  amount?: string;
  received?: string;
}

/** Returns the order to mark as paid. The amount of an assigned transfer is sent only if the server could read it. */
function rowOf({ outcome, amount, currency, entry, orders: [order] }: Found): MarkRow | undefined {
  if (!order) return undefined;
  const { order_number } = order;
  if (outcome === 'matched') return { order_number, entry, amount };
  const read = readAmount(amount, { sign: '.', decimals: decimalsOf(currency ?? order.currency) });
  return { order_number, entry, ...(read.amount !== undefined && { received: amount }) };
}

/** Records payments for expired orders, which stay expired. The user then refunds the money or reinstates the order. */
async function recordAll(client: DashboardClient, late: Found[]): Promise<Found[]> {
  const recorded: Found[] = [];
  for (const transfer of late) {
    const [order] = transfer.orders;
    if (!order) continue;
    const params = { path: { order_id: order.id } };
    const body = { amount: transfer.amount, reference: transfer.text.slice(0, LONGEST_REFERENCE) || null };
    await unwrap(client.POST('/api/dashboard/orders/{order_id}/payments', { params, body }));
    recorded.push({ ...transfer, outcome: 'recorded', message: null });
  }
  return recorded;
}

const LONGEST_REFERENCE = 255;

function summaryOf(found: Found[]) {
  const counts: Record<string, number> = {};
  for (const { outcome } of found) counts[outcome] = (counts[outcome] ?? 0) + 1;
  const transfers = found.map(({ orders, message, ...transfer }) => {
    const order_numbers = orders.map(({ order_number }) => order_number);
    return { ...transfer, order_numbers, ...(message && { message }) };
  });
  return { counts, transfers };
}
