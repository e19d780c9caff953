import { randomInt } from 'node:crypto';
import { isUnreachable } from '../../db/transaction.ts';
import { compute } from './threads.ts';
import { Turns } from './turns.ts';

/**
 * Passwords at rest: argon2id. A hash costs tens of milliseconds of a core, so few are computed at once, a few wait, and the
 * rest are told to come back.
 */
const MAX_WAITING = 32;
/** Few enough to leave connections to others; more than the free guesses, so that somebody who keeps guessing is told so. */
const AT_ONCE = 8;
/** More than these are refused. */
export const MOST_LOGINS = AT_ONCE + MAX_WAITING;

/**
 * Limits operations that hash a password for anyone who asks, from their first step on: most logins of a flood end here, before
 * they query the database and get in the way of others.
 */
export const logins = new Turns({
  atOnce: AT_ONCE,
  maxWaiting: MAX_WAITING,
  refusal: 'Too many logins at once. Try again.',
  failsAll: isUnreachable,
});

/** The form in which a password is kept. Throws `unavailable` when too many are being computed. */
export async function hashPassword(password: string): Promise<string> {
  return compute<string>({ password: canonical(password) });
}

/**
 * Whether a password fits a stored hash. Without a hash (nobody has that e-mail) it takes the same time and returns false.
 * Throws `unavailable` when too many are being computed.
 */
export async function fitsPassword(stored: string | undefined, password: string): Promise<boolean> {
  const fits = await compute<boolean>({ password: canonical(password), stored: stored ?? NOBODYS_HASH });
  return fits && stored !== undefined;
}

/** A password for a new account, suited to being read aloud: 20 characters, 98 bits. */
export function randomPassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  const group = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}

// The hash of a random password that was never kept, as costly to check as every other.
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$eQyf8RPx8CQND0Jpb7KEVA$YDbfGixOejSQCEyrDlOuhadL0u8c4ysSjuukaCY2VPo';

/** The same letters typed on another keyboard are the same password (NFKC, as RFC 8265 has it). */
function canonical(password: string): string {
  return password.normalize('NFKC');
}
