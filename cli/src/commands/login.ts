import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, createDashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { configFile, type Profile, readProfiles, saveProfiles } from '../config.ts';
import { usageError } from '../errors.ts';
import { calls } from '../operations.ts';
import { show } from '../output.ts';
import { ask, askSecret, askSecrets } from '../prompt.ts';
import { asCommandLine, type GlobalOptions, LOCAL_URL, profileNameOf, serverUrl } from '../session.ts';
import { canAsk, type Terminal } from '../terminal.ts';

interface LoginOptions extends GlobalOptions {
  email?: string;
  apiKey?: boolean;
  merchant?: string;
  unlock?: string | true;
  code?: true;
  demo?: string | true;
}

type Merchant = Schemas['Merchant'];

const EXAMPLES = `
Passwords and keys are typed without echo, or read from the standard input; they are never arguments. An API key may
also come from COMMERCE_API_KEY.

Examples:
  $ commerce login --demo                                    the demo shop of a server started in this folder
  $ commerce login --url https://shop.example                asks for e-mail and password
  $ commerce login --api-key --profile live < key.txt
  $ commerce login --url https://shop.example --email mina@shop.example < password.txt`;

/** `login`: stores a staff session or an API key as a profile. */
export function addLogin(program: Command, terminal: Terminal): void {
  calls(program.command('login'), 'dashboard.login')
    .description('Log in and store the login as a profile.')
    .option('--email <address>', 'the e-mail of the staff member; asked for when left out')
    .option('--api-key', 'use an API key instead of e-mail and password')
    .option('--code', 'read a code of the authenticator app after the password; a person is asked if it is needed')
    .option('--merchant <id>', 'the merchant, for staff of several')
    .option('--unlock [code]', 'the code of the mail about delayed logins; asked for when left out')
    .option('--demo [data-dir]', 'use the demo shop of the server with this DATA_DIR (default: $DATA_DIR, else .data)')
    .addHelpText('after', EXAMPLES)
    .action((_options, command: Command) => login(command.optsWithGlobals<LoginOptions>(), terminal));
}

async function login(options: LoginOptions, terminal: Terminal): Promise<void> {
  const { env } = terminal;
  const name = profileNameOf(options, terminal);
  const profiles = await readProfiles(env);
  const known = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  const profile = options.demo
    ? await demoProfile(options, terminal)
    : await newProfile(options, await addressOf(options, terminal, known), terminal);
  await saveProfiles(env, { ...profiles, [name]: profile });
  const { url, email, shop, merchant_id, expires_at } = profile;
  const who = email ? `as ${email}` : 'with an API key';
  show(
    terminal,
    options.json === true,
    { profile: name, url, email: email ?? null, shop, merchant_id, expires_at: expires_at ?? null },
    () => `Logged in to ${shop} at ${url} ${who}. Profile "${name}" is in ${configFile(env)}.`,
  );
}

/** Returns the server's URL for the login: from --url, COMMERCE_URL or the profile. If there is none, asks for it. */
async function addressOf(options: LoginOptions, terminal: Terminal, known: Profile | undefined): Promise<string> {
  const named = options.url || terminal.env.COMMERCE_URL || known?.url;
  if (named) return serverUrl(named);
  if (!canAsk(terminal)) throw usageError('Which server?', 'Name it with --url or COMMERCE_URL.');
  return serverUrl(await ask(terminal, 'Server', LOCAL_URL));
}

function newProfile(options: LoginOptions, url: string, terminal: Terminal): Promise<Profile> {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) {
    terminal.stderr.write(`Warning: ${url} is not encrypted, so others on the network can read the traffic.\n`);
  }
  const withKey = options.apiKey || (terminal.env.COMMERCE_API_KEY && !options.email);
  return withKey ? keyProfile(url, terminal) : staffProfile(options, url, terminal);
}

async function keyProfile(url: string, terminal: Terminal): Promise<Profile> {
  const apiKey = terminal.env.COMMERCE_API_KEY || (await askSecret(terminal, 'API key'));
  return { url, api_key: apiKey, ...shopOf(await merchantOfKey(url, apiKey)) };
}

