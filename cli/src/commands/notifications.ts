import { type Schemas, unwrap } from '@commerce-backend/sdk';
import { Argument, type Command } from 'commander';
import { addCall } from '../call-command.ts';
import { calls } from '../operations.ts';
import { facts, type Paint, show } from '../output.ts';
import { requestFields } from '../request-fields.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';

type Notifications = Schemas['Notifications'];

/** The API field of each kind of mail, by its name on the command line. */
const MAILS = new Map(
  requestFields('dashboard.updateNotifications')
    .filter(({ name }) => name !== 'language')
    .map(({ name }) => [name.replaceAll('_', '-'), name]),
);

const EXAMPLES = `
They are your own mails from this shop; an API key has none.

Examples:
  $ commerce notifications
  $ commerce notifications list --json`;

const SET_EXAMPLES = `
Examples:
  $ commerce notifications set new-order off
  $ commerce notifications set low-stock on`;

/** `notifications`: selects which mails the logged-in person gets from the shop. */
export function addNotifications(program: Command, terminal: Terminal): void {
  const group = program.command('notifications').description('Show and choose the mails that you get from the shop.');
  addCall(group, terminal, {
    name: 'list',
    isDefault: true,
    operation: 'dashboard.getNotifications',
    description: 'Show the mails that you get from the shop.',
    examples: EXAMPLES,
    text: inWords,
  });
  calls(group.command('set'), 'dashboard.updateNotifications')
    .description('Turn one of them on or off.')
    .addArgument(new Argument('<mail>', 'the mail').choices([...MAILS.keys()]))
    .addArgument(new Argument('<state>', 'whether you get it').choices(['on', 'off']))
    .addHelpText('after', SET_EXAMPLES)
    .action((mail: string, state: string, _options, command: Command) => set(mail, state, command, terminal));
}

async function set(mail: string, state: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const body = { [MAILS.get(mail) ?? mail]: state === 'on' };
  const found = await unwrap(client.PATCH('/api/dashboard/me/notifications', { body }));
  show(terminal, isJson(command), found, (paint) => inWords(found, { paint }));
}

function inWords(found: Notifications, { paint }: { paint: Paint }): string {
  const states: Partial<Record<string, unknown>> = { ...found };
  return facts(Object.fromEntries([...MAILS].map(([name, field]) => [name, states[field] ? 'on' : 'off'])), paint);
}
