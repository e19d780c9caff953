import { randomUUID } from 'node:crypto';
import type { Browser, Page } from '../../server/test/chromium.ts';
import { actionOf, formWith, PaperBrowser } from '../../server/test/paper-browser.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { arrival, escapeHtml, inChromium, openSite, press } from '../testing/chromium.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { exchange } from '../testing/raw-requests.ts';
import { changed, stateOf } from '../testing/table-digests.ts';
import { onPremises, type Premises } from '../testing/test-server.ts';
import { attacksOn, type Form, type Opened, type Others, type Server } from './forged-requests.ts';
import { FORM_ACTIONS } from './page-list.ts';
import {
  arrangeFor,
  cookies,
  type FormAction,
  type Furnished,
  furnish,
  logInTo,
  loginTo,
  type PageKind,
  type Reader,
} from './page-shops.ts';

/**
 * Sends a cross-site request forgery (CSRF) for every form of every page: with the victim's cookie where a browser
 * might send it, and in the worst case also with the form's own CSRF token. At the end the correct form must still
 * work; otherwise the rejections would prove nothing.
 */
export const F6: Proof = {
  id: 'F6',
  promise: 'A form changes nothing unless its own page sends it, in the browser that it was shown to.',
  run: (trial) => onPremises(trial, (premises) => attack(trial, premises)),
};

const OTHER_SECRET = 'the secret of somebody else, which is long enough, too';

async function attack(trial: Trial, premises: Premises): Promise<Figures> {
  const chance = chanceOf(trial.seed);
  const secure = await startServer(trial.databaseUrl, { baseUrl: 'https://shop.example' }, trial.databaseUrl);
  const other = await startServer(trial.databaseUrl, { secretKey: OTHER_SECRET }, trial.databaseUrl);
  const servers: Server[] = [
    { baseUrl: premises.baseUrl, ownOrigin: 'http://localhost', cookie: 'form' },
    { baseUrl: secure.baseUrl, ownOrigin: 'https://shop.example', cookie: '__Host-form' },
  ];
  let raw = 0;
  let played = 0;
  let arrived = 0;
  try {
    for (let round = 0; round < pick(trial.size, 1, 3); round += 1) {
      const shop = await furnish(await premises.openShop(), `shop${randomUUID().slice(0, 8)}`);
      for (const { page, work } of FORM_ACTIONS) {
        const chosen = trial.size === 'short' ? [chance.of(servers)] : servers;
        for (const server of chosen)
          raw += await sendRaw(trial, chance, { premises, server, forger: other.baseUrl, shop, page, work });
      }
    }
    const browser = await inChromium(trial, async (chromium) => {
      const shop = await furnish(await premises.openShop(), `shop${randomUUID().slice(0, 8)}`);
      for (const host of ['localhost', '127.0.0.1'] as const) {
        for (const { page, work } of trial.size === 'short' ? [chance.of(FORM_ACTIONS)] : FORM_ACTIONS) {
          const counts = await play(chromium, host, { premises, shop, page, work });
          played += counts.attacks;
          arrived += counts.arrived;
        }
      }
    });
    return {
      tried: raw + played,
      unit: 'forged requests',
      violations: premises.violations.list,
      note: `${played} by another site or a neighbour in ${browser}, of which ${arrived} reached the server`,
    };
  } finally {
    await Promise.all([stopServer(secure), stopServer(other)]);
  }
}

interface Target {
  premises: Premises;
  shop: Furnished;
  page: PageKind;
  work: FormAction;
}

