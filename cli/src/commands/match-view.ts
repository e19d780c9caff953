/** Output of `orders match`: the transfers of a bank statement. */

import type { Schemas } from '@commerce-backend/sdk';
import { type Column, counted, type styleOf, table } from '../output.ts';

export type Transfer = Schemas['TransferMatches']['transfers'][number];

/** A transfer with its number in the list, which `--assign` uses, and its current result. */
export interface Found extends Omit<Transfer, 'outcome'> {
  number: number;
  outcome: string;
}

type Style = ReturnType<typeof styleOf>;

const WORDS: Partial<Record<string, string>> = {
  matched: 'fits',
  assigned: 'assigned by you',
  assigned_late: 'assigned by you; late',
  paid: 'paid',
  recorded: 'recorded as late payment',
  recorded_part: 'recorded',
  already_paid: 'was paid already',
};
const GOOD = new Set(['matched', 'assigned', 'assigned_late', 'paid', 'recorded', 'recorded_part']);

const COLUMNS: Column<Found>[] = [
  { title: '#', value: ({ number }) => number, right: true },
  { title: 'LINE', value: ({ line }) => line, right: true },
  { title: 'AMOUNT', value: ({ amount, currency }) => `${amount} ${currency ?? ''}`.trim(), right: true },
  { title: 'PAYER', value: ({ payer }) => payer, shrinks: true },
  { title: 'TEXT', value: ({ text }) => text, shrinks: true },
  { title: 'ORDER', value: ({ orders }) => orders.map(({ order_number }) => order_number).join(', ') || null },
  { title: 'TOTAL', value: ({ orders: [order] }) => (order ? `${order.total} ${order.currency}` : null), right: true },
  {
    title: 'RESULT',
    value: ({ outcome, message }) => resultOf(outcome, message),
    colour: ({ outcome }) => (GOOD.has(outcome) ? 'green' : 'yellow'),
  },
];

function resultOf(outcome: string, message: string | null): string {
  if (outcome === 'check_by_hand') return `check by hand: ${message}`;
  if (outcome === 'late') return `late: ${message}`;
  return message ?? WORDS[outcome] ?? outcome.replaceAll('_', ' ');
}

export function preview(
  found: Found[],
  { outgoing, not_booked }: Schemas['TransferMatches']['left_out'],
  style: Style,
): string {
  const count = (outcome: string) => found.filter((transfer) => transfer.outcome === outcome).length;
  const [fitting, assigned, check] = [
    count('matched'),
    count('assigned') + count('assigned_late'),
    count('check_by_hand'),
  ];
  const sentences = [
    `${counted(found.length, 'incoming transfer')}; ${fitting} of them ${fitting === 1 ? 'fits' : 'fit'} an order.`,
    assigned > 0 ? `You assigned ${assigned}.` : '',
    check > 0 ? `${check} must be checked by hand.` : '',
    outgoing + not_booked > 0 ? `Not listed: ${outgoing} outgoing and ${not_booked} not booked.` : '',
  ];
  const summary = sentences.filter(Boolean).join(' ');
  return found.length === 0 ? summary : `${table(COLUMNS, found, style)}\n\n${summary}`;
}

/** Formats the result of a run: a table of all transfers with their results, then a summary with the next commands. */
export function result(marked: Found[], run_id: string, style: Style): string {
  const paid = marked.filter(({ outcome }) => outcome === 'paid');
  const recorded = marked.filter(({ outcome }) => outcome === 'recorded');
  const parts = marked.filter(({ outcome }) => outcome === 'recorded_part');
  const summary = [`${counted(paid.length, 'order')} marked as paid.`];
  if (parts.length > 0) summary.push(`${counted(parts.length, 'payment')} recorded for orders with an amount due.`);
  if (recorded.length > 0) {
    const [first] = recorded.flatMap(({ orders }) => orders);
    summary.push(
      `${counted(recorded.length, 'late payment')} recorded. Next: commerce orders reinstate ${first?.order_number}, or refund it.`,
    );
  }
  if (paid.length > 0) summary.push(`To undo all of them: commerce orders undo-statement ${run_id}`);
  return marked.length === 0 ? summary.join('\n') : `${table(COLUMNS, marked, style)}\n\n${summary.join('\n')}`;
}
