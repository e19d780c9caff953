/**
 * A cookie that distinguishes the browser in which a checkout was filled in from others with the same link. It
 * identifies no person, and the checkout stores only its hash.
 */

import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { browserOf } from '../../shop/checkout/binding.ts';

const LIFE_MS = 30 * 24 * 60 * 60 * 1000;
const COOKIE = /^[A-Za-z0-9_-]{43}$/;

/** The hash of the browser's cookie, as checkouts store it. A browser that posts without the cookie gets one. */
export function visitingBrowser(req: Request, res: Response, baseUrl: string, checkout_id: string): string {
  const secure = baseUrl.startsWith('https:');
  // Browsers accept the `__Host-` prefix only over https, and then no other host can set the cookie.
  const name = secure ? '__Host-buyer' : 'buyer';
  const values = (req.headers.cookie ?? '').split(/; */).filter((part) => part.startsWith(`${name}=`));
  const held = values.length === 1 ? (values[0]?.slice(name.length + 1) ?? '') : '';
  if (COOKIE.test(held)) return browserOf(held, checkout_id);
  const given = randomBytes(32).toString('base64url');
  if (req.method === 'POST') {
    res.cookie(name, given, { httpOnly: true, secure, sameSite: 'lax', path: '/', maxAge: LIFE_MS });
  }
  return browserOf(given, checkout_id);
}
