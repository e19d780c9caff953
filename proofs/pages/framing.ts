import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, HTTPRequest, HTTPResponse, Page } from '../../server/test/chromium.ts';
import { escapeHtml, type ForeignSite, inChromium, openSite, until } from '../testing/chromium.ts';
import type { Figures, Proof, Trial } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { exchange } from '../testing/raw-requests.ts';
import { onPremises, type Premises } from '../testing/test-server.ts';
import { deadEnds, PAGES } from './page-list.ts';
import { arrangeFor, type Furnished, furnish, logInTo, type Reader, withQuery } from './page-shops.ts';

/**
 * Embeds every page in foreign pages, in each of the ways in WAYS, and checks that the page is never visible. Checks
 * the headers of every response, including errors. A copy of each page without these headers must be visible, because
 * otherwise the proof would detect nothing.
 */
export const F7: Proof = {
  id: 'F7',
  promise: 'No page is ever shown inside of another page.',
  run: (trial) => onPremises(trial, (premises) => attack(trial, premises)),
};

async function attack(trial: Trial, premises: Premises): Promise<Figures> {
  const chance = chanceOf(trial.seed);
  const [shop, stranger] = [await open(premises), await open(premises)];
  const pages = trial.size === 'short' ? chance.some(PAGES, 4) : PAGES;
  // `deadEnds` runs first, because it expires all open checkouts and mailed links of the shop.
  const dead = (await deadEnds(shop, stranger, pages)).map((path): Reader => ({ path, login: '' }));
  const alive: Reader[] = [];
  for (const page of pages) alive.push(await arrangeFor(page, shop));
  const readers = [...alive, ...dead];
  const read = await readHeaders(premises, trial.size === 'short' ? chance.some(readers, 8) : readers);
  let framed = 0;
  const browser = await inChromium(trial, async (chromium) => {
    const shown = trial.size === 'short' ? chance.some(alive, 1) : readers;
    for (const host of ['localhost', '127.0.0.1'] as const) {
      const site = await openSite(host);
      for (const { path, login } of shown) {
        framed += await frame(chromium, site, premises, path, (context) => logInTo(context, login));
      }
      site.close();
    }
  });
  const violations = premises.violations.list;
  return { tried: read + framed, unit: 'answers and frames', violations, note: `${framed} frames in ${browser}` };
}

async function open(premises: Premises): Promise<Furnished> {
  return furnish(await premises.openShop(), `shop${randomUUID().slice(0, 8)}`);
}

/**
 * Sends requests with several methods to every path. All HTML responses, even errors, must forbid framing. Returns the
 * number of responses.
 */
async function readHeaders({ baseUrl, violations }: Premises, readers: Reader[]): Promise<number> {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'];
  const types = ['application/x-www-form-urlencoded', 'application/json', 'text/plain'];
  let read = 0;
  for (const { path, login } of readers) {
    for (const method of methods) {
      for (const type of method === 'POST' ? types : types.slice(0, 1)) {
        const body = method === 'POST' ? 'csrf=x' : undefined;
        const { status, headers } = await exchange(
          baseUrl,
          method,
          path,
          { 'Content-Type': type, Cookie: login },
          body,
        );
        read += 1;
        const policy = String(headers['content-security-policy']);
        const isRefused = policy.includes("frame-ancestors 'none'") && headers['x-frame-options'] === 'DENY';
        if (!isRefused)
          violations.add(
            `${method} ${path} (${status}) can be framed: policy ${policy}, X-Frame-Options ${headers['x-frame-options']}`,
          );
      }
    }
  }
  return read;
}

/** The ways to embed a URL in a page. The query of the URL ends with `way=` and the number of the way. */
const WAYS: Record<string, (url: string) => string> = {
  iframe: (url) => `<iframe src="${url}"></iframe>`,
  'an iframe in a sandbox': (url) =>
    `<iframe sandbox="allow-scripts allow-forms allow-same-origin" src="${url}"></iframe>`,
  'an iframe without credentials': (url) => `<iframe credentialless src="${url}"></iframe>`,
  'an iframe in an iframe': (url) => `<iframe srcdoc="${escapeHtml(`<iframe src="${url}"></iframe>`)}"></iframe>`,
  'an iframe that a link leads to': (url) => `<iframe name="by-link"></iframe><a href="${url}" target="by-link">x</a>
    <script>document.links[0].click()</script>`,
  'an iframe that a form leads to': (url) => `<iframe name="by-form"></iframe>
    <form action="${url.split('?')[0]}" target="by-form">${fieldsOf(url)}</form>
    <script>document.forms[0].submit()</script>`,
  object: (url) => `<object data="${url}" type="text/html"></object>`,
  embed: (url) => `<embed src="${url}" type="text/html">`,
};

