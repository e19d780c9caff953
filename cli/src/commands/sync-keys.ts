import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { type Column, facts, moment, show, styleOf, table } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addYes, isJson, uuid, type YesOption } from './options.ts';

type SyncKey = Schemas['SyncKey'];

const EXAMPLES = `
A key's secret is printed when it is made, and never again. ID is the first column of the list.

Examples:
  $ commerce sync-keys create --description "Search integration"
  $ commerce sync-keys list
  $ commerce sync-keys rotate ID       a new key; the old one works for 24 more hours
  $ commerce sync-keys revoke ID       asks first; the key fails from its next call on`;

const COLUMNS: Column<SyncKey>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'DESCRIPTION', value: ({ description }) => description, shrinks: true },
  { title: 'SECRET', value: ({ secret_prefix }) => `${secret_prefix}…` },
  { title: 'STATE', value: stateOf, colour: (key) => (key.revoked_at ? 'dim' : key.expires_at ? 'yellow' : 'green') },
  { title: 'CREATED', value: ({ created_at }) => moment(created_at) },
  { title: 'LAST USED', value: ({ last_used_at }) => moment(last_used_at, 'never') },
];

function stateOf({ revoked_at, expires_at }: SyncKey): string {
  if (revoked_at) return 'revoked';
  if (!expires_at) return 'active';
  return Date.parse(expires_at) <= Date.now() ? 'expired' : `until ${moment(expires_at)}`;
}

/** `sync-keys list|create|rotate|revoke`: the credentials of integrations. */
export function addSyncKeys(program: Command, terminal: Terminal): void {
  const keys = program.command('sync-keys').description('The keys of integrations.').addHelpText('after', EXAMPLES);
  keys
    .command('list')
    .description('List the keys, active and revoked, newest first.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => list(command, terminal));
  keys
    .command('create')
    .description('Make a key and print its secret, once.')
    .requiredOption('--description <text>', 'what the key is for')
    .addHelpText('after', EXAMPLES)
    .action((options: { description: string }, command: Command) => create(options, command, terminal));
  keys
    .command('rotate')
    .argument('<id>', 'the key, as the list shows it', uuid)
    .description('Create a new key to replace one, which works for 24 more hours.')
    .addHelpText('after', EXAMPLES)
    .action((id: string, _options, command: Command) => rotate(id, command, terminal));
  addYes(keys.command('revoke'))
    .argument('<id>', 'the key, as the list shows it', uuid)
    .description('End a key at once.')
    .addHelpText('after', EXAMPLES)
    .action((id: string, options: YesOption, command: Command) => revoke(id, options, command, terminal));
}

async function list(command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const keys = await unwrap(client.GET('/api/dashboard/sync-keys'));
  show(terminal, isJson(command), keys, (paint) =>
    keys.length > 0
      ? table(COLUMNS, keys, styleOf(terminal, paint))
      : 'No sync keys yet. Make one: commerce sync-keys create --description "…"',
  );
}

async function create(body: { description: string }, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const { description } = body;
  showSecret(await unwrap(client.POST('/api/dashboard/sync-keys', { body: { description } })), command, terminal);
}

async function rotate(sync_key_id: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const call = client.POST('/api/dashboard/sync-keys/{sync_key_id}/rotate', { params: { path: { sync_key_id } } });
  showSecret(await unwrap(call), command, terminal);
}

async function revoke(sync_key_id: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  if (!yes) await confirm(terminal, `Revoke the sync key ${sync_key_id}?`);
  const call = client.DELETE('/api/dashboard/sync-keys/{sync_key_id}', { params: { path: { sync_key_id } } });
  const key = await unwrap(call);
  show(terminal, isJson(command), key, () => `Revoked: ${key.description} (${key.secret_prefix}…).`);
}

function showSecret(key: Schemas['SyncKeyWithSecret'], command: Command, terminal: Terminal): void {
  show(terminal, isJson(command), key, (paint) => {
    const { id, description, key_id, secret } = key;
    const told = facts({ Id: id, Description: description, 'Key id': key_id, Secret: secret }, paint);
    return `${told}\n\nKeep the secret now: it is not shown again.`;
  });
}
