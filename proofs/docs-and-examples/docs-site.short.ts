/** Builds the documentation site, which fails at the first broken link, and opens it as readers do. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, findChromium, NO_CHROMIUM, openChromium } from '../../server/test/chromium.ts';
import { leaveScreenshot, openTab, PATIENCE_MS, setWidth } from '../../server/test/tab.ts';

const ROOT = join(import.meta.dirname, '../..');
const SITE = join(ROOT, 'docs-site');
const LONG_ENOUGH_MS = 240_000;

const chromium = findChromium();
if (!chromium) console.warn(NO_CHROMIUM);
const played = test.skipIf(!chromium);

let server: Server;
let address: string;
let browser: Browser | undefined;

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/docs/build.ts')]);
  server = createServer(express().use(express.static(SITE)));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (chromium) browser = await openChromium(chromium);
}, LONG_ENOUGH_MS);

afterAll(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

test('the reference pages list every error and every event of the contract', () => {
  const { webhooks, components } = JSON.parse(readFileSync(join(ROOT, 'spec/generated/openapi.json'), 'utf8'));
  const page = (name: string) => readFileSync(join(SITE, name), 'utf8');
  for (const code of components.schemas.ErrorCode.enum) expect(page('errors.html')).toContain(`id="${idOf(code)}"`);
  for (const type of Object.keys(webhooks)) expect(page('events.html')).toContain(`id="${idOf(type)}"`);
});

played(
  'at both widths, every start page fits and the search finds a word, and no file is loaded from another host',
  async () => {
    if (!browser) return;
    const { page, complaints } = await openTab(browser, 1280, { script: true });
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(address) && !request.url().startsWith('data:')) foreign.push(request.url());
    });
    for (const name of [
      '',
      'start/storefront',
      'start/agent',
      'start/merchant',
      'start/operator',
      'errors',
      'events',
      'operations',
    ]) {
      await page.goto(`${address}/${name === '' ? '' : `${name}.html`}`, { waitUntil: 'networkidle0' });
      for (const width of [1280, 375]) {
        await setWidth(page, width);
        await leaveScreenshot(page, `docs-${width}-${name.replace('/', '-') || 'home'}`);
        const excess = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        expect([name, width, excess]).toEqual([name, width, false]);
      }
    }
    for (const width of [375, 1280]) {
      await setWidth(page, width);
      await page.click('.VPNavBarSearchButton, #local-search button');
      await page.waitForSelector('.VPLocalSearchBox input');
      await page.$eval('.VPLocalSearchBox input', (input) => input.select());
      await page.type('.VPLocalSearchBox input', 'budget_exceeded');
      await page.waitForSelector('.VPLocalSearchBox .result');
      // While the word is typed, the results of its beginning are shown.
      const found = () => page.$$eval('.result', (results) => results.map((result) => result.getAttribute('href')));
      await expect.poll(found, { timeout: PATIENCE_MS }).toContain('/errors.html#budget_exceeded');
      await leaveScreenshot(page, `docs-${width}-search`);
      await page.keyboard.press('Escape');
    }
    expect([foreign, complaints]).toEqual([[], []]);
  },
  LONG_ENOUGH_MS,
);

/** Questions of builders, and the page that answers each. */
const QUESTIONS = [
  ['refund', /^\/(?:merchant|returns)\.html/],
  ['webhook signature', /^\/(?:webhooks|packages\/sdk)\.html/],
  ['rate limit', /^\/limits\.html/],
  ['agent budget', /^\/(?:limit-agents|packages\/sdk|start\/agent)\.html/],
  ['invoice number', /^\/invoices\.html/],
  ['stock', /^\/checkout\.html/],
  ['restore backup', /^\/production\.html/],
  ['search', /^\/search\.html/],
  ['listProducts', /^\/operations\.html#storefront-listProducts/],
  ['exchangeReturn', /^\/operations\.html#dashboard-exchangeReturn/],
] as const;

played(
  'the search answers with guides and operations before internals, and the list of operations can be filtered',
  async () => {
    if (!browser) return;
    const { page, complaints } = await openTab(browser, 1280, { script: true });
    await page.goto(address, { waitUntil: 'networkidle0' });
    await page.click('.VPNavBarSearchButton, #local-search button');
    await page.waitForSelector('.VPLocalSearchBox input');
    const first = () => page.$$eval('.result', ([result]) => result?.getAttribute('href') ?? '');
    for (const [question, href] of QUESTIONS) {
      await page.$eval('.VPLocalSearchBox input', (input) => input.select());
      // Inserts the whole question, because typing would show results for its beginning.
      await page.keyboard.sendCharacter(question);
      await expect.poll(first, { timeout: PATIENCE_MS, message: question }).toMatch(href);
    }

    await page.goto(`${address}/operations.html`, { waitUntil: 'networkidle0' });
    const { paths } = JSON.parse(readFileSync(join(ROOT, 'spec/generated/openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, { operationId?: string }>>;
    };
    const ids = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap(({ operationId }) => operationId ?? []),
    );
    const shown = () =>
      page.$$eval('.operation', (all) =>
        all.flatMap((one) => (one.checkVisibility() ? (one.querySelector('p a')?.textContent ?? '') : [])),
      );
    expect((await shown()).sort()).toEqual(ids.sort());
    await page.type('#operation-filter', 'storefront listprod');
    expect(await shown()).toEqual(['storefront.listProducts']);
    await leaveScreenshot(page, 'docs-1280-operations');
    await page.click('.operation:not([hidden]) p a');
    await page.waitForSelector('[data-section-id="operation/storefront.listProducts"]');
    expect(complaints).toEqual([]);
  },
  LONG_ENOUGH_MS,
);

/** Returns the id that the documentation site gives a heading. */
function idOf(heading: string): string {
  return heading.replaceAll('.', '');
}
