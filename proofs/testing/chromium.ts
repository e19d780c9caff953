import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, findChromium, NO_CHROMIUM, openChromium, type Page } from '../../server/test/chromium.ts';
import type { FormAction, Furnished } from '../pages/page-shops.ts';
import type { Trial } from './proof.ts';

/**
 * Runs work in a browser. Returns the browser's version. If no browser is found, reports that and skips the work; in
 * CI, throws instead.
 */
export async function inChromium(trial: Trial, work: (browser: Browser) => Promise<void>): Promise<string> {
  const chromium = findChromium();
  if (!chromium) {
    trial.progress(NO_CHROMIUM);
    return 'without Chromium';
  }
  const browser = await openChromium(chromium);
  try {
    await work(browser);
    return await browser.version();
  } finally {
    await browser.close();
  }
}

/** An attacker's site that serves the given pages. */
export interface ForeignSite {
  origin: string;
  /** Serves this document from now on. Returns its URL. */
  serve(html: string): string;
  /** Returns a URL that redirects posts to `url` with their body. */
  forward(url: string): string;
  close(): void;
}

/**
 * Opens a site on this machine. Our pages are on 127.0.0.1. For browsers, `localhost` is another site, but another port
 * of 127.0.0.1 is the same site, to which they send our cookies.
 */
export async function openSite(host: 'localhost' | '127.0.0.1'): Promise<ForeignSite> {
  const documents: string[] = [];
  const targets: string[] = [];
  const server = createServer((req, res) => {
    const [, kind, index] = (req.url ?? '').split(/[/?]/);
    if (kind === 'forward') {
      res.writeHead(307, { Location: targets[Number(index)] ?? '/' }).end();
      return;
    }
    res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(documents[Number(index)] ?? '');
  });
  await new Promise<void>((listening) => server.listen(0, host, listening));
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    serve: (html) => `${origin}/page/${documents.push(html) - 1}`,
    forward: (url) => `${origin}/forward/${targets.push(url) - 1}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Sets the form's fields by script, and presses the button. */
export async function press(tab: Page, work: FormAction, shop: Furnished): Promise<void> {
  await tab.evaluate(
    `for (const [name, value] of Object.entries(${JSON.stringify(work.entries(shop))})) {
      const fields = [...document.querySelectorAll('[name="' + name + '"]')];
      for (const field of fields) {
        if (['radio', 'checkbox'].includes(field.type)) field.checked = field.value === value;
        else field.value = value;
      }
    }`,
  );
  await Promise.all([tab.waitForNavigation(), tab.click(`button[value="${work.action}"]`)]);
}

/** Waits until the tab has fully loaded a URL that starts like this. */
export async function arrival(tab: Page, url: string): Promise<void> {
  const isThere = async () =>
    tab.url().startsWith(url) && (await tab.evaluate('document.readyState').catch(() => '')) === 'complete';
  if (!(await until(isThere))) throw new Error(`The tab did not come to ${url}: it is at ${tab.url()}.`);
}

/** Waits until a condition is true. Returns whether that happened within a minute. */
export async function until(isSo: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    if (await isSo()) return true;
    await new Promise((done) => setTimeout(done, 20));
  }
  return false;
}
