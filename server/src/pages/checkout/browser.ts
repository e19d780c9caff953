import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { browserOf } from '../../shop/checkout/binding.ts';

/**
 * The cookie that distinguishes the browser that filled in a checkout from others with its link. It names nobody, and a checkout
 * stores only a hash of it.
 */
const LIFE_MS = 30 * 24 * 60 * 60 * 1000;
const COOKIE = /^[A-Za-z0-9_-]{43}$/;

/**
 * The browser that visits a checkout's page, in the form that the checkout stores. A browser that posts without a cookie gets
 * one.
 */
export function visitingBrowser(req: Request, res: Response, baseUrl: string, checkout_id: string): string {
  const secure = baseUrl.startsWith('https:');
  // The prefix binds the cookie to this host only. It needs https.
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
