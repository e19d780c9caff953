import type { BrowserContext, Page } from '../../server/test/chromium.ts';
import { pick, type Trial } from '../frame.ts';
import { escapeHtml, openSite } from '../pages/chromium.ts';
import { WAYS, waysShown } from '../pages/f7-framing.ts';
import { changed, stateOf } from '../pages/state.ts';
import { enter, mustHoldNoSecret, openTab, type PanelVisit, settled } from './hostile-screens.ts';
import { employ, type Stocked } from './stocked.ts';

/**
 * Pages of others in the browser in which the merchant is logged in. To the panel at `localhost`, 127.0.0.1 is another site,
 * and localhost with another port a neighbour, whose requests carry the panel's cookie.
 */
export async function visitForeignPages(trial: Trial, visit: PanelVisit, stocked: Stocked): Promise<number> {
  let attacks = 0;
  for (const host of ['localhost', '127.0.0.1'] as const) {
    const site = await openSite(host);
    const context = await visit.browser.createBrowserContext();
    try {
      const tab = await openTab(context, visit);
      await enter(tab, visit, stocked.owner);
      const victim = { context, tab, session: await sessionIn(context) };
      const foreign = await context.newPage();
      attacks += await forge(trial, visit, stocked, victim, foreign, site);
      attacks += await frame(visit, victim.tab, foreign, site);
      attacks += await plant(visit, stocked, victim, foreign, site);
    } finally {
      await context.close();
      site.close();
    }
  }
  return attacks;
}

interface Victim {
  context: BrowserContext;
  tab: Page;
  session: string;
}

type Site = Awaited<ReturnType<typeof openSite>>;

async function sessionIn(context: BrowserContext): Promise<string> {
  const session = (await context.cookies()).find(({ name }) => name === 'panel');
  return session?.value ?? '';
}

/** What each forged call would do; the last logs the browser in as somebody else. */
function deedsOf({ ids }: Stocked, login: object): [method: string, path: string, body: object][] {
  return [
    ['PATCH', '/settings', { name: 'Forged' }],
    ['POST', '/customers', { email: 'forged@example.com' }],
    ['POST', '/api-keys', { description: 'Forged', scopes: ['write'] }],
    ['POST', '/staff/invitations', { email: 'forged@example.com', role: 'owner' }],
    ['POST', `/orders/${ids.order}/mails`, { kind: 'shipped' }],
    ['DELETE', `/products/${ids.product}`, {}],
    ['POST', '/auth/logout', {}],
    ['DELETE', '/account/sessions', {}],
    ['POST', '/auth/login', login],
  ];
}

async function forge(trial: Trial, visit: PanelVisit, stocked: Stocked, victim: Victim, foreign: Page, site: Site) {
  const { shop } = stocked;
  const { owner } = shop.premises;
  const deeds = deedsOf(stocked, await employ(shop, 'Intruder', 'owner'));
  const before = await stateOf(owner, [shop.site_id]);
  for (const [method, path, body] of deeds) {
    const url = `${visit.baseUrl}/api/dashboard${path}`;
    await foreign.goto(site.serve(quietly(url, method, body)));
    await foreign.waitForFunction(`document.title.startsWith('over')`, { timeout: 20_000 });
    const title = await foreign.title();
    if (title !== 'over') visit.violations.add(`foreign write: ${site.origin} could read ${method} ${path}: ${title}`);
    // At last in the whole window, which takes Lax cookies along on a GET.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'].slice(0, pick(trial.size, 1, 2))) {
      await foreign.goto(site.serve(`${formTo(url, body, type)}<script>document.forms[0].submit()</script>`));
      await foreign.waitForNetworkIdle({ idleTime: 30 }).catch(() => undefined);
    }
  }
  const tables = changed(before, await stateOf(owner, [shop.site_id]));
  if (tables.length > 0) visit.violations.add(`foreign write: ${site.origin} changed ${tables}`);
  await mustBeUnmoved(visit, stocked, victim, `the calls of ${site.origin}`);
  // The same call, made by the panel, must do what it is for: else nothing was proven.
  const call = `fetch('/api/dashboard/customers', { method: 'POST', headers: { 'X-Panel': '1', 'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID() }, body: JSON.stringify({ email: crypto.randomUUID() + '@example.com' }) }).then(({ status }) => status)`;
  const status = await victim.tab.evaluate(call);
  if (status !== 201) visit.violations.add(`The panel's own call was refused: ${status}`);
  return deeds.length * (QUIET.length + 1);
}

/** The session is still the merchant's own, and works. */
async function mustBeUnmoved({ violations }: PanelVisit, { shop }: Stocked, { context, tab, session }: Victim, by: string) {
  if ((await sessionIn(context)) !== session) violations.add(`foreign write: the session was replaced by ${by}`);
  const me = `fetch('/api/dashboard/me', { headers: { 'X-Panel': '1' } }).then((answer) => answer.text())`;
  const text = String(await tab.evaluate(me));
  if (!text.includes(shop.tenant.merchant_id)) violations.add(`foreign write: the session was ended by ${by}: ${text}`);
  await mustHoldNoSecret(tab, violations, `after ${by}`);
}

