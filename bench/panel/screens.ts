import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from '../../server/test/chromium.ts';

/** The cost of opening a screen, until it can be used. */
export interface Opening {
  ms: number;
  /** The API call that took longest. */
  slowest: { path: string; ms: number } | undefined;
}

/** Opens a tab that records when its content last changed. */
export async function openTab(context: BrowserContext): Promise<Page> {
  const tab = await context.newPage();
  await tab.setViewport({ width: 1_280, height: 900 });
  await tab.evaluateOnNewDocument(WATCH);
  return tab;
}

/** Logs in with the panel's own form. */
export async function logIn(tab: Page, panel: string, staff: { email: string; password: string }): Promise<void> {
  await tab.goto(panel);
  await tab.locator('input[name=email]').fill(staff.email);
  await tab.locator('input[name=password]').fill(staff.password);
  await tab.click('button[type=submit]');
  await tab.waitForSelector('#main h1', WAIT);
  await usable(tab);
}

/** Opens a URL directly, with the browser's cache off. */
export async function openByAddress(tab: Page, url: string): Promise<Opening> {
  await tab.setCacheEnabled(false);
  await tab.goto(url, { waitUntil: 'domcontentloaded' });
  return usable(tab);
}

/** Opens a screen as the menu does, in a panel that is already open. */
export async function openByMenu(tab: Page, path: string): Promise<Opening> {
  const begun = Number(
    await tab.evaluate(
      `performance.clearResourceTimings(); window.begun = performance.now();
      history.pushState(null, '', ${JSON.stringify(`/panel${path}`)}); window.begun`,
    ),
  );
  const { ms, slowest } = await usable(tab);
  return { ms: ms - begun, slowest };
}

const WAIT = { timeout: 120_000 };
/** A screen is complete once nothing has changed for this long. */
const QUIET_MS = 700;

const WATCH = `
  window.changed = 0;
  addEventListener('DOMContentLoaded', () => {
    const note = () => { window.changed = performance.now(); };
    new MutationObserver(note).observe(document.body, { childList: true, characterData: true, subtree: true });
  });`;

/**
 * Waits until the screen has appeared and no longer changes. Returns the time of the last change and the slowest call.
 */
async function usable(tab: Page): Promise<Opening> {
  // Waits before the first check, because a new screen appears a moment after its URL.
  await sleep(QUIET_MS);
  await tab.waitForFunction(
    `document.querySelector('h1, form') && !document.querySelector('.loading, .load-error, [aria-busy="true"]')
      && performance.now() - window.changed > ${QUIET_MS}`,
    WAIT,
  );
  const [ms, calls] = (await tab.evaluate(
    `[window.changed, performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/'))
      .map(({ name, duration }) => ({ path: new URL(name).pathname, ms: duration }))]`,
  )) as [number, { path: string; ms: number }[]];
  return { ms, slowest: calls.sort((a, b) => b.ms - a.ms)[0] };
}

/** Measures the bytes that a first load transfers with gzip: the panel's own files, and the API responses. */
export async function firstLoad(tab: Page, url: string): Promise<{ files: number; answers: number }> {
  const sizes = { files: 0, answers: 0 };
  const session = await tab.createCDPSession();
  const kinds = new Map<string, keyof typeof sizes>();
  await session.send('Network.enable');
  await session.send('Network.setExtraHTTPHeaders', { headers: { 'Accept-Encoding': 'gzip' } });
  session.on('Network.responseReceived', ({ requestId, response }) => {
    kinds.set(requestId, response.url.includes('/api/') ? 'answers' : 'files');
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    sizes[kinds.get(requestId) ?? 'files'] += encodedDataLength;
  });
  await openByAddress(tab, url);
  await session.detach();
  return sizes;
}
