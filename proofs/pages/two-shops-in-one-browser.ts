import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, Page } from '../../server/test/chromium.ts';
import { unescaped } from '../../server/test/paper-browser.ts';
import { inChromium, openSite, press } from '../testing/chromium.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { exchange } from '../testing/raw-requests.ts';
import { changed, type State, stateOf } from '../testing/table-digests.ts';
import { onPremises, type Premises } from '../testing/test-server.ts';
import { FORM_ACTIONS, PAGES } from './page-list.ts';
import {
  arrangeFor,
  cookies,
  type FormAction,
  type Furnished,
  furnish,
  logInTo,
  type PageKind,
  withQuery,
} from './page-shops.ts';

const OF_SHOPS = FORM_ACTIONS.filter(({ page }) => !page.ofNoShop);

/**
 * Opens pages of two shops in one browser, goes back in the history, and fetches links as browsers prefetch them. None
 * of this may mix the two visits, repeat an action, or change data.
 */
export const F10: Proof = {
  id: 'F10',
  promise: 'Two shops in one browser stay separate, going back repeats nothing, and viewing changes nothing.',
  run: (trial) => onPremises(trial, (premises) => attack(trial, premises)),
};

/**
 * Returns pages of one shop that one browser can have open at the same time: all pages without a login, or one page of
 * a logged-in customer and the pages that show no login form.
 */
function ofOneLogin(chance: Chance): typeof OF_SHOPS {
  const free = OF_SHOPS.filter(({ page, work }) => !page.isPublic && !work.renews);
  const ofCustomer = OF_SHOPS.filter(({ page }) => page.login);
  return chance.next() < 0.5 ? OF_SHOPS.filter(({ page }) => !page.login) : [...free, chance.of(ofCustomer)];
}

interface Counts {
  looks: number;
  mixed: number;
  back: number;
}

async function attack(trial: Trial, premises: Premises): Promise<Figures> {
  const chance = chanceOf(trial.seed);
  const counts: Counts = { looks: 0, mixed: 0, back: 0 };
  const open = async () => furnish(await premises.openShop(), `shop${randomUUID().slice(0, 8)}`);
  const [one, other] = [await open(), await open()];
  for (let round = 0; round < pick(trial.size, 1, 5); round += 1) {
    for (const page of PAGES)
      counts.looks += await scan(premises, page, one, trial.size === 'short' ? chance.some(VISITS, 2) : VISITS);
  }
  const browser = await inChromium(trial, async (chromium) => {
    for (let round = 0; round < pick(trial.size, 1, 40); round += 1) {
      counts.mixed += await mix(chromium, premises, chance, one, other);
    }
    for (const { page, work } of trial.size === 'short' ? chance.some(FORM_ACTIONS, 2) : FORM_ACTIONS) {
      counts.back += await goBack(chromium, premises, { shop: one, page, work });
    }
    for (const page of trial.size === 'short' ? [chance.of(PAGES)] : PAGES) {
      counts.looks += await scanInBrowser(chromium, premises, page, one);
    }
  });
  const { looks, mixed, back } = counts;
  return {
    tried: looks + mixed + back,
    unit: 'visits',
    violations: premises.violations.list,
    note: `${mixed} pages of two shops in one browser, ${back} times back, ${looks} looks ahead; ${browser}`,
  };
}

const all = ({ owner }: Premises, shops: Furnished[]): Promise<State> =>
  stateOf(
    owner,
    shops.map(({ shop }) => shop.site_id),
  );

/** Headers of requests that fetch a URL before, or instead of, a person. */
const WAYS: Record<string, string>[] = [
  {},
  { 'Sec-Purpose': 'prefetch' },
  { 'Sec-Purpose': 'prefetch;prerender', Purpose: 'prefetch' },
  { 'X-Moz': 'prefetch' },
  { 'User-Agent': 'Mozilla/5.0 (compatible; bingbot/2.0)' },
  { Range: 'bytes=0-10' },
  { 'If-None-Match': '*' },
];

const VISITS = WAYS.flatMap((way) =>
  ['GET', 'HEAD'].flatMap((method) => [true, false].map((isLoggedIn) => ({ way, method, isLoggedIn }))),
);

/**
 * Fetches a page and the links in it, as scanners, previews and browsers do, with and without its cookies. This must
 * change nothing. Returns the number of requests.
 */
