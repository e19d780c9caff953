import { expect, test } from 'vitest';
import { KeyTable } from './key-table.ts';

test('a key table returns the last number stored for a key, and undefined for an unknown key', () => {
  const table = new KeyTable();
  const count = 50_000;
  for (let i = 0; i < count; i += 1) table.set(`SKU-${i}`, i);
  for (let i = 0; i < count; i += 2) table.set(`SKU-${i}`, i + count);
  for (let i = 0; i < count; i += 1) expect(table.get(`SKU-${i}`)).toBe(i % 2 === 0 ? i + count : i);
  expect(table.has('SKU-0')).toBe(true);
  expect(table.has(`SKU-${count}`)).toBe(false);
  expect(table.get('')).toBeUndefined();
});
