import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { hashToken, mintToken } from '../../server/src/shop/tokens.ts';
import type { Browser } from '../../server/test/chromium.ts';
import { actionOf, formWith } from '../../server/test/paper-browser.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { inChromium, openSite, press } from '../testing/chromium.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { exchange } from '../testing/raw-requests.ts';
import { changed, stateOf } from '../testing/table-digests.ts';
import { onPremises, type Premises } from '../testing/test-server.ts';
import { FORM_ACTIONS, PAGES } from './page-list.ts';
import {
  arrangeFor,
  cookies,
  type FormAction,
  type Furnished,
  furnish,
  logInTo,
  loginCookie,
  type PageKind,
} from './page-shops.ts';

/**
 * Gives browsers a session cookie before they open our pages: an invented session, an attacker's session, a session of
 * another browser, or two cookies in one request. The server must not keep an invented session. A session of another
 * browser must give no access, and must end when somebody logs in.
 */
export const F8: Proof = {
  id: 'F8',
  promise: 'A session cookie that was not issued to the browser gives no access, and every login starts a new session.',
  run: (trial) => onPremises(trial, (premises) => attack(trial, premises)),
};

type Some = <T>(all: T[], count: number) => T[];

const SECURE_ORIGIN = 'https://shop.example';

async function attack(trial: Trial, premises: Premises): Promise<Figures> {
  const secure = await startServer(trial.databaseUrl, { baseUrl: SECURE_ORIGIN }, trial.databaseUrl);
  const chance = chanceOf(trial.seed);
  const servers = [premises.baseUrl, secure.baseUrl];
  /** Returns a random sample in the short form, otherwise all. */
  const some: Some = (all, count) => (trial.size === 'short' ? chance.some(all, count) : all);
  let planted = 0;
  let renewed = 0;
  try {
    const furnished = async () => furnish(await premises.openShop(), `shop${randomUUID().slice(0, 8)}`);
    for (let round = 0; round < pick(trial.size, 1, 10); round += 1) {
      const shop = await furnished();
      for (const { page, work } of FORM_ACTIONS) {
        for (const baseUrl of trial.size === 'short' ? [chance.of(servers)] : servers) {
          planted += await plantRaw({ premises, baseUrl, shop, page, work }, some);
          if (work.renews) renewed += 1;
        }
      }
      const stranger = await furnished();
      for (const page of some(
        PAGES.filter(({ login }) => login),
        4,
      )) {
        const baseUrl = chance.of(servers);
        planted += await plantLogins({ premises, baseUrl, shop, page }, stranger);
      }
    }
    const browser = await inChromium(trial, async (chromium) => {
      const shop = await furnished();
      const renewing = FORM_ACTIONS.filter(({ work }) => work.renews);
      for (const { page, work } of trial.size === 'full' ? FORM_ACTIONS : some(renewing, 3)) {
        planted += await plantInBrowser(chromium, { premises, baseUrl: premises.baseUrl, shop, page, work });
      }
    });
    const violations = premises.violations.list;
    const note = `${renewed} times an account was entered, each with another session afterwards; ${browser}`;
    return { tried: planted, unit: 'planted sessions', violations, note };
  } finally {
    await stopServer(secure);
  }
}

interface Target {
  premises: Premises;
  baseUrl: string;
  shop: Furnished;
  page: PageKind;
  work: FormAction;
}

/** Returns the cookies that a response sets, in the form in which a browser sends them. */
function cookiesIn(headers: { 'set-cookie'?: string[] }): string {
  return (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
}

/** Returns cookies that look like session cookies, but that the server did not set for this browser. */
function madeUp(own: string): Record<string, string> {
  const [name = '', value = ''] = own.split(/=(.*)/);
  const random = randomBytes(32).toString('base64url');
  const now = Math.floor(Date.now() / 1000).toString(36);
  const signed = (secret: string) =>
    createHmac('sha256', secret).update(`form session|${now}.${random}`).digest('base64url');
  return {
    'a random value': `${name}=${random}`,
    'a value of the right form': `${name}=${now}.${random}.${signed('')}`,
    'one that another server signed': `${name}=${now}.${random}.${signed('the secret of another server')}`,
    'another time under the same signature': `${name}=${value.replace(/^./, '1')}`,
    'one character changed': `${name}=${value.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A'))}`,
    'one character more': `${name}=${value}A`,
    'a value in quotes': `${name}="${value}"`,
    'an encoded value': `${name}=${encodeURIComponent(value.replaceAll('.', '%2E'))}`,
    'an empty value': `${name}=`,
    'a long value': `${name}=${'A'.repeat(3_000)}`,
    'the session of another browser twice': `${own}; ${own}`,
    'the session of another browser and a made-up one': `${name}=${random}; ${own}`,
  };
}

async function plantRaw(target: Target, some: Some): Promise<number> {
  const { premises, baseUrl, shop, page, work } = target;
  const ownOrigin = baseUrl === premises.baseUrl ? undefined : SECURE_ORIGIN;
  const { path, login } = await arrangeFor(page, shop, ownOrigin);
  const get = (cookie: string) => exchange(baseUrl, 'GET', path, { Cookie: cookies(cookie, login) });
  const attacker = cookiesIn((await get('')).headers);
  const post = (cookie: string, html: string) => {
    const fields = formWith(html, work.action);
    for (const [name, value] of Object.entries({ ...work.entries(shop), action: work.action })) fields.set(name, value);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };
    return exchange(
      baseUrl,
      'POST',
      actionOf({ html, path }, work.action),
      { ...headers, Cookie: cookies(cookie, login) },
      fields.toString(),
    );
  };
  const before = await stateOf(premises.owner, [shop.shop.site_id]);
  const plants = some(Object.entries(madeUp(attacker)), 4);
  for (const [what, cookie] of plants) {
    const { headers, text } = await get(cookie);
    const given = cookiesIn(headers);
    const isKept = given === '' || cookie.includes(given);
    if (isKept) premises.violations.add(`${page.name}: the page keeps a session cookie ${what}`);
    const { status } = await post(cookie, text);
    if (status === 403) continue;
    premises.violations.add(`${page.name}: with a session ${what}, the form was accepted: expected 403, got ${status}`);
    return plants.length;
  }
  const tables = changed(before, await stateOf(premises.owner, [shop.shop.site_id]));
  if (tables.length > 0) premises.violations.add(`${page.name}: planted sessions changed ${tables}`);

  // The reader gets the attacker's session and uses the page.
  const shown = await get(attacker);
  const done = await post(attacker, shown.text);
  const given = cookiesIn(done.headers);
  // A form that changes something responds with 303, one that only displays something with 200.
  if (![200, 303].includes(done.status))
    premises.violations.add(`${page.name}: ${work.action} in a valid session: expected 200 or 303, got ${done.status}`);
  if (work.renews && (given === '' || given === attacker))
    premises.violations.add(`${page.name}: ${work.action} does not replace the session`);
  if (page.login && work.renews) {
    const afterwards = await get(attacker);
    if (!isLogin(afterwards.text))
      premises.violations.add(`${page.name}: after ${work.action} the earlier session is still logged in`);
  }
  if (page.isPublic) return plants.length + 1;
  // The session alone must give no access: the same session with another URL gets 404.
  const elsewhere = await exchange(baseUrl, 'GET', path.replace(/.{8}$/, 'AAAAAAAA'), { Cookie: given || attacker });
  if (elsewhere.status !== 404)
    premises.violations.add(`${page.name}: a session without the page's URL: expected 404, got ${elsewhere.status}`);
  return plants.length + 1;
}

