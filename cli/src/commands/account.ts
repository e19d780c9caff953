import { createClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, rowsText } from '../call-command.ts';
import { readProfiles, saveProfiles } from '../config.ts';
import { calls } from '../operations.ts';
import { type Column, moment, show } from '../output.ts';
import { confirm as agree, askSecret, askSecrets } from '../prompt.ts';
import { openSession, serverOf } from '../session.ts';
import { canAsk, type Terminal } from '../terminal.ts';
import { addTwoFactor } from './account-two-factor.ts';
import { addYes, isJson, uuid, type YesOption } from './options.ts';

type StaffSession = Schemas['StaffSession'];

const EXAMPLES = `
Passwords and codes are typed without echo, or read from the standard input, each on a line.

Examples:
  $ commerce account password                        asks for the old and the new one, and ends all other sessions
  $ commerce account reset-password --email mina@shop.example
  $ commerce account sessions list                   where you are logged in
  $ commerce account sessions end ID                 asks first; ends it at once
  $ commerce account sessions end-others
  $ commerce account two-factor on                   a code of an authenticator app at each login
  $ commerce account confirm < password.txt          lets this login change keys and payments for 15 minutes`;

/** `account`: manages the logged-in person's password, sessions and second factor. */
export function addAccount(program: Command, terminal: Terminal): void {
  const account = program
    .command('account')
    .description('Your own login: password, sessions, two-factor login.')
    .addHelpText('after', EXAMPLES);
  calls(account.command('password'), 'dashboard.changePassword')
    .description('Change the password. All other sessions end.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => password(command, terminal));
  calls(account.command('reset-password'), 'dashboard.requestStaffPasswordReset', 'dashboard.resetStaffPassword')
    .description('Request a mail with a link for a new password, and set it with the code of that mail.')
    .requiredOption('--email <address>', 'whose password')
    .option('--code', 'you already have the code: read it with the new password')
    .addHelpText('after', EXAMPLES)
    .action((options: ResetOptions, command: Command) => resetPassword(options, command, terminal));
  calls(account.command('confirm'), 'dashboard.confirmIdentity')
    .description('Confirm the password, so that sensitive changes are possible for 15 minutes.')
    .option('--code', 'give a code of the authenticator app instead')
    .addHelpText('after', EXAMPLES)
    .action((options: { code?: true }, command: Command) => confirm(options, command, terminal));
  addSessions(account, terminal);
  addTwoFactor(account, terminal);
}

function addSessions(account: Command, terminal: Terminal): void {
  const sessions = account.command('sessions').description('Where you are logged in.');
  addCall(sessions, terminal, {
    name: 'list',
    operation: 'dashboard.listSessions',
    description: 'List your sessions, the last used first.',
    examples: EXAMPLES,
    text: (list, view) => rowsText(COLUMNS, list, view),
  });
  addYes(calls(sessions.command('end'), 'dashboard.endSession'))
    .argument('<id>', 'the session, as the list shows it', uuid)
    .description('End a session at once.')
    .addHelpText('after', EXAMPLES)
    .action((id: string, options: YesOption, command: Command) => endSession(id, options, command, terminal));
  addYes(calls(sessions.command('end-others'), 'dashboard.endOtherSessions'))
    .description('End all sessions except this one.')
    .addHelpText('after', EXAMPLES)
    .action((options: YesOption, command: Command) => endOthers(options, command, terminal));
}

async function password(command: Command, terminal: Terminal): Promise<void> {
  const { client, profileName, profile } = await openSession(command, terminal);
  const [current_password = '', new_password = ''] = await askSecrets(terminal, ['Present password', 'New password']);
  const body = { current_password, new_password };
  const { access_token, expires_at } = await unwrap(client.POST('/api/dashboard/account/password', { body }));
  if (profileName !== undefined && profile.url !== undefined) {
    const renewed = { ...profile, url: profile.url, session_token: access_token, expires_at };
    await saveProfiles(terminal.env, { ...(await readProfiles(terminal.env)), [profileName]: renewed });
  }
  show(terminal, isJson(command), { expires_at }, () => 'The password was changed, and all other sessions have ended.');
}

interface ResetOptions {
  email: string;
  code?: true;
}

async function resetPassword({ email, code }: ResetOptions, command: Command, terminal: Terminal): Promise<void> {
  const client = createClient({ baseUrl: await serverOf(command, terminal) });
  if (!code) {
    const sent = await unwrap(client.POST('/api/dashboard/auth/reset-request', { body: { email } }));
    const words = 'A mail will be sent if the address belongs to a login.';
    if (!canAsk(terminal)) {
      show(terminal, isJson(command), sent, () => `${words} Then: commerce account reset-password --email … --code`);
      return;
    }
    terminal.stderr.write(`${words}\n`);
  }
  const [token = '', new_password = ''] = await askSecrets(terminal, ['Code from the mail', 'New password']);
  const body = { token, new_password };
  const done = await unwrap(client.POST('/api/dashboard/auth/reset', { body }));
  show(terminal, isJson(command), done, () => 'The password was set. Log in with it: commerce login');
}

async function confirm({ code }: { code?: true }, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const secret = await askSecret(terminal, code ? 'Code of the app' : 'Password');
  const body = code ? { totp_code: secret } : { password: secret };
  const done = await unwrap(client.POST('/api/dashboard/auth/confirm', { body }));
  show(terminal, isJson(command), done, () => `Sensitive changes are possible until ${moment(done.confirmed_until)}.`);
}

const COLUMNS: Column<StaffSession>[] = [
  { title: 'ID', value: ({ id }) => id, below: true },
  { title: 'DEVICE', value: ({ device }) => device, shrinks: true },
  { title: 'FROM', value: ({ ip }) => ip },
  { title: 'THIS', value: ({ current }) => (current ? 'yes' : ''), colour: () => 'green' },
  { title: 'LOGGED IN', value: ({ created_at }) => moment(created_at), below: true },
  { title: 'LAST USED', value: ({ last_used_at }) => moment(last_used_at) },
];

async function endSession(session_id: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  if (!yes) await agree(terminal, `End the session ${session_id}?`);
  const params = { path: { session_id } };
  await unwrap(client.DELETE('/api/dashboard/account/sessions/{session_id}', { params }));
  show(terminal, isJson(command), { ended: session_id }, () => 'The session has ended.');
}

async function endOthers({ yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  if (!yes) await agree(terminal, 'End all sessions except this one?');
  const left = await unwrap(client.DELETE('/api/dashboard/account/sessions'));
  show(terminal, isJson(command), left, () => 'All other sessions have ended.');
}
