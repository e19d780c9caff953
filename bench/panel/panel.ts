import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Browser, findChromium, NO_CHROMIUM, openChromium } from '../../server/test/chromium.ts';
import { type Database, openDatabase } from '../database.ts';
import { median } from '../load.ts';
import { migrate, type OwnedSite, ROOT, type Running, startCommerce, stop } from '../processes.ts';
import { report, table, whole } from '../report.ts';
import { firstLoad, logIn, type Opening, openByAddress, openByMenu, openTab } from './screens.ts';
import { openLargeShop } from './shop.ts';

/** Measures the panel in a browser: in the demo shop, and in a shop with many products and as many orders. */
export async function panel(products: number, rounds: number): Promise<void> {
  const chromium = findChromium();
  if (!chromium) throw new Error(NO_CHROMIUM);
  const database = await openDatabase();
  const port = await freePort();
  const start = () =>
    startCommerce({ databaseUrl: database.url, dataDir: database.dataDir, port, env: { ROLE: 'api' } });
  const browser = await openChromium(chromium);
  let server: Running | undefined;
  try {
    await migrate(database.url, database.dataDir);
    const large = await openLargeShop(database, products, start);
    const demo = await openDemo(database, port);
    server = await start();
    // Over http, browsers keep the session's cookie only on localhost.
    const baseUrl = `http://localhost:${port}`;
    const inDemo = await measureShop({ browser, baseUrl, shop: demo, rounds });
    const inLarge = await measureShop({ browser, baseUrl, shop: large, rounds });
    await report('panel', database.version, linesOf(products, inDemo, inLarge));
  } finally {
    await browser.close();
    await stop(server);
    await database.drop();
  }
}

async function openDemo({ url, dataDir }: Database, port: number): Promise<OwnedSite> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATABASE_URL: url, DATA_DIR: dataDir, BASE_URL: `http://localhost:${port}` };
  await promisify(execFile)(process.execPath, [join(ROOT, 'server/src/main.ts'), 'seed'], { env });
  return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as OwnedSite;
}

interface Shop {
  browser: Browser;
  baseUrl: string;
  shop: OwnedSite;
  rounds: number;
}

interface Measured {
  screen: string;
  first: number;
  again: number;
  slowest: Opening['slowest'];
}

interface ShopMeasured {
  screens: Measured[];
  bytes: { files: number; answers: number };
  login: { files: number; answers: number };
}

async function measureShop({ browser, baseUrl, shop, rounds }: Shop): Promise<ShopMeasured> {
  const context = await browser.createBrowserContext();
  const tab = await openTab(context);
  const stranger = await browser.createBrowserContext();
  const outside = await openTab(stranger);
  try {
    await logIn(tab, `${baseUrl}/panel/`, shop.staff);
    const login = await firstLoad(outside, `${baseUrl}/panel/`);
    const bytes = await firstLoad(tab, `${baseUrl}/panel/`);
    const screens: Measured[] = [];
    for (const [screen, path] of await screensOf(baseUrl, shop)) {
      const [first, again]: [Opening[], Opening[]] = [[], []];
      // The first opening of each screen is not counted, because the server still compiles code, and the database reads
      // from disk.
      for (let round = 0; round <= rounds; round += 1) {
        first.push(await openByAddress(tab, `${baseUrl}/panel${path}`));
        await openByMenu(tab, '/account');
        again.push(await openByMenu(tab, path));
      }
      const counted = (openings: Opening[]) => median(openings.slice(1).map(({ ms }) => ms));
      const calls = first.slice(1).flatMap(({ slowest }) => slowest ?? []);
      const slowest = calls.sort((a, b) => a.ms - b.ms)[Math.floor(calls.length / 2)];
      screens.push({ screen, first: counted(first), again: counted(again), slowest });
      const { path: call = '', ms = 0 } = slowest ?? {};
      process.stderr.write(
        `  ${screen}: ${whole(counted(first))} ms, ${whole(counted(again))} ms; ${call} ${whole(ms)} ms\n`,
      );
    }
    return { screens, bytes, login };
  } finally {
    await Promise.all([context.close(), stranger.close()]);
  }
}

/**
 * Lists the screens to measure: most entries of the menu, one order, product and customer, and lists with a search or a
 * filter.
 */
async function screensOf(baseUrl: string, { api_key }: OwnedSite): Promise<[string, string][]> {
  const dashboard = createDashboardClient({ baseUrl, apiKey: api_key });
  const query = { limit: 1 };
  const [{ orders }, { products }, { customers }] = await Promise.all([
    unwrap(dashboard.GET('/api/dashboard/orders', { params: { query } })),
    unwrap(dashboard.GET('/api/dashboard/products', { params: { query } })),
    unwrap(dashboard.GET('/api/dashboard/customers', { params: { query } })),
  ]);
  const word = products[0]?.name.split(' ')[0] ?? '';
  return [
    ['Today', '/'],
    ['Orders', '/orders'],
    ['Orders, to be shipped', '/orders?waiting_for=shipping'],
    ['Orders, searched for a number', `/orders?q=${orders[0]?.order_number}`],
    ['One order', `/orders/${orders[0]?.id}`],
    ['Products', '/products'],
    ['Products, searched for a word', `/products?q=${encodeURIComponent(word)}`],
    ['One product', `/products/${products[0]?.id}`],
    ['Stock', '/stock'],
    ['Stock, low', '/stock?level=low'],
    ['Collections', '/collections'],
    ['Discounts', '/discounts'],
    ['Customers', '/customers'],
    ['One customer', `/customers/${customers[0]?.id}`],
    ['Agents', '/agents'],
    ['Settings', '/settings'],
    ['Audit', '/audit'],
  ];
}

const MOST_MS = 1_000;
const MOST_BYTES = 250 * 1024;

function linesOf(products: number, demo: ShopMeasured, large: ShopMeasured): string[] {
  const rows = demo.screens.map((small, i) => {
    const big = large.screens[i] ?? small;
    const within = Math.max(small.first, small.again, big.first, big.again) <= MOST_MS;
    return [
      ...[small.screen, ...[small.first, small.again, big.first, big.again].map(whole)],
      ...[
        big.slowest ? `${whole(big.slowest.ms)} (\`${shortened(big.slowest.path)}\`)` : '',
        within ? 'yes' : '**no**',
      ],
    ];
  });
  const [opened, asked] = [demo.login, demo.bytes];
  const total = asked.files + asked.answers;
  const kb = (bytes: number) => `${(bytes / 1024).toFixed(0)} KB`;
  const header = [
    ...['Screen', 'demo shop: by its address, ms', 'by the menu, ms'],
    ...[`${whole(products)} products and orders: by its address, ms`, 'by the menu, ms'],
    ...['slowest call there, ms', `≤ ${whole(MOST_MS)} ms`],
  ];
  return [
    ...table(header, rows),
    '',
    `A first load of *Today*, with gzip and the headers of answers: ${kb(asked.files)} of files and ${kb(asked.answers)} of answers,`,
    `${kb(total)} in all (at most ${kb(MOST_BYTES)}: ${total <= MOST_BYTES ? 'kept' : '**not kept**'}). The page to log in on: ${kb(opened.files + opened.answers)}.`,
  ];
}

function shortened(path: string): string {
  return path.replace('/api/dashboard', '').replace(/[0-9a-f-]{36}/g, '{id}');
}
