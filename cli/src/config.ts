import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { usageError } from './errors.ts';

/** A stored login. */
export interface Profile {
  url: string;
  /** A profile has an API key or a session token; after a logout, neither. */
  api_key?: string;
  session_token?: string;
  /** When the staff session ends. */
  expires_at?: string;
  /** The merchant that commands use. */
  merchant_id?: string;
  /** The person's e-mail and the shop's name, for display only. */
  email?: string;
  shop?: string;
}

export type Profiles = Record<string, Profile>;

/** An agent's token, and the time when it expires. */
export interface KeptAgent {
  token: string;
  expires_at: string;
}

/** Agents by their shop's MCP URL. */
export type KeptAgents = Record<string, KeptAgent>;

interface Config {
  profiles: Profiles;
  agents: KeptAgents;
}

type Env = Record<string, string | undefined>;

/** Path of the configuration file: $COMMERCE_CONFIG, or commerce/config.json in the user's configuration folder. */
export function configFile(env: Env): string {
  if (env.COMMERCE_CONFIG) return env.COMMERCE_CONFIG;
  const folder = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(folder, 'commerce', 'config.json');
}

/** The stored profiles; empty before the first login. Throws a usage error if the file is damaged. */
export async function readProfiles(env: Env): Promise<Profiles> {
  return (await readConfig(env)).profiles;
}

/** The stored agents; empty before the first `commerce mcp login`. */
export async function readAgents(env: Env): Promise<KeptAgents> {
  return (await readConfig(env)).agents;
}

async function readConfig(env: Env): Promise<Config> {
  const path = configFile(env);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return { profiles: {}, agents: {} };
    throw error;
  }
  const config = configIn(text);
  if (!config) throw usageError(`${path} is damaged.`, 'Delete it and log in again: commerce login');
  return config;
}

function configIn(text: string): Config | undefined {
  try {
    const { profiles, agents = {} } = JSON.parse(text) as Partial<Config>;
    return areAll(profiles, 'url') && areAll(agents, 'token') ? { profiles, agents } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether all values are objects with this text field. */
function areAll<Entry>(
  entries: Record<string, Entry> | undefined,
  field: keyof Entry,
): entries is Record<string, Entry> {
  if (typeof entries !== 'object' || entries === null) return false;
  return Object.values(entries).every((entry) => typeof entry?.[field] === 'string');
}

export async function saveProfiles(env: Env, profiles: Profiles): Promise<void> {
  await save(env, { ...(await readConfig(env)), profiles });
}

export async function saveAgents(env: Env, agents: KeptAgents): Promise<void> {
  await save(env, { ...(await readConfig(env)), agents });
}

/** Writes a temporary file and renames it, so that the file is always complete. Only its owner may read it. */
async function save(env: Env, { profiles, agents }: Config): Promise<void> {
  const path = configFile(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  const kept = { profiles, ...(Object.keys(agents).length > 0 && { agents }) };
  try {
    await writeFile(draft, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