async function scan(premises: Premises, page: PageKind, shop: Furnished, visits: typeof VISITS): Promise<number> {
  const { path, login } = await arrangeFor(page, shop);
  const { baseUrl, violations } = premises;
  const before = await all(premises, [shop]);
  const first = await exchange(baseUrl, 'GET', path, { Cookie: login });
  const cookie = cookies(login, ...(first.headers['set-cookie'] ?? []).map((line) => line.split(';')[0] ?? ''));
  const links = [...first.text.matchAll(/\s(?:href|src|action)="(\/[^"#]*)/g)].map(([, link = '']) => unescaped(link));
  let looks = 0;
  for (const link of new Set([
    path,
    ...links,
    withQuery(path, 'change=1'),
    withQuery(path, `action=${page.operations[0]?.action}`),
  ])) {
    for (const { way, method, isLoggedIn } of visits) {
      const headers = isLoggedIn ? { ...way, Cookie: cookie } : way;
      const { status } = await exchange(baseUrl, method, link, headers);
      looks += 1;
      if (status >= 400) violations.add(`${page.name}: ${method} ${link}: expected below 400, got ${status}`);
    }
  }
  const tables = changed(before, await all(premises, [shop]));
  if (tables.length > 0) violations.add(`${page.name}: opening the page changed ${tables}`);
  return looks;
}

/**
 * Prefetches, prerenders and opens a page in a browser, and follows each of its links. This must change nothing.
 * Returns the number of steps.
 */
async function scanInBrowser(browser: Browser, premises: Premises, page: PageKind, shop: Furnished): Promise<number> {
  const { baseUrl, violations } = premises;
  const { path, login } = await arrangeFor(page, shop);
  const url = baseUrl + path;
  const before = await all(premises, [shop]);
  const site = await openSite('127.0.0.1');
  const context = await browser.createBrowserContext();
  try {
    await logInTo(context, login);
    const tab = await context.newPage();
    const asked = tab.waitForRequest((request) => request.url() === url);
    const rules = {
      prefetch: [{ urls: [url], eagerness: 'immediate' }],
      prerender: [{ urls: [url], eagerness: 'immediate' }],
    };
    await tab.goto(
      site.serve(`<link rel="prefetch" href="${url}"><link rel="preload" as="fetch" href="${url}">
        <script type="speculationrules">${JSON.stringify(rules)}</script><a href="${url}">x</a>`),
    );
    await asked;
    await tab.hover('a');
    await tab.goto(url);
    const links = (await tab.evaluate('[...document.links].map((link) => link.href)')) as string[];
    for (const link of links) await tab.goto(link);
    await tab.reload();
    const tables = changed(before, await all(premises, [shop]));
    if (tables.length > 0) violations.add(`${page.name}: opening the page in the browser changed ${tables}`);
    return links.length + 4;
  } finally {
    await context.close();
    site.close();
  }
}

/**
 * Opens pages of both shops in tabs of one browser, and uses their forms in random order. Returns the number of pages.
 */
async function mix(
  browser: Browser,
  premises: Premises,
  chance: Chance,
  one: Furnished,
  other: Furnished,
): Promise<number> {
  const { baseUrl, violations } = premises;
  const context = await browser.createBrowserContext();
  let pages = 0;
  const visits = [one, other].flatMap((shop) =>
    chance.some(ofOneLogin(chance), 3).map(({ page, work }) => ({ shop, page, work })),
  );
  const look = async (tab: Page, shop: Furnished, what: string) => {
    const text = String(await tab.evaluate('document.documentElement.outerHTML'));
    const [own, foreign] = [shop, shop === one ? other : one].map(({ texts }) => text.includes(texts.shop));
    if (!own) violations.add(`${what}: the page does not show its own shop`);
    if (foreign) violations.add(`${what}: the page shows the other shop`);
    pages += 1;
  };
  try {
    const tabs = [];
    for (const visit of visits) {
      const tab = await context.newPage();
      const { path, login } = await arrangeFor(visit.page, visit.shop);
      await logInTo(context, login);
      await tab.goto(baseUrl + path);
      await look(tab, visit.shop, visit.page.name);
      tabs.push({ ...visit, tab });
    }
    for (const { shop, page, work, tab } of chance.some(tabs, tabs.length)) {
      const neighbour = shop === one ? other : one;
      const [mine, theirs] = [await all(premises, [shop]), await all(premises, [neighbour])];
      await tab.bringToFront();
      if (!(await tab.$(`button[value="${work.action}"]`))) {
        violations.add(`${page.name}: the page beside another shop does not show the button ${work.action}`);
        continue;
      }
      await press(tab, work, shop);
      // A login starts a new session, so a form that was opened before the login must be submitted again.
      if ((await tab.title()).startsWith('Please send the form again')) {
        await tab.goto(tab.url());
        await press(tab, work, shop);
      }
      await look(tab, shop, `${page.name}, ${work.action}`);
      if (changed(mine, await all(premises, [shop])).length === 0)
        violations.add(`${page.name}: ${work.action} changed nothing`);
      const tables = changed(theirs, await all(premises, [neighbour]));
      if (tables.length > 0) violations.add(`${page.name}: ${work.action} changed ${tables} of the other shop`);
    }
    return pages;
  } finally {
    await context.close();
  }
}

/**
 * After submitting a form, goes back, forward, back again, and reloads. Then submits a one-time form again if it is
 * still shown. Returns the number of steps.
 */
async function goBack(
  browser: Browser,
  premises: Premises,
  target: { shop: Furnished; page: PageKind; work: FormAction },
) {
  const { shop, page, work } = target;
  const { baseUrl, violations } = premises;
  const context: BrowserContext = await browser.createBrowserContext();
  try {
    const tab = await context.newPage();
    const { path, login } = await arrangeFor(page, shop);
    await logInTo(context, login);
    await tab.goto(baseUrl + path);
    await press(tab, work, shop);
    const before = await all(premises, [shop]);
    let steps = 0;
    const move = async (step: Promise<unknown>) => {
      await step.catch(() => undefined);
      steps += 1;
      const tables = changed(before, await all(premises, [shop]));
      if (tables.length > 0) violations.add(`${page.name}: after ${work.action}, step ${steps} back changed ${tables}`);
    };
    for (const step of [() => tab.goBack(), () => tab.goForward(), () => tab.goBack(), () => tab.reload()])
      await move(step());
    const secrets = await tab.$$eval(
      'input[type=password]',
      (fields) => fields.filter((field) => (field as unknown as { value: string }).value !== '').length,
    );
    if (secrets > 0) violations.add(`${page.name}: going back shows a password`);
    // The person may submit a form that is still shown, but the server must not repeat a one-time action.
    if (DONE_ONCE.includes(work.action) && (await tab.$(`button[value="${work.action}"]`))) {
      await move(press(tab, work, shop));
    }
    return steps;
  } finally {
    await context.close();
  }
}

const DONE_ONCE = ['place_order', 'verify_email', 'reset_password'];
