import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { calls, commandFor } from '../operations.ts';
import { type Paint, plain, show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';
import { addTestOrder } from './test-order.ts';

type Setup = Schemas['Setup'];

/** What a sentence about it is made of. */
interface Told {
  can_sell: boolean;
  items: { done: boolean }[];
}

const EXAMPLES = `
Steps marked ✗ have to be done before the shop can sell, those marked – should be done.

Examples:
  $ commerce setup
  $ commerce setup show --json`;

/** `setup`: what the shop needs before it can sell, and the command for each step. */
export function addSetup(program: Command, terminal: Terminal): void {
  const group = program.command('setup').description('Show what the shop needs before it can sell, and try an order.');
  calls(group.command('show', { isDefault: true }), 'dashboard.getSetup')
    .description('Show what the shop needs before it can sell.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => setup(program, command, terminal));
  addTestOrder(group, terminal);
}

async function setup(program: Command, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const found = await unwrap(client.GET('/api/dashboard/setup'));
  show(terminal, isJson(command), found, (paint) => {
    const steps = found.items.map((item) => inWords(program, item, paint));
    return [...steps, '', sentenceOf(found)].join('\n');
  });
}

function inWords(program: Command, { done, blocking, message, next }: Setup['items'][number], paint: Paint): string {
  const mark = done ? paint('green', '✓') : blocking ? paint('red', '✗') : paint('yellow', '–');
  const how = next && (commandFor(program, next.operation) ?? `api ${next.method} ${next.path}`);
  const fields = next && next.fields.length > 0 ? `   (${next.fields.join(', ')})` : '';
  return `${mark} ${plain(message)}${how ? `\n    commerce ${how} --help${plain(fields)}` : ''}`;
}

/** In one sentence, whether the shop can sell. */
export function sentenceOf({ can_sell, items }: Told): string {
  const open = items.filter(({ done }) => !done).length;
  if (!can_sell) return 'The shop cannot sell yet.';
  return open === 0 ? 'The shop can sell.' : `The shop can sell; ${open} ${open === 1 ? 'step is' : 'steps are'} open.`;
}
