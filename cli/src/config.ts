import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { usageError } from './errors.ts';

/** A login that is remembered under a name. */
export interface Profile {
  url: string;
  /** One of the two, or neither after a logout. */
  api_key?: string;
  session_token?: string;
  /** When the session ends. */
  expires_at?: string;
  /** The merchant that the commands are for, among those of a session. */
  merchant_id?: string;
  /** Who logged in, and the shop's name: only for display. */
  email?: string;
  shop?: string;
}

export type Profiles = Record<string, Profile>;

type Env = Record<string, string | undefined>;

/** Where profiles are kept: $COMMERCE_CONFIG, or commerce/config.json in the user's folder for configuration. */
export function configFile(env: Env): string {
  if (env.COMMERCE_CONFIG) return env.COMMERCE_CONFIG;
  const folder = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(folder, 'commerce', 'config.json');
}

/** The profiles kept; none before the first login. A usage error when the file is not what `saveProfiles` writes. */
export async function readProfiles(env: Env): Promise<Profiles> {
  const path = configFile(env);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return {};
    throw error;
  }
  const profiles = profilesIn(text);
  if (!profiles) throw usageError(`${path} is damaged.`, 'Delete it and log in again: commerce login');
  return profiles;
}

function profilesIn(text: string): Profiles | undefined {
  try {
    const { profiles } = JSON.parse(text) as { profiles?: Profiles };
    const sound = typeof profiles === 'object' && profiles !== null;
    return sound && Object.values(profiles).every((profile) => typeof profile?.url === 'string') ? profiles : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes the profiles to a file that only its owner may read; written to a temporary file and renamed, so that it is never half
 * written.
 */
export async function saveProfiles(env: Env, profiles: Profiles): Promise<void> {
  const path = configFile(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  try {
    await writeFile(draft, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
