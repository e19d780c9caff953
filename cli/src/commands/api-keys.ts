import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { ApiKeyScope } from '@commerce-backend/spec';
import { type Command, Option } from 'commander';
import { nameFlags } from '../flags.ts';
import { calls } from '../operations.ts';
import { show, styleOf, table } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { graceOf, keyColumns, type RotateOptions, showRevoked, showSecret } from './key-view.ts';
import { addYes, isJson, repeated, uuid, wholeNumber, type YesOption } from './options.ts';

type ApiKey = Schemas['ApiKey'];

const EXAMPLES = `
A key's secret is printed when it is made, and never again. ID is what the list shows. Keys are managed by staff who are
logged in with e-mail and password, not by another key.

Examples:
  $ commerce api-keys create --description "Warehouse" --scope read --scope write
  $ commerce api-keys create --description "Payouts" --scope write --scope payments:write
  $ commerce api-keys list
  $ commerce api-keys rotate ID       a new key; the old one works for 24 more hours
  $ commerce api-keys revoke ID       asks first; the key fails from its next call on`;

interface CreateOptions {
  description: string;
  scope: ApiKeyScope[];
}

/** `api-keys list|create|rotate|revoke`: the credentials of programs that act as the merchant. */
export function addApiKeys(program: Command, terminal: Terminal): void {
  const keys = program
    .command('api-keys')
    .description('The keys with which programs use the dashboard API.')
    .addHelpText('after', EXAMPLES);
  calls(keys.command('list'), 'dashboard.listApiKeys')
    .description('List the keys, active and revoked, newest first.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => list(command, terminal));
  nameFlags(calls(keys.command('create'), 'dashboard.createApiKey'), { scopes: '--scope' })
    .description('Make a key and print its secret, once.')
    .requiredOption('--description <text>', 'what the key is for')
    .addOption(
      new Option('--scope <scope>', 'what it may do: read, write, or a scope such as orders:read; may be repeated')
        .argParser(repeated)
        .makeOptionMandatory(),
    )
    .addHelpText('after', EXAMPLES)
    .action((options: CreateOptions, command: Command) => create(options, command, terminal));
  calls(keys.command('rotate'), 'dashboard.rotateApiKey')
    .argument('<id>', 'the key, as the list shows it', uuid)
    .description('Create a new key to replace one, which works for some hours more.')
    .option('--grace <hours>', 'how many, from 0 to 72 (default: 24)', wholeNumber)
    .addHelpText('after', EXAMPLES)
    .action((id: string, options: RotateOptions, command: Command) => rotate(id, options, command, terminal));
  addYes(calls(keys.command('revoke'), 'dashboard.revokeApiKey'))
    .argument('<id>', 'the key, as the list shows it', uuid)
    .description('End a key at once.')
    .addHelpText('after', EXAMPLES)
    .action((id: string, options: YesOption, command: Command) => revoke(id, options, command, terminal));
}

const COLUMNS = keyColumns<ApiKey>({ title: 'MAY', value: ({ scopes }) => scopes.join(', ') });

async function list(command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const keys = await unwrap(client.GET('/api/dashboard/api-keys'));
  show(terminal, isJson(command), keys, (paint) =>
    keys.length > 0
      ? table(COLUMNS, keys, styleOf(terminal, paint))
      : 'No API keys yet. Make one: commerce api-keys create --description "…" --scope read',
  );
}

async function create({ description, scope }: CreateOptions, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const body = { description, scopes: scope };
  told(await unwrap(client.POST('/api/dashboard/api-keys', { body })), command, terminal);
}

async function rotate(api_key_id: string, { grace }: RotateOptions, command: Command, terminal: Terminal) {
  const body = graceOf(grace);
  const { client } = await openSession(command, terminal);
  const params = { path: { api_key_id } };
  told(await unwrap(client.POST('/api/dashboard/api-keys/{api_key_id}/rotate', { params, body })), command, terminal);
}

async function revoke(api_key_id: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  if (!yes) await confirm(terminal, `Revoke the API key ${api_key_id}?`);
  const params = { path: { api_key_id } };
  showRevoked(await unwrap(client.DELETE('/api/dashboard/api-keys/{api_key_id}', { params })), command, terminal);
}

function told(key: Schemas['ApiKeyWithSecret'], command: Command, terminal: Terminal): void {
  showSecret(key, { May: key.scopes.join(', ') }, command, terminal);
}
