import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes into each published package where its source is, as the CI that builds it says: npm compares `repository` with the
 * provenance and refuses another URL (E422). The URL is not kept in the repository, so that a copy of it publishes under its own.
 * A URL that a package itself names is kept.
 */
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
