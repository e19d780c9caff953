import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { nameFlags } from '../flags.ts';
import { calls } from '../operations.ts';
import { show, styleOf, table } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { graceOf, keyColumns, type RotateOptions, showRevoked, showSecret } from './key-view.ts';
import { addYes, choice, isJson, repeated, uuid, wholeNumber, type YesOption } from './options.ts';

type Token = Schemas['StorefrontToken'];

const KINDS = ['public', 'private'] as const;

const EXAMPLES = `
A public token may stand in a page; a private one belongs on a server, which may then name the address of its buyer. The
secret is printed when the token is made, and never again. ID is what the list shows.

Examples:
  $ commerce storefront-tokens create --description "Website" --origin https://shop.example
  $ commerce storefront-tokens create --description "Server" --kind private
  $ commerce storefront-tokens list
  $ commerce storefront-tokens rotate ID       a new token; the old one works for 24 more hours
  $ commerce storefront-tokens revoke ID       asks first; the token fails from its next call on`;

interface CreateOptions {
  description: string;
  kind?: (typeof KINDS)[number];
  origin?: string[];
}

/** `storefront-tokens list|create|rotate|revoke`: the credentials of storefronts. */
export function addStorefrontTokens(program: Command, terminal: Terminal): void {
  const tokens = program
    .command('storefront-tokens')
    .description('The tokens with which storefronts use the API.')
    .addHelpText('after', EXAMPLES);
  calls(tokens.command('list'), 'dashboard.listStorefrontTokens')
    .description('List the tokens, active and revoked, newest first.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => list(command, terminal));
  nameFlags(calls(tokens.command('create'), 'dashboard.createStorefrontToken'), { allowed_origins: '--origin' })
    .description('Make a token and print its secret, once.')
    .requiredOption('--description <text>', 'what the token is for')
    .addOption(choice('--kind <kind>', 'for pages (public) or for servers (default: public)', KINDS))
    .option('--origin <origin>', 'only pages of this origin; may be repeated (default: the settings)', repeated)
    .addHelpText('after', EXAMPLES)
    .action((options: CreateOptions, command: Command) => create(options, command, terminal));
  calls(tokens.command('rotate'), 'dashboard.rotateStorefrontToken')
    .argument('<id>', 'the token, as the list shows it', uuid)
    .description('Create a new token to replace one, which works for some hours more.')
    .option('--grace <hours>', 'how many, from 0 to 72 (default: 24)', wholeNumber)
    .addHelpText('after', EXAMPLES)
    .action((id: string, options: RotateOptions, command: Command) => rotate(id, options, command, terminal));
  addYes(calls(tokens.command('revoke'), 'dashboard.revokeStorefrontToken'))
    .argument('<id>', 'the token, as the list shows it', uuid)
    .description('End a token at once.')
    .addHelpText('after', EXAMPLES)
    .action((id: string, options: YesOption, command: Command) => revoke(id, options, command, terminal));
}

const COLUMNS = keyColumns<Token>({ title: 'KIND', value: ({ kind }) => kind });

async function list(command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const tokens = await unwrap(client.GET('/api/dashboard/storefront-tokens'));
  show(terminal, isJson(command), tokens, (paint) =>
    tokens.length > 0
      ? table(COLUMNS, tokens, styleOf(terminal, paint))
      : 'No storefront tokens yet. Make one: commerce storefront-tokens create --description "…"',
  );
}

async function create(options: CreateOptions, command: Command, terminal: Terminal): Promise<void> {
  const { description, kind, origin } = options;
  const { client } = await openSession(command, terminal);
  const body = { description, ...(kind && { kind }), ...(origin && { allowed_origins: origin }) };
  told(await unwrap(client.POST('/api/dashboard/storefront-tokens', { body })), command, terminal);
}

async function rotate(storefront_token_id: string, { grace }: RotateOptions, command: Command, terminal: Terminal) {
  const body = graceOf(grace);
  const { client } = await openSession(command, terminal);
  const params = { path: { storefront_token_id } };
  const call = client.POST('/api/dashboard/storefront-tokens/{storefront_token_id}/rotate', { params, body });
  told(await unwrap(call), command, terminal);
}

async function revoke(storefront_token_id: string, { yes }: YesOption, command: Command, terminal: Terminal) {
  const { client } = await openSession(command, terminal);
  if (!yes) await confirm(terminal, `Revoke the storefront token ${storefront_token_id}?`);
  const params = { path: { storefront_token_id } };
  const call = client.DELETE('/api/dashboard/storefront-tokens/{storefront_token_id}', { params });
  showRevoked(await unwrap(call), command, terminal);
}

function told(token: Schemas['StorefrontTokenWithSecret'], command: Command, terminal: Terminal): void {
  const { kind, allowed_origins } = token;
  showSecret(token, { Kind: kind, Origins: allowed_origins.join(', ') || 'as the settings say' }, command, terminal);
}
