import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, listText, type View } from '../call-command.ts';
import type { Terminal } from '../terminal.ts';
import { keyColumns, revokedText, secretText } from './key-view.ts';

const EXAMPLES = `
A key's secret is printed once, when it is created. ID is the id in the list.

Examples:
  $ commerce sync-keys create --description "Search integration"
  $ commerce sync-keys create --description "Warehouse" --write   may set products and stock
  $ commerce sync-keys list
  $ commerce sync-keys rotate ID       a new key; the old one works for 24 more hours
  $ commerce sync-keys revoke ID       asks first; the key fails from its next call on`;

const COLUMNS = keyColumns<Schemas['SyncKey']>({ title: 'KEY ID', value: ({ key_id }) => key_id, below: true });

/** `sync-keys list|create|rotate|revoke`: manages the credentials of integrations. */
export function addSyncKeys(program: Command, terminal: Terminal): void {
  const examples = EXAMPLES;
  const keys = program.command('sync-keys').description('The keys of integrations.').addHelpText('after', examples);
  addCall(keys, terminal, {
    name: 'list',
    operation: 'dashboard.listSyncKeys',
    description: 'List the keys, active and revoked, newest first.',
    examples,
    text: (list, view) =>
      listText('No sync keys yet. Create one: commerce sync-keys create --description "…"', COLUMNS, list, view),
  });
  addCall(keys, terminal, {
    name: 'create',
    operation: 'dashboard.createSyncKey',
    description: 'Create a key and print its secret, once.',
    examples,
    flags: {
      scopes: {
        sets: [
          { flag: '--write', help: 'it may also create and update products and their stock', value: ['read', 'write'] },
        ],
      },
    },
    text: withSecret,
  });
  addCall(keys, terminal, {
    name: 'rotate <id>',
    operation: 'dashboard.rotateSyncKey',
    description: 'Create a new key to replace one, which works for some more hours.',
    examples,
    text: withSecret,
  });
  addCall(keys, terminal, {
    name: 'revoke <id>',
    operation: 'dashboard.revokeSyncKey',
    description: 'Revoke a key at once.',
    examples,
    asks: (id) => `Revoke the sync key ${id}?`,
    text: revokedText,
  });
}

function withSecret(key: Schemas['SyncKeyWithSecret'], { paint }: View): string {
  return secretText(key, { 'Key id': key.key_id }, paint);
}
