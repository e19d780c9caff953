/** Starts the browser examples as their README does, next to a demo shop, and uses them in Chromium as shoppers do. */

import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDashboardClient, createStorefrontClient, unwrap } from '@commerce-backend/sdk';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { openStorefront } from '../../examples/storefront/app.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import type { DemoCredentials } from '../../server/src/demo/stored.ts';
import type { Page } from '../../server/test/chromium.ts';
import { type DemoShop, openDemoShop } from '../../server/test/demo-shop.ts';
import { inChromium } from '../../server/test/in-chromium.ts';
import { accessibilityProblems, leaveScreenshot, openTab, PATIENCE_MS } from '../../server/test/tab.ts';
import { startProgram } from './programs.ts';

const LONG_ENOUGH_MS = 180_000;

const { played, browser } = inChromium();

let directory: string;
let shop: DemoShop;
let demo: DemoCredentials;
const processes: ChildProcess[] = [];
let axe: string;
let home: string;

beforeAll(async () => {
  shop = await openDemoShop();
  demo = shop.demo;
  directory = await mkdtemp(join(tmpdir(), 'commerce-storefront-'));
  await writeFile(join(directory, 'demo.json'), JSON.stringify(demo));
  const port = await freePort();
  home = `http://localhost:${port}`;
  const dashboard = createDashboardClient({ baseUrl: shop.baseUrl, apiKey: demo.api_key });
  await unwrap(dashboard.PATCH('/api/dashboard/settings', { body: { storefront_url: `${home}/` } }));
  // Creates a discount code for this test, because each customer can use the demo shop's codes only once.
  const code = { code: 'GUIDE10', kind: 'percentage', value: '10' } as const;
  await unwrap(dashboard.POST('/api/dashboard/discounts', { body: code }));
  await start('storefront/main.ts', port);
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
}, LONG_ENOUGH_MS);

afterAll(async () => {
  for (const child of processes) child.kill();
  await shop?.close();
  if (directory) await rm(directory, { recursive: true });
}, LONG_ENOUGH_MS);

/** Starts an example on a port, as its README does, and returns the URL that it prints. */
async function start(example: string, port: number): Promise<string> {
  const address = `http://localhost:${port}`;
  const env = { DEMO_FILE: join(directory, 'demo.json'), PORT: String(port) };
  const { child, ready } = startProgram([`examples/${example}`], address, env);
  processes.push(child);
  await ready;
  return address;
}

const SEEN = {
  en: {
    width: 1280,
    cart: 'Cart',
    total: '€48.60',
    order: 'Order',
    waiting: 'Waiting for your payment',
    nothing: 'Nothing found',
  },
  de: {
    width: 375,
    cart: 'Warenkorb',
    total: '48,60 €',
    order: 'Bestellung',
    waiting: 'Wartet auf Ihre Zahlung',
    nothing: 'Nichts gefunden',
  },
} as const;

