import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { fitsPassword, hashPassword, logins, MOST_LOGINS, randomPassword } from './passwords.ts';

test('a password hash matches only the password that it was made from', async () => {
  const stored = await hashPassword('correct horse');

  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await fitsPassword(stored, 'correct horse')).toBe(true);
  expect(await fitsPassword(stored, 'correct horse ')).toBe(false);
  expect(await fitsPassword(undefined, 'correct horse')).toBe(false);
});

test('a password matches in composed and decomposed Unicode form', async () => {
  const stored = await hashPassword('Zo\u00eb');

  expect(await fitsPassword(stored, 'Zoe\u0308')).toBe(true);
});

test('rejects password checks when the queue for hashing is full (unavailable)', async () => {
  const results = await Promise.allSettled(Array.from({ length: 200 }, () => fitsPassword(undefined, 'x')));

  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.reason).toMatchObject({ code: 'unavailable' });
  expect(await fitsPassword(undefined, 'x')).toBe(false);
});

test('rejects logins above the limit without hashing their passwords, and accepts logins again afterwards', async () => {
  let begun = 0;
  const login = () =>
    logins.take(async () => {
      begun += 1;
      await hashPassword('x');
    });

  const results = await Promise.allSettled(Array.from({ length: 500 }, login));

  expect(begun).toBe(MOST_LOGINS);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(begun);
  expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  await expect(login()).resolves.toBeUndefined();
});

test('a password comparison throws if the stored hash cannot be parsed, and later comparisons work', async () => {
  await expect(fitsPassword('no hash', 'x')).rejects.toThrow();

  expect(await fitsPassword(await hashPassword('x'), 'x')).toBe(true);
});

// Only Linux has a priority per thread.
test.runIf(process.platform === 'linux')('hashes passwords in threads with a lower CPU priority', async () => {
  await hashPassword('x');

  const least = Math.max(...readdirSync('/proc/self/task').map(nicenessOf));

  expect(least).toBe(Math.min(19, getPriority() + 5));
});

/** The niceness is the 19th field. The second field, the thread's name, is in brackets and may contain spaces. */
function nicenessOf(thread: string): number {
  const line = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
  return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[16]);
}

test('generates a different readable password each time', () => {
  const made = Array.from({ length: 1_000 }, randomPassword);

  expect(new Set(made).size).toBe(1_000);
  for (const password of made) expect(password).toMatch(/^(?:[a-z2-9]{5}-){3}[a-z2-9]{5}$/);
});
