import { spawn } from 'node:child_process';
import { unwrap } from '@commerce-backend/sdk';
import { Argument, type Command } from 'commander';
import { CommandError, EXIT, usageError } from '../errors.ts';
import { show } from '../output.ts';
import { openSession, serverOf } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { withWords } from './completion.ts';
import { isJson } from './options.ts';

const EXAMPLES = `
PAGE is panel, where staff run the shop; docs, the reference of the API; or storefront, the shop as the setting storefront_url
names it. The address is printed, and opened in the browser when the output is a terminal; BROWSER names another browser.

Examples:
  $ commerce open panel
  $ commerce open storefront`;

/** Pages that every server has, by name. `dashboard` is an old name of the panel. */
const PATHS: Record<string, string> = { panel: '/panel', docs: '/docs', dashboard: '/panel' };
const STOREFRONT = 'storefront';
const PAGES = 'panel, docs or storefront';

/** `open`: opens a page of the server in the browser. */
export function addOpen(program: Command, terminal: Terminal): void {
  program
    .command('open')
    .addArgument(withWords(new Argument('<page>', PAGES), ['panel', 'docs', STOREFRONT]))
    .description('Open the panel, docs or storefront in the browser.')
    .addHelpText('after', EXAMPLES)
    .action((page: string, _options, command: Command) => open(page, command, terminal));
}

async function open(page: string, command: Command, terminal: Terminal): Promise<void> {
  const url = page === STOREFRONT ? await storefrontOf(command, terminal) : await pageOf(page, command, terminal);
  const isOpened = terminal.stdout.isTTY === true && !isJson(command);
  if (isOpened) startBrowser(url, terminal);
  show(terminal, isJson(command), { page, url }, () => url);
}

async function pageOf(page: string, command: Command, terminal: Terminal): Promise<string> {
  const path = Object.hasOwn(PATHS, page) ? PATHS[page] : undefined;
  if (!path) throw usageError(`There is no page ${page}.`, `Name ${PAGES}.`);
  const url = `${await serverOf(command, terminal)}${path}`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  await answer?.body?.cancel();
  if (!answer) throw new CommandError(EXIT.unreachable, 'unreachable', `${url} cannot be reached.`);
  if (answer.status === 404) throw new CommandError(EXIT.refused, 'not_found', `This server has no ${page} at ${url}.`);
  return url;
}

async function storefrontOf(command: Command, terminal: Terminal): Promise<string> {
  const { client } = await openSession(command, terminal);
  const { storefront_url } = await unwrap(client.GET('/api/dashboard/settings'));
  if (storefront_url) return storefront_url;
  const remedy = 'Set it: commerce settings set storefront_url https://shop.example/';
  throw new CommandError(EXIT.refused, 'not_found', 'The shop does not say where its storefront is.', remedy);
}

const BROWSERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** If no browser can be started, that is not an error, because the URL is printed anyway. */
function startBrowser(url: string, { env }: Terminal): void {
  const [program, ...args] = env.BROWSER ? [env.BROWSER] : (BROWSERS[process.platform] ?? ['xdg-open']);
  const browser = spawn(program, [...args, url], { detached: true, stdio: 'ignore' });
  browser.on('error', () => {});
  browser.unref();
}
