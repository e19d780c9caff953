/** Sends requests that carry the session's cookie but do not come from the panel, and sets cookies before logins. */

import { randomUUID } from 'node:crypto';
import { operationTable } from '../../server/src/http/contract/contract.ts';
import { pick, type Trial, type Violations } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { exchange } from '../testing/raw-requests.ts';
import { operationOf } from '../testing/tenant.ts';
import { employ, type Login, type Stocked } from './hostile-shop.ts';
import { screensOf } from './screens.ts';

export interface Address {
  /** The URL to which requests are sent. */
  baseUrl: string;
  /** The origin of the panel as the browser sees it. */
  ownOrigin: string;
  violations: Violations;
}

type Headers = Record<string, string>;

/** The headers of a call by the panel, except the cookie. */
export function asPanel(ownOrigin: string): Headers {
  return {
    Host: new URL(ownOrigin).host,
    'X-Panel': '1',
    'Sec-Fetch-Site': 'same-origin',
    Origin: ownOrigin,
    'Content-Type': 'application/json',
    'Idempotency-Key': randomUUID(),
  };
}

/** Logs in as the panel does, with `cookie` if given. Returns the name and value of the new cookie. */
export async function logIn(address: Address, login: Login, cookie = ''): Promise<string> {
  const { baseUrl, ownOrigin, violations } = address;
  const headers = { ...asPanel(ownOrigin), Cookie: cookie, 'User-Agent': '<img src=x onerror=alert(1)>' };
  const {
    status,
    headers: answered,
    text,
  } = await exchange(...([baseUrl, 'POST', '/api/dashboard/auth/login', headers, JSON.stringify(login)] as const));
  if (status !== 200) throw new Error(`The proof cannot log in: ${status} ${text}`);
  const [set = ''] = answered['set-cookie'] ?? [];
  const own = set.split(';')[0] ?? '';
  if (!/; HttpOnly/.test(set) || !/; SameSite=(?:Lax|Strict)/.test(set))
    violations.add(`token readable: the session cookie lacks HttpOnly or SameSite: ${set}`);
  if (text.includes(own.split('=')[1] ?? own) || /\bmch_/.test(text))
    violations.add(`token readable: the login's response contains the token: ${text}`);
  return own;
}

/**
 * Calls the dashboard's operations in ways in which a foreign page could make a browser call them. The server must not
 * accept the session cookie. Returns the number of calls.
 */
export async function sendForged(trial: Trial, address: Address, stocked: Stocked): Promise<number> {
  const { baseUrl, ownOrigin, violations } = address;
  const chance: Chance = chanceOf(trial.seed);
  const cookie = await logIn(address, stocked.owner);
  const stranger = await logIn(address, await employ(stocked.shop, 'Stranger', 'owner'));
  const forgeries = forgeriesOf(ownOrigin, cookie, stranger);
  let sent = 0;
  for (const { id, method, path, surface, security } of operationTable) {
    if (surface !== 'dashboard' || security.length === 0) continue;
    const target = path.replaceAll(/\{\w+\}/g, () => randomUUID());
    for (const [what, change, readsToo] of chance.some(forgeries, pick(trial.size, 3, forgeries.length))) {
      if (method === 'get' && !readsToo) continue;
      const all: Headers = { ...asPanel(ownOrigin), Cookie: cookie, 'Idempotency-Key': randomUUID() };
      change(all);
      const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
      const body = method === 'get' || method === 'delete' ? undefined : '{}';
      const { status, text } = await exchange(baseUrl, method.toUpperCase(), target, headers, body);
      sent += 1;
      const isRefused = status === 401 || (status === 403 && text.includes('origin_not_allowed'));
      if (!isRefused) violations.add(`foreign write: ${id} ${what} was not rejected: ${status} ${text.slice(0, 200)}`);
    }
  }
  const proper = { ...asPanel(ownOrigin), Cookie: cookie };
  const { status, text } = await exchange(baseUrl, 'GET', '/api/dashboard/me', proper);
  if (status !== 200)
    violations.add(`The panel's own request was rejected, so the proof shows nothing: ${status} ${text}`);
  return sent;
}

type Forgery = [what: string, change: (headers: Headers) => void, readsToo: boolean];

