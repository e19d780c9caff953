import { expect, test } from 'vitest';
import { fitsPassword, hashPassword, randomPassword } from './passwords.ts';

test('a password fits its own hash and no other', async () => {
  const stored = await hashPassword('correct horse');

  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await fitsPassword(stored, 'correct horse')).toBe(true);
  expect(await fitsPassword(stored, 'correct horse ')).toBe(false);
  expect(await fitsPassword(undefined, 'correct horse')).toBe(false);
});

test('the same letters fit however the keyboard composed them', async () => {
  const stored = await hashPassword('Zo\u00eb');

  expect(await fitsPassword(stored, 'Zoe\u0308')).toBe(true);
});

test('beyond what can be computed and what may wait, callers are told to come back', async () => {
  const results = await Promise.allSettled(Array.from({ length: 200 }, () => fitsPassword(undefined, 'x')));

  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.reason).toMatchObject({ code: 'unavailable' });
  expect(await fitsPassword(undefined, 'x')).toBe(false);
});

test('passwords that we make differ and can be read out', () => {
  const made = Array.from({ length: 1_000 }, randomPassword);

  expect(new Set(made).size).toBe(1_000);
  for (const password of made) expect(password).toMatch(/^(?:[a-z2-9]{5}-){3}[a-z2-9]{5}$/);
});