for (const [language, { width, ...seen }] of Object.entries(SEEN))
  played(
    `without scripts, in ${language} at ${width} px, a shopper browses, orders, and finds the order in the account`,
    async () => {
      const { page, complaints } = await openTab(browser(), width);
      const visit = walk(page, `storefront-${language}-${width}`);

      await page.goto(`${home}/${language}/`);
      expect(await page.$eval('html', (element) => element.lang)).toBe(language);
      await visit.look('1-home');
      await visit.follow('.menu a[href$="/collections/kitchen-and-table"]');
      const all = await visit.count('.card');
      if (width < 600) await page.click('.filters > summary');
      await visit.follow('.facet a[href*="vendor=Kilnhouse"]');
      expect(await visit.count('.card')).toBeLessThan(all);
      expect(
        await page.$$eval('.card .quiet', (lines) => lines.every((line) => line.textContent?.includes('Kilnhouse'))),
      ).toBe(true);
      // After one vendor is selected, another one can still be selected in its place or in addition.
      expect(await visit.count('.facet a[href*="vendor=Kilnhouse&vendor="]')).toBeGreaterThan(0);
      await visit.look('2-facet');

      await visit.search('zzqxv');
      expect(await visit.text('main')).toContain(seen.nothing);
      await visit.look('3-nothing');
      await visit.search('stoneware mug');
      await visit.follow('.card a[href$="/products/rowan-stoneware-mug"]');
      await visit.follow('.choice a[href*="variant="]:not([aria-current]):not(.gone)');
      await visit.look('4-product');

      await page.$eval('.add [name="quantity"]', (field) => Object.assign(field, { value: '2' }));
      await visit.press('.add button');
      expect(await visit.text('h1')).toBe(seen.cart);
      await page.$eval('.amount [name="quantity"]', (field) => Object.assign(field, { value: '3' }));
      await visit.press('.amount button');
      await page.type('.code input', 'NONSENSE');
      await visit.press('.code button');
      expect(await visit.count('.refusal')).toBe(1);
      await page.type('.code input', 'guide10');
      await visit.press('.code button');
      expect(await visit.text('.totals .sum dd')).toBe(seen.total);
      expect(await page.$eval('.line h2 a', ({ href }) => href)).toContain(`${home}/${language}/products/`);
      await visit.look('5-cart');

      await visit.follow('.actions a[href$="/login"]');
      await visit.look('6-login');
      const [customer] = demo.customers;
      await page.type('[action$="/login"] [name="email"]', customer?.email ?? '');
      await page.type('[action$="/login"] [name="password"]', customer?.password ?? '');
      await visit.press('[action$="/login"] button');
      // The guest's cart is kept after the login.
      expect(await visit.text('.actions .count')).toBe('3');

      await visit.press('[action$="/checkout"] button');
      expect(page.url()).toContain(`${demo.base_url}/checkout/`);
      expect(await page.$eval('html', (element) => element.lang)).toBe(language);
      await placeOrder(page);
      await visit.follow(`a[href^="${home}/${language}/thanks"]`);
      await visit.look('7-thanks');
      expect(await visit.text('.actions .count')).toBe('0');

      await visit.follow('.actions a[href$="/account"]');
      const number = await visit.text('.orders a');
      expect(number).toMatch(new RegExp(`^${seen.order} \\d+$`));
      expect(await visit.text('.orders li')).toContain(seen.waiting);
      await visit.look('8-account');
      await visit.follow('.orders a');
      expect(await visit.text('h1')).toBe(number);
      expect(await visit.text('.transfer dl'), 'how to pay').toContain(number.split(' ').at(-1));
      await visit.look('9-order');
      await visit.follow('.actions a[href$="/account"]');
      await visit.press('[action$="/logout"] button');
      expect(await visit.count('.actions a[href$="/login"]')).toBe(1);
      expect([visit.found, complaints]).toEqual([[], []]);
    },
  );

/** The walk above covers German. */
const ACCOUNT = {
  en: { width: 1280, saved: 'Your changes are saved.', wrong: 'The current password is not right.' },
  fr: {
    width: 375,
    saved: 'Vos modifications sont enregistrées.',
    wrong: 'Le mot de passe actuel n’est pas le bon.',
  },
} as const;