const isLogin = (html: string) => html.includes('value="log_in"');

/**
 * Invented, ended and foreign login cookies must not open pages for logged-in customers. Returns the number of cookies.
 */
async function plantLogins({ premises, baseUrl, shop, page }: Omit<Target, 'work'>, stranger: Furnished) {
  const ownOrigin = baseUrl === premises.baseUrl ? undefined : SECURE_ORIGIN;
  const { path, login } = await arrangeFor(page, shop, ownOrigin);
  const foreign = await arrangeFor(page, stranger, ownOrigin);
  const [name = '', token = ''] = login.split('=');
  const held = (value: string) => `${name}=${value}`;
  const ended = async (times: string) => {
    const one = (await page.login?.(shop)) ?? '';
    await premises.owner.query(`update commerce.customer_tokens set ${times} where token_hash = $1`, [hashToken(one)]);
    return held(one);
  };
  const plants: Record<string, string> = {
    'made up': held(mintToken('customer')),
    'of another shop': held(foreign.login.split('=')[1] ?? ''),
    'of another shop, under its name': foreign.login,
    'under the name of another shop': loginCookie(stranger, token, ownOrigin),
    'an agent’s token': held(mintToken('agent')),
    twice: cookies(login, held(mintToken('customer'))),
    'in quotes': held(`"${token}"`),
    'with one character more': held(`${token}A`),
    revoked: await ended('revoked_at = now()'),
    expired: await ended(`expires_at = now() - interval '1 second'`),
    replaced: await ended('replaced_at = now()'),
    'of yesterday': await ended(`renewable_until = renewable_until - interval '1 day'`),
  };
  const own = await exchange(baseUrl, 'GET', path, { Cookie: login });
  if (isLogin(own.text)) premises.violations.add(`${page.name}: the customer's own login does not open the page`);
  for (const [what, Cookie] of Object.entries(plants)) {
    const { status, text } = await exchange(baseUrl, 'GET', path, { Cookie });
    if (!isLogin(text))
      premises.violations.add(
        `${page.name}: a login cookie (${what}) opens the page instead of the login form, ${status}`,
      );
  }
  return Object.keys(plants).length;
}

/**
 * A page on another port of the same host sets session cookies, which browsers allow without https. Returns the number
 * of cookies.
 */
async function plantInBrowser(browser: Browser, target: Target): Promise<number> {
  const { premises, baseUrl, shop, page, work } = target;
  const site = await openSite('127.0.0.1');
  const context = await browser.createBrowserContext();
  try {
    const { path, login } = await arrangeFor(page, shop);
    await logInTo(context, login);
    const issued = cookiesIn((await exchange(baseUrl, 'GET', path, { Cookie: login })).headers);
    const [name] = issued.split('=');
    const tab = await context.newPage();
    for (const cookie of [`${name}=${'A'.repeat(43)}; path=/`, `${issued}; path=/`]) {
      await tab.goto(site.serve(`<script>document.cookie = ${JSON.stringify(cookie)}</script>`));
      await tab.goto(baseUrl + path);
      const [held] = (await context.cookies()).filter((one) => one.name === name);
      const invented = cookie.includes('AAAA');
      if (invented && cookie.includes(String(held?.value)))
        premises.violations.add(`${page.name}: the page keeps the planted cookie ${cookie}`);
    }
    const before = (await context.cookies()).find((one) => one.name === name)?.value;
    await press(tab, work, shop);
    const after = (await context.cookies()).find((one) => one.name === name)?.value;
    if (work.renews && before === after) premises.violations.add(`${page.name}: the browser keeps the earlier session`);
    return 2;
  } finally {
    await context.close();
    site.close();
  }
}
