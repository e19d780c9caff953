/** The folder that `commerce init` creates. It contains the server as a package, its data, and a storefront. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { usageError } from '../errors.ts';

/** Default data directory of the folder's server. */
export const DATA_DIR = '.data';

/** Path of the log that `commerce dev` writes. */
export function logFileIn(folder: string, env: Record<string, string | undefined>): string {
  return join(resolve(folder, env.DATA_DIR || DATA_DIR), 'logs', 'server.jsonl');
}

/** Path of the server program installed in a folder. Throws a usage error if there is none. */
export function serverIn(folder: string): string {
  try {
    const manifest = createRequire(join(resolve(folder), 'package.json')).resolve(
      '@commerce-backend/server/package.json',
    );
    return join(dirname(manifest), 'bin', 'commerce-server.js');
  } catch {
    throw usageError(
      `There is no @commerce-backend/server in ${resolve(folder)}.`,
      'Create a shop: npx @commerce-backend/cli init my-shop. In an existing one: npm install',
    );
  }
}

/** The demo shop's credentials, which the server stores in its data directory. */
export interface Demo {
  base_url: string;
  site_id: string;
  storefront_token: string;
  api_key: string;
  staff: { email: string; password: string };
}

/** Reads the demo shop's credentials; undefined if the data directory has none. */
export async function demoIn(dataDir: string): Promise<Demo | undefined> {
  const text = await readFile(join(dataDir, 'demo.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Demo);
}
