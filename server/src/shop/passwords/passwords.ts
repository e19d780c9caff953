import { randomInt } from 'node:crypto';
import { isUnreachable } from '../../db/transaction.ts';
import { compute } from './threads.ts';
import { Turns } from './turns.ts';

/**
 * Password hashing with argon2id. A hash takes tens of milliseconds of a core. So only a few are computed at once, a
 * few more wait, and the rest are rejected with a retry time.
 */
const MAX_WAITING = 32;
/**
 * Number of hashes at once. It leaves database connections to other requests, and exceeds the free login attempts, so
 * that continued guessing gets the throttling error.
 */
const AT_ONCE = 8;
/** Number of logins at once, running or waiting. Further logins are rejected. */
export const MOST_LOGINS = AT_ONCE + MAX_WAITING;

/**
 * Limits operations that hash a password for anonymous callers, before their first step: most logins of a flood are
 * rejected here, before they query the database.
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
 * Whether a password matches a stored hash. Without a hash (for an unknown e-mail address) it takes the same time and
 * returns false. Throws `unavailable` if the queue is full.
 */
export async function fitsPassword(stored: string | undefined, password: string): Promise<boolean> {
  const fits = await compute<boolean>({ password: canonical(password), stored: stored ?? NOBODYS_HASH });
  return fits && stored !== undefined;
}

/** Generates a password for a new account. It can be read aloud: 20 characters, 98 bits. */
export function randomPassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  const group = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}

// The hash of a discarded random password, with the same cost as every other.
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$eQyf8RPx8CQND0Jpb7KEVA$YDbfGixOejSQCEyrDlOuhadL0u8c4ysSjuukaCY2VPo';

/** Normalizes to NFKC (RFC 8265), so that the password does not depend on how the keyboard composes characters. */
function canonical(password: string): string {
  return password.normalize('NFKC');
}
