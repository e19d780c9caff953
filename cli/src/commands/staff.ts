import { type DashboardClient, isError, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { CommandError, EXIT } from '../errors.ts';
import { nameFlags } from '../flags.ts';
import { calls } from '../operations.ts';
import { type Column, moment, show, styleOf, table } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addYes, choice, isJson, type YesOption } from './options.ts';
import { addStaffAccept } from './staff-accept.ts';

type Member = Schemas['StaffMember'];
type Invitation = Schemas['StaffInvitation'];

/** Roles are open in answers: an older command shows those that came later. */
type KnownRole = (typeof ROLES)[number];

const ROLES = ['owner', 'manager', 'fulfilment', 'support', 'viewer'] as const;

const EXAMPLES = `
MEMBER is an e-mail or an id. An owner may do everything, a manager all but the payment account; fulfilment sees products and
works with stock and orders, support with orders, refunds and customers, and a viewer reads. Only an owner makes owners.

Examples:
  $ commerce staff list
  $ commerce staff invite noor@shop.example --role support
  $ commerce staff role noor@shop.example manager
  $ commerce staff remove noor@shop.example     asks first; the next call of the member is refused
  $ commerce staff invitations
  $ commerce staff withdraw noor@shop.example   the link in the mail stops working
  $ commerce staff accept                       asks for the code in the mail`;

/** `staff list|invite|role|remove|invitations|withdraw|accept`: who works for the shop. */
export function addStaff(program: Command, terminal: Terminal): void {
  const staff = program.command('staff').description('Who works for the shop, and as what.');
  staff.addHelpText('after', EXAMPLES);
  calls(staff.command('list'), 'dashboard.listStaff')
    .description('List the people who work for the shop.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => list(command, terminal));
  nameFlags(calls(staff.command('invite <email>'), 'dashboard.createStaffInvitation'), {
    email: 'EMAIL',
    role: '--role',
  })
    .description('Send somebody a link to join, which works once, for 7 days. Again: another link.')
    .addOption(choice('--role <role>', 'what they will be', ROLES).makeOptionMandatory())
    .addHelpText('after', EXAMPLES)
    .action((email: string, { role }: { role: KnownRole }, command: Command) => invite(email, role, command, terminal));
  nameFlags(calls(staff.command('role <member> <role>'), 'dashboard.updateStaffMember'), { role: 'ROLE' })
    .description('Change what somebody may do, from their next call on.')
    .addHelpText('after', EXAMPLES)
    .action((who: string, role: KnownRole, _options, command: Command) => changeRole(who, role, command, terminal));
  addYes(nameFlags(calls(staff.command('remove <member>'), 'dashboard.removeStaffMember'), { keys: '--keys' }))
    .description("End somebody's work for the shop.")
    .addOption(choice('--keys <what>', 'what happens to the keys that they made', ['keep', 'revoke']))
    .addHelpText('after', EXAMPLES)
    .action((who: string, options: RemoveOptions, command: Command) => remove(who, options, command, terminal));
  calls(staff.command('invitations'), 'dashboard.listStaffInvitations')
    .description('List the invitations that nobody has accepted yet.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => listInvitations(command, terminal));
  addYes(calls(staff.command('withdraw <invitation>'), 'dashboard.deleteStaffInvitation'))
    .description('End an invitation, named by its e-mail or id.')
    .addHelpText('after', EXAMPLES)
    .action((which: string, options: YesOption, command: Command) => withdraw(which, options, command, terminal));
  addStaffAccept(staff, terminal);
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

async function list(command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const found = await unwrap(client.GET('/api/dashboard/staff'));
  show(terminal, isJson(command), found, (paint) => table(COLUMNS, found.staff, styleOf(terminal, paint)));
}

async function listInvitations(command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const found = await unwrap(client.GET('/api/dashboard/staff/invitations'));
  show(terminal, isJson(command), found, (paint) =>
    found.invitations.length > 0
      ? table(INVITED, found.invitations, styleOf(terminal, paint))
      : 'No open invitations. Send one: commerce staff invite EMAIL --role ROLE',
  );
}

async function invite(email: string, role: KnownRole, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const made = await unwrap(client.POST('/api/dashboard/staff/invitations', { body: { email, role } }));
  show(
    terminal,
    isJson(command),
    made,
    () => `Invited ${made.email} as ${made.role}; the link works until ${moment(made.expires_at)}.`,
  );
}

async function changeRole(who: string, role: KnownRole, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { staff_id: (await memberNamed(client, who)).id } };
  const changed = await unwrap(client.PATCH('/api/dashboard/staff/{staff_id}', { params, body: { role } }));
  show(terminal, isJson(command), changed, () => `${changed.name} is ${changed.role} from the next call on.`);
}

interface RemoveOptions extends YesOption {
  keys?: 'keep' | 'revoke';
}

async function remove(who: string, { yes, keys }: RemoveOptions, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const { id, name, email } = await memberNamed(client, who);
  if (!yes) await confirm(terminal, `End the work of ${name} <${email}> for this shop?`);
  const params = { path: { staff_id: id }, ...(keys && { query: { keys } }) };
  await unwrap(client.DELETE('/api/dashboard/staff/{staff_id}', { params })).catch((error: unknown) => {
    throw isError(error, 'member_has_keys') ? keysLeft(name, error.body.keys) : error;
  });
  show(terminal, isJson(command), { id, removed: true }, () => `${name} does not work here any more.`);
}

/** Which keys have to be decided on. */
function keysLeft(name: string, keys: Schemas['KeyOfMember'][]): CommandError {
  const list = keys.map(({ description, kind, id }) => `${description} (${kind}, ${id})`).join('; ');
  const message = `${name} made keys that still work: ${list}.`;
  return new CommandError(EXIT.refused, 'member_has_keys', message, 'Add --keys revoke, or --keys keep.');
}

async function withdraw(which: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const { invitations } = await unwrap(client.GET('/api/dashboard/staff/invitations'));
  const found = invitations.find(({ id, email }) => isNamed(which, id, email));
  if (!found) throw unknown(`There is no invitation to "${which}".`, 'See them: commerce staff invitations');
  if (!yes) await confirm(terminal, `Withdraw the invitation to ${found.email}?`);
  const params = { path: { invitation_id: found.id } };
  await unwrap(client.DELETE('/api/dashboard/staff/invitations/{invitation_id}', { params }));
  show(terminal, isJson(command), { id: found.id, withdrawn: true }, () => `${found.email} is not invited any more.`);
}

async function memberNamed(client: DashboardClient, who: string): Promise<Member> {
  const { staff } = await unwrap(client.GET('/api/dashboard/staff'));
  const found = staff.find(({ id, email }) => isNamed(who, id, email));
  if (!found) throw unknown(`Nobody called "${who}" works for the shop.`, 'See who does: commerce staff list');
  return found;
}

function isNamed(wanted: string, id: string, email: string): boolean {
  return [id, email.toLowerCase()].includes(wanted.toLowerCase());
}

function unknown(message: string, remedy: string): CommandError {
  return new CommandError(EXIT.refused, 'not_found', message, remedy);
}
