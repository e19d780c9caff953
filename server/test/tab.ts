import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Browser, Page } from './chromium.ts';

const SCREENSHOTS = join(import.meta.dirname, '../../node_modules/.cache/screenshots');

/** Time limit in milliseconds for actions in a tab on a busy machine. */
export const PATIENCE_MS = 60_000;

/**
 * Opens a tab of this width in a new browser context, by default without scripts. Returns it with the messages
 * that the page logs and the dialogs that it opens.
 */
export async function openTab(browser: Browser, width: number, { script = false } = {}) {
  const context = await browser.createBrowserContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.setJavaScriptEnabled(script);
  await setWidth(page, width);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Browsers request the favicon on their own.
    if (!message.location().url?.endsWith('/favicon.ico')) complaints.push(message.text());
  });
  page.on('dialog', async (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  return { page, complaints };
}

export async function setWidth(page: Page, width: number): Promise<void> {
  await page.setViewport({ width, height: width < 600 ? 780 : 900 });
}

/** Presses the button of this action, and waits for the next page. */
export async function press(page: Page, action: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(`button[value="${action}"]`)]);
}

/**
 * Waits until automatic redirects have led to a page with this URL, and the page has loaded. Polled by the test,
 * because a page without scripts runs no timers.
 */
export async function arriveAt(page: Page, pattern: RegExp): Promise<void> {
  await expect.poll(() => page.url(), { timeout: PATIENCE_MS }).toMatch(pattern);
  const state = () => page.evaluate('document.readyState').catch(() => '');
  await expect.poll(state, { timeout: PATIENCE_MS }).toBe('complete');
}

/**
 * Waits until the element with this id has the focus. The browser moves the focus to the element with `autofocus`
 * when it draws the page, which may be after the page has loaded. Polled by the test, because a page without scripts
 * runs no timers.
 */
export async function expectFocus(page: Page, id: string): Promise<void> {
  await expect.poll(() => page.evaluate('document.activeElement?.id'), { timeout: FOCUS_MS }).toBe(id);
}

/** Shorter than the time limit of a test, so that the error is about the missing focus. */
const FOCUS_MS = 20_000;

/**
 * Saves a screenshot in node_modules/.cache/screenshots if SCREENSHOTS=1. Off by default, because a screenshot takes
 * seconds, and no test compares screenshots.
 */
export async function leaveScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS !== '1') return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true, optimizeForSpeed: true });
}

/** Takes a screenshot, and fails if the page has accessibility problems. */
export async function inspect(page: Page, name: string): Promise<void> {
  await leaveScreenshot(page, name);
  expect([name, await accessibilityProblems(page)]).toEqual([name, []]);
}

/** Lists accessibility problems of the page: on small screens, with low vision, and with screen readers. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  return (await page.evaluate(ACCESSIBILITY_PROBLEMS)) as string[];
}

const ACCESSIBILITY_PROBLEMS = `(() => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the screen');
  for (const field of document.querySelectorAll('input:not([type=hidden]), select, textarea')) {
    if (field.labels.length === 0) found.push('no label: ' + field.name);
    for (const id of (field.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean)) {
      if (!document.getElementById(id)) found.push('describes nothing: ' + id);
    }
  }
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    if (!document.getElementById(link.hash.slice(1))) found.push('leads nowhere: ' + link.hash);
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  if (new Set(ids).size < ids.length) found.push('an id twice');
  const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((part) => part / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] !== 0) return colour;
    }
    return [255, 255, 255];
  };
  for (const element of document.body.querySelectorAll('*')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || element.getClientRects().length === 0) continue;
    const lights = [light(parse(getComputedStyle(element).color)), light(ground(element))].sort((a, b) => b - a);
    const contrast = (lights[0] + 0.05) / (lights[1] + 0.05);
    if (contrast < 4.5) found.push('contrast ' + contrast.toFixed(2) + ': ' + element.textContent.trim().slice(0, 40));
  }
  for (const control of document.querySelectorAll('button.primary, button.secondary, input[type=text], input[type=email], input[type=password], select')) {
    if (control.getClientRects().length > 0 && control.getBoundingClientRect().height < 44) found.push('small to touch: ' + (control.name || control.textContent));
  }
  return found;
})()`;
