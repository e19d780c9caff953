import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';

/**
 * Who may post a form of ours (hazards §2.7): only our own page, in the browser that it was shown to.
 * 1. The browser holds a random session in a cookie. It names nobody and gives access to nothing.
 * 2. Each form carries a token that follows from the session, the checkout and the server's secret.
 * 3. A post must come from our origin, by what the browser says of it.
 */
const SESSION = /^[A-Za-z0-9_-]{43}$/;
const DAY_SECONDS = 24 * 60 * 60;

export interface Guard {
  /** The form token of this browser for this checkout; gives the browser a session when it has none. */
  csrfFor(req: Request, res: Response, checkout_id: string): string;
  /** Whether a post is our page's own. */
  isOurs(req: Request, checkout_id: string, csrf: string): boolean;
}

export function createGuard({ baseUrl, secretKey }: { baseUrl: string; secretKey: string }): Guard {
  const secure = baseUrl.startsWith('https:');
  // The prefix binds the cookie to this host alone, so that no neighbour can plant one. It needs https.
  const name = secure ? '__Host-checkout' : 'checkout';
  const ownOrigin = new URL(baseUrl).origin;
  const tokenOf = (session: string, checkout_id: string) =>
    createHmac('sha256', secretKey).update(`checkout form|${session}|${checkout_id}`).digest('base64url');
  return {
    csrfFor(req, res, checkout_id) {
      const session = sessionOf(req, name) ?? randomBytes(32).toString('base64url');
      res.cookie(name, session, { httpOnly: true, secure, sameSite: 'lax', path: '/', maxAge: DAY_SECONDS * 1000 });
      return tokenOf(session, checkout_id);
    },
    isOurs(req, checkout_id, csrf) {
      const session = sessionOf(req, name);
      return comesFrom(req, ownOrigin, secure) && session !== undefined && isEqual(csrf, tokenOf(session, checkout_id));
    },
  };
}

/**
 * Our pages ask for no referrer, and so browsers write `null` for the origin of their forms; Sec-Fetch-Site tells it apart.
 * Over plain http, which is for development, browsers may send neither.
 */
function comesFrom({ headers }: Request, ownOrigin: string, secure: boolean): boolean {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site !== undefined) return site === 'same-origin' && [undefined, 'null', ownOrigin].includes(origin);
  return origin === ownOrigin || (origin === 'null' && !secure);
}

function sessionOf({ headers }: Request, name: string): string | undefined {
  const values = (headers.cookie ?? '').split(/; */).filter((part) => part.startsWith(`${name}=`));
  const value = values.length === 1 ? values[0]?.slice(name.length + 1) : undefined;
  return value !== undefined && SESSION.test(value) ? value : undefined;
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
