import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { readText } from '../formats/text-file.ts';
import { calls } from '../operations.ts';
import { type Column, counted, show, styleOf, table } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addYes, isJson, type YesOption } from './options.ts';

const EXAMPLES = `
FILE is a statement of your bank, in CAMT.053 (XML) or CSV with a header. A transfer belongs to an order that awaits it
if its text names the order number and its amount is the order's total. All other transfers are listed and left to you. The
command shows what it found and asks before it marks orders as paid; programs agree with --yes.

Examples:
  $ commerce orders match statement.xml --dry-run
  $ commerce orders match statement.csv --yes --json | jq .counts`;

interface MatchOptions extends YesOption {
  dryRun?: true;
}

export function addOrdersMatch(orders: Command, terminal: Terminal): void {
  addYes(calls(orders.command('match <file>'), 'dashboard.matchTransfers', 'dashboard.markOrdersPaid'))
    .description('Mark the orders as paid whose bank transfers are in a bank statement.')
    .option('--dry-run', 'only show what would be marked')
    .addHelpText('after', EXAMPLES)
    .action((file: string, options: MatchOptions, command: Command) => match(file, options, command, terminal));
}

type Transfer = Schemas['TransferMatches']['transfers'][number];
/** What became of a transfer: why it was matched or was not, and then whether its order was marked. */
type Found = Omit<Transfer, 'outcome'> & { outcome: string };

const LONGEST = 900_000;

async function match(file: string, { dryRun, yes }: MatchOptions, command: Command, terminal: Terminal): Promise<void> {
  const statement = await readText(file);
  if (statement.length > LONGEST) {
    throw usageError(`${file} has more than ${LONGEST} characters.`, 'Export fewer days at a time.');
  }
  const { client } = await openSession(command, terminal);
  const body = { statement };
  const { transfers } = await unwrap(client.POST('/api/dashboard/orders/match-transfers', { body }));
  const matched = transfers.filter(({ outcome }) => outcome === 'matched');
  const json = isJson(command);
  if (dryRun || matched.length === 0) {
    show(terminal, json, { dry_run: true, ...summaryOf(transfers) }, (paint) =>
      preview(transfers, styleOf(terminal, paint)),
    );
    return;
  }
  if (!json) terminal.stderr.write(`${preview(transfers, { paint: (_colour, text) => text, width: undefined })}\n\n`);
  if (!yes) await confirm(terminal, `Mark ${counted(matched.length, 'order')} as paid?`);
  const marked = await markAll(client, matched);
  show(terminal, json, { dry_run: false, ...summaryOf(marked) }, (paint) => result(marked, styleOf(terminal, paint)));
}

const MOST_ROWS = 100;
const BY_STATUS: Partial<Record<string, string>> = { paid: 'paid', unchanged: 'already_paid' };

/** With the amounts that arrived: the server compares them once more with what the orders are then. */
async function markAll(client: DashboardClient, matched: Transfer[]): Promise<Found[]> {
  const marked: Found[] = [];
  for (let from = 0; from < matched.length; from += MOST_ROWS) {
    const rows = matched.slice(from, from + MOST_ROWS);
    const orders = rows.flatMap(({ orders: [order] }) =>
      order ? [{ order_number: order.order_number, amount: order.total }] : [],
    );
    const { results } = await unwrap(client.POST('/api/dashboard/orders/mark-paid', { body: { orders } }));
    for (const { index, status, message } of results) {
      const row = rows[index];
      if (row) marked.push({ ...row, outcome: BY_STATUS[status] ?? 'refused', message });
    }
  }
  return marked;
}

function summaryOf(found: Found[]) {
  const counts: Record<string, number> = {};
  for (const { outcome } of found) counts[outcome] = (counts[outcome] ?? 0) + 1;
  const transfers = found.map(({ orders, message, ...transfer }) => {
    const order_numbers = orders.map(({ order_number }) => order_number);
    return { ...transfer, order_numbers, ...(message && { message }) };
  });
  return { counts, transfers };
}

const WORDS: Partial<Record<string, string>> = { matched: 'fits', paid: 'paid', already_paid: 'was paid already' };

const COLUMNS: Column<Found>[] = [
  { title: 'LINE', value: ({ line }) => line, right: true },
  { title: 'AMOUNT', value: ({ amount, currency }) => `${amount} ${currency ?? ''}`.trim(), right: true },
  { title: 'PAYER', value: ({ payer }) => payer, shrinks: true },
  { title: 'TEXT', value: ({ text }) => text, shrinks: true },
  { title: 'ORDER', value: ({ orders }) => orders.map(({ order_number }) => order_number).join(', ') || null },
  { title: 'TOTAL', value: ({ orders: [order] }) => (order ? `${order.total} ${order.currency}` : null), right: true },
  {
    title: 'RESULT',
    value: ({ outcome, message }) => message ?? WORDS[outcome] ?? outcome.replaceAll('_', ' '),
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
