/**
 * Prints the bill of materials of a release as CycloneDX JSON: every package that the published packages install or
 * contain.
 *
 * `npm sbom` fails in the repository, because the root has no version, and `--omit dev` also drops a package that one
 * workspace needs at run time if another has it as a development dependency, such as express. So it runs on copies of
 * the manifests without development dependencies, and the lock file.
 */

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const PUBLISHED = ['spec', 'server', 'sdk', 'cli'];
/** The server's package contains the panel with its packages (BUNDLED), and the script of redoc (COPIED). */
const BUNDLED = 'panel';
const COPIED = 'redoc';
const BUILD_TOOLS = /^@types\/|^vite$|^@vitejs\//;

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const temporary = mkdtempSync(join(tmpdir(), 'sbom-'));
// npm uses the name of the folder as the name of the product.
const folder = join(temporary, 'commerce-backend');
mkdirSync(folder);
try {
  copyFileSync(join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json'));
  const { overrides } = manifestOf('.') as Manifest & { overrides: unknown };
  const { version } = manifestOf('server');
  writeManifest('.', { name: 'commerce-backend', version, workspaces: [...PUBLISHED, BUNDLED], overrides });
  for (const name of PUBLISHED) {
    const { dependencies, devDependencies, ...rest } = manifestOf(name);
    const copied = devDependencies?.[COPIED];
    writeManifest(name, { ...rest, dependencies: { ...dependencies, ...(copied && { [COPIED]: copied }) } });
  }
  const panel = manifestOf(BUNDLED);
  const bundled = Object.entries(panel.devDependencies ?? {}).filter(([name]) => !BUILD_TOOLS.test(name));
  writeManifest(BUNDLED, { ...panel, devDependencies: undefined, dependencies: Object.fromEntries(bundled) });
  npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline');
  process.stdout.write(npm('sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'));
} finally {
  rmSync(temporary, { recursive: true });
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, name, 'package.json'), 'utf8')) as Manifest;
}

function writeManifest(name: string, manifest: object): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'package.json'), JSON.stringify(manifest));
}

function npm(...args: string[]): string {
  return execFileSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
}
