import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { ShopError } from './errors.ts';

/**
 * Passwords at rest: argon2id, 19 MiB, 2 passes, 1 lane. A hash costs tens of milliseconds of a
 * core, so only as many run at once as there are cores, a few wait, and the rest are told to come back.
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MAX_WAITING = 32;

const MAX_BEGUN = availableParallelism() + MAX_WAITING;

let free = availableParallelism();
const waiting: (() => void)[] = [];
let begun = 0;

/**
 * Runs a deed that is going to hash a password, with all that leads there. Throws `unavailable` when as many are under way as
 * hashes may wait: of a flood of logins most end here, before each has asked the database and stood in the way of others.
 */
export async function amongFew<T>(deed: () => Promise<T>): Promise<T> {
  if (begun >= MAX_BEGUN) throw tooMany();
  begun += 1;
  try {
    return await deed();
  } finally {
    begun -= 1;
  }
}

/** The form in which a password is kept. Throws `unavailable` when too many are being computed. */
export async function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(canonical(password), COST));
}

/**
 * Whether a password fits a stored hash. Without a hash (nobody has that e-mail) it takes the same time and answers no.
 * Throws `unavailable` when too many are being computed.
 */
export async function fitsPassword(stored: string | undefined, password: string): Promise<boolean> {
  const fits = await inTurn(() => verify(stored ?? NOBODYS_HASH, canonical(password)));
  return fits && stored !== undefined;
}

/** A password for a new account, of the kind that can be read out: 20 characters, 98 bits. */
export function randomPassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  const group = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}

// Of a random password that was never kept, at the cost above.
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$eQyf8RPx8CQND0Jpb7KEVA$YDbfGixOejSQCEyrDlOuhadL0u8c4ysSjuukaCY2VPo';

/** The same letters typed on another keyboard are the same password (NFKC, as RFC 8265 has it). */
function canonical(password: string): string {
  return password.normalize('NFKC');
}

async function inTurn<T>(compute: () => Promise<T>): Promise<T> {
  if (free === 0) {
    if (waiting.length >= MAX_WAITING) throw tooMany();
    await new Promise<void>((go) => waiting.push(go));
  } else {
    free -= 1;
  }
  try {
    return await compute();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }
}

function tooMany(): ShopError {
  return new ShopError('unavailable', 'Too many logins at once. Try again.');
}
