/**
 * Password hashing with argon2id. A hash takes tens of milliseconds of a CPU core. So only a few are computed
 * concurrently, some wait, and the rest are rejected with a retry time.
 */

import { randomInt } from 'node:crypto';
import { isUnreachable } from '../../db/transaction.ts';
import { compute } from './threads.ts';
import { Turns } from './turns.ts';

const MAX_WAITING = 32;
/**
 * Maximum number of concurrent logins. Low enough to leave database connections to other requests. Higher than the
 * number of login attempts without a delay, so that guessing gets the error of the login throttle.
 */
const AT_ONCE = 8;
/** Maximum number of running and waiting logins together. Further ones are rejected. */
export const MOST_LOGINS = AT_ONCE + MAX_WAITING;

/**
 * Limits operations that hash a password for anonymous callers. It rejects most logins of a flood before they query the
 * database.
 */
export const logins = new Turns({
  atOnce: AT_ONCE,
  maxWaiting: MAX_WAITING,
  refusal: 'Too many logins at once. Try again.',
  failsAll: isUnreachable,
});

/** Hashes a password. Throws `unavailable` if the queue is full. */
export async function hashPassword(password: string): Promise<string> {
  return compute<string>({ password: canonical(password) });
}

/**
 * Whether a password matches a stored hash. Without a hash (unknown e-mail address) it returns false after the same
 * time. Throws `unavailable` if the queue is full.
 */
export async function fitsPassword(stored: string | undefined, password: string): Promise<boolean> {
  const fits = await compute<boolean>({ password: canonical(password), stored: stored ?? NOBODYS_HASH });
  return fits && stored !== undefined;
}

/** Generates a password that can be read aloud: 20 characters, more than 98 bits. */
export function randomPassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  const group = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}

// The hash of a random password that nobody has, with the same cost as all others.
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$eQyf8RPx8CQND0Jpb7KEVA$YDbfGixOejSQCEyrDlOuhadL0u8c4ysSjuukaCY2VPo';

/** NFKC (RFC 8265), because keyboards compose characters differently. */
function canonical(password: string): string {
  return password.normalize('NFKC');
}
