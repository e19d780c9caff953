import { type ChildProcess, spawn } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../server/src/db/free-port.ts';
import { seedDemo } from '../server/src/demo/seed.ts';
import { type Browser, findChromium, NO_CHROMIUM, openChromium, type Page } from '../server/test/chromium.ts';
import { SECRET_KEY, startServer, stopServer } from '../server/test/server.ts';
import { accessibilityProblems, leaveScreenshot, openTab } from '../server/test/tab.ts';
import { databaseUrl, superuserUrl } from '../server/test/worker-database.ts';
import { answering, done, emptyFolder, ownEnvironment, pack, REPOSITORY, stop } from './outside.ts';

/** Tests the storefront of examples/nextjs as a shopper uses it, installed from its lock file with the packed SDK. */

const LONG_ENOUGH_MS = 600_000;

const chromium = findChromium();
if (!chromium) console.warn(NO_CHROMIUM);
const played = test.skipIf(!chromium);

let folder: string;
let remove: () => Promise<void>;
let storefront: ChildProcess | undefined;
let browser: Browser;
let home: string;
let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  if (!chromium) return;
  ({ folder, remove } = await emptyFolder());
  const example = join(folder, 'nextjs');
  const isCopied = (path: string) => !['node_modules', '.next'].includes(basename(path));
  await cp(join(REPOSITORY, 'examples/nextjs'), example, { recursive: true, filter: isCopied });
  await linkPackedSdk(example);
  const env = { NEXT_TELEMETRY_DISABLED: '1' };
  await done(example, ['npm', 'run', 'build'], env);

  const port = await freePort();
  home = `http://localhost:${port}`;
  const credentials = await openDemoShop();
  const next = join(example, 'node_modules/next/dist/bin/next');
  const options = { cwd: example, env: { ...ownEnvironment(), ...env, ...credentials }, detached: true };
  storefront = spawn(process.execPath, [next, 'start', '--port', String(port)], options);
  await answering(`${home}/en`, storefront);
  browser = await openChromium(chromium);
}, LONG_ENOUGH_MS);

afterAll(async () => {
  await browser?.close();
  if (storefront) await stop(storefront);
  if (server) await stopServer(server);
  await remove?.();
}, 60_000);

