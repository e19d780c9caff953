import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from '../../server/test/chromium.ts';
import { inChromium, press } from '../testing/chromium.ts';
import { type Figures, type Proof, pick, type Size, type Trial } from '../testing/proof.ts';
import { onPremises, type Premises } from '../testing/test-server.ts';
import { deadEnds, PAGES } from './page-list.ts';
import { arrangeFor, type Furnished, furnish, logInTo } from './page-shops.ts';

/**
 * Opens every page, including pages with rejected input, in each language, at the widths of a phone and a desktop.
 * Violations are errors that axe-core finds (WCAG 2.2 AA and best practices; contrast in dark colours too), elements
 * that move after they were drawn, pages that are wider than the window, pages in a language other than the requested
 * one, and first visits that transfer more than 60 KB (product images not counted).
 */
export const F12: Proof = {
  id: 'F12',
  promise: 'Every page in each language is accessible at any width, does not shift after it was drawn, and is small.',
  run: (trial) => onPremises(trial, (premises) => attack(trial, premises)),
};

const ACCENT = '#2f5d50';
const LANGUAGES = ['en', 'de', 'fr'] as const;
const WIDTHS = [375, 1_280];
/**
 * The short form opens half of the pages, chosen by the seed: a quarter on a phone in one language, a quarter on a
 * desktop in another.
 */
const QUARTERS = 4;
/** The limit for everything that a first visit transfers, except product images. */
const LARGEST_BYTES = 60 * 1_024;
const PICTURES = 'https://img.example';
/** The largest page, which is also opened over a slow network. */
const READ_SLOWLY = 'the form of a checkout with a code';
/**
 * Product images arrive this long after the page, as from a distant server, so that the page must reserve space for
 * them.
 */
const PICTURE_AFTER_MS = 300;

interface Seen {
  pages: number;
  largest: number;
  browser: string;
}

async function attack(trial: Trial, premises: Premises): Promise<Figures> {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const seen: Seen = { pages: 0, largest: 0, browser: '' };
  seen.browser = await inChromium(trial, async (chromium) => {
    const sets = LANGUAGES.flatMap((language) => WIDTHS.map((width) => ({ language, width })));
    for (const [n, { language, width }] of pick(trial.size, someOf(sets, trial.seed), sets).entries()) {
      const shop = await furnish(await premises.openShop(), `shop-${language}-${width}`);
      await shop.shop.must('dashboard.updateSettings', {
        body: { default_locale: language, brand: { accent_color: ACCENT } },
      });
      const tab = await openTab(chromium, width, language);
      const pages = pick(
        trial.size,
        PAGES.filter((_, page) => page % QUARTERS === (n + 2 * trial.seed) % QUARTERS),
        PAGES,
      );
      await lookAtAll({ size: trial.size, pages, tab, axe, premises, shop, language, width, seen });
      await tab.close();
    }
  });
  return {
    tried: seen.pages,
    unit: 'pages',
    violations: premises.violations.list,
    note: `the largest ${(seen.largest / 1_024).toFixed(1)} KB, in ${seen.browser}`,
  };
}

/** Returns one width and language for a phone, and one for a desktop. The seed determines the languages. */
function someOf<T>(sets: T[], seed: number): T[] {
  return [sets[(2 * seed) % sets.length], sets[(2 * seed + 3) % sets.length]].flatMap((set) => set ?? []);
}

interface Look {
  size: Size;
  pages: typeof PAGES;
  tab: Page;
  axe: string;
  premises: Premises;
  shop: Furnished;
  language: string;
  width: number;
  seen: Seen;
}

