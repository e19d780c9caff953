import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, listText, type View } from '../call-command.ts';
import type { Terminal } from '../terminal.ts';
import { keyColumns, revokedText, secretText } from './key-view.ts';

const EXAMPLES = `
A key's secret is printed once, when it is created. ID is the id in the list. Keys are managed by staff who are
logged in with e-mail and password, not by another key.

Examples:
  $ commerce api-keys create --description "Warehouse" --scope read --scope write
  $ commerce api-keys create --description "Payouts" --scope write --scope payments:write
  $ commerce api-keys list
  $ commerce api-keys rotate ID       a new key; the old one works for 24 more hours
  $ commerce api-keys revoke ID       asks first; the key fails from its next call on`;

const COLUMNS = keyColumns<Schemas['ApiKey']>({ title: 'MAY', value: ({ scopes }) => scopes.join(', ') });

/** `api-keys list|create|rotate|revoke`: manages the merchant's API keys. */
export function addApiKeys(program: Command, terminal: Terminal): void {
  const examples = EXAMPLES;
  const keys = program
    .command('api-keys')
    .description('The keys of programs that use the dashboard API.')
    .addHelpText('after', examples);
  addCall(keys, terminal, {
    name: 'list',
    operation: 'dashboard.listApiKeys',
    description: 'List the keys, active and revoked, newest first.',
    examples,
    text: (list, view) =>
      listText(
        'No API keys yet. Create one: commerce api-keys create --description "…" --scope read',
        COLUMNS,
        list,
        view,
      ),
  });
  addCall(keys, terminal, {
    name: 'create',
    operation: 'dashboard.createApiKey',
    description: 'Create a key and print its secret, once.',
    examples,
    text: withSecret,
  });
  addCall(keys, terminal, {
    name: 'rotate <id>',
    operation: 'dashboard.rotateApiKey',
    description: 'Create a new key to replace one, which works for some more hours.',
    examples,
    text: withSecret,
  });
  addCall(keys, terminal, {
    name: 'revoke <id>',
    operation: 'dashboard.revokeApiKey',
    description: 'Revoke a key at once.',
    examples,
    asks: (id) => `Revoke the API key ${id}?`,
    text: revokedText,
  });
}

function withSecret(key: Schemas['ApiKeyWithSecret'], { paint }: View): string {
  return secretText(key, { May: key.scopes.join(', ') }, paint);
}
