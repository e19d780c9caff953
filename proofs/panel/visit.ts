/**
 * Tests the built panel in a browser with the demo shop. A test does a screen's main task as a merchant would, and
 * finds buttons and fields by their accessible names. `look` examines the layout on a desktop and on a phone, which
 * differ only in their style sheets. SCREENSHOTS=1 saves screenshots.
 */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDashboardClient, createStorefrontClient } from '@commerce-backend/sdk';
import type { AxeResults } from 'axe-core';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../server/src/db/free-port.ts';
import { seedDemo } from '../../server/src/demo/seed.ts';
import type { DemoCredentials } from '../../server/src/demo/stored.ts';
import {
  type Browser,
  type BrowserContext,
  findChromium,
  LocatorEvent,
  openChromium,
  type Page,
  TimeoutError,
} from '../../server/test/chromium.ts';
import { mailsTo } from '../../server/test/mail.ts';
import { SECRET_KEY, startServer, stopServer } from '../../server/test/server.ts';
import { leaveScreenshot, PATIENCE_MS, setWidth } from '../../server/test/tab.ts';
import { databaseUrl, superuserUrl } from '../../server/test/worker-database.ts';

export interface Visit {
  tab: Page;
  width: number;
  demo: DemoCredentials;
  /** Prepares data for a screen, and checks its effects. */
  dashboard: ReturnType<typeof createDashboardClient>;
  storefront: ReturnType<typeof createStorefrontClient>;
  /** Returns the mails to this e-mail address, oldest first. */
  mailsTo(email: string): ReturnType<typeof mailsTo>;
  /** Runs `work` in another browser, without a login. */
  asStranger(work: (visit: Visit) => Promise<void>): Promise<void>;
  /** Opens a screen, such as `/orders`, and waits for its content. */
  open(path: string): Promise<void>;
  /** Presses the button, link or menu entry with this name. */
  press(name: string, role?: Role): Promise<void>;
  /**
   * Sets the field with this label; in a select, chooses the option with this value. A text of more than 100 characters
   * is inserted at the cursor, so empty the field first.
   */
  fill(label: string, value: string): Promise<void>;
  /** Waits until the screen shows this text. */
  sees(text: string): Promise<void>;
  /** Waits until a dialog is open and has the focus, because keys that are pressed before that are lost. */
  seesDialog(): Promise<void>;
  /** Waits until no dialog is open, because elements behind a dialog cannot be reached. */
  seesNoDialog(): Promise<void>;
  /** Returns the text that is visible now. */
  text(): Promise<string>;
  /** Fails if the current screen has an accessibility or layout problem at either width. */
  look(name: string): Promise<void>;
}

type Role = 'button' | 'link' | 'tab' | 'menuitem' | 'checkbox' | 'radio';

const DESKTOP = 1_280;
const PHONE = 375;
const LOOK_AGAIN_MS = 15_000;
/** By default, conditions are checked in each frame, which makes the browser draw all the time. */
const POLL_MS = 100;
/** Longer texts are inserted at the cursor instead of being typed. */
const TYPED_MOST = 100;

/** Registers a test of a screen on a desktop. It fails if the browser reports an error. */
export function inPanel(task: string, work: (visit: Visit) => Promise<void>): void {
  atWidths([DESKTOP], task, work);
}

/**
 * Registers a test on a desktop and on a phone, for tasks that need the menu or whose controls are moved on a phone.
 */
export function inPanelAndOnPhone(task: string, work: (visit: Visit) => Promise<void>): void {
  atWidths([DESKTOP, PHONE], task, work);
}

function atWidths(widths: number[], task: string, work: (visit: Visit) => Promise<void>): void {
  const chromium = findChromium();
  for (const width of widths) {
    test.skipIf(!chromium)(widths.length > 1 ? `${task}, at ${width} px` : task, async () => {
      const panel = await openPanel(chromium ?? '');
      const tab = await panel.context.newPage();
      try {
        const complaints = listen(tab);
        await setWidth(tab, width);
        await work(visit(panel, tab, width));
        expect(complaints).toEqual([]);
      } finally {
        await tab.close();
      }
    });
  }
}

interface Panel {
  baseUrl: string;
  demo: DemoCredentials;
  browser: Browser;
  context: BrowserContext;
  axe: string;
  mailsTo(email: string): ReturnType<typeof mailsTo>;
  close(): Promise<void>;
}

let opened: Promise<Panel> | undefined;

/** Starts the server and the demo shop, and logs in once for all tests of a file. */
function openPanel(chromium: string): Promise<Panel> {
  opened ??= startPanel(chromium);
  return opened;
}

afterAll(async () => {
  await (await opened)?.close();
  opened = undefined;
});

