/** Opens every screen of the panel in a shop in which every text is a payload. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from '../../server/test/chromium.ts';
import { until } from '../testing/chromium.ts';
import { type Trial, Violations } from '../testing/proof.ts';
import { tokenPattern } from '../testing/token-pattern.ts';
import type { Login, Stocked } from './hostile-shop.ts';
import { Traffic } from './open-requests.ts';
import { screensOf } from './screens.ts';

export interface PanelVisit {
  browser: Browser;
  baseUrl: string;
  violations: Violations;
}

interface Opened {
  tab: Page;
  traffic: Traffic;
}

const WAIT = { timeout: 60_000 };
/** A tab has loaded when it sends no request for this long, in milliseconds. */
const IDLE = 30;

/**
 * Opens all screens as the owner. Returns the number of screens, and the number of payloads that were readable on them.
 */
export async function showAll(trial: Trial, visit: PanelVisit, stocked: Stocked) {
  const context = await visit.browser.createBrowserContext();
  try {
    const opened = await openTab(context, visit);
    const { tab } = opened;
    await enter(tab, visit, stocked.owner);
    const screens = await screensOf(stocked);
    const unread = new Set(stocked.written.filter((text) => text.length > 3));
    const all = unread.size;
    const look = async (where: string) => {
      await settled(opened);
      await examine(tab, visit, where);
      const text = String(await tab.evaluate(SHOWN));
      for (const payload of unread) if (text.includes(payload.replaceAll(/\s+/g, ' '))) unread.delete(payload);
    };
    for (const screen of screens) {
      if (trial.size === 'short') await tab.evaluate(`history.pushState(null, '', '/panel${screen}')`);
      else await tab.goto(`${visit.baseUrl}/panel${screen}`);
      await look(screen);
    }
    trial.progress(`${screens.length} screens`);
    await readHostileFiles(opened, visit, stocked, look);
    const addresses = await openHostileAddresses(trial, opened, visit, stocked);
    await mustNotice(context, visit);
    return { screens: screens.length + addresses, read: all - unread.size, all };
  } finally {
    await context.close().catch(() => undefined);
  }
}

/** Logs in with the panel's own form. */
async function enter(tab: Page, { baseUrl }: PanelVisit, { email, password }: Login): Promise<void> {
  await tab.goto(`${baseUrl}/panel/`);
  await tab.locator('input[name=email]').setTimeout(WAIT.timeout).fill(email);
  await tab.locator('input[name=password]').fill(password);
  await tab.locator('button[type=submit]').click();
  await tab.waitForSelector('#main h1', WAIT);
}

/**
 * Opens a tab that records its requests, reports scripts that run or are blocked, and sends nothing to other servers.
 */
