import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, type View } from '../call-command.ts';
import { plain } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { orderText } from './order-view.ts';

type TestOrder = Schemas['TestOrder'];

const EXAMPLES = `
Simulates buying the cheapest product by the test method, shows the order and its mails, and rolls everything back.

Examples:
  $ commerce setup test-order
  $ commerce setup test-order --json`;

/** `setup test-order`: simulates an order. */
export function addTestOrder(setup: Command, terminal: Terminal): void {
  addCall(setup, terminal, {
    name: 'test-order',
    operation: 'dashboard.placeTestOrder',
    description: 'Simulate an order and roll it back.',
    examples: EXAMPLES,
    text: inWords,
  });
}

function inWords({ order, mails }: TestOrder, { terminal, paint }: View): string {
  const letters = mails.map(({ to, subject, text }) =>
    [paint('bold', plain(`To ${to}: ${subject}`)), '', ...text.split('\n').map((line) => `  ${plain(line)}`)].join(
      '\n',
    ),
  );
  const end = 'This was a test. The order was rolled back: nothing was sent, and no stock has moved.';
  return [orderText(order, paint, terminal), ...letters, end].join('\n\n');
}
