/**
 * CSRF protection: a form is accepted only from our own page, in the browser in which it was shown.
 * 1. A cookie contains a random form session, signed with its creation time. It identifies nobody and grants no access.
 * 2. Each form contains a token derived from the form session, the form's subject and the server's secret.
 * 3. The browser must report that the post came from our origin.
 * Our origin is the shop's host in the request, or the configured host. A form session is valid at one host only.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import type { SiteHosts } from '../../http/callers/site-hosts.ts';

export interface Guard {
  /** The form token for this browser. Starts a form session if there is none. `form` identifies the form's subject. */
  csrfFor(req: Request, res: Response, form: string): string;
  /** Whether a form was posted by our own page. */
  isOurs(req: Request, form: string, csrf: string): boolean;
  /** Starts a new form session, so that forms shown before are rejected. */
  renew(res: Response): void;
}

/**
 * A form session is used for new forms for one day and is accepted for two days. Thus every form can be submitted for
 * at least a day.
 */
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
  // Browsers accept the `__Host-` prefix only over https, and then no other host can set the cookie.
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
  /** The browser's form session, if its signature is valid and it is not too old. */
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
 * Whether a form comes from our own page. Our pages send no referrer, so browsers send `Origin: null` with their forms,
 * and Sec-Fetch-Site distinguishes them from other websites' forms. Over plain http (development), browsers may send
 * neither.
 */
function comesFrom({ headers }: Request, ownOrigin: string, secure: boolean): boolean {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site !== undefined) return site === 'same-origin' && [undefined, 'null', ownOrigin].includes(origin);
  return origin === ownOrigin || (origin === 'null' && !secure);
}

/** The value of a cookie. If several cookies have this name, another site has set one of them, so none is used. */
function cookieOf({ headers }: Request, name: string): string {
  const values = (headers.cookie ?? '').split(/; */).filter((part) => part.startsWith(`${name}=`));
  return values.length === 1 ? (values[0]?.slice(name.length + 1) ?? '') : '';
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
