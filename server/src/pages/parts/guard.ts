import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import type { SiteHosts } from '../../http/callers/site-hosts.ts';

/**
 * Only our own page may post a form, in the browser that it was shown to.
 * 1. The browser holds a random session in a cookie, signed with the time at which it was made. It names nobody and gives
 *    access to nothing.
 * 2. Each form carries a token derived from the session, from the subject of the form and from the server's secret.
 * 3. A post must come from our origin, according to the browser.
 * Our origin is that of the shop's host which the request names, or the configured one; a session is valid at one of them only.
 */
export interface Guard {
  /** The token of a form in this browser; gives the browser a session when it has none. `form` identifies the subject. */
  csrfFor(req: Request, res: Response, form: string): string;
  /** Whether a post comes from our own page. */
  isOurs(req: Request, form: string, csrf: string): boolean;
  /** Gives the browser a new session: forms that were shown before can no longer be sent. */
  renew(res: Response): void;
}

/** New forms use the same session for a day, and posts accept it for two, so that every form can be sent for at least a day. */
const DAY_SECONDS = 24 * 60 * 60;
const LIFE_SECONDS = 2 * DAY_SECONDS;
const SESSION = /^([0-9a-z]{1,9})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/;

interface GuardDeps {
  baseUrl: string;
  secretKey: string;
  hosts: SiteHosts;
}

export function createGuard({ baseUrl, secretKey, hosts }: GuardDeps): Guard {
  const secure = baseUrl.startsWith('https:');
  // The prefix binds the cookie to this host only, so that no other host can plant one. It needs https.
  const name = secure ? '__Host-form' : 'form';
  const sign = (text: string) => createHmac('sha256', secretKey).update(text).digest('base64url');
  const tokenOf = (session: string, form: string) => sign(`form token|${session}|${form}`);
  const signSession = (req: Request, made: string) =>
    sign(hosts.siteAt(req) ? `form session|${made}|${hosts.originAt(req)}` : `form session|${made}`);
  const give = (res: Response) => {
    const made = `${nowSeconds().toString(36)}.${randomBytes(32).toString('base64url')}`;
    const session = `${made}.${signSession(res.req, made)}`;
    res.cookie(name, session, { httpOnly: true, secure, sameSite: 'lax', path: '/', maxAge: LIFE_SECONDS * 1000 });
    return session;
  };
  /** The session of the browser, if we created it and it is not too old. */
  const sessionOf = (req: Request, maxAgeSeconds: number) => {
    const held = cookieOf(req, name);
    const [, made = '', random = '', signature = ''] = SESSION.exec(held) ?? [];
    const age = nowSeconds() - Number.parseInt(made, 36);
    const isOwn = made !== '' && isEqual(signature, signSession(req, `${made}.${random}`));
    return isOwn && age <= maxAgeSeconds ? held : undefined;
  };
  return {
    csrfFor: (req, res, form) => tokenOf(sessionOf(req, DAY_SECONDS) ?? give(res), form),
    isOurs(req, form, csrf) {
      const session = sessionOf(req, LIFE_SECONDS);
      return (
        comesFrom(req, hosts.originAt(req), secure) && session !== undefined && isEqual(csrf, tokenOf(session, form))
      );
    },
    renew: give,
  };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/**
 * Whether a form comes from our own page. Our pages send no referrer, so browsers send `Origin: null` with their forms;
 * Sec-Fetch-Site distinguishes them from foreign ones. Over plain http, which is for development, browsers may send neither.
 */
function comesFrom({ headers }: Request, ownOrigin: string, secure: boolean): boolean {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site !== undefined) return site === 'same-origin' && [undefined, 'null', ownOrigin].includes(origin);
  return origin === ownOrigin || (origin === 'null' && !secure);
}

/** The cookie with this name; none if there are several, because one of them was planted. */
function cookieOf({ headers }: Request, name: string): string {
  const values = (headers.cookie ?? '').split(/; */).filter((part) => part.startsWith(`${name}=`));
  return values.length === 1 ? (values[0]?.slice(name.length + 1) ?? '') : '';
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
