import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, listText, type View } from '../call-command.ts';
import type { Terminal } from '../terminal.ts';
import { keyColumns, revokedText, secretText } from './key-view.ts';

const EXAMPLES = `
A public token may appear in a page; a private one belongs on a server, which can then send its buyer's IP address. The
secret is printed once, when the token is created. ID is the id in the list.

Examples:
  $ commerce storefront-tokens create --description "Website" --origin https://shop.example
  $ commerce storefront-tokens create --description "Server" --kind private
  $ commerce storefront-tokens list
  $ commerce storefront-tokens rotate ID       a new token; the old one works for 24 more hours
  $ commerce storefront-tokens revoke ID       asks first; the token fails from its next call on`;

const COLUMNS = keyColumns<Schemas['StorefrontToken']>({ title: 'KIND', value: ({ kind }) => kind });

/** `storefront-tokens list|create|rotate|revoke`: manages the credentials of storefronts. */
export function addStorefrontTokens(program: Command, terminal: Terminal): void {
  const examples = EXAMPLES;
  const keys = program
    .command('storefront-tokens')
    .description('The tokens with which storefronts use the API.')
    .addHelpText('after', examples);
  addCall(keys, terminal, {
    name: 'list',
    operation: 'dashboard.listStorefrontTokens',
    description: 'List the tokens, active and revoked, newest first.',
    examples,
    text: (list, view) =>
      listText(
        'No storefront tokens yet. Create one: commerce storefront-tokens create --description "…"',
        COLUMNS,
        list,
        view,
      ),
  });
  addCall(keys, terminal, {
    name: 'create',
    operation: 'dashboard.createStorefrontToken',
    flags: { kind: { help: 'for pages (public) or for servers (private); public when absent' } },
    description: 'Create a token and print its secret, once.',
    examples,
    text: withSecret,
  });
  addCall(keys, terminal, {
    name: 'rotate <id>',
    operation: 'dashboard.rotateStorefrontToken',
    description: 'Create a new token to replace one, which works for some more hours.',
    examples,
    text: withSecret,
  });
  addCall(keys, terminal, {
    name: 'revoke <id>',
    operation: 'dashboard.revokeStorefrontToken',
    description: 'Revoke a token at once.',
    examples,
    asks: (id) => `Revoke the storefront token ${id}?`,
    text: revokedText,
  });
}

function withSecret(key: Schemas['StorefrontTokenWithSecret'], { paint }: View): string {
  return secretText(key, { Kind: key.kind, Origins: key.allowed_origins.join(', ') || 'as the settings say' }, paint);
}
