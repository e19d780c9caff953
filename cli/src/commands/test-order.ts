import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { calls } from '../operations.ts';
import { type Paint, plain, show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';
import { orderText } from './order-view.ts';

type TestOrder = Schemas['TestOrder'];

const EXAMPLES = `
Buys the cheapest product by the test method, shows the order and its mails, and leaves nothing: no stock, no number, no mail.

Examples:
  $ commerce setup test-order
  $ commerce setup test-order --json`;

/** `setup test-order`: what an order would be like. */
export function addTestOrder(setup: Command, terminal: Terminal): void {
  calls(setup.command('test-order'), 'dashboard.placeTestOrder')
    .description('Try an order, which is undone at once.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => testOrder(command, terminal));
}

async function testOrder(command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const found = await unwrap(client.POST('/api/dashboard/setup/test-order'));
  show(terminal, isJson(command), found, (paint) => inWords(found, terminal, paint));
}

function inWords({ order, mails }: TestOrder, terminal: Terminal, paint: Paint): string {
  const letters = mails.map(({ to, subject, text }) =>
    [paint('bold', plain(`To ${to}: ${subject}`)), '', ...text.split('\n').map((line) => `  ${plain(line)}`)].join(
      '\n',
    ),
  );
  const end = 'This was a test. The order is gone, nothing was sent, and no stock has moved.';
  return [orderText(order, paint, terminal), ...letters, end].join('\n\n');
}
