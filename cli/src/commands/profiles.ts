import type { Command } from 'commander';
import { type Profile, readProfiles } from '../config.ts';
import { type Column, moment, show, styleOf, table } from '../output.ts';
import { type GlobalOptions, profileNameOf } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';

const EXAMPLES = `
Examples:
  $ commerce profiles
  $ commerce login --profile live --url https://shop.example   creates one
  $ commerce orders list --profile live                        uses it, as COMMERCE_PROFILE=live does`;

interface Row {
  name: string;
  url: string;
  shop: string | null;
  as: string | null;
  state: 'logged in' | 'expired' | 'logged out';
  expires_at: string | null;
  used: boolean;
}

/** `profiles`: lists the stored logins. */
export function addProfiles(program: Command, terminal: Terminal): void {
  program
    .command('profiles')
    .description('List the stored logins, the current one first. Their secrets are not shown.')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => profiles(command, terminal));
}

const COLUMNS: Column<Row>[] = [
  { title: 'PROFILE', value: ({ name, used }) => (used ? `${name} *` : name) },
  { title: 'SHOP', value: ({ shop }) => shop, shrinks: true },
  { title: 'SERVER', value: ({ url }) => url },
  { title: 'AS', value: ({ as }) => as, below: true },
  {
    title: 'STATE',
    value: ({ state }) => state,
    colour: ({ state }) => (state === 'logged in' ? 'green' : 'yellow'),
  },
  { title: 'UNTIL', value: ({ expires_at }) => moment(expires_at), below: true },
];

async function profiles(command: Command, terminal: Terminal): Promise<void> {
  const used = profileNameOf(command.optsWithGlobals<GlobalOptions>(), terminal);
  const rows = Object.entries(await readProfiles(terminal.env))
    .map(([name, profile]) => rowOf(name, profile, name === used))
    .sort((one, other) => Number(other.used) - Number(one.used) || one.name.localeCompare(other.name));
  show(terminal, isJson(command), rows, (paint) =>
    rows.length > 0 ? table(COLUMNS, rows, styleOf(terminal, paint)) : 'No profiles yet. Create one: commerce login',
  );
}

function rowOf(name: string, { url, api_key, session_token, expires_at, email, shop }: Profile, used: boolean): Row {
  const over = expires_at !== undefined && Date.parse(expires_at) <= Date.now();
  const state = !api_key && !session_token ? 'logged out' : over ? 'expired' : 'logged in';
  const as = email ?? (api_key ? 'an API key' : null);
  return { name, url, shop: shop ?? null, as, state, expires_at: expires_at ?? null, used };
}