async function openTab(context: BrowserContext, { baseUrl, violations }: PanelVisit): Promise<Opened> {
  const tab = await context.newPage();
  const traffic = new Traffic(tab);
  await tab.evaluateOnNewDocument(HOOKS);
  tab.on('console', (message) => {
    const text = message.text();
    if (/^(?:executed|policy): |Content Security Policy/.test(text)) violations.add(`${tab.url()} says: ${text}`);
  });
  tab.on('pageerror', (error) => violations.add(`${tab.url()} fails: ${String(error)}`));
  tab.on('dialog', (dialog) => {
    // The browser asks whether to leave unsaved changes, because the panel requests that.
    if (dialog.type() === 'beforeunload') return void dialog.accept().catch(() => undefined);
    violations.add(`${tab.url()} opens a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  await tab.setRequestInterception(true);
  tab.on('request', (request) => {
    const { origin, host, protocol } = new URL(request.url());
    const isOurs = origin === baseUrl || protocol === 'data:' || protocol === 'blob:';
    const isPicture = host === 'img.example' && request.resourceType() === 'image';
    (isOurs ? request.continue() : request.abort()).catch(() => undefined);
    if (!isOurs && !isPicture) violations.add(`${tab.url()} loads ${request.url()} from another server`);
  });
  return { tab, traffic };
}

const HOOKS = `
  for (const name of ['alert', 'confirm', 'prompt', 'print']) window[name] = () => console.error('executed: ' + name);
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
    console.error('policy: ' + violatedDirective + ' ' + blockedURI + ' ' + sample);
  });
  window.heard = [];
  const ask = window.fetch;
  window.fetch = async (...request) => {
    const answer = await ask(...request);
    answer.clone().text().then((text) => heard.push([...answer.headers].join(' ') + ' ' + text), () => undefined);
    return answer;
  };`;

/**
 * Waits until the screen has its content, and all its requests have ended. A new screen appears a moment after its URL.
 */
async function settled(opened: Opened): Promise<void> {
  await shows(opened, `document.querySelector('h1') && !document.querySelector('.loading, .load-error')`);
}

async function shows({ tab, traffic }: Opened, isThere: string): Promise<void> {
  await tab.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))');
  await traffic.rest(IDLE, WAIT.timeout);
  await tab.waitForFunction(isThere, WAIT).catch(async (cause: unknown) => {
    const shown = await tab.evaluate('document.body.innerText');
    throw new Error(`${tab.url()} does not come to show its content: ${String(shown).slice(0, 500)}`, { cause });
  });
  await traffic.rest(IDLE, WAIT.timeout);
}

/** Reports elements that the panel never creates, and secrets of sessions and links that a script could read. */
async function examine(tab: Page, { baseUrl, violations }: PanelVisit, where: string): Promise<void> {
  const strangers = (await tab.evaluate(`(${STRANGERS})(${JSON.stringify(baseUrl)})`)) as string[];
  for (const stranger of strangers) violations.add(`script run or foreign markup: ${where}: ${stranger}`);
  await mustHoldNoSecret(tab, violations, where);
}

/** The visible text, including the values of fields. */
const SHOWN = `(document.body.innerText + ' ' + [...document.querySelectorAll('input, textarea, option')].map((field) => field.value).join(' ')
  + [...document.querySelectorAll('[alt], [title]')].map((e) => e.getAttribute('alt') + ' ' + e.title).join(' ')).replaceAll(/\\s+/g, ' ')`;

const STRANGERS = `(baseUrl) => {
  const found = [];
  for (const element of document.querySelectorAll('*')) {
    const name = element.localName;
    const isOurScript = name === 'script' && element.src.startsWith(baseUrl + '/panel/assets/') && element.text === '';
    const isOurLink = name === 'link' && (element.href.startsWith(baseUrl + '/panel/') || element.href === baseUrl + '/favicon.ico');
    const isOdd = ['script', 'link', 'style', 'iframe', 'frame', 'object', 'embed', 'base', 'video', 'audio', 'math', 'marquee', 'template', 'xss', 'plaintext', 'animate', 'set'].includes(name);
    if (isOdd && !isOurScript && !isOurLink) found.push('<' + name + '>');
    if (name === 'meta' && element.httpEquiv) found.push('a meta that acts');
    for (const { name: attribute, value } of element.attributes) {
      if (/^on|^srcdoc$|^ping$|^formaction$/.test(attribute)) found.push(name + ' ' + attribute);
      if (!['href', 'src', 'action', 'data', 'poster', 'background', 'xlink:href'].includes(attribute)) continue;
      const { protocol } = new URL(value, document.baseURI);
      const allowed = name === 'img' ? ['http:', 'https:', 'blob:', 'data:'] : ['http:', 'https:', 'mailto:', 'blob:'];
      if (!allowed.includes(protocol)) found.push(name + ' ' + attribute + ' leads to ' + protocol);
    }
  }
  return found;
}`;

/**
 * Returns texts that a script on the page could read, such as cookies and stored data, each with the name of its
 * source.
 */
const READABLE = `(async () => [
  ['document.cookie', document.cookie],
  ['localStorage', JSON.stringify({ ...localStorage })],
  ['sessionStorage', JSON.stringify({ ...sessionStorage })],
  ['IndexedDB', JSON.stringify(await indexedDB.databases())],
  ['caches', JSON.stringify(await caches.keys())],
  ['the address', location.href],
  ['the history', JSON.stringify(history.state)],
  ['the referrer', document.referrer],
  ['window.name', window.name],
  ['performance entries', performance.getEntries().map(({ name }) => name).join(' ')],
  ['the document', document.documentElement.outerHTML],
  ['globals', Object.getOwnPropertyNames(window).map((name) => { try { return typeof window[name] === 'string' ? window[name] : ''; } catch { return ''; } }).join(' ')],
  ['answers', heard.join(' ')],
])()`;

const SECRET = tokenPattern('{38}', 'g');
/** The panel shows these tokens on purpose. The storefront token is public: every visitor of the shop gets it. */
const SHOWN_BY_PURPOSE = ['stk'];
/** The place where browsers store the URL with which a tab was opened. A secret in a mailed link remains there. */
const ADDRESS_OF_OLD = 'performance entries';
const OF_LINKS = ['rst', 'inv'];

async function mustHoldNoSecret(tab: Page, violations: Violations, where: string): Promise<void> {
  const sessions = (await tab.browserContext().cookies()).filter(({ name }) => /panel$/.test(name));
  for (const { name, httpOnly, sameSite } of sessions) {
    if (!httpOnly || sameSite === undefined) violations.add(`token readable: the cookie ${name} is open to scripts`);
  }
  for (const [place, text] of (await tab.evaluate(READABLE)) as [string, string][]) {
    const tokens = [...text.matchAll(SECRET)].filter(
      ([, prefix = '']) =>
        !SHOWN_BY_PURPOSE.includes(prefix) && !(place === ADDRESS_OF_OLD && OF_LINKS.includes(prefix)),
    );
    const isSession = sessions.some(({ value }) => text.includes(value));
    if (isSession || tokens.length > 0) violations.add(`token readable: ${where}: in ${place}: ${tokens[0]?.[0]}`);
  }
}

type Look = (where: string) => Promise<void>;

/** Chooses two files whose contents the panel shows before it stores anything: a catalogue and a bank statement. */
async function readHostileFiles(opened: Opened, { baseUrl }: PanelVisit, { written }: Stocked, look: Look) {
  const { tab } = opened;
  const folder = await mkdtemp(join(tmpdir(), 'commerce-hostile-'));
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  try {
    const products = join(folder, `${'<img src=x onerror=alert(1)>'.replaceAll('/', '')}.csv`);
    const rows = written.map((text, i) => [quoted(`p-${i}`), quoted(text), quoted(text), quoted(text)].join());
    await writeFile(products, ['Handle,Title,Vendor,Variant Price', ...rows].join('\n'));
    await tab.goto(`${baseUrl}/panel/products/import`);
    await settled(opened);
    await upload(tab, products);
    await tab.locator('::-p-aria([name="Try it first (dry run)"][role="button"])').click();
    await shows(opened, `document.body.innerText.includes('Preview of the import')`);
    await look('the dry run of an import');
    const lines = written.map((text, i) =>
      ['2026-01-02', quoted(text), quoted(`A${i} ${text}`), '10.00', 'EUR'].join(),
    );
    const statement = join(folder, 'statement.csv');
    await writeFile(statement, ['Date,Name,Reference,Amount,Currency', ...lines].join('\n'));
    await tab.goto(`${baseUrl}/panel/orders/statement`);
    await settled(opened);
    // A statement is read as soon as it is chosen.
    await upload(tab, statement);
    await shows(opened, `document.querySelector('.data-table')`);
    await look('a statement of the bank');
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function upload(tab: Page, path: string): Promise<void> {
  const input = await tab.waitForSelector('input[type=file]', WAIT);
  await (input as NonNullable<Awaited<ReturnType<typeof tab.$<'input'>>>>).uploadFile(path);
}

/**
 * Opens URLs with payloads, and URLs with secrets. The secrets must not remain where scripts can read them. Returns the
 * number of URLs.
 */
async function openHostileAddresses(trial: Trial, opened: Opened, visit: PanelVisit, { written }: Stocked) {
  const odd = encodeURIComponent(written[0] ?? '');
  const lists = ['orders', 'products', 'customers', 'discounts', 'agents', 'audit', 'stock', 'collections'];
  const paths = [
    `/${odd}?${odd}#${odd}`,
    ...lists.map((list) => `/${list}?q=${odd}&search=${odd}&status=${odd}&after=${odd}#${odd}`),
    `/settings/${odd}`,
    `/reset#${odd}`,
    `/invitation#${odd}`,
    `/reset#rst_${'a'.repeat(38)}A`,
    `/invitation#inv_${'a'.repeat(38)}A`,
  ];
  const chosen = trial.size === 'short' ? [...paths.slice(0, 1), ...paths.slice(-1)] : paths;
  for (const path of chosen) {
    await opened.tab.goto(`${visit.baseUrl}/panel${path}`);
    // A screen without content has a message instead of a heading.
    await shows(opened, `document.querySelector('h1, .empty, .load-error') && !document.querySelector('.loading')`);
    await examine(opened.tab, visit, `the address ${path}`);
  }
  return chosen.length;
}

/** Inserts a payload and a token on purpose. The checks must report both, or the proof detects nothing. */
async function mustNotice(context: BrowserContext, visit: PanelVisit): Promise<void> {
  const violations = new Violations();
  const opened = await openTab(context, { ...visit, violations });
  const { tab } = opened;
  await tab.goto(`${visit.baseUrl}/panel/`);
  await settled(opened);
  await tab.evaluate(
    `document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(1)>'); localStorage.planted = 'mch_${'a'.repeat(39)}'`,
  );
  // The browser reports a blocked request a moment later.
  await until(async () => violations.list.some((text) => text.includes('policy: ')));
  await examine(tab, { ...visit, violations }, 'planted');
  await tab.evaluate('localStorage.clear()');
  for (const sign of ['policy: ', 'img onerror', 'localStorage']) {
    if (!violations.list.some((text) => text.includes(sign)))
      visit.violations.add(`A planted attack was not detected: ${sign}`);
  }
}
