import type { Response } from 'express';
import { isWellFormed } from '../../shop/tokens.ts';
import type { Sender } from '../received.ts';

/**
 * The cookie of a browser that has opened an unlock link from a mail. It grants no access: it only names the accounts
 * whose logins from this browser are counted separately.
 */
const LIFE_MS = 24 * 60 * 60 * 1000;
const MOST_PASSES = 3;

function nameOf(baseUrl: string): string {
  // The prefix binds the cookie to this host. It needs https.
  return baseUrl.startsWith('https:') ? '__Host-unlock' : 'unlock';
}

/** The passes in the browser's cookie; none if there are several cookies, because one of them would be forged. */
export function unlockPasses({ headers }: Sender, baseUrl: string): string[] {
  const name = nameOf(baseUrl);
  const values = (headers.cookie ?? '').split(/; */).filter((part) => part.startsWith(`${name}=`));
  const value = values.length === 1 ? (values[0]?.slice(name.length + 1) ?? '') : '';
  const passes = value.split('.').filter((pass) => isWellFormed('unlock', pass));
  return passes.slice(0, MOST_PASSES);
}

/** Adds a pass to those in the browser's cookie. */
export function addUnlockPass(req: Sender, res: Response, baseUrl: string, pass: string): void {
  const passes = [pass, ...unlockPasses(req, baseUrl)].slice(0, MOST_PASSES);
  const secure = baseUrl.startsWith('https:');
  const options = { httpOnly: true, secure, sameSite: 'lax', path: '/', maxAge: LIFE_MS } as const;
  res.cookie(nameOf(baseUrl), passes.join('.'), options);
}