async function openTab(chromium: Browser, width: number, language: string): Promise<Page> {
  const tab = await chromium.newPage();
  await tab.setViewport({ width, height: 800 });
  await tab.setCacheEnabled(false);
  await tab.setExtraHTTPHeaders({ 'Accept-Language': language });
  await tab.setRequestInterception(true);
  const picture = { status: 200, contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' };
  tab.on('request', (request) => {
    const answered = request.url().startsWith(PICTURES)
      ? delay(PICTURE_AFTER_MS).then(() => request.respond(picture))
      : request.continue();
    answered.catch(() => undefined);
  });
  return tab;
}

async function lookAtAll(look: Look): Promise<void> {
  const { tab, premises, shop, size, pages } = look;
  const bytes = await countBytes(tab);
  for (const page of pages) {
    const { path, login } = await arrangeFor(page, shop);
    await logInTo(tab.browserContext(), login);
    const url = premises.baseUrl + path;
    await judge(look, page.name, bytes, () => visit(tab, url));
    if (page.name === READ_SLOWLY) {
      await onSlowNetwork(tab, () => judge(look, `${page.name}, slowly`, bytes, () => visit(tab, url)));
    }
    for (const work of page.operations.filter(({ action }) => action === 'save')) {
      const refused = { ...work, entries: () => ({ email: 'nobody', shipping_country: 'DE', shipping_city: '' }) };
      await judge(look, `${page.name}, refused`, bytes, () => press(tab, refused, shop));
    }
  }
  for (const path of await deadEnds(shop, shop, size === 'full' ? PAGES : [])) {
    await judge(look, `the dead end ${path}`, bytes, () => tab.goto(premises.baseUrl + path));
  }
}

/** Opens a page, and waits until all its requests have ended. */
async function visit(tab: Page, url: string): Promise<void> {
  await tab.goto(url);
  await tab.waitForNetworkIdle({ idleTime: 100 });
}

/** Slows down the network, so that the browser may draw the page in parts. */
async function onSlowNetwork(tab: Page, work: () => Promise<void>): Promise<void> {
  await tab.emulateNetworkConditions({ offline: false, latency: 50, download: 30_000, upload: 30_000 });
  await work();
  await tab.emulateNetworkConditions(null);
}

/** Counts transferred bytes; the returned function returns the count and restarts it. */
async function countBytes(tab: Page): Promise<() => number> {
  const session = await tab.createCDPSession();
  await session.send('Network.enable');
  const pictures = new Set<string>();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.url.startsWith(PICTURES)) pictures.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!pictures.has(requestId)) bytes += encodedDataLength;
  });
  return () => {
    const counted = bytes;
    bytes = 0;
    return counted;
  };
}

async function judge(look: Look, what: string, bytes: () => number, open: () => Promise<unknown>): Promise<void> {
  const { tab, axe, premises, language, width, seen } = look;
  bytes();
  await open();
  const transferred = bytes();
  seen.pages += 1;
  seen.largest = Math.max(seen.largest, transferred);
  const add = (text: string) => premises.violations.add(`${what}, ${language}, ${width} px: ${text}`);
  if (transferred > LARGEST_BYTES) add(`the page transfers ${transferred} bytes, more than ${LARGEST_BYTES}`);
  const { lang, shifts, excess } = (await tab.evaluate(MEASURES)) as Measures;
  if (lang !== language) add(`the page's lang is ${lang}`);
  for (const shift of shifts) add(`it moves after it was drawn, ${shift}`);
  if (excess > 0) add(`it is ${excess} px wider than the window`);
  await tab.evaluate(axe);
  const axeErrors = async (script: string, colors: string) => {
    const { violations } = (await tab.evaluate(script)) as Pick<AxeResults, 'violations'>;
    for (const { id, help, nodes } of violations)
      add(`${id}${colors}: ${help} (${nodes.map(({ html }) => html).join(' ')})`);
  };
  await axeErrors(AXE, '');
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await axeErrors(AXE_CONTRAST, ' in dark colours');
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
}

interface Measures {
  lang: string;
  shifts: string[];
  excess: number;
}

/**
 * Measures a drawn page in the browser. Returns its language, the width beyond the window, and the old and new position
 * of each element that moved.
 */
const MEASURES = `(async () => {
  const box = ({ x, y, width, height }) => [x, y, width, height].join(' ');
  const told = ({ node, previousRect, currentRect }) =>
    (node?.outerHTML ?? node?.nodeName ?? 'what is gone').slice(0, 80) + ': ' + box(previousRect) + ' to ' + box(currentRect);
  const shifts = await new Promise((resolve) => {
    const seen = [];
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries()) seen.push('by ' + value + ': ' + sources.map(told).join(', '));
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(seen), 100);
  });
  const { documentElement: root } = document;
  return { lang: root.lang, shifts, excess: root.scrollWidth - root.clientWidth };
})()`;

const AXE = `axe.run({ resultTypes: ['violations'] })`;
const AXE_CONTRAST = `axe.run({ resultTypes: ['violations'], runOnly: ['color-contrast'] })`;
