/**
 * Writes the source repository's URL into each published package. npm compares it with the provenance of the build and
 * rejects another URL (E422). The URL comes from the CI environment, so that forks publish their own. A URL already in
 * a package is kept.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY) {
  console.error(
    'Packages are published by the release workflow: GITHUB_SERVER_URL and GITHUB_REPOSITORY have to name the repository.',
  );
  process.exit(1);
}

interface Manifest {
  workspaces?: string[];
  private?: boolean;
  repository?: unknown;
  homepage?: string;
  bugs?: unknown;
}

const root = process.cwd();
const address = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
const manifestIn = (directory: string) => join(root, directory, 'package.json');
const read = (directory: string) => JSON.parse(readFileSync(manifestIn(directory), 'utf8')) as Manifest;

for (const directory of read('.').workspaces ?? []) {
  const manifest = read(directory);
  if (manifest.private) continue;
  const named = {
    ...manifest,
    repository: manifest.repository ?? { type: 'git', url: `git+${address}.git`, directory },
    homepage: manifest.homepage ?? `${address}/tree/main/${directory}#readme`,
    bugs: manifest.bugs ?? { url: `${address}/issues` },
  };
  writeFileSync(manifestIn(directory), `${JSON.stringify(named, null, 2)}\n`);
}
