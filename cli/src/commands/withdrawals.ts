import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, pageText } from '../call-command.ts';
import { type Column, facts, moment, type Paint, styleOf, table } from '../output.ts';
import type { Terminal } from '../terminal.ts';

type Withdrawal = Schemas['Withdrawal'];
type Line = Withdrawal['lines'][number];

const COLUMNS: Column<Withdrawal>[] = [
  { title: 'RECEIVED', value: ({ received_at }) => moment(received_at) },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'ORDER', value: ({ order_number, contract }) => order_number ?? contract, shrinks: true },
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
  { title: 'REFUND DUE', value: ({ refund_due_at }) => moment(refund_due_at), below: true },
  { title: 'ID', value: ({ id }) => id },
];

const LINE_COLUMNS: Column<Line>[] = [
  {
    title: 'ITEM',
    value: ({ name, variant_name }) => (variant_name ? `${name}, ${variant_name}` : name),
    shrinks: true,
  },
  { title: 'WITHHELD', value: ({ quantity }) => String(quantity), right: true },
  { title: 'EXEMPT', value: ({ exempt }) => (exempt === 'none' ? '' : exempt) },
  { title: 'CONFIRMED', value: ({ confirmed }) => String(confirmed), right: true },
];

const WITHDRAWAL = '0192f3a2-8888-7000-8000-000000000001';

const examplesOf = (...lines: string[]) => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;

/** `withdrawals list|show|link|confirm|close`: manages statements of withdrawal. */
export function addWithdrawals(program: Command, terminal: Terminal): void {
  const withdrawals = program
    .command('withdrawals')
    .description('Statements of consumers who withdraw from contracts.');
  addCall(withdrawals, terminal, {
    name: 'list',
    operation: 'dashboard.listWithdrawals',
    description: 'List withdrawals, newest first.',
    examples: examplesOf('commerce withdrawals list --open'),
    text: (page, view) => pageText('withdrawals', COLUMNS, page.withdrawals, page, view),
  });
  addCall(withdrawals, terminal, {
    name: 'show <withdrawal>',
    operation: 'dashboard.getWithdrawal',
    description: 'Show a withdrawal with its statement.',
    examples: examplesOf(`commerce withdrawals show ${WITHDRAWAL}`),
    text: withdrawalText,
  });
  addCall(withdrawals, terminal, {
    name: 'link <withdrawal> <order_number>',
    operation: 'dashboard.linkWithdrawal',
    description: 'Link a withdrawal without an order to the order that it means.',
    examples: examplesOf(`commerce withdrawals link ${WITHDRAWAL} 1001`),
    text: withdrawalText,
  });
  addCall(withdrawals, terminal, {
    name: 'confirm <withdrawal>',
    operation: 'dashboard.confirmWithdrawal',
    description: 'Remove the withheld items from the order and refund them.',
    examples: examplesOf(`commerce withdrawals confirm ${WITHDRAWAL}`),
    asks: () => 'Remove and refund the withheld items?',
    text: withdrawalText,
  });
  addCall(withdrawals, terminal, {
    name: 'close <withdrawal>',
    operation: 'dashboard.closeWithdrawal',
    description: 'Close a withdrawal without a refund; withheld items can ship again.',
    examples: examplesOf(`commerce withdrawals close ${WITHDRAWAL} --yes`),
    asks: () => 'Close the withdrawal without a refund?',
    text: withdrawalText,
  });
}

/** Formats a withdrawal with its statement. */
function withdrawalText(found: Withdrawal, { paint, terminal }: { paint: Paint; terminal: Terminal }): string {
  const known = facts(
    {
      Status: found.status,
      Received: moment(found.received_at),
      'Refund due': moment(found.refund_due_at),
      Late: found.late ? 'yes' : undefined,
      Name: found.name,
      'E-mail': found.email,
      Contract: found.contract,
      Items: found.items ?? 'the whole contract',
      Order: found.order_number ?? undefined,
      Return: found.return_number ?? undefined,
      Id: found.id,
    },
    paint,
  );
  return found.lines.length === 0 ? known : `${known}\n\n${table(LINE_COLUMNS, found.lines, styleOf(terminal, paint))}`;
}