async function merchantOfKey(url: string, apiKey: string): Promise<Merchant | null> {
  const client = createDashboardClient({ baseUrl: url, apiKey });
  const { merchant } = await unwrap(client.GET('/api/dashboard/me'));
  return merchant;
}

async function staffProfile(options: LoginOptions, url: string, terminal: Terminal): Promise<Profile> {
  if (!options.email && !canAsk(terminal)) {
    throw usageError('Who logs in?', 'Give --email, or --api-key, and the secret on the standard input.');
  }
  const email = options.email || (await ask(terminal, 'E-mail'));
  const code = options.unlock === true ? await askSecret(terminal, 'Code from the mail') : options.unlock;
  const [password = '', app_code] = await askSecrets(terminal, ['Password', ...(options.code ? [APP_CODE] : [])]);
  const shown = { email, password, ...(code && { unlock_token: code }) };
  const { access_token, expires_at, merchants } = await openedSession(
    url,
    { ...shown, ...(app_code && { totp_code: app_code }) },
    terminal,
  );
  const merchant = await chosen(merchants, options.merchant, terminal);
  return { url, session_token: access_token, expires_at, email, ...shopOf(merchant) };
}

const APP_CODE = 'Code of the authenticator app';

interface Shown {
  email: string;
  password: string;
  unlock_token?: string;
  totp_code?: string;
}

/** Starts a session. If the server requires a second factor, asks for it in an interactive terminal. */
async function openedSession(url: string, body: Shown, terminal: Terminal): Promise<Schemas['OpenedSession']> {
  const client = createClient({ baseUrl: url, fetch: asCommandLine });
  const answer = await client.POST('/api/dashboard/auth/login', { body });
  if (answer.error?.error !== 'second_factor_required' || !canAsk(terminal)) return unwrap(Promise.resolve(answer));
  const totp_code = await askSecret(terminal, APP_CODE);
  return openedSession(url, { ...body, totp_code }, terminal);
}

async function chosen(merchants: Merchant[], asked: string | undefined, terminal: Terminal): Promise<Merchant> {
  const find = (id: string) => merchants.find((merchant) => merchant.id === id);
  const list = merchants.map(({ id, name }) => `${id} (${name})`).join(', ');
  const [only] = merchants;
  if (!only) throw usageError('This login belongs to no merchant.');
  const found = asked ? find(asked) : merchants.length === 1 ? only : undefined;
  if (found) return found;
  if (asked || !canAsk(terminal)) {
    throw usageError(asked ? 'This login does not belong to that merchant.' : 'Which merchant?', `--merchant: ${list}`);
  }
  terminal.stderr.write(`${merchants.map(({ name }, index) => `  ${index + 1}  ${name}`).join('\n')}\n`);
  const picked = merchants[Number(await ask(terminal, 'Merchant', '1')) - 1];
  if (!picked) throw usageError('There is no merchant with that number.');
  return picked;
}

/**
 * Returns a profile with the demo shop's API key, from the file that the server writes for its owner. The key does not
 * expire.
 */
async function demoProfile({ demo, url }: LoginOptions, { env }: Terminal): Promise<Profile> {
  const path = join(typeof demo === 'string' ? demo : env.DATA_DIR || '.data', 'demo.json');
  const { base_url, api_key } = demoIn(await readDemo(path), path);
  const address = serverUrl(url || base_url);
  return { url: address, api_key, ...shopOf(await merchantOfKey(address, api_key)) };
}

async function readDemo(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
    throw usageError(`There is no ${path}.`, 'Start the server first (npm start), or name its DATA_DIR after --demo.');
  }
}

function demoIn(text: string, path: string): { base_url: string; api_key: string } {
  try {
    const { base_url, api_key } = JSON.parse(text) as Record<string, unknown>;
    if (typeof base_url === 'string' && typeof api_key === 'string') return { base_url, api_key };
  } catch {
    // An unreadable file is reported below, like a file without these fields.
  }
  throw usageError(`${path} does not hold the credentials of a demo shop.`);
}

function shopOf(merchant: Merchant | null): Pick<Profile, 'shop' | 'merchant_id'> {
  return merchant ? { shop: merchant.name, merchant_id: merchant.id } : {};
}
