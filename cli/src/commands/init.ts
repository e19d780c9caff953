import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { CommandError, EXIT, usageError } from '../errors.ts';
import { manifestOf, tarballsFrom } from '../local/packages.ts';
import { plain, show } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';

interface InitOptions {
  from?: string;
  install: boolean;
}

const EXAMPLES = `
The folder gets the server as a package with its own PostgreSQL, and a storefront in one file to edit. It must be empty or not
exist yet.

Examples:
  $ commerce init my-shop
  $ commerce init my-shop --from ../packages      versions that are not published: the tarballs of npm pack`;

/** Folder with the templates, relative to src/commands or, in the published package, to dist. */
const TEMPLATES = new URL(import.meta.url.endsWith('.ts') ? '../../templates/' : '../templates/', import.meta.url);

/** `init`: creates a folder with a server and an editable storefront. */
export function addInit(program: Command, terminal: Terminal): void {
  program
    .command('init <folder>')
    .description('Create a folder with a shop that runs on this machine, and a storefront.')
    .option('--from <directory>', 'use our packages from the tarballs in this directory')
    .option('--no-install', 'only write the files')
    .addHelpText('after', EXAMPLES)
    .action((folder: string, options: InitOptions, command: Command) => init(folder, options, command, terminal));
}

async function init(name: string, { from, install }: InitOptions, command: Command, terminal: Terminal): Promise<void> {
  const folder = resolve(name);
  const holds = await readdir(folder).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (holds.length > 0) throw usageError(`${folder} is not empty.`, 'Name a folder that does not exist yet.');
  const tarballs = from === undefined ? {} : await tarballsFrom(resolve(from), folder);
  await mkdir(folder, { recursive: true });
  await cp(fileURLToPath(TEMPLATES), folder, { recursive: true });
  // npm does not publish files named .gitignore, so the template has another name.
  await rename(join(folder, 'gitignore'), join(folder, '.gitignore'));
  const manifest = manifestOf(packageNameOf(folder), tarballs);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  if (install) await installIn(folder, terminal, 'node' in manifest.dependencies ? 420 : 230);
  const next = [`cd ${name}`, ...(install ? [] : ['npm install']), 'npm run dev'];
  show(terminal, isJson(command), { folder, next }, (paint) =>
    [`The shop is in ${plain(folder)}. Start it:`, '', ...next.map((line) => `  ${paint('bold', plain(line))}`)].join(
      '\n',
    ),
  );
}

/** Converts a folder's name to a valid npm package name. */
function packageNameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '');
  return name || 'shop';
}

async function installIn(folder: string, { env, stderr }: Terminal, megabytes: number): Promise<void> {
  stderr.write(`Installing the server and its database, some ${megabytes} MB, in a minute or two …\n`);
  const args = ['install', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const windows = process.platform === 'win32';
  const npm = spawn('npm', args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'], shell: windows });
  const said: Buffer[] = [];
  npm.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const stopClock = stderr.isTTY ? startClock(stderr) : () => {};
  const [code] = await once(npm, 'close').catch((error: Error) => [error.message]);
  stopClock();
  if (code === 0) return;
  stderr.write(Buffer.concat(said));
  const remedy = `See the output of npm above, and repeat it: cd ${folder} && npm install`;
  throw new CommandError(EXIT.refused, 'not_installed', 'npm could not install the packages.', remedy);
}

/** Shows the elapsed seconds on the terminal until the returned function is called. */
function startClock(stderr: Terminal['stderr']): () => void {
  const began = performance.now();
  const timer = setInterval(() => stderr.write(`\r${Math.round((performance.now() - began) / 1000)} s`), 1_000);
  return () => {
    clearInterval(timer);
    stderr.write('\r\x1b[K');
  };
}
