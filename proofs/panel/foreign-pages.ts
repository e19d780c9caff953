import { operationTable } from '../../server/src/http/contract/contract.ts';
import type { Browser, BrowserContext, Page } from '../../server/test/chromium.ts';
import { frame } from '../pages/framing.ts';
import { escapeHtml, type ForeignSite, openSite } from '../testing/chromium.ts';
import { pick, type Trial } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { changed, stateOf } from '../testing/table-digests.ts';
import { type Address, asPanel, logIn } from './forged-requests.ts';
import type { PanelVisit } from './hostile-screens.ts';
import { employ, type Stocked } from './hostile-shop.ts';

/**
 * Pages of other origins in the browser of a user who is logged in to the panel. The first is another site. The second
 * is on another port of the same host: browsers send the panel's cookie to it, and let it set cookies.
 */
const HOSTS = { 'another site': '127.0.0.1', 'a neighbour': 'localhost' } as const;
const FRAMED = ['/panel/', '/panel/orders', '/panel/settings/staff', '/panel/account'];
const WAIT = { timeout: 60_000 };

export async function visitForeignPages(trial: Trial, visit: PanelVisit, stocked: Stocked): Promise<number> {
  const { baseUrl, violations } = visit;
  const address: Address = { baseUrl, ownOrigin: baseUrl, violations };
  const cookie = await logIn(address, stocked.owner);
  const prepare = (context: BrowserContext) => carry(context, cookie);
  let tried = 0;
  for (const [who, host] of Object.entries(HOSTS)) {
    const site = await openSite(host);
    try {
      const around: Around = { visit, site, who, stocked, prepare };
      tried += await sendAll(trial, around);
      tried += await sendForms(around);
      for (const path of trial.size === 'short' ? FRAMED.slice(0, 1) : FRAMED) {
        tried += await frame(visit.browser, site, visit, path, prepare);
      }
      tried += await plant(around, address);
      trial.progress(`${tried} attempts by pages of other origins`);
    } finally {
      site.close();
    }
  }
  await mustStillWork(visit, prepare);
  return tried;
}

interface Around {
  visit: PanelVisit;
  site: ForeignSite;
  who: string;
  stocked: Stocked;
  prepare(context: BrowserContext): Promise<void>;
}

function carry(context: BrowserContext, cookie: string): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  return context.setCookie({ name, value, domain: 'localhost', path: '/', httpOnly: true, sameSite: 'Lax' });
}

/**
 * Opens a tab in a browser with the session. Any successful response to its API requests, and any change in the shop,
 * is a violation.
 */
async function inVictimsBrowser(browser: Browser, around: Around, work: (tab: Page) => Promise<void>): Promise<void> {
  const { visit, who, stocked, prepare } = around;
  const context = await browser.createBrowserContext();
  const { owner } = stocked.shop.premises;
  try {
    await prepare(context);
    const tab = await context.newPage();
    tab.on('response', (answer) => {
      const isOurs = answer.url().startsWith(`${visit.baseUrl}/api/`) && answer.request().method() !== 'OPTIONS';
      if (isOurs && answer.status() < 400) {
        visit.violations.add(
          `foreign write: ${who} got ${answer.status()} for ${answer.request().method()} ${answer.url()}`,
        );
      }
    });
    const before = await stateOf(owner, [stocked.shop.site_id]);
    await work(tab);
    const tables = changed(before, await stateOf(owner, [stocked.shop.site_id]));
    if (tables.length > 0) visit.violations.add(`foreign write: ${who} changed ${tables}`);
  } finally {
    await context.close();
  }
}