for (const [language, { width, saved, wrong }] of Object.entries(ACCOUNT))
  played(
    `in ${language} at ${width} px, a customer changes the profile, the password and the address book`,
    async () => {
      const { page, complaints } = await openTab(browser(), width);
      const visit = walk(page, `storefront-${language}-${width}-account`);
      const fill = (name: string, value: string) =>
        page.$eval(`[name="${name}"]`, (field, text) => Object.assign(field, { value: text }), value);
      const login = demo.customers[1];
      await page.goto(`${home}/${language}/login`);
      // A rejected form keeps the input except the password, and marks the invalid field.
      await page.type('[action$="/register"] [name="first_name"]', 'Maja');
      await page.$eval('[action$="/register"] [name="email"]', (field) => Object.assign(field, { type: 'text' }));
      await page.type('[action$="/register"] [name="email"]', 'maja.example');
      await page.type('[action$="/register"] [name="password"]', 'a longer horse and a better staple');
      await visit.press('[action$="/register"] button');
      expect(await visit.count('.refusal')).toBe(1);
      const values = (form: string) =>
        page.$$eval(`${form} input`, (inputs) =>
          inputs.map((input) => [input.name, input.getAttribute('value'), input.hasAttribute('aria-invalid')]),
        );
      expect(await values('[action$="/register"]')).toEqual([
        ['first_name', 'Maja', false],
        ['email', 'maja.example', true],
        ['password', '', false],
      ]);
      await visit.look('0-register');
      await page.type('[action$="/login"] [name="email"]', login?.email ?? '');
      await page.type('[action$="/login"] [name="password"]', 'not the password');
      await visit.press('[action$="/login"] button');
      expect(await values('[action$="/login"]')).toEqual([
        ['email', login?.email, false],
        ['password', '', false],
      ]);
      await page.type('[action$="/login"] [name="password"]', login?.password ?? '');
      await visit.press('[action$="/login"] button');

      await visit.follow('.account nav a[href$="/account/profile"]');
      await fill('last_name', 'Kept');
      await fill('phone', '0301'.repeat(20));
      await page.click('[name="marketing"]');
      const isTicked = await visit.count('[name="marketing"]:checked');
      await visit.press('[action$="/account/profile"] button');
      expect(await visit.count('.refusal')).toBe(1);
      expect((await values('[action$="/account/profile"]')).slice(1, 3)).toEqual([
        ['last_name', 'Kept', false],
        ['phone', '0301'.repeat(20), true],
      ]);
      expect(await visit.count('[name="marketing"]:checked')).toBe(isTicked);
      await page.click('[name="marketing"]');
      await fill('phone', '');
      await fill('last_name', `Ø'Brien ${language}`);
      await visit.press('[action$="/account/profile"] button');
      expect(await visit.text('.notice')).toBe(saved);
      expect(await page.$eval('[name="last_name"]', (field) => field.getAttribute('value'))).toBe(
        `Ø'Brien ${language}`,
      );
      await fill('current_password', 'not the password');
      await fill('new_password', 'a longer horse and a better staple');
      await visit.press('[action$="/account/password"] button');
      expect(await visit.text('.refusal')).toBe(wrong);
      await visit.look('1-profile');

      await visit.follow('.account nav a[href$="/account/addresses"]');
      const before = await visit.count('.addresses li');
      if (before > 0) await page.click('.adding summary');
      const parts = { last_name: 'Meyer', address1: `Lindenallee ${language}`, postal_code: '10115', city: 'Berlin' };
      for (const [name, value] of Object.entries(parts)) await page.type(`.adding [name="${name}"]`, value);
      // Uses the keyboard, because a click may miss the field while the form opens.
      await page.focus('.adding [name="is_default"]');
      await page.keyboard.press('Space');
      // A phone number of 80 characters is too long. The form must keep the rest of the input.
      await page.type('.adding [name="phone"]', '030 '.repeat(20));
      await visit.press('.adding button');
      expect(await visit.count('.refusal')).toBe(1);
      const typed = (name: string) =>
        page.$eval(`.adding[open] [name="${name}"]`, (field) => field.getAttribute('value'));
      for (const [name, value] of Object.entries(parts)) expect(await typed(name)).toBe(value);
      expect(await visit.count('.adding [name="is_default"]:checked')).toBe(1);
      expect(await visit.count('.adding [aria-invalid]')).toBe(1);
      expect(await visit.count('.addresses li')).toBe(before);
      await page.$eval('.adding [name="phone"]', (field) => Object.assign(field, { value: '' }));
      await visit.look('2-address');
      await visit.press('.adding button');
      expect(await visit.text('.notice')).toBe(saved);
      expect(await visit.count('.addresses li')).toBe(before + 1);
      // Only one address is the default: the new one.
      expect(await visit.count('.addresses li > .state')).toBe(1);
      expect(await visit.text('.addresses li:has(> .state) address')).toContain(`Lindenallee ${language}`);
      await visit.look('3-addresses');
      await page.click('.addresses li:last-child summary');
      await page.$eval('.addresses li:last-child [name="city"]', (field) => Object.assign(field, { value: 'Bonn' }));
      await visit.press('.addresses li:last-child .fields button');
      expect(await visit.text('.addresses li:last-child address')).toContain('10115 Bonn');
      await visit.press('.addresses li:last-child [action$="/delete"] button');
      expect(await visit.count('.addresses li')).toBe(before);
      // The browser logs the forms that were rejected with 422, as expected.
      expect([visit.found, complaints.filter((one) => !one.includes('422'))]).toEqual([[], []]);
    },
  );

for (const width of [1280, 375])
  played(`at ${width} px, pages have breadcrumbs and legal links, and empty pages suggest products`, async () => {
    const { page, complaints } = await openTab(browser(), width);
    const visit = walk(page, `storefront-ways-${width}`);
    await page.goto(`${home}/fr/products/rowan-stoneware-mug`);
    const way = () => page.$$eval('.trail li', (steps) => steps.map((step) => step.textContent));
    expect(await way()).toEqual(['Accueil', 'Tableware', 'Rowan Stoneware Mug']);
    await visit.follow('.trail li:nth-child(2) a');
    expect(await page.$$eval('.chips a', ([chip]) => chip?.textContent)).toContain('Tableware');
    await visit.look('1-chips');
    // An unknown parameter filters nothing and must not be shown as a filter, whatever its name is.
    await page.goto(`${home}/fr/search?constructor=1&utm_source=mail&price_min=`);
    expect(await visit.count('.chips')).toBe(0);
    await page.goBack();
    await visit.follow('.chips .clear a');
    expect(await visit.count('.chips')).toBe(0);
    await visit.follow('.site-map a[href$="/collections"]');
    await visit.follow('.tiles li a');
    expect(await way()).toEqual(['Accueil', 'Toutes les collections', await visit.text('h1')]);

    const texts = await page.$$eval('[aria-labelledby="map-legal"] a', (links) => links.map(({ href }) => href));
    expect(texts).toHaveLength(5);
    for (const text of texts) expect((await fetch(text)).status, text).toBe(200);

    await page.goto(`${home}/de/no-such-page`);
    expect(await visit.text('h1')).toBe('Hier ist nichts');
    expect(await visit.count('.card')).toBe(4);
    await visit.look('2-not-found');
    await page.goto(`${home}/de/cart`);
    expect(await visit.text('h1')).toBe('Ihr Warenkorb ist leer');
    expect(await visit.count('.card')).toBe(4);
    await visit.look('3-empty-cart');
    // The browser logs the page that was not found (404), as expected.
    expect([visit.found, complaints.filter((one) => !one.includes('404'))]).toEqual([[], []]);
  });

