import type { Request, Response } from 'express';
import { isWellFormed } from '../../shop/tokens.ts';

/**
 * The cookie of a customer who is logged in on a shop's pages. It contains a token like those of the storefront, inaccessible
 * to scripts, which ends with all the customer's others. Its name contains the site: all shops share one origin, and a session of
 * one shop is not valid in another.
 */
const LIFE_MS = 12 * 60 * 60 * 1000;

function nameOf(baseUrl: string, site_id: string): string {
  // The prefix binds the cookie to this host only. It needs https.
  const prefix = baseUrl.startsWith('https:') ? '__Host-' : '';
  return `${prefix}sid_${site_id.replaceAll('-', '')}`;
}

/** The browser's token for a shop; none if there are several, because one of them was planted. */
export function heldToken({ headers }: Request, baseUrl: string, site_id: string): string | undefined {
  const name = nameOf(baseUrl, site_id);
  const values = (headers.cookie ?? '').split(/; */).filter((part) => part.startsWith(`${name}=`));
  const value = values.length === 1 ? (values[0]?.slice(name.length + 1) ?? '') : '';
  return isWellFormed('customer', value) ? value : undefined;
}

/** Sets the cookie. It is lax, because the customer arrives from the agent's link. */
export function setSessionCookie(res: Response, baseUrl: string, site_id: string, token: string): void {
  const secure = baseUrl.startsWith('https:');
  res.cookie(nameOf(baseUrl, site_id), token, { httpOnly: true, secure, sameSite: 'lax', path: '/', maxAge: LIFE_MS });
}

export function clearSessionCookie(res: Response, baseUrl: string, site_id: string): void {
  const secure = baseUrl.startsWith('https:');
  res.clearCookie(nameOf(baseUrl, site_id), { httpOnly: true, secure, sameSite: 'lax', path: '/' });
}