async function startPanel(chromium: string): Promise<Panel> {
  // The port is chosen first, because the server needs its URL before it listens. Over http, browsers keep the
  // session's cookie only for localhost.
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const server = await startServer(databaseUrl(), { baseUrl }, superuserUrl(), port);
  const dataDir = await mkdtemp(join(tmpdir(), 'commerce-panel-'));
  const { demo } = await seedDemo({ db: server.db, dataDir, baseUrl, secretKey: SECRET_KEY });
  const browser = await openChromium(chromium);
  const context = await browser.createBrowserContext();
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const close = async () => {
    await browser.close();
    await stopServer(server);
    await rm(dataDir, { recursive: true });
  };
  const shop = { db: server.db, owner: server.owner, site_id: demo.site_id };
  const panel = { baseUrl, demo, browser, context, axe, mailsTo: (email: string) => mailsTo(shop, email), close };
  await logIn(panel);
  return panel;
}

/** Logs in with the panel's own form. */
async function logIn(panel: Panel): Promise<void> {
  const tab = await panel.context.newPage();
  await tab.goto(`${panel.baseUrl}/panel`);
  const { press, fill, look } = visit(panel, tab, DESKTOP);
  await tab.locator('form').wait();
  await look('login');
  await fill('E-mail', panel.demo.staff.email);
  await fill('Password', panel.demo.staff.password);
  await press('Log in');
  await tab.locator('#main h1').wait();
  await tab.close();
}

function visit(panel: Panel, tab: Page, width: number): Visit {
  const { baseUrl, demo, axe } = panel;
  tab.setDefaultTimeout(PATIENCE_MS);
  return {
    tab,
    width,
    demo,
    dashboard: createDashboardClient({ baseUrl, apiKey: demo.api_key }),
    storefront: createStorefrontClient({ baseUrl, siteId: demo.site_id, storefrontToken: demo.storefront_token }),
    mailsTo: panel.mailsTo,
    asStranger: async (work) => {
      const context = await panel.browser.createBrowserContext();
      try {
        const other = await context.newPage();
        await setWidth(other, width);
        await work(visit(panel, other, width));
      } finally {
        await context.close();
      }
    },
    open: async (path) => {
      await tab.goto(`${baseUrl}/panel${path}`);
      await tab.locator('h1').wait();
      await settled(tab);
    },
    // Elements behind a dialog are hidden, so a button in the dialog is found even if others have the same name.
    press: (name, role = 'button') => pressOn(tab, `::-p-aria([name="${name}"][role="${role}"])`),
    fill: async (label, value) => {
      const selector = `::-p-aria([name="${label}"])`;
      if (value.length <= TYPED_MOST) return lookAgain(tab, selector, (field) => field.fill(value));
      // The `fill` method of a locator would set a longer text by script, and React does not notice that.
      await lookAgain(tab, selector, (field) => field.click());
      await tab.keyboard.sendCharacter(value);
    },
    sees: async (text) => {
      const shown = `document.body.innerText.includes(${JSON.stringify(text)})`;
      const isThere = tab.waitForFunction(shown, { polling: POLL_MS });
      await isThere.catch(async () => expect(await textOf(tab)).toContain(text));
    },
    seesDialog: async () => {
      const hasFocus = `[...document.querySelectorAll('.dialog[data-open]')].at(-1)?.contains(document.activeElement)`;
      await tab.waitForFunction(hasFocus, { polling: POLL_MS });
    },
    seesNoDialog: async () => {
      await tab.waitForFunction(`!document.querySelector('.dialog')`, { polling: POLL_MS });
    },
    text: () => textOf(tab),
    look: async (name) => {
      const examine = async (shown: number) => {
        await settled(tab);
        await focusIsInFront(tab, name);
        await leaveScreenshot(tab, `panel-${name}-${shown}`);
        expect(await blocksOf(tab, axe), `${name} at ${shown} px`).toEqual([]);
      };
      await examine(width);
      if (width === PHONE) return;
      await setWidth(tab, PHONE);
      await examine(PHONE);
      await setWidth(tab, width);
    },
  };
}

/** Waits until nothing is loading. */
async function settled(tab: Page): Promise<void> {
  await tab.waitForFunction(`!document.querySelector('.loading, [aria-busy="true"]')`, { polling: POLL_MS });
}

/**
 * Waits until the focus is in the topmost dialog, where keyboard users continue. A dialog gets the focus only after it
 * has opened, and only in the foreground tab. Checks by a timer, because a busy browser draws no frames.
 */
async function focusIsInFront(tab: Page, name: string): Promise<void> {
  await tab.bringToFront();
  const isInFront = tab.waitForFunction(`(${FOCUSED})() === ''`, { polling: POLL_MS });
  await isInFront.catch(async () => expect(await tab.evaluate(`(${FOCUSED})()`), `the focus, ${name}`).toBe(''));
}

/** Returns the focused element if it is outside the topmost dialog. */
const FOCUSED = `() => {
  const dialog = [...document.querySelectorAll('.dialog[data-open]')].at(-1);
  const focused = document.activeElement;
  return dialog && !dialog.contains(focused) ? focused.outerHTML.slice(0, 200) : '';
}`;