function forgeriesOf(ownOrigin: string, cookie: string, stranger: string): Forgery[] {
  const set = (what: string, changes: Headers, readsToo = true): Forgery => [
    what,
    (headers) => void Object.assign(headers, changes),
    readsToo,
  ];
  const foreign = ['https://evil.example', 'http://localhost:1', `${ownOrigin}.evil.example`, 'null', 'file://'];
  const [name = '', value = ''] = cookie.split('=');
  return [
    set('without X-Panel', { 'X-Panel': '' }),
    set('with X-Panel: 0', { 'X-Panel': '0' }),
    ...['', 'cross-site', 'same-site', 'none', 'SAME-ORIGIN', 'same-origin, cross-site'].map((site) =>
      set(`with Sec-Fetch-Site ${site}`, { 'Sec-Fetch-Site': site }),
    ),
    ...foreign.map((origin) => set(`with Origin ${origin}`, { Origin: origin })),
    set('without an Origin', { Origin: '' }, false),
    ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'].map((type) =>
      set(`as a form of a neighbour, ${type}`, { 'Content-Type': type, 'X-Panel': '', 'Sec-Fetch-Site': 'same-site' }),
    ),
    set('with a method in a header', { 'X-HTTP-Method-Override': 'GET', 'Sec-Fetch-Site': 'same-site' }),
    set('without a cookie', { Cookie: '' }),
    set('with a planted cookie before its own', { Cookie: `${stranger}; ${cookie}` }),
    set('with a planted cookie after its own', { Cookie: `${cookie}; ${stranger}` }),
    set('with its cookie twice', { Cookie: `${cookie}; ${cookie}` }),
    set('with its cookie under another name', { Cookie: `${name}2=${value}` }),
    set('with its cookie without or with a prefix', {
      Cookie: name.startsWith('__Host-') ? `panel=${value}` : `__Host-panel=${value}`,
    }),
    set('with its session in quotes', { Cookie: `${name}="${value}"` }),
    set('with a made-up session', { Cookie: `${name}=mch_${'A'.repeat(39)}` }),
  ];
}

/**
 * A login must always start a new session, whatever cookie was set before, and an ended session must stay ended.
 * Returns the number of sessions.
 */
export async function plantSessions(address: Address, stocked: Stocked): Promise<number> {
  const { baseUrl, ownOrigin, violations } = address;
  const person = await employ(stocked.shop, 'Planted', 'owner');
  const known = await logIn(address, await employ(stocked.shop, 'Planter', 'owner'));
  const [name = ''] = known.split('=');
  const seen = new Set([known]);
  for (const planted of ['', known, `${name}=mch_${'A'.repeat(39)}`, `${name}=`, `${known}; ${known}`]) {
    const own = await logIn(address, person, planted);
    if (seen.has(own)) violations.add(`foreign write: the login did not replace the planted session ${planted}`);
    seen.add(own);
  }
  const now = await logIn(address, person);
  const call = (operation: Parameters<typeof operationOf>[0], cookie: string, body?: object) => {
    const { method, path } = operationOf(operation);
    const headers = { ...asPanel(ownOrigin), Cookie: cookie };
    return exchange(baseUrl, method.toUpperCase(), path, headers, body && JSON.stringify(body));
  };
  const passwords = { current_password: person.password, new_password: `${person.password} too` };
  const changed = await call('dashboard.changePassword', now, passwords);
  const next = changed.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  if (next === '' || changed.text.includes(next.split('=')[1] ?? next)) {
    violations.add(`token readable: changePassword: ${changed.status} ${changed.text}`);
  }
  const expected: [string, string, number][] = [
    ['a new session after a change of the password', next, 200],
    ['an old session after a change of the password', now, 401],
  ];
  for (const [what, cookie, status] of expected) {
    const answer = await call('dashboard.getMe', cookie);
    if (answer.status !== status) violations.add(`foreign write: ${what}: expected ${status}, got ${answer.status}`);
  }
  await call('dashboard.logout', next);
  const { status } = await call('dashboard.getMe', next);
  if (status !== 401) violations.add(`foreign write: a session after its logout: expected 401, got ${status}`);
  return seen.size + expected.length + 1;
}

/** Expects headers on every screen that forbid embedding. Returns the number of screens. */
export async function readHeaders({ baseUrl, ownOrigin, violations }: Address, stocked: Stocked): Promise<number> {
  const screens = ['/forgot', '/reset', '/invitation', ...(await screensOf(stocked))];
  for (const screen of screens) {
    const { status, headers } = await exchange(baseUrl, 'GET', `/panel${screen}`, { Host: new URL(ownOrigin).host });
    const policy = String(headers['content-security-policy']);
    const isRefused = policy.includes("frame-ancestors 'none'") && headers['x-frame-options'] === 'DENY';
    if (status !== 200 || !isRefused) violations.add(`the panel can be framed: ${screen} ${status}: ${policy}`);
  }
  return screens.length;
}
