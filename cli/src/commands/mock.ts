import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { MockShop, MockShopData } from '@commerce-backend/sdk/mocks/fetch';
import { type Command, InvalidArgumentError } from 'commander';
import { show } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';

interface MockOptions {
  port: number;
  credentials?: string;
}

const DEFAULT_PORT = 8080;

const EXAMPLES = `
It serves every operation of the contract from memory, with the demo shop's catalogue: no database, no server. Catalogue, cart,
codes, checkout, login, consent and budgets are simulated; everything else returns the contract's examples. All data is lost
when it ends with Ctrl-C. A checkout's page places the order with one button; an agent's page asks whether to allow it.

Examples:
  $ commerce mock
  $ commerce mock --credentials .data/demo.json      as the programs of the docs read it
  $ commerce mock --port 8091 --credentials mock.json
  $ curl -s -H "X-Site-ID: …" -H "X-Service-Token: …" 'http://localhost:8080/api/storefront/products?q=mug'`;

/** `mock`: serves the API from memory, for developing storefronts and agents without a server. */
export function addMock(program: Command, terminal: Terminal): void {
  program
    .command('mock')
    .description('Serve the API from memory, with the demo catalogue, for developing without a server.')
    .option('--port <number>', 'where to listen; 0 takes a free port', port, DEFAULT_PORT)
    .option(
      '--credentials <file>',
      'write the URL, the tokens and the logins to this file, in the format of .data/demo.json',
    )
    .addHelpText('after', EXAMPLES)
    .action((options: MockOptions, command: Command) => mock(options, command, terminal));
}

function port(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number < 65_536) return number;
  throw new InvalidArgumentError('It should be a number from 0 to 65535.');
}

async function mock(options: MockOptions, command: Command, terminal: Terminal): Promise<void> {
  // Imported here, because no other command needs these modules.
  const [{ createMockFetch }, { default: demo }, { answerWith, listenOn }, { openPages }] = await Promise.all([
    import('@commerce-backend/sdk/mocks/fetch'),
    import('../mock/generated/demo-shop.json', { with: { type: 'json' } }),
    import('../mock/serve.ts'),
    import('../mock/pages.ts'),
  ]);
  const listening = await listenOn(options.port);
  const baseUrl = `http://localhost:${listening.port}`;
  const { shop, fetch } = createMockFetch({ baseUrl, data: withAddresses(demo, baseUrl) });
  const pages = openPages(shop, fetch);
  answerWith(listening.server, baseUrl, async (request) => (await pages(request)) ?? fetch(request));
  const credentials = credentialsOf(shop);
  if (options.credentials) {
    await mkdir(dirname(options.credentials), { recursive: true });
    await writeFile(options.credentials, `${JSON.stringify(credentials, null, 2)}\n`);
  }
  show(terminal, isJson(command), credentials, () => greeting(shop, options.credentials));
  await new Promise<void>((ended) => {
    terminal.once('SIGINT', ended);
    terminal.once('SIGTERM', ended);
  });
  listening.server.closeAllConnections();
  await new Promise((closed) => listening.server.close(closed));
}

/** Prefixes the paths of the demo shop's images with the base URL of the mock server. */
function withAddresses(demo: unknown, baseUrl: string): Partial<MockShopData> {
  return JSON.parse(JSON.stringify(demo).replaceAll('"/demo-images/', `"${baseUrl}/demo-images/`));
}

function credentialsOf({ baseUrl, siteId, storefrontToken, apiKey, syncSecret, customers }: MockShop) {
  return {
    ...{ base_url: baseUrl, site_id: siteId, storefront_token: storefrontToken, api_key: apiKey },
    ...{ sync_secret: syncSecret, customers: customers.map(({ email, password }) => ({ email, password })) },
  };
}

function greeting({ baseUrl, siteId, storefrontToken, apiKey, customers }: MockShop, file?: string): string {
  const [customer] = customers;
  const headers = `-H 'X-Site-ID: ${siteId}' -H 'X-Service-Token: ${storefrontToken}'`;
  return [
    `Base URL          ${baseUrl}`,
    `Site              ${siteId}`,
    `Storefront token  ${storefrontToken}`,
    `API key           ${apiKey}`,
    `Customer          ${customer?.email} / ${customer?.password}`,
    '',
    'Try it, in another terminal:',
    `  curl -s ${headers} '${baseUrl}/api/storefront/products?q=mug&limit=1'`,
    file ? `All of it is in ${file}.` : 'As a file, for programs: --credentials .data/demo.json',
    'All data is lost when it ends with Ctrl-C.',
  ].join('\n');
}