function textOf(tab: Page): Promise<string> {
  return tab.evaluate('document.body.innerText') as Promise<string>;
}

/** Returns the accessibility and layout problems of a screen. */
async function blocksOf(tab: Page, axe: string): Promise<string[]> {
  const excess = Number(
    await tab.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
  );
  if (!(await tab.evaluate('"axe" in window'))) await tab.evaluate(axe);
  const { violations } = (await tab.evaluate(`axe.run({ resultTypes: ['violations'], iframes: false })`)) as Pick<
    AxeResults,
    'violations'
  >;
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html).join(' ')})`);
  found.push(...((await tab.evaluate(CUT)) as string[]), ...((await tab.evaluate(BROKEN)) as string[]));
  return excess > 0 ? [`it is ${excess} px wider than the window`, ...found] : found;
}

/** Finds controls that are cut off by their container or covered by another control. */
const CUT = `(() => {
  const boxes = [...document.querySelectorAll('button, input:not([type="radio"]), select, textarea, a.button')]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest('.unseen, [inert]'))
    .map((each) => [each, each.getBoundingClientRect()]);
  const name = (each) => (each.labels?.[0] ?? each).textContent.trim() || each.getAttribute('aria-label') || each.outerHTML;
  const cut = boxes.filter(([each, { left, right }]) => {
    for (let box = each.parentElement; box && box !== document.body; box = box.parentElement) {
      const { overflowX } = getComputedStyle(box);
      if (overflowX === 'auto' || overflowX === 'scroll') return false;
      const edge = box.getBoundingClientRect();
      if (box.matches('.card, .dialog, .table-box, td, .field') && (right > edge.right + 1 || left < edge.left - 1)) return true;
    }
    return false;
  });
  return cut.map(([each]) => 'it is cut off: ' + name(each).slice(0, 60));
})()`;

/** Finds broken words in tables. Only words of more than 16 characters may break. */
const BROKEN = `(() => {
  const found = [];
  for (const cell of document.querySelectorAll('.data-table :is(td, th)')) {
    if (!cell.checkVisibility() || cell.closest('.unseen')) continue;
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data } = texts.currentNode;
      for (const { 0: word, index } of data.matchAll(/[^\\s-]+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (word.length <= 16 && lines.size > 1) found.push('a word is broken: ' + word);
      }
    }
  }
  return found;
})()`;

/** Messages of browsers and Vite about a file that could not be loaded. */
const NOT_LOADED = /^(?:Failed to load resource|Couldn't load preload assets)/;

/** Collects script errors, and errors and warnings in the console. Returns their list. */
function listen(tab: Page): string[] {
  const complaints: string[] = [];
  tab.on('pageerror', (error) => complaints.push(String(error)));
  tab.on('console', (message) => {
    const { url = '' } = message.location();
    // Ignores the icon that browsers request on their own, and failed requests, which the screen itself reports.
    if (url.endsWith('/favicon.ico') || NOT_LOADED.test(message.text())) return;
    // The sandbox of the preview reports scripts that it blocks.
    if (message.text().startsWith("Blocked script execution in 'about:srcdoc'")) return;
    // A dialog hides the elements behind it one frame before it takes the focus.
    if (message.text().startsWith('Blocked aria-hidden')) return;
    if (['error', 'warn'].includes(message.type())) complaints.push(message.text());
  });
  return complaints;
}

/**
 * Clicks the element as soon as it is enabled. The time limit may end after the click was sent, before a busy browser
 * has confirmed it. Then the click is not repeated, because it would be a second one.
 */
function pressOn(tab: Page, selector: string): Promise<void> {
  return lookAgain(tab, selector, async (found) => {
    let isSent = false;
    const button = found.filter(({ ariaDisabled }) => ariaDisabled !== 'true');
    button.on(LocatorEvent.Action, () => {
      isSent = true;
    });
    await button.click().catch((error: unknown) => {
      if (!(isSent && error instanceof TimeoutError)) throw error;
    });
  });
}

/**
 * Acts on an element. Queries the element again if that takes too long: a locator waits for two frames of the first
 * element that it finds. These may never come if the page replaces the element, or if a busy browser draws no frames.
 */
async function lookAgain(tab: Page, selector: string, act: (found: Located) => Promise<void>): Promise<void> {
  for (let left = PATIENCE_MS; left > LOOK_AGAIN_MS; left -= LOOK_AGAIN_MS) {
    try {
      return await act(locate(tab, selector));
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      await tab.bringToFront();
    }
  }
  await act(locate(tab, selector));
}

type Located = ReturnType<typeof locate>;

function locate(tab: Page, selector: string) {
  return tab.locator(selector).setTimeout(LOOK_AGAIN_MS);
}
