import { unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { calls } from '../operations.ts';
import { facts, moment, show } from '../output.ts';
import { type GlobalOptions, openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';

/** `whoami`: shows the owner of the credentials. */
export function addWhoami(program: Command, terminal: Terminal): void {
  calls(program.command('whoami'), 'dashboard.getMe')
    .description('Show the shop and the login of the commands.')
    .addHelpText('after', '\nExamples:\n  $ commerce whoami\n  $ commerce whoami --profile live --json')
    .action((_options, command: Command) => whoami(command, terminal));
}

async function whoami(command: Command, terminal: Terminal): Promise<void> {
  const { json = false } = command.optsWithGlobals<GlobalOptions>();
  const { client, url, profileName, profile } = await openSession(command, terminal);
  const me = await unwrap(client.GET('/api/dashboard/me'));
  const { staff, api_key, role, scopes, merchant } = me;
  show(terminal, json, { profile: profileName ?? null, url, ...me }, (paint) =>
    facts(
      {
        Shop: merchant?.name,
        Server: url,
        Profile: profileName ?? 'none: COMMERCE_API_KEY',
        'Logged in as': staff ? `${staff.name} <${staff.email}>` : `API key ${api_key?.secret_prefix ?? ''}…`,
        Until: staff && profile.expires_at ? moment(profile.expires_at) : undefined,
        Role: role ?? undefined,
        May: inShort(scopes),
        'Merchant id': merchant?.id,
        'Site id': merchant?.site_id,
      },
      paint,
    ),
  );
}

/** Omits scopes that `read` or `write` already includes. */
function inShort(scopes: string[]): string {
  const named = scopes.includes('write') ? BEYOND_WRITE : scopes;
  const shown = scopes.filter((scope) => !scope.includes(':') || named.includes(scope));
  return shown.filter((scope) => !scope.endsWith(':read') || !scopes.includes('read')).join(', ');
}

const BEYOND_WRITE = [
  'orders:payments',
  'orders:export',
  'customers:export',
  'payments:write',
  'keys:write',
  'staff:write',
];
