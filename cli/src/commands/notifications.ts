import { type Schemas, unwrap } from '@commerce-backend/sdk';
import { Argument, type Command } from 'commander';
import { calls } from '../operations.ts';
import { facts, show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';

type Notifications = Schemas['Notifications'];
type Mail = keyof Notifications;

const MAILS: Record<string, Mail> = {
  'new-order': 'new_order',
  'low-stock': 'low_stock',
  'webhook-disabled': 'webhook_disabled',
};

const EXAMPLES = `
They are your own, in this shop: an API key has none.

Examples:
  $ commerce notifications
  $ commerce notifications list --json`;

const SET_EXAMPLES = `
Examples:
  $ commerce notifications set new-order off
  $ commerce notifications set low-stock on`;

/** `notifications`: which mails of the shop I get. */
export function addNotifications(program: Command, terminal: Terminal): void {
  const group = program.command('notifications').description('Show and choose which mails of the shop you get.');
  calls(group.command('list', { isDefault: true }), 'dashboard.getNotifications')
    .description('Show which mails of the shop you get.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => list(command, terminal));
  calls(group.command('set'), 'dashboard.updateNotifications')
    .description('Switch one of them on or off.')
    .addArgument(new Argument('<mail>', 'the mail').choices(Object.keys(MAILS)))
    .addArgument(new Argument('<state>', 'whether you get it').choices(['on', 'off']))
    .addHelpText('after', SET_EXAMPLES)
    .action((mail: string, state: string, _options, command: Command) => set(mail, state, command, terminal));
}

async function list(command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  tell(await unwrap(client.GET('/api/dashboard/me/notifications')), command, terminal);
}

async function set(mail: string, state: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const field = MAILS[mail] ?? 'new_order';
  const body = { [field]: state === 'on' };
  tell(await unwrap(client.PATCH('/api/dashboard/me/notifications', { body })), command, terminal);
}

function tell(found: Notifications, command: Command, terminal: Terminal): void {
  show(terminal, isJson(command), found, (paint) => {
    const states = Object.entries(MAILS).map(([name, field]) => [name, found[field] ? 'on' : 'off']);
    return facts(Object.fromEntries(states), paint);
  });
}