played('if the shop cannot be reached, German pages show an error in German, without internal details', async () => {
  const gone = `http://localhost:${await freePort()}`;
  const { site_id: siteId, storefront_token: storefrontToken } = demo;
  const shop = createStorefrontClient({ baseUrl: gone, siteId, storefrontToken, maxAttempts: 1 });
  const own = openStorefront({ shop, baseUrl: gone, name: 'Alder & Finch' }).listen(0);
  const address = `http://localhost:${(own.address() as AddressInfo).port}`;
  const ask = async (path: string) => {
    const answer = await fetch(address + path, { headers: { Cookie: `cart_id=${demo.site_id}` } });
    return { status: answer.status, text: await answer.text() };
  };
  for (const path of ['/de/', '/de/cart', '/de/products/x']) {
    const { status, text } = await ask(path);
    expect({ path, status }).toEqual({ path, status: 500 });
    expect(text).toContain('Etwas ist schiefgegangen');
    expect(text).not.toMatch(/\.ts|node:|ECONN/);
  }
  expect(await ask('/sitemap.xml')).toEqual({ status: 500, text: 'Internal Server Error' });
  expect(await ask('/de/products/%')).toEqual({ status: 400, text: 'Bad Request' });
  own.close();
});

played('with scripts, the search suggests products, which can be chosen with the keyboard', async () => {
  const { page, complaints } = await openTab(browser(), 1280, { script: true });
  await page.goto(`${home}/en/`);
  // Inserts the whole word: suggestions for its beginning would be replaced while the test presses a key.
  await page.focus('.search input');
  await page.keyboard.sendCharacter('rowan');
  await page.waitForSelector('.suggestions a[href*="rowan"]:first-child, .suggestions :first-child a[href*="rowan"]');
  await leaveScreenshot(page, 'storefront-suggest');
  await page.keyboard.press('ArrowDown');
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  expect(page.url()).toBe(`${home}/en/products/rowan-stoneware-mug`);
  expect(complaints).toEqual([]);
});