async function sendRaw(trial: Trial, chance: Chance, target: Target & { server: Server; forger: string }) {
  const { premises, server, forger, shop, page, work } = target;
  const open = async ({ path, login }: Reader, baseUrl = server.baseUrl): Promise<Opened> => {
    const headers = login ? { Cookie: login } : {};
    const { html, response } = await new PaperBrowser(baseUrl).open(path, { headers });
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const fields = formWith(html, work.action);
    // PaperBrowser returns the path without its query.
    const action = actionOf({ html, path }, work.action);
    return { cookie: cookie.replace(/^[^=]*/, server.cookie), login, csrf: fields.get('csrf') ?? '', fields, action };
  };
  const { path, login } = await arrangeFor(page, shop, server.ownOrigin);
  const reader = await open({ path, login });
  // Opens another session of the same customer, for another browser. The server with the other secret has no https, so
  // its cookie has another name.
  const again = async (ownOrigin = server.ownOrigin) => ({ path, login: await loginTo(page, shop, ownOrigin) });
  const others: Others = {
    own: reader,
    stranger: await open(await again()),
    old: await daysAgo(3, async () => open(await again())),
    forged: { ...(await open(await again('http://localhost'), forger)), login },
    elsewhere: await open(await arrangeFor(page, shop, server.ownOrigin)),
  };
  const fields = new URLSearchParams(reader.fields);
  for (const [name, value] of Object.entries(work.entries(shop))) fields.set(name, value);
  fields.set('action', work.action);
  const proper = (): Form => ({
    method: 'POST',
    path: reader.action,
    headers: { Cookie: cookies(reader.cookie, login), Origin: 'null', 'Sec-Fetch-Site': 'same-origin' },
    fields: new URLSearchParams(fields),
  });
  const attacks = attacksOn(server, others);
  const chosen = trial.size === 'short' ? chance.some(attacks, 6) : attacks;
  const before = await stateOf(premises.owner, [shop.shop.site_id]);
  const answers: string[] = [];
  for (const [what, change] of chosen) {
    const form = proper();
    change(form);
    const { status } = await post(server, form);
    if (status < 400) answers.push(`${what}: ${status}`);
  }
  const tables = changed(before, await stateOf(premises.owner, [shop.shop.site_id]));
  if (tables.length > 0) {
    premises.violations.add(`${page.name}, ${work.action} with forged forms changed ${tables}: ${answers.join(', ')}`);
    return chosen.length;
  }
  const { status } = await post(server, proper());
  const effect = changed(before, await stateOf(premises.owner, [shop.shop.site_id]));
  if (effect.length === 0)
    premises.violations.add(`${page.name}: ${work.action} with the genuine form changed nothing: ${status}`);
  return chosen.length;
}