/** Installs by the lock file, with the packed SDK instead of the link into the clone. */
async function linkPackedSdk(example: string): Promise<void> {
  const tarball = await pack('sdk', folder);
  const sdk = join(folder, 'sdk');
  await done(folder, ['mkdir', 'sdk']);
  await done(folder, ['tar', '-xzf', tarball, '-C', sdk, '--strip-components=1']);
  // The workspaces with which the SDK is built are not on npm.
  await done(sdk, ['npm', 'pkg', 'delete', 'devDependencies', 'scripts']);
  await done(sdk, ['npm', 'install', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']);
  for (const name of ['package.json', 'package-lock.json']) {
    const path = join(example, name);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll('../../sdk', '../sdk'));
  }
  await done(example, ['npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']);
  await rm(tarball);
}

const PRODUCTS = { 'Zephyr Mug': '12.00', 'Zephyr Bowl': '19.00', 'Zephyr Lamp': '89.00' };

/** Starts a server with the demo shop and three more products. Returns the credentials of the storefront. */
async function openDemoShop() {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  server = await startServer(databaseUrl(), { baseUrl }, superuserUrl(), port);
  const { demo } = await seedDemo({ db: server.db, dataDir: folder, baseUrl, secretKey: SECRET_KEY });
  const dashboard = createDashboardClient({ baseUrl, apiKey: demo.api_key });
  await unwrap(dashboard.PATCH('/api/dashboard/settings', { body: { storefront_url: `${home}/` } }));
  for (const [name, price] of Object.entries(PRODUCTS)) {
    const body = {
      name,
      price,
      slug: name.toLowerCase().replace(' ', '-'),
      status: 'active' as const,
      inventory_quantity: 50,
    };
    await unwrap(dashboard.POST('/api/dashboard/products', { body }));
  }
  const { site_id, storefront_token } = demo;
  return { COMMERCE_URL: baseUrl, COMMERCE_SITE_ID: site_id, COMMERCE_STOREFRONT_TOKEN: storefront_token };
}

const SEEN = {
  en: { width: 1280, cart: 'Cart', total: '€24.00', nothing: 'Nothing found', added: 'It is in your cart.' },
  de: { width: 390, cart: 'Warenkorb', total: '24,00\u00a0€', nothing: 'Nichts gefunden', added: 'liegt in Ihrem' },
  fr: { width: 390, cart: 'Panier', total: '24,00\u00a0€', nothing: 'Aucun résultat', added: 'est dans votre panier' },
} as const;

for (const [language, { width, ...seen }] of Object.entries(SEEN)) {
  played(
    `in ${language} at ${width} px, a shopper finds a product by suggestions and price, and orders it from the cart drawer`,
    async () => {
      const { page, complaints } = await openTab(browser, width, { script: true });
      const look = async (name: string) => {
        await leaveScreenshot(page, `nextjs-${language}-${width}-${name}`);
        expect(await accessibilityProblems(page), name).toEqual([]);
      };
      await page.goto(`${home}/${language}`);
      expect(await page.$eval('html', ({ lang }) => lang)).toBe(language);
      await look('1-home');

      await page.goto(`${home}/${language}/search?q=zephyr&price_min=15&price_max=50`);
      expect(await names(page)).toEqual(['Zephyr Bowl']);
      await look('2-price');
      await page.goto(`${home}/${language}/search?q=zzqxv`);
      expect(await page.$eval('main', ({ textContent }) => textContent)).toContain(seen.nothing);

      await page.goto(`${home}/${language}`);
      await page.type('#q', 'zephyr m');
      await page.waitForSelector('.suggestions a');
      await page.click('.suggestions a');
      await page.waitForSelector('.add button');
      const bottom = await page.$eval('.add button', (button) => button.getBoundingClientRect().bottom);
      expect(bottom, 'the button to add to the cart is above the fold').toBeLessThan(width < 600 ? 780 : 900);
      await look('3-product');

      await page.$eval('.add [name="quantity"]', (field) => Object.assign(field, { value: '2' }));
      await page.click('.add button');
      await page.waitForSelector('dialog[open] .line');
      expect(await page.$eval('dialog h2', ({ textContent }) => textContent)).toBe(seen.cart);
      expect(await page.$eval('dialog .sum strong', ({ textContent }) => textContent)).toBe(seen.total);
      expect(await page.$eval('.add [role="status"]', ({ textContent }) => textContent)).toContain(seen.added);
      await look('4-drawer');

      await Promise.all([page.waitForNavigation(), page.click('dialog button.primary')]);
      expect(page.url()).toContain('/checkout/chk_');
      expect(await page.$eval('html', ({ lang }) => lang)).toBe(language);
      expect(complaints).toEqual([]);
    },
    LONG_ENOUGH_MS,
  );
}

played(
  'without scripts, a shopper adds a product, changes its quantity and reaches the checkout, and a missing page gets 404',
  async () => {
    const { page } = await openTab(browser, 390);
    await page.goto(`${home}/en/search?q=zephyr+lamp`);
    await Promise.all([page.waitForNavigation(), page.click('.cards a')]);
    await Promise.all([page.waitForNavigation(), page.click('.add button')]);
    await page.goto(`${home}/en/cart`);
    await page.$eval('main .amount [name="quantity"]', (field) => Object.assign(field, { value: '3' }));
    await Promise.all([page.waitForNavigation(), page.click('main .amount button')]);
    await page.goto(`${home}/en/cart`);
    expect(await page.$eval('main .sum strong', ({ textContent }) => textContent)).toBe('€267.00');
    await Promise.all([page.waitForNavigation(), page.click('main button.primary')]);
    expect(page.url()).toContain('/checkout/chk_');
    expect((await fetch(`${home}/en/products/no-such-product`)).status).toBe(404);
    expect((await fetch(`${home}/xx/search`)).status).toBe(404);
  },
  LONG_ENOUGH_MS,
);

function names(page: Page): Promise<(string | null)[]> {
  return page.$$eval('.cards h3', (headings) => headings.map(({ textContent }) => textContent));
}
