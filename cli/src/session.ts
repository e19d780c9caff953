import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { platform } from 'node:process';
import { createDashboardClient, type DashboardClient, type DashboardCredentials } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { type Profile, readProfiles } from './config.ts';
import { CommandError, EXIT, usageError } from './errors.ts';
import { folderProfile } from './folder-profile.ts';
import { DATA_DIR } from './local/folder.ts';
import { withStepUp } from './step-up.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

/** Options of all commands. */
export interface GlobalOptions {
  json?: boolean;
  profile?: string;
  url?: string;
}

/** The server and credentials that a command uses. */
export interface Session {
  url: string;
  /** Name of the profile; undefined with COMMERCE_API_KEY. */
  profileName: string | undefined;
  /** The stored profile; empty with COMMERCE_API_KEY. */
  profile: Partial<Profile>;
  client: DashboardClient;
}

/** Retries and timeouts, as options of the SDK. */
export type Patience = { maxAttempts?: number; maxWaitMs?: number; timeoutMs?: number };

export const LOCAL_URL = 'http://localhost:8080';

type Place = Pick<Terminal, 'env' | 'cwd'>;

/** Name of the profile: --profile, COMMERCE_PROFILE, that of the folder or "default". */
export function profileNameOf({ profile }: GlobalOptions, { env, cwd }: Place): string {
  return profile || env.COMMERCE_PROFILE || folderProfile({ cwd })?.profile || 'default';
}

/** The server's URL. Needs no login. */
export async function serverOf(command: Command, { env, cwd }: Terminal): Promise<string> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const name = profileNameOf(options, { env, cwd });
  const profiles = await readProfiles(env);
  return addressOf(options, env, Object.hasOwn(profiles, name) ? profiles[name] : undefined);
}

function addressOf({ url, profile }: GlobalOptions, env: Terminal['env'], kept: Profile | undefined): string {
  return serverUrl(url || (profile ? undefined : env.COMMERCE_URL) || kept?.url || LOCAL_URL);
}

/**
 * The server and credentials of a command. COMMERCE_API_KEY takes precedence over the profile, unless --profile is
 * given. A profile's credentials are sent only to its own server; another --url or COMMERCE_URL needs another login.
 */
export async function openSession(command: Command, terminal: Terminal, patience: Patience = {}): Promise<Session> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const { env } = terminal;
  const name = profileNameOf(options, terminal);
  const profiles = await readProfiles(env);
  const kept = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  const url = addressOf(options, env, kept);

  if (env.COMMERCE_API_KEY && !options.profile) {
    const client = createDashboardClient({ baseUrl: url, apiKey: env.COMMERCE_API_KEY, ...patience });
    return { url, profileName: undefined, profile: {}, client };
  }
  if (!kept) throw notLoggedIn(name, Object.keys(profiles), env);
  if (url !== kept.url) {
    const remedy = `Log in there: commerce login --url ${url} --profile ANOTHER_NAME`;
    throw new CommandError(
      EXIT.notLoggedIn,
      'other_server',
      `Profile "${name}" is for ${kept.url}, not ${url}.`,
      remedy,
    );
  }
  const credentials = credentialsOf(kept);
  if (!credentials) throw notLoggedIn(name, [], env);
  const { merchant_id } = kept;
  const client = createDashboardClient({
    baseUrl: url,
    fetch: asCommandLine,
    ...credentials,
    ...patience,
    ...(merchant_id && { merchantId: merchant_id }),
  });
  const asking = credentials.apiKey === undefined ? withStepUp(client, terminal) : client;
  return { url, profileName: name, profile: kept, client: asking };
}

/** Sends a request with a User-Agent by which staff recognize the CLI in their list of sessions. */
export function asCommandLine(request: Request): Promise<Response> {
  request.headers.set('User-Agent', `commerce-cli/${version} (${SYSTEMS[platform] ?? platform})`);
  return fetch(request);
}

const SYSTEMS: Partial<Record<string, string>> = { darwin: 'Macintosh', linux: 'Linux', win32: 'Windows' };

function credentialsOf({ api_key, session_token }: Profile): DashboardCredentials | undefined {
  if (api_key) return { apiKey: api_key };
  return session_token ? { sessionToken: session_token } : undefined;
}

function notLoggedIn(name: string, others: string[], env: Terminal['env']): CommandError {
  const demo = existsSync(join(env.DATA_DIR || DATA_DIR, 'demo.json')) ? ' --demo' : '';
  const flag = name === 'default' ? demo : `${demo} --profile ${name}`;
  const known = others.length > 0 ? `. Known profiles: ${others.join(', ')}` : '';
  const remedy = `commerce login${flag}, or set COMMERCE_API_KEY${known}`;
  return new CommandError(EXIT.notLoggedIn, 'not_logged_in', `Profile "${name}" is not logged in.`, remedy);
}

/** Normalizes a server URL, without a trailing slash. Throws a usage error. */
export function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(`"${text}" is not the address of a server.`, `Write it as ${LOCAL_URL} or https://shop.example`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw usageError('The address of a server has no user, query or fragment.');
  }
  return url.href.replace(/\/+$/, '');
}