/** Sets the clock of this process back by some days during `work`. The server runs in the same process. */
async function daysAgo<T>(days: number, work: () => Promise<T>): Promise<T> {
  const now = Date.now;
  Date.now = () => now() - days * 86_400_000;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

function post({ baseUrl }: Server, { method, path, headers, fields, body = fields.toString() }: Form) {
  const typed = { 'Content-Type': 'application/x-www-form-urlencoded', ...headers };
  return exchange(baseUrl, method, path, typed, method === 'GET' || method === 'HEAD' ? undefined : body);
}

/**
 * A reader opens the page, and then another site that has all data of the form, including its token. Returns the
 * numbers of attacks and of requests that arrived.
 */
async function play(browser: Browser, host: 'localhost' | '127.0.0.1', target: Target) {
  const { premises, shop, page, work } = target;
  const site = await openSite(host);
  const context = await browser.createBrowserContext();
  try {
    const tab = await context.newPage();
    const { path, login } = await arrangeFor(page, shop);
    const url = premises.baseUrl + path;
    await logInTo(context, login);
    const { fields, action } = await readForm(tab, url, work, shop);
    const before = await stateOf(premises.owner, [shop.shop.site_id]);
    let arrived = 0;
    tab.on('response', (response) => {
      if (response.request().method() === 'POST' && response.url().startsWith(premises.baseUrl)) arrived += 1;
    });
    const look = async (what: string) => {
      const tables = changed(before, await stateOf(premises.owner, [shop.shop.site_id]));
      if (tables.length > 0)
        premises.violations.add(`${page.name}: ${work.action} sent by a page of ${host} (${what}) changed ${tables}`);
    };
    const quiet = QUIET.length;
    await tab.goto(site.serve(quietly(action, fields)));
    await tab.waitForFunction('document.title === "over"', { timeout: 60_000 });
    await look('scripts, frames and pictures');

    const loud: Record<string, string> = {
      'a form': formTo(action, fields),
      'a form that is sent on': formTo(site.forward(action), fields),
      'a form by GET': formTo(action, fields, 'get'),
      'a form from nowhere': `<iframe sandbox="allow-forms allow-scripts allow-top-navigation" srcdoc="${escapeHtml(formTo(action, fields, 'post', '_top'))}"></iframe>`,
    };
    for (const [what, html] of Object.entries(loud)) {
      await tab.goto(site.serve(html)).catch(() => undefined);
      // When a form is sent by GET, the browser replaces the query of the URL with the form's fields.
      await arrival(tab, url.split('?')[0] ?? url);
      await look(what);
    }
    await tab.goto(url);
    await press(tab, work, shop);
    const effect = changed(before, await stateOf(premises.owner, [shop.shop.site_id]));
    if (effect.length === 0)
      premises.violations.add(`${page.name}: ${work.action} with the genuine form in the browser changed nothing`);
    return { attacks: quiet + Object.keys(loud).length, arrived };
  } finally {
    await context.close();
    site.close();
  }
}

/** Reads the form's fields, and the URL to which its button submits. */
async function readForm(tab: Page, url: string, work: FormAction, shop: Furnished) {
  await tab.goto(url);
  const html = await tab.content();
  const fields = { ...Object.fromEntries(formWith(html, work.action)), ...work.entries(shop), action: work.action };
  return { fields, action: new URL(actionOf({ html, path: url }, work.action), url).href };
}

function formTo(url: string, fields: Record<string, string>, method = 'post', target = '_self'): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<textarea name="${name}">${escapeHtml(value)}</textarea>`,
  );
  // Calls the method of the prototype, because a field named `submit` would hide the form's method.
  const send = '<script>HTMLFormElement.prototype.submit.call(document.forms[0])</script>';
  return `<form method="${method}" action="${escapeHtml(url)}" target="${target}">${inputs.join('')}</form>${send}`;
}

/**
 * Requests that a page can send without navigating; each is an expression whose promise resolves when the request ends.
 */
const QUIET = [
  `fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body })`,
  `fetch(url, { method: 'POST', mode: 'cors', credentials: 'include', body })`,
  `fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body, keepalive: true, referrerPolicy: 'unsafe-url' })`,
  `fetch(url, { method: 'PUT', mode: 'cors', credentials: 'include', body })`,
  `fetch(url, { method: 'POST', mode: 'cors', credentials: 'include', body, headers: { 'X-Requested-With': 'XMLHttpRequest' } })`,
  `fetch(url + '?' + body, { mode: 'no-cors', credentials: 'include' })`,
  `new Promise((over) => { const xhr = new XMLHttpRequest(); xhr.open('POST', url); xhr.withCredentials = true; xhr.onloadend = over; xhr.send(body) })`,
  `Promise.resolve(navigator.sendBeacon(url, body))`,
  `element('img', { src: url + '?' + body })`,
  `element('script', { src: url + '?' + body })`,
  `element('link', { rel: 'stylesheet', href: url + '?' + body })`,
  `element('link', { rel: 'prefetch', href: url + '?' + body })`,
  `element('iframe', { src: url + '?' + body })`,
  `element('iframe', { srcdoc: form })`,
  `element('iframe', { srcdoc: form, sandbox: 'allow-forms allow-scripts' })`,
  `element('iframe', { src: 'data:text/html,' + encodeURIComponent(form) })`,
  `element('object', { data: url + '?' + body })`,
  `element('embed', { src: url + '?' + body })`,
];

function quietly(url: string, fields: Record<string, string>): string {
  const script = `
    const url = ${JSON.stringify(url)};
    const fields = ${JSON.stringify(fields)};
    const body = new URLSearchParams(fields);
    const form = ${JSON.stringify(formTo(url, fields)).replaceAll('</', '<\\/')};
    const wait = (ms) => new Promise((over) => setTimeout(over, ms));
    // A frame counts as finished 200 ms after it loads, but no later than after 1 s, because the frame of a rejected
    // form may never load.
    const element = (name, attributes) => new Promise((over) => {
      const made = Object.assign(document.createElement(name), attributes);
      if (attributes.sandbox) made.setAttribute('sandbox', attributes.sandbox);
      made.onload = made.onerror = () => wait(200).then(over);
      document.body.append(made);
      wait(1000).then(over);
    });
    Promise.allSettled([${QUIET.join(', ')}]).then(() => { document.title = 'over' });`;
  return `<!doctype html><title>before</title><body><script>${script}</script>`;
}