function fieldsOf(url: string): string {
  const fields = [...new URL(url).searchParams];
  return fields.map(([name, value]) => `<input name="${name}" value="${escapeHtml(value)}">`).join('');
}

/** Embeds a page in every way in a prepared browser. Returns the number of attempts. */
export async function frame(
  browser: Browser,
  site: ForeignSite,
  { baseUrl, violations }: Pick<Premises, 'baseUrl' | 'violations'>,
  path: string,
  prepare: (context: BrowserContext) => Promise<void>,
): Promise<number> {
  const context = await browser.createBrowserContext();
  try {
    await prepare(context);
    const tab = await context.newPage();
    await tab.goto(baseUrl + path);
    await tab.waitForSelector('main#main');
    const copy = site.serve(await tab.content());
    for (const way of await waysShown(tab, site, baseUrl + path, false))
      violations.add(`${path} is shown in ${way} of ${site.origin}`);
    const seen = await waysShown(tab, site, copy, true);
    for (const way of Object.keys(WAYS)) {
      if (!seen.includes(way))
        violations.add(`A copy of ${path} without protection in ${way} was not detected, so the proof shows nothing.`);
    }
    // After a window has opened the page, it must lose control of the page's window.
    await tab.goto(site.serve('<title>opener</title>'));
    const opened = context.waitForTarget((target) => target.url() === baseUrl + path);
    await tab.evaluate(`window.opened = window.open(${JSON.stringify(baseUrl + path)}); void 0`);
    await (await (await opened).page())?.waitForSelector('main');
    // Only after a moment does the opener notice that it has lost access to the opened window.
    const isSevered = await until(async () => (await tab.evaluate('window.opened.closed')) === true);
    if (!isSevered) violations.add(`${path} can be controlled by the window that opened it, at ${site.origin}`);
    return Object.keys(WAYS).length + 1;
  } finally {
    await context.close();
  }
}

/** Embeds a URL in every way on one page. Returns the ways in which our page is visible. */
async function waysShown(tab: Page, site: ForeignSite, url: string, isExpected: boolean): Promise<string[]> {
  const addresses = Object.keys(WAYS).map((_, way) => withQuery(url, `way=${way}`));
  const awaited = new Set(addresses);
  // Waits only for the response headers, because the body of a blocked `<object>` element may never end.
  const over = (answer: HTTPResponse | HTTPRequest) => awaited.delete(answer.url());
  tab.on('response', over);
  tab.on('requestfailed', over);
  await tab.goto(
    site.serve(
      Object.values(WAYS)
        .map((markup, way) => markup(addresses[way] ?? ''))
        .join(''),
    ),
  );
  await until(async () => awaited.size === 0);
  let shown: string[] = [];
  const isWhole = async () => {
    shown = await framesShown(tab);
    return shown.length === addresses.length;
  };
  // A refused page never appears, so a short wait is enough; an allowed one takes a moment after its last byte.
  if (isExpected) await until(isWhole);
  else await new Promise((done) => setTimeout(done, 300)).then(isWhole);
  tab.off('response', over);
  tab.off('requestfailed', over);
  return Object.keys(WAYS).filter((_, way) => shown.includes(addresses[way] ?? ''));
}

/** Returns the URLs of all frames in the tab, at any depth, that show one of our pages. */
async function framesShown(tab: Page): Promise<string[]> {
  const inside = tab.frames().filter((frame) => frame !== tab.mainFrame());
  const found = await Promise.all(
    inside.map(async (frame) => {
      const isOurs = await frame.evaluate(`document.querySelector('main#main') !== null`).catch(() => false);
      return isOurs ? [frame.url()] : [];
    }),
  );
  return found.flat();
}
