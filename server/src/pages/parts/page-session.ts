/**
 * The cookie of a customer's login on a shop's pages. Scripts cannot read the cookie. It contains a session token like
 * those of the storefront API. Its name contains the site id, because shops without a host of their own share one
 * origin, and a session is valid in one shop only.
 */

import type { Request, Response } from 'express';
import { isWellFormed } from '../../shop/tokens.ts';

const LIFE_MS = 12 * 60 * 60 * 1000;

function nameOf(baseUrl: string, site_id: string): string {
  // Browsers accept the `__Host-` prefix only over https, and then no other host can set the cookie.
  const prefix = baseUrl.startsWith('https:') ? '__Host-' : '';
  return `${prefix}sid_${site_id.replaceAll('-', '')}`;
}

/**
 * The browser's session token for a shop. If there are several such cookies, another site has set one of them, so none
 * is used.
 */
export function heldToken({ headers }: Request, baseUrl: string, site_id: string): string | undefined {
  const name = nameOf(baseUrl, site_id);
  const values = (headers.cookie ?? '').split(/; */).filter((part) => part.startsWith(`${name}=`));
  const value = values.length === 1 ? (values[0]?.slice(name.length + 1) ?? '') : '';
  return isWellFormed('customer', value) ? value : undefined;
}

/** Sets the cookie. SameSite is lax, because customers arrive through links in mails and from agents. */
export function setSessionCookie(res: Response, baseUrl: string, site_id: string, token: string): void {
  const secure = baseUrl.startsWith('https:');
  res.cookie(nameOf(baseUrl, site_id), token, { httpOnly: true, secure, sameSite: 'lax', path: '/', maxAge: LIFE_MS });
}

export function clearSessionCookie(res: Response, baseUrl: string, site_id: string): void {
  const secure = baseUrl.startsWith('https:');
  res.clearCookie(nameOf(baseUrl, site_id), { httpOnly: true, secure, sameSite: 'lax', path: '/' });
}