/** Sends requests in several ways that a script or an element can use. Returns their number. */
async function sendAll(trial: Trial, around: Around): Promise<number> {
  const { visit, site, who } = around;
  const operations = operationTable
    .filter(({ surface }) => surface === 'dashboard')
    .map(({ method, path }) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, crypto.randomUUID())]);
  const targets = chanceOf(trial.seed).some(operations, pick(trial.size, 10, operations.length));
  targets.push(
    ['GET', '/api/dashboard/me'],
    ['GET', '/api/dashboard/customers'],
    ['POST', '/api/dashboard/auth/logout'],
  );
  await inVictimsBrowser(visit.browser, around, async (tab) => {
    await tab.goto(site.serve(`<!doctype html><title>x</title><body>`));
    const read = (await tab.evaluate(
      `(${SEND})(${JSON.stringify(visit.baseUrl)}, ${JSON.stringify(targets)})`,
    )) as string[];
    for (const text of read)
      visit.violations.add(`token readable: a script of ${who} could read the response of ${text}`);
    const cookies = String(await tab.evaluate('document.cookie'));
    if (cookies.includes('panel')) visit.violations.add(`token readable: ${who} reads the cookie ${cookies}`);
  });
  return targets.length * WAYS_OF_EACH;
}

const WAYS_OF_EACH = 8;
/**
 * Sends requests to each target: some that need no CORS permission, and some that request it. Returns the responses
 * that the script could read.
 */
const SEND = `async (baseUrl, targets) => {
  const read = [];
  const element = (name, attributes) => new Promise((over) => {
    const made = Object.assign(document.createElement(name), attributes);
    made.onload = made.onerror = over;
    setTimeout(over, 1000);
    document.body.append(made);
  });
  const key = () => crypto.randomUUID ? crypto.randomUUID() : '01890a5d-ac96-774b-bcce-b302099a8057';
  for (const [method, path] of targets) {
    const url = baseUrl + path;
    const body = method === 'GET' ? undefined : '{}';
    const simple = method === 'GET' ? 'GET' : 'POST';
    const all = { credentials: 'include', body };
    const ask = (init) => fetch(url, init).then((answer) => answer.text()).then((text) => { if (text) read.push(path + ' ' + text.slice(0, 200)); });
    await Promise.allSettled([
      ask({ ...all, method: simple, mode: 'no-cors' }),
      ask({ ...all, method: simple, mode: 'no-cors', headers: { 'X-Panel': '1', 'Content-Type': 'text/plain' } }),
      ask({ ...all, method: simple, mode: 'cors' }),
      ask({ ...all, method, mode: 'cors', headers: { 'X-Panel': '1', 'Idempotency-Key': key(), 'Content-Type': 'application/json' } }),
      ask({ ...all, method, mode: 'cors', referrerPolicy: 'no-referrer', headers: { 'X-Panel': '1', 'Idempotency-Key': key() } }),
      Promise.resolve(navigator.sendBeacon(url, '{}')),
      element('img', { src: url }),
      element('script', { src: url }),
    ]);
  }
  return read;
}`;

/**
 * Submits cross-site forms as top-level navigations, for which browsers may send SameSite=Lax cookies. One form logs in
 * to another account. Returns the number of forms.
 */
async function sendForms(around: Around): Promise<number> {
  const { visit, site, stocked } = around;
  const stranger = await employ(stocked.shop, 'Stranger', 'owner');
  const json = JSON.stringify({ ...stranger, rest: '' }).slice(0, -2);
  const to = (path: string) => escapeHtml(`${visit.baseUrl}/api/dashboard${path}`);
  const send = '<script>document.forms[0].submit()</script>';
  const forms = [
    `<form method="post" action="${to('/auth/logout')}"></form>`,
    `<form method="post" action="${to('/setup/test-order')}"><input name="X-Panel" value="1"></form>`,
    `<form method="post" enctype="text/plain" action="${to('/auth/login')}"><input name="${escapeHtml(json)}" value='"}'></form>`,
    `<form method="post" enctype="multipart/form-data" action="${to('/products')}"><input name="name" value="x"></form>`,
    `<form method="get" action="${to('/customers')}"><input name="limit" value="1"></form>`,
  ];
  await inVictimsBrowser(visit.browser, around, async (tab) => {
    for (const form of forms) {
      await tab.goto(site.serve(form + send)).catch(() => undefined);
      await tab.waitForFunction(`location.href.startsWith(${JSON.stringify(visit.baseUrl)})`, WAIT);
    }
  });
  return forms.length;
}

