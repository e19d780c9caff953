import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { CommandError, EXIT } from '../errors.ts';
import { type Demo, demoIn, logFileIn, serverIn } from '../local/folder.ts';
import { end, freePortFrom, startServer, startStorefront } from '../local/processes.ts';
import { facts, plain, show } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { isJson, wholeNumber } from './options.ts';

interface DevOptions {
  port: number;
  storefrontPort: number;
}

const EXAMPLES = `
Run it in a folder of commerce init. Ports that are in use are skipped. The server also reads its settings from a file .env in
the folder. commerce logs tail shows its log. Ctrl-C ends both.

Examples:
  $ commerce dev
  $ commerce dev my-shop --port 8090 --storefront-port 4000`;

const STOREFRONT = 'storefront/server.js';

/** `dev`: runs the server and the storefront of a folder until Ctrl-C. */
export function addDev(program: Command, terminal: Terminal): void {
  program
    .command('dev [folder]')
    .description('Run the shop of a folder, and its storefront, which restarts when its files change.')
    .option('--port <number>', 'the port of the server', wholeNumber, 8080)
    .option('--storefront-port <number>', 'the port of the storefront', wholeNumber, 3000)
    .addHelpText('after', EXAMPLES)
    .action((folder: string | undefined, options: DevOptions, command: Command) =>
      dev(resolve(folder ?? '.'), options, command, terminal),
    );
}

async function dev(folder: string, options: DevOptions, command: Command, terminal: Terminal): Promise<void> {
  const program = serverIn(folder);
  const env = { ...settingsIn(folder), ...terminal.env };
  const logFile = logFileIn(folder, env);
  const port = await freePortFrom(options.port);
  const interrupted = interruptionOf(terminal);
  const running: { end: () => Promise<void> }[] = [];
  try {
    const isFirst = !existsSync(dirname(dirname(logFile)));
    terminal.stderr.write(`Starting the shop …${isFirst ? ' Its database and a demo shop are created first.' : ''}\n`);
    const server = await startServer(program, { folder, env, port, logFile });
    running.push({ end: () => end(server) });
    const demo = await demoIn(dirname(dirname(logFile)));
    const url = `http://localhost:${port}`;
    const storefront =
      demo && existsSync(join(folder, STOREFRONT)) ? await freePortFrom(options.storefrontPort) : undefined;
    if (demo && storefront) {
      await tellStorefront(url, demo, storefront);
      const tell = (line: string) => terminal.stderr.write(`storefront: ${plain(line)}\n`);
      running.push(
        startStorefront(STOREFRONT, { folder, tell, env: { ...env, ...variablesFor(url, demo, storefront) } }),
      );
    }
    tellAddresses(terminal, isJson(command), { url, storefront, demo, logFile });
    const ended = await Promise.race([interrupted.happened, server.ended]);
    if (typeof ended === 'number') {
      throw new CommandError(
        EXIT.refused,
        'ended',
        `The shop has ended with ${ended}.`,
        'See: commerce logs tail --no-follow',
      );
    }
    terminal.stderr.write('Stopping …\n');
  } finally {
    interrupted.forget();
    for (const one of running.reverse()) await one.end();
  }
}

/** Reads the folder's .env file, which contains the server's settings. */
function settingsIn(folder: string): Record<string, string | undefined> {
  const file = join(folder, '.env');
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

function variablesFor(url: string, demo: Demo, port: number): Record<string, string> {
  const { site_id: COMMERCE_SITE_ID, storefront_token: COMMERCE_STOREFRONT_TOKEN } = demo;
  return { COMMERCE_URL: url, COMMERCE_SITE_ID, COMMERCE_STOREFRONT_TOKEN, PORT: String(port) };
}

/**
 * Sets the local storefront as the shop's storefront_url, unless the merchant has set a URL that is not on localhost.
 */
async function tellStorefront(baseUrl: string, { api_key: apiKey }: Demo, port: number): Promise<void> {
  const client = createDashboardClient({ baseUrl, apiKey });
  const { storefront_url } = await unwrap(client.GET('/api/dashboard/settings'));
  const own = `http://localhost:${port}/`;
  if (storefront_url === own || (storefront_url && !storefront_url.startsWith('http://localhost:'))) return;
  await unwrap(client.PATCH('/api/dashboard/settings', { body: { storefront_url: own } }));
}

interface Addresses {
  url: string;
  storefront: number | undefined;
  demo: Demo | undefined;
  logFile: string;
}

function tellAddresses(terminal: Terminal, json: boolean, { url, storefront, demo, logFile }: Addresses): void {
  const info = {
    ...(storefront && { storefront: `http://localhost:${storefront}` }),
    panel: `${url}/panel`,
    ...(demo && { login: `${demo.staff.email}  ${demo.staff.password}` }),
    ...(demo && { mcp: `${url}/sites/${demo.site_id}/mcp` }),
    api: `${url}/api`,
    docs: `${url}/docs`,
    logs: logFile,
  };
  show(terminal, json, info, (paint) => {
    const { storefront: front, panel, login, mcp, api, docs } = info;
    const lines = {
      Storefront: front,
      Panel: panel,
      Login: login,
      MCP: mcp,
      API: api,
      Docs: docs,
      Log: 'npx commerce logs tail',
    };
    return `\n${facts(lines, paint)}\n\nChange ${STOREFRONT}, and the page reloads. In another terminal, an agent shops: npm run agent. Ctrl-C ends the shop.\n`;
  });
}

function interruptionOf(terminal: Terminal): { happened: Promise<'interrupted'>; forget: () => void } {
  let stop = () => {};
  const happened = new Promise<'interrupted'>((resolved) => {
    stop = () => resolved('interrupted');
  });
  terminal.once('SIGINT', stop);
  terminal.once('SIGTERM', stop);
  return {
    happened,
    forget: () => {
      terminal.off('SIGINT', stop);
      terminal.off('SIGTERM', stop);
    },
  };
}