/** A form whose text/plain body is JSON. */
function formTo(url: string, body: object, type: string): string {
  const json = JSON.stringify({ ...body, x: '=' });
  const [name, value] = [json.slice(0, json.lastIndexOf('=')), json.slice(json.lastIndexOf('=') + 1)];
  return `<form method="post" enctype="${type}" action="${escapeHtml(url)}"><textarea name="${escapeHtml(name)}">${escapeHtml(value)}</textarea></form>`;
}

/** What a page can send without going anywhere. The first answer that it may read is the title afterwards. */
const QUIET = [
  `fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body })`,
  `fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body, keepalive: true, referrerPolicy: 'unsafe-url' })`,
  `read(url, { method, body: method === 'GET' ? undefined : body })`,
  `read(url, { method, body, headers: { 'Content-Type': 'application/json', 'X-Panel': '1' } })`,
  `read(url, { method: 'POST', body, headers: { 'Content-Type': 'application/json', 'X-HTTP-Method-Override': method } })`,
  `read('${'$'}{me}', { method: 'GET' })`,
  `read('${'$'}{me}', { method: 'GET', headers: { 'X-Panel': '1' } })`,
  `Promise.resolve(navigator.sendBeacon(url, new Blob([body], { type: 'text/plain' })))`,
  `element('img', { src: url })`,
  `element('script', { src: url })`,
  `element('iframe', { src: url })`,
  `element('iframe', { srcdoc: form, sandbox: 'allow-forms allow-scripts' })`,
].map((line) => line.replace(`'${'$'}{me}'`, 'me'));

function quietly(url: string, method: string, body: object): string {
  const me = `${new URL(url).origin}/api/dashboard/me`;
  const form = `${formTo(url, body, 'text/plain')}<script>document.forms[0].submit()</script>`;
  const script = `
    const [url, me, method] = ${JSON.stringify([url, me, method])};
    const body = ${JSON.stringify(JSON.stringify(body))};
    const form = ${JSON.stringify(form).replaceAll('</', '<\\/')};
    let seen = '';
    const read = (to, init) => fetch(to, { mode: 'cors', credentials: 'include', ...init }).then(async (answer) => { seen ||= ' ' + await answer.text(); });
    const element = (name, attributes) => new Promise((over) => {
      const made = Object.assign(document.createElement(name), attributes);
      if (attributes.sandbox) made.setAttribute('sandbox', attributes.sandbox);
      made.onload = made.onerror = () => setTimeout(over, 100);
      document.body.append(made);
      setTimeout(over, 500);
    });
    Promise.allSettled([${QUIET.join(', ')}]).then(() => { document.title = 'over' + seen; });`;
  return `<!doctype html><title>before</title><body><script>${script}</script>`;
}

/** The panel inside of a page of others, in every way; a copy without its headers must be seen. */
async function frame({ baseUrl, violations }: PanelVisit, tab: Page, foreign: Page, site: Site): Promise<number> {
  const url = `${baseUrl}/panel/orders`;
  await tab.goto(url);
  await settled(tab);
  const copy = site.serve(await tab.content());
  for (const way of await waysShown(foreign, site, url, false)) {
    violations.add(`foreign write: the panel is shown in ${way} of ${site.origin}`);
  }
  const seen = await waysShown(foreign, site, copy, true);
  const unseen = Object.keys(WAYS).filter((way) => !seen.includes(way));
  for (const way of unseen) violations.add(`A copy of the panel in ${way} was not seen.`);
  return Object.keys(WAYS).length;
}

/** Cookies of the same name, beside the one that scripts can neither read nor replace. */
async function plant(visit: PanelVisit, stocked: Stocked, victim: Victim, foreign: Page, site: Site): Promise<number> {
  const paths = ['/', '/panel', '/api', '/api/dashboard', '/api/dashboard/me'];
  const other = await visit.browser.createBrowserContext();
  const stranger = await stocked.shop.premises.openShop();
  const login = await employ(stranger, 'Stranger', 'owner');
  const theirs = await openTab(other, visit);
  await enter(theirs, visit, login);
  const session = await sessionIn(other);
  await other.close();
  await foreign.goto(site.serve('<title>neighbour</title>'));
  for (const path of paths) {
    await foreign.evaluate(`document.cookie = 'panel=${session}; path=${path}'; void 0`);
    await victim.tab.goto(`${visit.baseUrl}/panel/orders`);
    await victim.tab.waitForFunction(`document.querySelector('h1')`, { timeout: 20_000 });
    const me = `fetch('/api/dashboard/me', { headers: { 'X-Panel': '1' } }).then((answer) => answer.text())`;
    const text = String(await victim.tab.evaluate(me));
    // Two cookies are refused, which logs out but never in.
    if (text.includes(stranger.tenant.merchant_id)) {
      visit.violations.add(`foreign write: the merchant works in the shop of ${site.origin}, by a cookie for ${path}`);
    }
    await foreign.evaluate(`document.cookie = 'panel=; path=${path}; max-age=0'; void 0`);
  }
  await mustBeUnmoved(visit, stocked, victim, `cookies of ${site.origin}`);
  return paths.length;
}