/**
 * A page of another origin sets an attacker's session cookie before or after the victim's login. The victim must not
 * act in the attacker's session. Returns the number of attempts.
 */
async function plant(around: Around, address: Address): Promise<number> {
  const { visit, site, stocked, who } = around;
  const { baseUrl, violations } = visit;
  const attacker = await employ(stocked.shop, 'Planter', 'viewer');
  const planted = await logIn(address, attacker);
  const victim = await employ(stocked.shop, 'Victim', 'owner');
  const paths = ['/', '/panel', '/api', '/api/dashboard'];
  const when = ['before', 'after'] as const;
  for (const path of paths) {
    for (const moment of when) {
      const context = await visit.browser.createBrowserContext();
      try {
        const tab = await context.newPage();
        const set = async () => {
          await tab.goto(site.serve('<!doctype html><title>x</title>'));
          await tab.evaluate(`document.cookie = ${JSON.stringify(`${planted}; path=${path}`)}`);
        };
        if (moment === 'before') await set();
        const { status } = await inPanel(tab, address, 'POST', '/auth/login', victim);
        if (status !== 200) throw new Error(`The proof cannot log in beside a planted cookie: ${status}`);
        if (moment === 'after') await set();
        const own = (await context.cookies()).find(({ httpOnly, name }) => httpOnly && name === 'panel')?.value;
        if (own === undefined || planted.endsWith(own)) {
          violations.add(
            `foreign write: ${who} planted a cookie for ${path} ${moment} the login, and the panel uses it as its session`,
          );
        }
        const me = await inPanel(tab, address, 'GET', '/me');
        const isOwn = me.status === 200 && me.text.includes(victim.email);
        if (!isOwn && me.status !== 401) {
          violations.add(
            `foreign write: ${who} planted a cookie for ${path} ${moment} the login: expected the victim's account or 401, got ${me.status} ${me.text.slice(0, 200)}`,
          );
        }
      } finally {
        await context.close();
      }
    }
  }
  // The victim must not have logged in within the attacker's session.
  const { email } = attacker;
  const headers = { ...asPanel(baseUrl), Cookie: planted };
  const answer = await fetch(`${baseUrl}/api/dashboard/me`, { headers }).then((response) => response.text());
  if (answer.includes(victim.email))
    violations.add(`foreign write: planted cookie: the session of ${email} became ${victim.email}'s`);
  return paths.length * when.length;
}

/** Calls the API as the panel's own scripts do, from one of its pages. */
async function inPanel(tab: Page, { baseUrl }: Address, method: string, path: string, body?: object) {
  await tab.goto(`${baseUrl}/panel/forgot`);
  const call = `fetch('/api/dashboard${path}', { method: '${method}', headers: { 'X-Panel': '1', 'Content-Type': 'application/json',
    'Idempotency-Key': '${crypto.randomUUID()}' }, ${body ? `body: ${JSON.stringify(JSON.stringify(body))}` : ''} })
    .then(async (answer) => ({ status: answer.status, text: await answer.text() }))`;
  return (await tab.evaluate(call)) as { status: number; text: string };
}

/** Expects that the panel itself can use the session. Otherwise the rejections would prove nothing. */
async function mustStillWork({ browser, baseUrl, violations }: PanelVisit, prepare: Around['prepare']): Promise<void> {
  const context = await browser.createBrowserContext();
  try {
    await prepare(context);
    const address = { baseUrl, ownOrigin: baseUrl, violations };
    const { status, text } = await inPanel(await context.newPage(), address, 'GET', '/me');
    if (status !== 200)
      violations.add(`The panel's own request was rejected, so the proof shows nothing: ${status} ${text}`);
  } finally {
    await context.close();
  }
}
