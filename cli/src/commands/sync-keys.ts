import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { calls } from '../operations.ts';
import { show, styleOf, table } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { graceOf, keyColumns, type RotateOptions, showRevoked, showSecret } from './key-view.ts';
import { addYes, isJson, uuid, wholeNumber, type YesOption } from './options.ts';

type SyncKey = Schemas['SyncKey'];

const EXAMPLES = `
A key's secret is printed when it is made, and never again. ID is that of the list.

Examples:
  $ commerce sync-keys create --description "Search integration"
  $ commerce sync-keys create --description "Warehouse" --write   may set products and stock
  $ commerce sync-keys list
  $ commerce sync-keys rotate ID       a new key; the old one works for 24 more hours
  $ commerce sync-keys revoke ID       asks first; the key fails from its next call on`;

const COLUMNS = keyColumns<SyncKey>({ title: 'KEY ID', value: ({ key_id }) => key_id, below: true });

/** `sync-keys list|create|rotate|revoke`: the credentials of integrations. */
export function addSyncKeys(program: Command, terminal: Terminal): void {
  const keys = program.command('sync-keys').description('The keys of integrations.').addHelpText('after', EXAMPLES);
  calls(keys.command('list'), 'dashboard.listSyncKeys')
    .description('List the keys, active and revoked, newest first.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => list(command, terminal));
  calls(keys.command('create'), 'dashboard.createSyncKey')
    .description('Make a key and print its secret, once.')
    .requiredOption('--description <text>', 'what the key is for')
    .option('--write', 'it may also create and update products and their stock')
    .addHelpText('after', EXAMPLES)
    .action((options: CreateOptions, command: Command) => create(options, command, terminal));
  calls(keys.command('rotate'), 'dashboard.rotateSyncKey')
    .argument('<id>', 'the key, as the list shows it', uuid)
    .description('Create a new key to replace one, which works for some hours more.')
    .option('--grace <hours>', 'how many, from 0 to 72 (default: 24)', wholeNumber)
    .addHelpText('after', EXAMPLES)
    .action((id: string, options: RotateOptions, command: Command) => rotate(id, options, command, terminal));
  addYes(calls(keys.command('revoke'), 'dashboard.revokeSyncKey'))
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

interface CreateOptions {
  description: string;
  write?: true;
}

async function create({ description, write }: CreateOptions, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const body = { description, ...(write && { scopes: ['read' as const, 'write' as const] }) };
  told(await unwrap(client.POST('/api/dashboard/sync-keys', { body })), command, terminal);
}

async function rotate(sync_key_id: string, { grace }: RotateOptions, command: Command, terminal: Terminal) {
  const body = graceOf(grace);
  const { client } = await openSession(command, terminal);
  const call = client.POST('/api/dashboard/sync-keys/{sync_key_id}/rotate', {
    params: { path: { sync_key_id } },
    body,
  });
  told(await unwrap(call), command, terminal);
}

async function revoke(sync_key_id: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  if (!yes) await confirm(terminal, `Revoke the sync key ${sync_key_id}?`);
  const call = client.DELETE('/api/dashboard/sync-keys/{sync_key_id}', { params: { path: { sync_key_id } } });
  showRevoked(await unwrap(call), command, terminal);
}

function told(key: Schemas['SyncKeyWithSecret'], command: Command, terminal: Terminal): void {
  showSecret(key, { 'Key id': key.key_id }, command, terminal);
}