played('search engines may index a product in each language, but no cart, login or search page', async () => {
  const textAt = async (path: string) => (await fetch(home + path)).text();
  const product = await textAt('/de/products/rowan-stoneware-mug?variant=none&notice=added');
  expect(product).toContain(`<link rel="canonical" href="${home}/de/products/rowan-stoneware-mug">`);
  expect(product).toContain(`hreflang="fr" href="${home}/fr/products/rowan-stoneware-mug"`);
  expect(product).toMatch(/<meta name="description" content="A generous mug[^"]{50,160}">/);
  const [, data = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(product) ?? [];
  expect(JSON.parse(data)).toMatchObject({
    '@type': 'Product',
    name: 'Rowan Stoneware Mug',
    offers: expect.any(Array),
  });
  for (const path of ['/en/cart', '/en/login', '/en/search?q=mug', '/en/search?vendor=Kilnhouse'])
    expect(await textAt(path), path).toContain('<meta name="robots" content="noindex">');
  expect(await textAt('/de/collections/kitchen-and-table?utm_source=mail')).toContain(
    `<link rel="canonical" href="${home}/de/collections/kitchen-and-table">`,
  );
  const sitemap = await textAt('/sitemap.xml');
  for (const language of ['en', 'de', 'fr']) {
    expect(sitemap).toContain(`<loc>${home}/${language}/products/rowan-stoneware-mug</loc>`);
    expect(sitemap).toContain(`<loc>${home}/${language}/collections</loc>`);
  }
  expect(await textAt('/robots.txt')).toContain(`Sitemap: ${home}/sitemap.xml`);
});

played(
  'a password reset leads to the same page for known and unknown e-mail addresses, and rejects an invalid one',
  async () => {
    const asked = async (email: string) => {
      const body = new URLSearchParams({ email });
      const answer = await fetch(`${home}/en/forgotten`, { method: 'POST', body, redirect: 'manual' });
      return answer.headers.get('Location');
    };
    expect(await asked(demo.customers[0]?.email ?? '')).toBe('/en/login?notice=check_mail');
    expect(await asked('nobody@mail.example')).toBe('/en/login?notice=check_mail');
    expect(await asked('nobody')).toBe('/en/login?notice=form_refused');
  },
);

played(
  'a form of another website gets 403, a missing product gets 404, and an invalid session leads to the login page',
  async () => {
    const body = new URLSearchParams({ variant_id: demo.site_id, quantity: '1' });
    const foreign = await fetch(`${home}/en/cart/add`, {
      method: 'POST',
      body,
      headers: { Origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    const gone = await fetch(`${home}/de/products/${'<script>'}`);
    expect(gone.status).toBe(404);
    expect(await gone.text()).toContain('Hier ist nichts');
    const expired = await fetch(`${home}/fr/account`, {
      headers: { Cookie: `customer=cust_${'a'.repeat(38)}` },
      redirect: 'manual',
    });
    expect([expired.status, expired.headers.get('Location')]).toEqual([303, '/fr/login']);
  },
);

played('the buy button on a page of another origin opens the checkout of its product', async () => {
  const address = await start('widget/serve.ts', await freePort());
  const { page, complaints } = await openTab(browser(), 375, { script: true });
  await page.goto(address);
  const button = await page.waitForSelector('buy-button >>> button');
  await leaveScreenshot(page, 'widget-375');
  expect(await violationsAt(page)).toEqual([]);
  const { base_url: baseUrl, site_id: siteId, storefront_token: storefrontToken } = demo;
  const client = createStorefrontClient({ baseUrl, siteId, storefrontToken });
  const params = { path: { id_or_slug: 'rowan-stoneware-mug' } };
  const { variants } = await unwrap(client.GET('/api/storefront/products/{id_or_slug}', { params }));
  await page.select('buy-button >>> select', variants.find(({ option1 }) => option1 === 'Oat')?.id ?? '');
  await Promise.all([page.waitForNavigation(), button?.click()]);
  expect(page.url()).toContain(`${demo.base_url}/checkout/chk_`);
  expect(await page.$eval('.lines', (lines) => lines.textContent)).toContain('Oat');
  expect(complaints).toEqual([]);
});

/** Orders on the hosted page as a customer who has an address. */
async function placeOrder(page: Page): Promise<void> {
  const press = (action: string) => Promise.all([page.waitForNavigation(), page.click(`button[value="${action}"]`)]);
  await page.click('[name="payment_method"][value="bank_transfer"]');
  if (!(await page.$('[name="shipping_option_id"]'))) await press('save');
  await page.click('[name="shipping_option_id"]');
  await press('save');
  await press('place_order');
}

/** Steps of a shopper. `look` takes a screenshot and checks accessibility. */
function walk(page: Page, name: string) {
  const leaving = (act: Promise<void>) => Promise.all([page.waitForNavigation(), act]);
  const found: string[] = [];
  return {
    /** The accessibility problems found so far. */
    found,
    follow: (link: string) => leaving(page.click(link)),
    press: (button: string) => leaving(page.click(button)),
    async search(words: string) {
      await page.$eval('.search input', (field) => Object.assign(field, { value: '' }));
      await page.type('.search input', words);
      await leaving(page.click('.search button'));
    },
    text: (selector: string) =>
      page.$eval(selector, (element) => element.textContent?.trim().replaceAll(/[\u00a0\u202f]/g, ' ')),
    count: async (selector: string) => (await page.$$(selector)).length,
    async look(step: string) {
      await leaveScreenshot(page, `${name}-${step}`);
      const problems = await accessibilityProblems(page);
      problems.push(...(await violationsAt(page)));
      found.push(...problems.map((one) => `${step}: ${one}`));
    },
  };
}

/**
 * Opens the page again with scripts enabled, which axe-core needs, and returns its findings. Closes this tab
 * afterwards, because clicks in a tab behind another one have no effect.
 */
async function violationsAt(page: Page): Promise<string[]> {
  const tab = await page.browserContext().newPage();
  tab.setDefaultTimeout(PATIENCE_MS);
  await tab.setViewport(page.viewport());
  await tab.goto(page.url());
  await tab.evaluate(axe);
  const { violations } = (await tab.evaluate(`axe.run({ resultTypes: ['violations'] })`)) as AxeResults;
  await tab.close();
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
