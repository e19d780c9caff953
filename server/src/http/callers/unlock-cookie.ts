/**
 * The cookie of a browser that opened an unlock link from a mail. It grants no access. It contains a pass for each
 * account for which logins from this browser are throttled separately.
 */

import type { Response } from 'express';
import { isWellFormed } from '../../shop/tokens.ts';
import type { Sender } from '../received.ts';

const LIFE_MS = 24 * 60 * 60 * 1000;
const MOST_PASSES = 3;

function nameOf(baseUrl: string): string {
  // Browsers accept the `__Host-` prefix only over https, and then no other host can set the cookie.
  return baseUrl.startsWith('https:') ? '__Host-unlock' : 'unlock';
}

/**
 * Returns the unlock passes in the browser's cookie. If there are several cookies with this name, returns none, because
 * some must be forged.
 */
export function unlockPasses({ headers }: Sender, baseUrl: string): string[] {
  const name = nameOf(baseUrl);
  const values = (headers.cookie ?? '').split(/; */).filter((part) => part.startsWith(`${name}=`));
  const value = values.length === 1 ? (values[0]?.slice(name.length + 1) ?? '') : '';
  const passes = value.split('.').filter((pass) => isWellFormed('unlock', pass));
  return passes.slice(0, MOST_PASSES);
}

/** Adds an unlock pass to the cookie, and drops the oldest above the maximum. */
export function addUnlockPass(req: Sender, res: Response, baseUrl: string, pass: string): void {
  const passes = [pass, ...unlockPasses(req, baseUrl)].slice(0, MOST_PASSES);
  const secure = baseUrl.startsWith('https:');
  const options = { httpOnly: true, secure, sameSite: 'lax', path: '/', maxAge: LIFE_MS } as const;
  res.cookie(nameOf(baseUrl), passes.join('.'), options);
}
