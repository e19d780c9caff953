import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { calls } from '../operations.ts';
import { facts, moment, type Paint, show } from '../output.ts';
import { confirm as agree, askSecret } from '../prompt.ts';
import { openSession } from '../session.ts';
import { canAsk, type Terminal } from '../terminal.ts';
import { addYes, isJson, type YesOption } from './options.ts';

type TwoFactor = Schemas['TwoFactor'];

const EXAMPLES = `
Examples:
  $ commerce account two-factor on        shows a secret for the app and asks for a first code
  $ commerce account two-factor confirm   if it asked for no code
  $ commerce account two-factor recovery-codes   new ones; the earlier ones become invalid
  $ commerce account two-factor status
  $ commerce account two-factor off       asks first`;

/** `account two-factor`: manages codes from an authenticator app as second factor. */
export function addTwoFactor(account: Command, terminal: Terminal): void {
  const factor = account.command('two-factor').description('A code of an authenticator app at each login.');
  calls(factor.command('status'), 'dashboard.getTwoFactor')
    .description('Show whether logins need a code.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => status(command, terminal));
  calls(factor.command('on'), 'dashboard.setUpTwoFactor')
    .description('Create a secret for an authenticator app, and turn two-factor login on with a first code.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => turnOn(command, terminal));
  calls(factor.command('confirm'), 'dashboard.confirmTwoFactor')
    .description('Turn two-factor login on with a first code of the app.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => confirm(command, terminal));
  addYes(calls(factor.command('recovery-codes'), 'dashboard.replaceRecoveryCodes'))
    .description('Create new recovery codes. All earlier ones become invalid.')
    .addHelpText('after', EXAMPLES)
    .action((options: YesOption, command: Command) => replaceRecoveryCodes(options, command, terminal));
  addYes(calls(factor.command('off'), 'dashboard.turnOffTwoFactor'))
    .description('Turn two-factor login off; logins then need only the password.')
    .addHelpText('after', EXAMPLES)
    .action((options: YesOption, command: Command) => turnOff(options, command, terminal));
}

async function status(command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const found = await unwrap(client.GET('/api/dashboard/account/two-factor'));
  show(terminal, isJson(command), found, (paint) => inWords(found, paint));
}

function inWords({ status: state, turned_on_at, recovery_codes_left }: TwoFactor, paint: Paint): string {
  const since = turned_on_at ? `on since ${moment(turned_on_at)}` : state;
  return facts({ 'Two-factor login': since, 'Recovery codes': recovery_codes_left }, paint);
}

async function turnOn(command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const { qr_svg: _picture, ...made } = await unwrap(client.POST('/api/dashboard/account/two-factor'));
  show(terminal, isJson(command), made, (paint) =>
    facts({ Secret: made.totp_secret, Address: made.otpauth_uri }, paint),
  );
  if (canAsk(terminal)) await confirm(command, terminal);
  else terminal.stderr.write('Add it to your app, then give its code to: commerce account two-factor confirm\n');
}

async function confirm(command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const body = { totp_code: await askSecret(terminal, 'Code of the app') };
  const codes = await unwrap(client.POST('/api/dashboard/account/two-factor/confirm', { body }));
  show(terminal, isJson(command), codes, () => `Two-factor login is on. ${codesInWords(codes)}`);
}

async function replaceRecoveryCodes({ yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  if (!yes) await agree(terminal, 'Replace your recovery codes? All earlier ones become invalid.');
  const codes = await unwrap(client.POST('/api/dashboard/account/two-factor/recovery-codes'));
  show(terminal, isJson(command), codes, () => `The earlier recovery codes have ended. ${codesInWords(codes)}`);
}

function codesInWords({ recovery_codes }: Schemas['RecoveryCodes']): string {
  const lines = recovery_codes.map((code) => `  ${code}`);
  return ['Keep these codes: each replaces a code of the app once, and they are not shown again.', '', ...lines].join(
    '\n',
  );
}

async function turnOff({ yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  if (!yes) await agree(terminal, 'Turn two-factor login off?');
  const left = await unwrap(client.DELETE('/api/dashboard/account/two-factor'));
  show(terminal, isJson(command), left, () => 'Two-factor login is off.');
}
