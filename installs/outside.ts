import { type ChildProcess, execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Helpers for tests of installations: folders outside of the repository, and commands that run in them. */

export const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));

/** The repository's TypeScript, which is the newest supported version. */
export const NEWEST_TYPESCRIPT = join(REPOSITORY, 'node_modules/typescript/bin/tsc');

/** Maximum time of a command. Building an image takes minutes. */
const TIMEOUT_MS = 900_000;
const run = promisify(execFile);

/**
 * Creates an empty temporary folder. The removal of the folder is retried, because an exiting server may still write
 * its compile cache.
 */
export async function emptyFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-install-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 20 }) };
}

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs a command. Returns its output and exit code. */
export async function ran(cwd: string, command: string[], env: Record<string, string> = {}): Promise<Ended> {
  const [file = '', ...args] = command;
  try {
    const options = { cwd, env: { ...ownEnvironment(), ...env }, timeout: TIMEOUT_MS, maxBuffer: 64 << 20 };
    const { stdout, stderr } = await run(file, args, options);
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { code, out: stdout ?? '', err: stderr ?? '' };
  }
}

/** Runs a command. Returns its output, or throws if it fails. */
export async function done(cwd: string, command: string[], env?: Record<string, string>): Promise<string> {
  const { code, out, err } = await ran(cwd, command, env);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${out}\n${err}`);
  return out;
}

/**
 * Variables that npm and vitest set for the repository. Commands outside of it must not inherit them. Variables for the
 * registry and the cache are kept.
 */
const OF_THE_REPOSITORY =
  /^(npm_package_|npm_lifecycle_|npm_config_local_prefix$|INIT_CWD$|VITEST|NODE_ENV$|NODE_OPTIONS$|(BASE_URL|MODE|DEV|PROD|SSR|TEST)$)/;

export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_THE_REPOSITORY.test(name)));
}

const QUIET = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

/** A configuration for `site create --file`, with which the shop can sell immediately (see buy.mjs). */
export const SHOP = {
  name: 'Alder & Finch',
  country: 'DE',
  settings: { bank_details: { account_holder: 'Alder & Finch GmbH', iban: 'DE89370400440532013000' } },
  shipping_options: [{ name: 'Parcel', price: '4.90', countries: ['DE'] }],
  products: [{ slug: 'mug', name: 'Mug', price: '12.00', status: 'active', inventory_quantity: 5 }],
};

/** Packs a workspace that was already built. Returns the path of the tarball. */
export async function pack(workspace: string, into: string): Promise<string> {
  // Without scripts, because a build would change files that concurrent tests read.
  const command = ['npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', into, ...QUIET];
  const packed = JSON.parse(await done(join(REPOSITORY, workspace), command));
  const [{ filename }] = Object.values<{ filename: string }>(packed) as [{ filename: string }];
  return join(into, filename);
}

/** Installs packages into an empty folder, from tarballs and the registry. */
export async function install(folder: string, ...packages: string[]): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await done(folder, ['npm', 'install', '--prefer-offline', ...QUIET, ...packages]);
}

/** Returns the number and size of the packages installed in a folder. */
export async function installed(folder: string): Promise<{ packages: number; megabytes: number }> {
  const { packages } = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const [megabytes] = (await done(folder, ['du', '-sm', 'node_modules'])).split('\t');
  return {
    packages: Object.values<{ link?: boolean }>(packages).filter(({ link }) => !link).length,
    megabytes: Number(megabytes),
  };
}

/** Waits until a URL answers with 2xx. Throws an error with the process's stderr if the process exits first. */
export async function answering(address: string, server: ChildProcess): Promise<void> {
  let said = '';
  server.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  while (!(await fetch(address).catch(() => undefined))?.ok) {
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}: ${said}`);
    await sleep(50);
  }
}

/** Stops a detached process with its process group, because npm does not forward signals. */
export async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || !server.pid) return;
  const ended = new Promise((exited) => server.once('exit', exited));
  process.kill(-server.pid, 'SIGTERM');
  await ended;
}
