import { createClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { nameFlags } from '../flags.ts';
import { calls } from '../operations.ts';
import { show } from '../output.ts';
import { ask, askSecret } from '../prompt.ts';
import { openSession, serverOf } from '../session.ts';
import { canAsk, type Terminal } from '../terminal.ts';
import { isJson } from './options.ts';

interface AcceptOptions {
  name?: string;
}

const EXAMPLES = `
An address that has a login must be logged in; a new one gets a login with a name and a password of its own, which is typed
without echo or read from the standard input.

Examples:
  $ commerce staff accept --url https://shop.example
  $ commerce staff accept CODE --url https://shop.example --name "Noor Haddad" < password.txt`;

/** `staff accept`: accepts an invitation with the link from the mail, or with the code at its end. */
export function addStaffAccept(staff: Command, terminal: Terminal): void {
  const accept = calls(
    staff.command('accept [code]'),
    'dashboard.getInvitation',
    'dashboard.acceptInvitation',
    'dashboard.registerStaff',
  );
  nameFlags(accept, { token: 'CODE', name: '--name' })
    .description('Accept an invitation with the link from the mail, or the code after its #. Asked for when left out.')
    .option('--name <name>', 'of a new login; asked for when left out')
    .addHelpText('after', EXAMPLES)
    .action((code: string | undefined, options: AcceptOptions, command: Command) =>
      acceptInvitation(code, options, command, terminal),
    );
}

async function acceptInvitation(
  code: string | undefined,
  options: AcceptOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const given = code ?? (await askSecret(terminal, 'Link from the mail'));
  const token = given.slice(given.lastIndexOf('#') + 1).trim();
  const open = createClient({ baseUrl: await serverOf(command, terminal) });
  const invitation = await unwrap(open.POST('/api/dashboard/auth/invitation', { body: { token } }));
  if (!invitation.has_account) {
    const name = await nameOf(options, invitation, terminal);
    const password = await askSecret(terminal, 'New password');
    const body = { token, name, password };
    return showMembership(
      await unwrap(open.POST('/api/dashboard/auth/invitation/register', { body })),
      true,
      command,
      terminal,
    );
  }
  const { client } = await openSession(command, terminal);
  const place = await unwrap(client.POST('/api/dashboard/auth/invitation/accept', { body: { token } }));
  return showMembership(place, false, command, terminal);
}

type Invitation = { email: string; merchant: Schemas['Merchant']; role: Schemas['StaffRole'] };

async function nameOf({ name }: AcceptOptions, invitation: Invitation, terminal: Terminal): Promise<string> {
  if (name) return name;
  if (!canAsk(terminal)) throw usageError('What is your name?', 'Give --name, and the password on the standard input.');
  const { merchant, role, email } = invitation;
  terminal.stderr.write(`You are invited to ${merchant.name} as ${role}. Your login will be ${email}.\n`);
  return ask(terminal, 'Your name');
}

interface Place {
  staff: Schemas['Staff'];
  merchant: Schemas['Merchant'];
  role: Schemas['StaffRole'];
}

function showMembership(place: Place, isNew: boolean, command: Command, terminal: Terminal): void {
  const next = `commerce login --email ${place.staff.email} --merchant ${place.merchant.id}`;
  show(
    terminal,
    isJson(command),
    place,
    () =>
      `You work for ${place.merchant.name} as ${place.role} now. ${isNew ? 'Log in' : 'To act there, log in for it'}: ${next}`,
  );
}
