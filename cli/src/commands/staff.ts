import { isError, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, listText, rowsText } from '../call-command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { addFlags } from '../flags.ts';
import { calls } from '../operations.ts';
import { type Column, moment, show } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addYes, isJson, type YesOption } from './options.ts';
import { addStaffAccept } from './staff-accept.ts';
import { isNamed, memberNamed, notFound } from './staff-id.ts';

type Member = Schemas['StaffMember'];
type Invitation = Schemas['StaffInvitation'];

const EXAMPLES = `
MEMBER is an e-mail or an id. An owner may do everything, a manager all but the payment account; fulfilment sees products and
works with stock and orders, support with orders, refunds and customers, and a viewer reads. Only an owner can make owners.

Examples:
  $ commerce staff list
  $ commerce staff invite noor@shop.example --role support
  $ commerce staff role noor@shop.example manager
  $ commerce staff remove noor@shop.example     asks first; the next call of the member is refused
  $ commerce staff invitations
  $ commerce staff withdraw noor@shop.example   the link in the mail stops working
  $ commerce staff accept                       asks for the link in the mail`;

/** `staff list|invite|role|remove|invitations|withdraw|accept`: manages the shop's staff. */
export function addStaff(program: Command, terminal: Terminal): void {
  const examples = EXAMPLES;
  const staff = program
    .command('staff')
    .description('The people who work for the shop, with their roles.')
    .addHelpText('after', examples);
  addCall(staff, terminal, {
    name: 'list',
    operation: 'dashboard.listStaff',
    description: 'List the people who work for the shop.',
    examples,
    text: (list, view) => rowsText(COLUMNS, list.staff, view),
  });
  addCall(staff, terminal, {
    name: 'invite <email>',
    operation: 'dashboard.createStaffInvitation',
    flags: { role: { help: 'the role (required)' } },
    description: 'Invite somebody with a link that works once, for 7 days. Repeat it for a new link.',
    examples,
    text: ({ email, role, expires_at }) => `Invited ${email} as ${role}; the link works until ${moment(expires_at)}.`,
  });
  addCall(staff, terminal, {
    name: 'role <member> <role>',
    operation: 'dashboard.updateStaffMember',
    description: 'Change the role of a member, from their next call on.',
    examples,
    text: ({ name, role }) => `${name} is ${role} from the next call on.`,
  });
  addYes(addFlags(staff.command('remove <member>'), 'dashboard.removeStaffMember'))
    .description('Remove a member from the staff.')
    .addHelpText('after', examples)
    .action((who: string, options: RemoveOptions, command: Command) => remove(who, options, command, terminal));
  addCall(staff, terminal, {
    name: 'invitations',
    operation: 'dashboard.listStaffInvitations',
    description: 'List the invitations that nobody has accepted yet.',
    examples,
    text: ({ invitations }, view) =>
      listText('No open invitations. Send one: commerce staff invite EMAIL --role ROLE', INVITED, invitations, view),
  });
  addYes(calls(staff.command('withdraw <invitation>'), 'dashboard.deleteStaffInvitation'))
    .description('End an invitation, named by its e-mail or id.')
    .addHelpText('after', examples)
    .action((which: string, options: YesOption, command: Command) => withdraw(which, options, command, terminal));
  addStaffAccept(staff, terminal);
}

interface RemoveOptions extends YesOption {
  keys?: 'ask' | 'keep' | 'revoke';
}

const COLUMNS: Column<Member>[] = [
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
  { title: 'E-MAIL', value: ({ email }) => email, shrinks: true },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'SINCE', value: ({ joined_at }) => moment(joined_at, 'the beginning') },
  { title: 'ID', value: ({ id }) => id, below: true },
];

const INVITED: Column<Invitation>[] = [
  { title: 'E-MAIL', value: ({ email }) => email, shrinks: true },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'UNTIL', value: ({ expires_at }) => moment(expires_at) },
  { title: 'BY', value: ({ invited_by }) => invited_by?.name ?? '–', shrinks: true },
  { title: 'ID', value: ({ id }) => id, below: true },
];

async function remove(who: string, { yes, keys }: RemoveOptions, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const { id, name, email } = await memberNamed(client, who);
  if (!yes) await confirm(terminal, `Remove ${name} <${email}> from the staff of this shop?`);
  const params = { path: { staff_id: id }, ...(keys && { query: { keys } }) };
  await unwrap(client.DELETE('/api/dashboard/staff/{staff_id}', { params })).catch((error: unknown) => {
    throw isError(error, 'member_has_keys') ? keysLeft(name, error.body.keys) : error;
  });
  show(terminal, isJson(command), { id, removed: true }, () => `${name} no longer works here.`);
}

/** Returns the error that lists the active keys of a staff member. A removal must keep or revoke them. */
function keysLeft(name: string, keys: Schemas['KeyOfMember'][]): CommandError {
  const list = keys.map(({ description, kind, id }) => `${description} (${kind}, ${id})`).join('; ');
  const message = `${name} created keys that still work: ${list}.`;
  return new CommandError(EXIT.refused, 'member_has_keys', message, 'Add --keys revoke, or --keys keep.');
}

async function withdraw(which: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const { invitations } = await unwrap(client.GET('/api/dashboard/staff/invitations'));
  const found = invitations.find(({ id, email }) => isNamed(which, id, email));
  if (!found) throw notFound(`There is no invitation to "${which}".`, 'List them: commerce staff invitations');
  if (!yes) await confirm(terminal, `Withdraw the invitation to ${found.email}?`);
  const params = { path: { invitation_id: found.id } };
  await unwrap(client.DELETE('/api/dashboard/staff/invitations/{invitation_id}', { params }));
  show(
    terminal,
    isJson(command),
    { id: found.id, withdrawn: true },
    () => `The invitation to ${found.email} is withdrawn.`,
  );
}
